import JSONText
import OBDWire

/// The signals of several sets, ready for the decoder: rows sorted for its search, and what belongs to each row.
///
///     let set = try SignalSet(parsing: bytes, fileName: "Ford-F-150.json")
///     let loaded = try LoadedSignals([set])
///     // give loaded.definitions.span to the decoder; then, of a reading:
///     loaded.name(of: reading.signal)            // F150_ODO
///     loaded.unitText(of: reading.signal)        // km
///
/// A value's name is its OBDb id, unchanged: it is unique, it is what the set's users search for, and it cannot be taken
/// for a name of the standard's, which begins with a small letter.
public struct LoadedSignals: Sendable {
  /// Signals that fit into ``OBDWire/SignalID`` beside the standard's.
  public static let maximumSignals = 32_767
  /// Codes with texts, of all signals together.
  public static let maximumMapEntries = 65_535

  /// Sorted by service, identifier, receiver and bit offset. The row at index i is the signal `0x8000 + i`.
  public let definitions: [SignalDefinition]
  /// The commands behind them, in the order of the sets: what a poll plan may send (``SignalSet/Command/isSendable``).
  public let commands: [SignalSet.Command]
  /// What becomes of values outside their set's range.
  public let limitPolicy: LimitPolicy

  private let signals: [SignalSet.Signal]
  /// By ``OBDWire/SignalDefinition/enumeration``.
  private let texts: [[UInt64: SignalSet.MapEntry]]

  /// - Parameters:
  ///   - sets: in the order in which their files are named.
  ///   - modelYear: leaves out the commands whose `filter` excludes it; nil keeps all: the answers of another year's
  ///     commands do not come.
  ///   - limitPolicy: what becomes of values outside `min`…`max`.
  /// - Throws: an id that two signals have, or more signals or codes than can be told apart.
  public init(
    _ sets: [SignalSet], modelYear: Int? = nil, limitPolicy: LimitPolicy = .absent
  ) throws(SignalSetError) {
    var rows: [(signal: SignalSet.Signal, order: Int)] = []
    var commands: [SignalSet.Command] = []
    var names = NameCheck()
    var mapEntries = 0
    for set in sets {
      for command in set.commands where modelYear.map({ command.filter?.admits($0) ?? true }) ?? true {
        commands.append(command)
        for signal in command.signals {
          try names.add(signal, of: command, in: set.fileName)
          mapEntries += signal.texts.count
          rows.append((signal, rows.count))
          try Self.refuseExcess(signals: rows.count, mapEntries: mapEntries, at: signal, in: set.fileName)
        }
      }
    }
    rows.sort { Self.key($0.signal.definition, $0.order) < Self.key($1.signal.definition, $1.order) }

    var definitions: [SignalDefinition] = []
    var texts: [[UInt64: SignalSet.MapEntry]] = []
    definitions.reserveCapacity(rows.count)
    for (signal, _) in rows {
      var definition = signal.definition
      if definition.kind == .enumeration {
        definition.enumeration = UInt16(texts.count)
        texts.append(Dictionary(signal.texts.map { ($0.code, $0) }) { first, _ in first })
      }
      if limitPolicy == .absent { Self.narrow(&definition, to: signal) }
      definitions.append(definition)
    }
    self.definitions = definitions
    self.commands = commands
    self.limitPolicy = limitPolicy
    self.texts = texts
    signals = rows.map(\.signal)
  }

  private static func key(_ row: SignalDefinition, _ order: Int) -> (UInt32, UInt32, UInt16, Int) {
    (UInt32(row.service) << 16 | UInt32(row.identifier), row.ecu.sortKey, row.bitOffset, order)
  }

  /// Takes what lies more than half a step outside the written limits for "none".
  private static func narrow(_ definition: inout SignalDefinition, to signal: SignalSet.Signal) {
    guard definition.kind == .number else { return }
    let halfStep = abs(definition.factor) / 2
    // "max": 0 alone, or any max not above min, is a placeholder: OBDb limits nothing by it.
    if let maximum = signal.maximum {
      guard maximum > signal.minimum ?? 0 else { return }
      definition.nullAtOrAbove = min(definition.nullAtOrAbove, maximum + halfStep)
    }
    if let minimum = signal.minimum {
      definition.nullAtOrBelow = max(definition.nullAtOrBelow, minimum - halfStep)
    }
  }

  private static func refuseExcess(
    signals: Int, mapEntries: Int, at signal: SignalSet.Signal, in file: String
  ) throws(SignalSetError) {
    if signals > maximumSignals {
      throw signal.error(
        .outOfRange(expected: "at most \(maximumSignals) signals in all sets", found: "one more"), in: file)
    }
    if mapEntries > maximumMapEntries {
      throw signal.error(
        .outOfRange(expected: "at most \(maximumMapEntries) map entries in all sets", found: "\(mapEntries)"), in: file)
    }
  }
}

extension LoadedSignals {
  /// The value's name in records: its OBDb id, `F150_ODO`. Nil where `signal` is none of these.
  public func name(of signal: SignalID) -> String? { self[signal]?.id }

  /// What people call it: `Odometer`.
  public func title(of signal: SignalID) -> String? { self[signal]?.title }

  /// As records print it: `km`; empty for counts, flags and codes.
  public func unitText(of signal: SignalID) -> String? { self[signal]?.unitText }

  /// The range that the set calls valid, where it writes both ends and they differ.
  public func range(of signal: SignalID) -> ClosedRange<Double>? {
    guard let row = self[signal], let maximum = row.maximum, let minimum = row.minimum, minimum < maximum else {
      return nil
    }
    return minimum...maximum
  }

  /// The text of an enumeration's code: `NOT_CHARGING`; nil for a code that the set does not know.
  public func mapText(of signal: SignalID, code: Double) -> String? { mapEntry(of: signal, code: code)?.value }

  /// The same for people: `Not charging`.
  public func mapDescription(of signal: SignalID, code: Double) -> String? {
    mapEntry(of: signal, code: code)?.description
  }

  /// A reading's value as ``limitPolicy`` wants it: unchanged, or at the limit where that is `limited`.
  public func limited(_ value: Double, of signal: SignalID) -> Double {
    guard limitPolicy == .limited, let row = self[signal], row.definition.kind == .number, let maximum = row.maximum
    else { return value }
    let minimum = row.minimum ?? 0
    return maximum > minimum ? min(max(value, minimum), maximum) : value
  }

  /// The signals that have this name; more than one only where their commands belong to different model years.
  public func signals(named name: String) -> [SignalID] {
    signals.indices.filter { signals[$0].id == name }.map(Self.identifier)
  }

  /// Everything that the set says about a signal; nil where it is none of these.
  public subscript(_ signal: SignalID) -> SignalSet.Signal? {
    guard signal.isLoaded else { return nil }
    let index = Int(signal.rawValue - SignalID.firstLoaded)
    return index < signals.count ? signals[index] : nil
  }

  private func mapEntry(of signal: SignalID, code: Double) -> SignalSet.MapEntry? {
    guard let code = UInt64(exactly: code), self[signal]?.definition.kind == .enumeration else { return nil }
    let row = definitions[Int(signal.rawValue - SignalID.firstLoaded)]
    return texts[Int(row.enumeration)][code]
  }

  private static func identifier(_ index: Int) -> SignalID {
    SignalID(rawValue: SignalID.firstLoaded + UInt16(index))
  }
}
