/// The keys of one type of record, which follow the keys of the record's head.
///
/// Types that conform to this protocol contain arrays and strings. Allocating these takes time, so the types suit only
/// infrequent records. Telemetry records, which are made every second or more often, are written without such a type,
/// from ``Position`` and the values of the signals.
public protocol RecordBody {
  /// Type of the record.
  static var type: RecordType { get }
  /// Writes the keys and values into the outermost object.
  func write(to line: inout JSONLineEncoder)
}

extension JSONLineEncoder {
  /// Writes a complete record as one text line.
  ///
  /// If the record is too long, only the keys that fit are written, and the key `"truncated":true` is added.
  public mutating func record<Body: RecordBody>(_ head: RecordHead, _ body: Body) {
    let truncationRoom = 17
    begin()
    head.write(to: &self)
    holdBack(truncationRoom)
    body.write(to: &self)
    holdBack(-truncationRoom)
    if overflowed { field("truncated", true) }
    finish()
  }
}

/// A value of a key in a record. Flags are written as booleans, enumerations as text.
public enum RecordValue: Equatable, Sendable, JSONLineValue {
  case number(Double)
  case flag(Bool)
  case text(String)

  public func write(to line: inout JSONLineEncoder) -> Bool {
    switch self {
    case .number(let number): line.value(number)
    case .flag(let flag): line.value(flag)
    case .text(let text): line.value(text)
    }
  }
}

/// A value with a name that is known only at run time.
public struct NamedValue: Equatable, Sendable {
  /// The name, which is the key in the record.
  public var name: String
  /// The value.
  public var value: RecordValue

  /// Creates a named value.
  public init(_ name: String, _ value: RecordValue) {
    self.name = name
    self.value = value
  }
}

extension JSONLineEncoder {
  /// Writes a key and an object of named values.
  public mutating func field(_ name: StaticString, _ values: [NamedValue]) {
    guard beginObject(name) else { return }
    for item in values {
      key(item.name)
      _ = item.value.write(to: &self)
    }
    end()
  }
}
