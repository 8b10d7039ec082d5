/// What can stand as one value in a line.
public protocol JSONLineValue {
  /// Writes the value where ``JSONLineEncoder`` expects one; false where it did not fit.
  func write(to line: inout JSONLineEncoder) -> Bool
}

extension JSONLineEncoder {
  /// Writes a key and its value, both or neither; false where they did not fit.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ value: Value) -> Bool {
    key(name)
    return value.write(to: &self)
  }

  /// Writes a key and its value where there is one: what is not known is absent, never null.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ value: Value?) -> Bool {
    guard let value else { return true }
    return field(name, value)
  }

  /// Writes a key and text, escaped as ``value(_:)-(Span<UInt8>)`` does.
  @discardableResult
  public mutating func field(_ name: StaticString, text: Span<UInt8>) -> Bool {
    key(name)
    return value(text)
  }

  /// Writes a key and a number rounded to `decimals` places.
  @discardableResult
  public mutating func field(_ name: StaticString, _ number: Double, decimals: Int) -> Bool {
    key(name)
    return value(number, decimals: decimals)
  }

  /// Writes a key and an array of values.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ values: [Value]) -> Bool {
    guard beginArray(name) else { return false }
    var complete = true
    for value in values where !value.write(to: &self) { complete = false }
    end()
    return complete
  }

  /// Writes a key and an array of values where there is one.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ values: [Value]?) -> Bool {
    guard let values else { return true }
    return field(name, values)
  }
}

extension Double: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
extension Int: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
extension UInt64: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
extension Bool: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
extension StaticString: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
extension String: JSONLineValue {
  public func write(to line: inout JSONLineEncoder) -> Bool { line.value(self) }
}
