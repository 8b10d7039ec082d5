extension JSONValue {
  /// A number written without point and exponent that an `Int` can hold; nil for any other value.
  public var int: Int? {
    guard node.kind == .number else { return nil }
    return JSONNumber.int(valueSpan)
  }

  /// The `Double` nearest to the number as it is written (round half to even); nil for any other value and for numbers
  /// whose size no `Double` has. What is too small to be told from 0 is 0.
  public var double: Double? {
    guard node.kind == .number else { return nil }
    return JSONNumber.double(valueSpan)
  }
}
