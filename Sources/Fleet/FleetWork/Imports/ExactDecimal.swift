/// A decimal number with all of its digits. Binary floating point cannot represent most decimal numbers.
struct ExactDecimal: Equatable, Sendable {
  /// The number is `digits` / 10^`scale`.
  let digits: Int128
  let scale: Int

  /// The maximum number of digits that are read. Further digits after the point are cut off.
  private static let mostDigits = 28

  init(digits: Int128, scale: Int) { (self.digits, self.scale) = (digits, scale) }

  /// Parses a number such as `-12.50`.
  ///
  /// - Returns: `nil` if the text is not such a number, or if it has too many digits before the point.
  init?(_ text: String) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first, !whole.isEmpty, whole.utf8.count <= Self.mostDigits else {
      return nil
    }
    let fraction = (parts.count == 2 ? parts[1] : "").prefix(Self.mostDigits - whole.utf8.count)
    var number: Int128 = 0
    for byte in Array(whole.utf8) + Array(fraction.utf8) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int128(byte - UInt8(ascii: "0"))
    }
    self.init(digits: isNegative ? -number : number, scale: fraction.utf8.count)
  }

  static let one = ExactDecimal(digits: 1, scale: 0)

  /// Returns the exact product; `nil` if it has too many digits.
  func multiplied(by factor: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = digits.multipliedReportingOverflow(by: factor.digits)
    return overflow ? nil : ExactDecimal(digits: product, scale: scale + factor.scale)
  }

  /// Returns the number, rounded to at most `most` digits after the point. Halves are rounded away from zero.
  func rounded(toScale most: Int) -> ExactDecimal {
    guard scale > most else { return self }
    let unit = Self.power(scale - most)
    let (quotient, rest) = digits.quotientAndRemainder(dividingBy: unit)
    let isUp = rest.magnitude * 2 >= unit.magnitude
    return ExactDecimal(digits: quotient + (isUp ? digits.signum() : 0), scale: most)
  }

  /// Returns the number in units of 10^-`wanted`, rounded to an integer; `nil` if it does not fit into 64 bits.
  func units(ofScale wanted: Int) -> Int64? {
    let rounded = rounded(toScale: wanted)
    let (product, overflow) = rounded.digits.multipliedReportingOverflow(by: Self.power(wanted - rounded.scale))
    return overflow ? nil : Int64(exactly: product)
  }

  /// The number as text, with all digits after the point.
  var text: String {
    let magnitude = String(digits.magnitude)
    let padded = String(repeating: "0", count: max(scale + 1 - magnitude.count, 0)) + magnitude
    let whole = padded.dropLast(scale)
    return (digits < 0 ? "-" : "") + whole + (scale > 0 ? "." + padded.suffix(scale) : "")
  }

  private static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}
