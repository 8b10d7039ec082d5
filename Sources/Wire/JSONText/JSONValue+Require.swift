/// Conversions that throw a ``JSONError`` with the position, what was expected and what was found.
extension JSONValue {
  /// Returns the content of this value, which must be a string.
  public func requireString() throws(JSONError) -> String {
    guard let string else { throw wrongType("a string") }
    return string
  }

  /// Returns the content of this value, which must be a string that is one of `choices`.
  public func requireString(oneOf choices: [String]) throws(JSONError) -> String {
    if let string, choices.contains(string) { return string }
    let listed = choices.map { JSONError.quoted($0) }.joined(separator: ", ")
    let expected = choices.count > 1 ? "one of " + listed : listed
    guard node.kind == .string else { throw wrongType(expected) }
    throw error(.invalidValue(expected: expected, found: summary))
  }

  /// Returns the content of this value, which must be `true` or `false`.
  public func requireBool() throws(JSONError) -> Bool {
    guard let bool else { throw wrongType("true or false") }
    return bool
  }

  /// Returns this value, which must be an integer within `range`, written without decimal point and exponent.
  public func requireInt(in range: ClosedRange<Int> = .min ... .max) throws(JSONError) -> Int {
    if let int, range.contains(int) { return int }
    let expected =
      range == .min ... .max ? "a whole number" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard node.kind == .number else { throw wrongType(expected) }
    throw error(.outOfRange(expected: expected, found: summary))
  }

  /// Returns this value, which must be a number within `range`, as a finite `Double`.
  public func requireDouble(
    in range: ClosedRange<Double> = finite
  ) throws(JSONError) -> Double {
    if let double, range.contains(double) { return double }
    let isOpen = range.upperBound == .greatestFiniteMagnitude
    let expected =
      switch (range.lowerBound == -.greatestFiniteMagnitude, isOpen) {
      case (true, true): "a number"
      case (true, false): "a number up to \(range.upperBound)"
      case (false, true): "a number from \(range.lowerBound) up"
      case (false, false): "a number from \(range.lowerBound) to \(range.upperBound)"
      }
    guard node.kind == .number else { throw wrongType(expected) }
    throw error(.outOfRange(expected: expected, found: summary))
  }

  /// Returns the elements of this value, which must be an array.
  public func requireArray() throws(JSONError) -> JSONElements {
    guard node.kind == .array else { throw wrongType("an array") }
    return elements
  }

  /// The range of all finite `Double` values.
  public static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  /// Returns the error for a value of the wrong type.
  func wrongType(_ expected: String) -> JSONError { error(.wrongType(expected: expected, found: summary)) }
}
