/// The keys of one type of record behind its head.
///
/// Bodies made of arrays and strings belong to records that come once in a while. Telemetry, which comes every
/// second or faster, is written into the line directly (``Position`` and the signals' values).
public protocol RecordBody {
  static var type: RecordType { get }
  /// Writes the keys into the line's outermost object.
  func write(to line: inout JSONLineEncoder)
}

extension JSONLineEncoder {
  /// Writes a whole record as one line.
  ///
  /// One that is longer than the line may be keeps what fits and says so: `"truncated":true`.
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

/// A value as records print it: flags as booleans, enumerations as text.
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

/// A value under a name that is not known before run time.
public struct NamedValue: Equatable, Sendable {
  /// The key.
  public var name: String
  /// What stands under it.
  public var value: RecordValue

  public init(_ name: String, _ value: RecordValue) {
    self.name = name
    self.value = value
  }
}

extension JSONLineEncoder {
  /// Writes an object of named values under a key.
  public mutating func field(_ name: StaticString, _ values: [NamedValue]) {
    guard beginObject(name) else { return }
    for item in values {
      key(item.name)
      _ = item.value.write(to: &self)
    }
    end()
  }
}
