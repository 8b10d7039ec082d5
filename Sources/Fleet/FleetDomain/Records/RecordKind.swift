import Telemetry

/// The type of a record: a known type, or the name of an unknown one, because later versions may add types.
public enum RecordKind: Hashable, Sendable {
  case known(RecordType)
  /// The name of a type that is not in ``Telemetry/RecordType``.
  case other(String)

  public init(_ name: String) {
    self = RecordType.allCases.first { name == $0.text }.map { .known($0) } ?? .other(name)
  }

  /// The name of the type in records.
  public var name: String {
    switch self {
    case .known(let type): type.text
    case .other(let name): name
    }
  }

  /// The class in which records of this type are stored.
  public var recordClass: RecordClass {
    switch self {
    case .known(let type): .known(type)
    case .other: .other
    }
  }
}

/// The classes into which stored records are divided: one for each known type, and one for all other types. Retention
/// and lists use them.
public enum RecordClass: Hashable, Sendable, CaseIterable {
  case known(RecordType)
  case other

  public static let allCases: [RecordClass] = RecordType.allCases.map { .known($0) } + [.other]

  /// The number of the class in the database, which never changes.
  public var number: Int16 {
    switch self {
    case .known(let type): Int16(type.rawValue)
    case .other: 255
    }
  }

  /// Whether each ECU of a vehicle has its own records of this class. If so, there is a newest record of each ECU.
  public var hasECUs: Bool { self == .known(.dtc) || self == .known(.monitors) }

  /// Returns the class that has the given number; `nil` for an unknown number.
  public init?(number: Int16) {
    if number == 255 {
      self = .other
    } else {
      guard let raw = UInt8(exactly: number), let type = RecordType(rawValue: raw) else { return nil }
      self = .known(type)
    }
  }

  /// The name of the type, or `other`.
  public var name: String {
    switch self {
    case .known(let type): type.text
    case .other: "other"
    }
  }
}

extension RecordType {
  /// The name of the type as a `String`.
  public var text: String { "\(name)" }
}

extension TimeQuality {
  /// The name of the quality as a `String`.
  public var text: String { "\(name)" }

  /// Whether a time of this quality may replace a time of another quality. The order, from the best, is gps, ntp,
  /// system, unset.
  public func isBetter(than other: TimeQuality) -> Bool { rawValue < other.rawValue }
}
