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
/// In records, the name of a value is its signal's OBDb ID, unchanged. The ID is unique, and users of the set search
/// for it. It cannot be confused with the name of a value of the OBD standards, which begins with a lower-case letter.
public struct LoadedSignals: Sendable {
  /// Maximum number of signals, because ``OBDWire/SignalID`` also numbers the signals of the OBD standards.
  public static let maximumSignals = 32_767
  /// Maximum number of codes with a text, in all signals of all sets together.
  public static let maximumMapEntries = 65_535

  /// Definitions sorted by service, identifier, receiver and bit offset. The definition at index i is that of the
  /// signal `0x8000 + i`.
  public let definitions: [SignalDefinition]
  /// The commands of all sets, in the order of the sets. A session may send only those whose
  /// ``SignalSet/Command/isSendable`` is `true`.
  public let commands: [SignalSet.Command]
  /// How values outside their range are treated.
  public let limitPolicy: LimitPolicy

  private let signals: [SignalSet.Signal]
  /// Texts of each enumeration by code. The index is ``OBDWire/SignalDefinition/enumeration``.
  private let texts: [[UInt64: SignalSet.MapEntry]]

  /// Combines signal sets.
  ///
  /// - Parameters:
  ///   - sets: the signal sets, in the order in which their files are configured.
  ///   - modelYear: the model year of the vehicle. Commands whose `filter` excludes it are left out. If `nil`, all
  ///     commands are kept, including those to which the vehicle does not answer because they are for other model
  ///     years.
  ///   - limitPolicy: how values outside `min`…`max` are treated.
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

  /// Changes the definition so that values more than half a step outside the limits count as missing.
  private static func narrow(_ definition: inout SignalDefinition, to signal: SignalSet.Signal) {
    guard definition.kind == .number else { return }
    let halfStep = abs(definition.factor) / 2
    // If `max` is not above `min` (0 if missing), it is a placeholder. OBDb then applies no limit.
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
  /// Returns the name of a signal in records, its OBDb ID, for example `F150_ODO`; `nil` if `signal` is not from these
  /// sets.
  public func name(of signal: SignalID) -> String? { self[signal]?.id }

  /// Returns the title of a signal, for example `Odometer`; `nil` if `signal` is not from these sets.
  public func title(of signal: SignalID) -> String? { self[signal]?.title }

  /// Returns the unit of a signal in records, for example `km`; empty for counts, flags and codes. `nil` if `signal` is
  /// not from these sets.
  public func unitText(of signal: SignalID) -> String? { self[signal]?.unitText }

  /// Returns the valid range of a signal; `nil` unless the set states both limits and `min` is less than `max`.
  public func range(of signal: SignalID) -> ClosedRange<Double>? {
    guard let row = self[signal], let maximum = row.maximum, let minimum = row.minimum, minimum < maximum else {
      return nil
    }
    return minimum...maximum
  }

  /// Returns the text of an enumeration code, for example `NOT_CHARGING`; `nil` if the set does not contain the code.
  public func mapText(of signal: SignalID, code: Double) -> String? { mapEntry(of: signal, code: code)?.value }

  /// Returns the description of an enumeration code, for example `Not charging`; `nil` if the set does not contain the
  /// code.
  public func mapDescription(of signal: SignalID, code: Double) -> String? {
    mapEntry(of: signal, code: code)?.description
  }

  /// Returns a value after applying ``limitPolicy``. With the policy `limited`, a value outside the range of its signal
  /// becomes the limit that it exceeds. All other values are returned unchanged.
  public func limited(_ value: Double, of signal: SignalID) -> Double {
    guard limitPolicy == .limited, let row = self[signal], row.definition.kind == .number, let maximum = row.maximum
    else { return value }
    let minimum = row.minimum ?? 0
    return maximum > minimum ? min(max(value, minimum), maximum) : value
  }

  /// Returns all signals with this name. There can be more than one only if their commands are for different model
  /// years.
  public func signals(named name: String) -> [SignalID] {
    signals.indices.filter { signals[$0].id == name }.map(Self.identifier)
  }

  /// A signal as described in its set; `nil` if `signal` is not from these sets.
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
