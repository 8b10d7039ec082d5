import JSONText
import OBDWire

/// The signals of several signal sets in the form that the decoder needs, with the metadata of each signal.
///
///     let set = try SignalSet(parsing: bytes, fileName: "Ford-F-150.json")
///     let loaded = try LoadedSignals([set])
///     // pass loaded.definitions.span to the decoder; then, for a reading:
///     loaded.name(of: reading.signal)            // F150_ODO
///     loaded.unitText(of: reading.signal)        // km
///
/// The name of a value is its OBDb ID, unchanged. It is unique, users of the set search for it, and it cannot be
/// confused with a standard name, which begins with a lower-case letter.
public struct LoadedSignals: Sendable {
  /// Maximum number of signals that fit ``OBDWire/SignalID`` beside those of the standard.
  public static let maximumSignals = 32_767
  /// Maximum number of codes with texts, of all signals together.
  public static let maximumMapEntries = 65_535

  /// Definitions sorted by service, identifier, receiver and bit offset. Index i belongs to the signal `0x8000 + i`.
  public let definitions: [SignalDefinition]
  /// The commands in the order of the sets. A poll plan may send those with ``SignalSet/Command/isSendable``.
  public let commands: [SignalSet.Command]
  /// Handling of values outside the range in their set.
  public let limitPolicy: LimitPolicy

  private let signals: [SignalSet.Signal]
  /// Texts by code; the index is ``OBDWire/SignalDefinition/enumeration``.
  private let texts: [[UInt64: SignalSet.MapEntry]]

  /// Combines signal sets.
  ///
  /// - Parameters:
  ///   - sets: in the order in which their files are configured.
  ///   - modelYear: excludes commands whose `filter` excludes this year. `nil` keeps all commands; those of other years
  ///     are not answered.
  ///   - limitPolicy: handling of values outside `min`…`max`.
  /// - Throws: ``SignalSetError`` if two signals have the same ID, or if there are too many signals or codes.
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

  /// Treats values more than half a step outside the limits as missing.
  private static func narrow(_ definition: inout SignalDefinition, to signal: SignalSet.Signal) {
    guard definition.kind == .number else { return }
    let halfStep = abs(definition.factor) / 2
    // A `max` of 0, or not above `min`, is a placeholder: OBDb applies no limit then.
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
  /// Returns the name in records, the OBDb ID, for example `F150_ODO`; `nil` if `signal` is not from these sets.
  public func name(of signal: SignalID) -> String? { self[signal]?.id }

  /// Returns the title, for example `Odometer`.
  public func title(of signal: SignalID) -> String? { self[signal]?.title }

  /// Returns the unit in records, for example `km`; empty for counts, flags and codes.
  public func unitText(of signal: SignalID) -> String? { self[signal]?.unitText }

  /// Returns the valid range; `nil` unless the set has both limits and they differ.
  public func range(of signal: SignalID) -> ClosedRange<Double>? {
    guard let row = self[signal], let maximum = row.maximum, let minimum = row.minimum, minimum < maximum else {
      return nil
    }
    return minimum...maximum
  }

  /// Returns the text of an enumeration code, for example `NOT_CHARGING`; `nil` if the set does not contain the code.
  public func mapText(of signal: SignalID, code: Double) -> String? { mapEntry(of: signal, code: code)?.value }

  /// Returns the description of an enumeration code, for example `Not charging`.
  public func mapDescription(of signal: SignalID, code: Double) -> String? {
    mapEntry(of: signal, code: code)?.description
  }

  /// Applies ``limitPolicy`` to a value: unchanged, or limited to the range for `limited`.
  public func limited(_ value: Double, of signal: SignalID) -> Double {
    guard limitPolicy == .limited, let row = self[signal], row.definition.kind == .number, let maximum = row.maximum
    else { return value }
    let minimum = row.minimum ?? 0
    return maximum > minimum ? min(max(value, minimum), maximum) : value
  }

  /// Returns the signals with a name. There is more than one only if their commands are for different model years.
  public func signals(named name: String) -> [SignalID] {
    signals.indices.filter { signals[$0].id == name }.map(Self.identifier)
  }

  /// The data of a signal in its set; `nil` if `signal` is not from these sets.
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
