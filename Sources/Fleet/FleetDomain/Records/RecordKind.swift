import Telemetry

/// What a record is about, one of the types that are known or another: more types may come before we know them.
public enum RecordKind: Hashable, Sendable {
  case known(RecordType)
  /// Its name; none of ``Telemetry/RecordType``.
  case other(String)

  public init(_ name: String) {
    self = RecordType.allCases.first { name == $0.text }.map { .known($0) } ?? .other(name)
  }

  /// As records print it.
  public var name: String {
    switch self {
    case .known(let type): type.text
    case .other(let name): name
    }
  }

  /// Which class of rows it is kept in.
  public var recordClass: RecordClass {
    switch self {
    case .known(let type): .known(type)
    case .other: .other
    }
  }
}

/// How records are kept apart: each known type on its own, all others together. Retention and lists go by it.
public enum RecordClass: Hashable, Sendable, CaseIterable {
  case known(RecordType)
  case other

  public static let allCases: [RecordClass] = RecordType.allCases.map { .known($0) } + [.other]

  /// The number under which it is kept, for good.
  public var number: Int16 {
    switch self {
    case .known(let type): Int16(type.rawValue)
    case .other: 255
    }
  }

  /// Whether each ECU of a vehicle has records of its own, so that the newest of one says nothing of the others.
  public var hasECUs: Bool { self == .known(.dtc) || self == .known(.monitors) }

  /// Nil for a number that none has.
  public init?(number: Int16) {
    if number == 255 {
      self = .other
    } else {
      guard let raw = UInt8(exactly: number), let type = RecordType(rawValue: raw) else { return nil }
      self = .known(type)
    }
  }

  /// The type's name, or `other`.
  public var name: String {
    switch self {
    case .known(let type): type.text
    case .other: "other"
    }
  }
}

extension RecordType {
  /// ``name`` as a `String`.
  public var text: String { "\(name)" }
}

extension TimeQuality {
  /// ``name`` as a `String`.
  public var text: String { "\(name)" }

  /// Whether a time of this quality replaces one of the other: gps > ntp > system > unset.
  public func isBetter(than other: TimeQuality) -> Bool { rawValue < other.rawValue }
}
