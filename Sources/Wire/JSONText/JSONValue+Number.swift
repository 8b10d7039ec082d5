extension JSONValue {
  /// The value of an integer without decimal point and exponent; `nil` if it does not fit `Int`, or for any other type.
  public var int: Int? {
    guard node.kind == .number else { return nil }
    return JSONNumber.int(valueSpan)
  }

  /// The `Double` nearest to the number (round half to even); `nil` if it overflows, or for any other type. Numbers
  /// that underflow are 0.
  public var double: Double? {
    guard node.kind == .number else { return nil }
    return JSONNumber.double(valueSpan)
  }
}
