/// The decimal digits of a number that is not negative: `whole`.`fraction`, with a power of ten if the number is 2⁶⁴ or
/// more.
struct DecimalDigits {
  /// Upper bound of the length of a written number in bytes: a sign, 20 digits, a decimal point, 17 decimals.
  static let maximumLength = 40

  var whole: UInt64 = 0
  /// The digits after the decimal point, as an integer of `decimals` digits.
  var fraction: UInt64 = 0
  var decimals = 0
  var exponent = 0

  var isZero: Bool { whole == 0 && fraction == 0 }

  /// Returns the number of decimals to which a number is rounded by default; see
  /// ``JSONLineEncoder/value(_:)-(Double)``.
  static func usualDecimals(for number: Double) -> Int {
    let magnitude = number.magnitude
    if magnitude >= 1 || magnitude < 1e-12 { return 6 }
    var decimals = 7
    var limit = 0.1
    while magnitude < limit, decimals < 17 {
      decimals += 1
      limit /= 10
    }
    return decimals
  }

  /// Rounds a number to decimal digits.
  ///
  /// - Parameters:
  ///   - magnitude: the number, which must be finite and not negative.
  ///   - decimals: number of decimals, 0…17.
  init(_ magnitude: Double, decimals: Int) {
    if magnitude < 1e15 { split(magnitude, decimals: decimals) } else { splitLarge(magnitude) }
  }

  private mutating func split(_ magnitude: Double, decimals wanted: Int) {
    // A conversion to a signed integer is faster on x86-64, and the number is below 1e15.
    let floor = Int64(magnitude)
    whole = UInt64(bitPattern: floor)
    // The difference is exact: it needs no more bits than `magnitude`.
    let rest = magnitude - Double(floor)
    guard rest > 0 else { return }
    decimals = wanted <= 6 && whole < 1_000_000_000 ? wanted : min(wanted, Self.decimalsHeld(beside: whole))
    guard decimals > 0 else {
      // Round a half to the even integer.
      if rest > 0.5 || rest == 0.5 && whole & 1 == 1 { whole += 1 }
      return
    }
    let power = Self.powersOfTen.span[decimals]
    fraction = Self.rounded(rest, times: power)
    if Double(Int64(bitPattern: fraction)) >= power {
      whole += 1
      fraction = 0
    }
  }

  /// Returns the number of decimals that a `Double` can represent in addition to its whole part. Both parts together
  /// have 15 digits.
  private static func decimalsHeld(beside whole: UInt64) -> Int {
    whole == 0 ? 17 : 15 - digitCount(whole)
  }

  /// Returns `value` × `factor`, rounded to the nearest integer, halves to even, as if the product were exact.
  ///
  /// The product as a `Double` may differ from the exact product by a rounding error. This error changes the result
  /// only if the `Double` is exactly halfway between two integers. A fused multiplication computes the error, whose
  /// sign then decides. The product must be below 1e18.
  @inline(__always)
  static func rounded(_ value: Double, times factor: Double) -> UInt64 {
    let product = value * factor
    let whole = Int64(product)
    let floor = UInt64(bitPattern: whole)
    let above = product - Double(whole)
    if above < 0.5 { return floor }
    if above > 0.5 { return floor + 1 }
    let error = (-product).addingProduct(value, factor)
    if error == 0 { return floor + (floor & 1) }
    return error > 0 ? floor + 1 : floor
  }

  /// Splits a number of at least 1e15 into digits: an exact integer if it fits 64 bits, otherwise 14 digits and an
  /// exponent.
  private mutating func splitLarge(_ magnitude: Double) {
    guard magnitude >= 0x1p64 else {
      whole = UInt64(magnitude)
      return
    }
    decimals = 13
    var scaled = magnitude
    while scaled >= 1e22 {
      scaled /= 1e22
      exponent += 22
    }
    while scaled >= 10 {
      scaled /= 10
      exponent += 1
    }
    let digits = Self.rounded(scaled, times: 1e13)
    (whole, fraction) = digits.quotientAndRemainder(dividingBy: 10_000_000_000_000)
    if whole >= 10 {
      whole = 1
      exponent += 1
    }
  }

  /// Powers of ten that a `Double` represents exactly.
  private static let powersOfTen: InlineArray<18, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  ]
}
