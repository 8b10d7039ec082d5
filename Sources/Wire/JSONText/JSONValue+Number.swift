extension JSONValue {
  /// The value of an integer that is written without decimal point and exponent; `nil` if it does not fit `Int`, or if
  /// this value is anything else.
  public var int: Int? {
    guard node.kind == .number else { return nil }
    return JSONNumber.int(valueSpan)
  }

  /// The `Double` nearest to the number (round half to even); `nil` if the number is too large for a `Double`, or if
  /// the value has any other type. A number that is too close to 0 for a `Double` becomes 0.
  public var double: Double? {
    guard node.kind == .number else { return nil }
    return JSONNumber.double(valueSpan)
  }
}
