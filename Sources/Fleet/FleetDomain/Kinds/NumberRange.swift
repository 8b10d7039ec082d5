/// The range of numbers that a field allows.
public struct NumberRange: Sendable {
  private let least: Int
  private let most: Int
  private let includesLeast: Bool

  /// Returns the range of the numbers above `least`, up to and including `most`.
  public static func above(_ least: Int, most: Int) -> NumberRange {
    NumberRange(least: least, most: most, includesLeast: false)
  }

  /// Returns the range from `least` up to and including `most`.
  public static func from(_ least: Int, to most: Int) -> NumberRange {
    NumberRange(least: least, most: most, includesLeast: true)
  }

  /// The range of an odometer's readings, km.
  public static let odometer = NumberRange.from(0, to: 9_999_999)

  /// Checks a number.
  ///
  /// - Throws: an error if the number is not in the range.
  public func check(_ number: Double) throws(FieldError) {
    guard number > Double(least) || includesLeast && number == Double(least), number <= Double(most) else {
      throw FieldError(
        "",
        includesLeast
          ? "expected a number from \(least) to \(most)" : "expected a number above \(least), at most \(most)")
    }
  }

  /// The range as a JSON Schema.
  public var schema: String {
    #"{"type":"number","\#(includesLeast ? "minimum" : "exclusiveMinimum")":\#(least),"maximum":\#(most)}"#
  }
}

extension Field {
  /// Creates a field whose value is a number in a range.
  public init(_ key: String, _ path: WritableKeyPath<Owner, Double> & Sendable, in range: NumberRange) {
    self.init(key, path) { number throws(FieldError) in try range.check(number) }
    self = schema(range.schema)
  }

  /// Creates a field whose value is a number in a range, or absent.
  public init(_ key: String, _ path: WritableKeyPath<Owner, Double?> & Sendable, in range: NumberRange) {
    self.init(key, path) { number throws(FieldError) in if let number { try range.check(number) } }
    self = schema(range.schema)
  }
}
