/// A type that can be written as one JSON value.
public protocol JSONLineValue {
  /// Writes the value at the encoder's current position.
  ///
  /// - Returns: `false` if the value does not fit.
  func write(to line: inout JSONLineEncoder) -> Bool
}

extension JSONLineEncoder {
  /// Writes a key and its value, or neither if they do not fit.
  ///
  /// - Returns: `false` if they do not fit.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ value: Value) -> Bool {
    key(name)
    return value.write(to: &self)
  }

  /// Writes a key and its value, unless the value is `nil`. A missing value is never written as `null`.
  ///
  /// - Returns: `false` if they do not fit.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ value: Value?) -> Bool {
    guard let value else { return true }
    return field(name, value)
  }

  /// Writes a key and a text, escaped as by ``value(_:)-(Span<UInt8>)``. Returns `false` if they do not fit.
  @discardableResult
  public mutating func field(_ name: StaticString, text: Span<UInt8>) -> Bool {
    key(name)
    return value(text)
  }

  /// Writes a key and a number rounded to `decimals` decimals. Returns `false` if they do not fit.
  @discardableResult
  public mutating func field(_ name: StaticString, _ number: Double, decimals: Int) -> Bool {
    key(name)
    return value(number, decimals: decimals)
  }

  /// Writes a key and an array of values.
  ///
  /// - Returns: `false` if the array or some of its values do not fit.
  @discardableResult
  public mutating func field<Value: JSONLineValue>(_ name: StaticString, _ values: [Value]) -> Bool {
    guard beginArray(name) else { return false }
    var complete = true
    for value in values where !value.write(to: &self) { complete = false }
    end()
    return complete
  }

  /// Writes a key and an array of values, unless the array is `nil`. Returns `false` if they do not fit.
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
