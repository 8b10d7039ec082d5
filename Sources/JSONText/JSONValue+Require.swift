/// Reading with the error at hand: each of these throws ``JSONError`` with the place, what is expected, what is there.
extension JSONValue {
  /// A string.
  public func requireString() throws(JSONError) -> String {
    guard let string else { throw wrongType("a string") }
    return string
  }

  /// A string that is one of `choices`.
  public func requireString(oneOf choices: [String]) throws(JSONError) -> String {
    let expected = choices.map { JSONError.quoted($0) }.joined(separator: ", ")
    guard let string else { throw wrongType(choices.count > 1 ? "one of " + expected : expected) }
    guard choices.contains(string) else {
      throw error(.invalidValue(expected: choices.count > 1 ? "one of " + expected : expected, found: summary))
    }
    return string
  }

  /// True or false.
  public func requireBool() throws(JSONError) -> Bool {
    guard let bool else { throw wrongType("true or false") }
    return bool
  }

  /// A whole number, written without point and exponent, within `range`.
  public func requireInt(in range: ClosedRange<Int> = .min ... .max) throws(JSONError) -> Int {
    let expected =
      range == .min ... .max ? "a whole number" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard node.kind == .number else { throw wrongType(expected) }
    guard let int, range.contains(int) else { throw error(.outOfRange(expected: expected, found: summary)) }
    return int
  }

  /// A number within `range`, a finite `Double`.
  public func requireDouble(
    in range: ClosedRange<Double> = finite
  ) throws(JSONError) -> Double {
    let isOpen = range.upperBound == .greatestFiniteMagnitude
    let expected =
      switch (range.lowerBound == -.greatestFiniteMagnitude, isOpen) {
      case (true, true): "a number"
      case (true, false): "a number up to \(range.upperBound)"
      case (false, true): "a number from \(range.lowerBound) up"
      case (false, false): "a number from \(range.lowerBound) to \(range.upperBound)"
      }
    guard node.kind == .number else { throw wrongType(expected) }
    guard let double, range.contains(double) else { throw error(.outOfRange(expected: expected, found: summary)) }
    return double
  }

  /// The elements of an array.
  public func requireArray() throws(JSONError) -> JSONElements {
    guard node.kind == .array else { throw wrongType("an array") }
    return elements
  }

  /// Every number that a `Double` can hold.
  public static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  func wrongType(_ expected: String) -> JSONError { error(.wrongType(expected: expected, found: summary)) }
}
