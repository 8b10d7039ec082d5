/// The keys of one type of record, written after its head.
///
/// Implementations contain arrays and strings, which suits infrequent records. Telemetry, once a second or more often,
/// is written directly (``Position`` and the values of the signals).
public protocol RecordBody {
  /// Type of the record.
  static var type: RecordType { get }
  /// Writes the keys into the outermost object.
  func write(to line: inout JSONLineEncoder)
}

extension JSONLineEncoder {
  /// Writes a complete record as one text line.
  ///
  /// A record that is too long is truncated to the keys that fit and marked with `"truncated":true`.
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

/// A value in a record. Flags are written as booleans, enumerations as text.
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
  /// The key.
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
