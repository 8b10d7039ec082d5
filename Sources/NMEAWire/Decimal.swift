/// A decimal number as the sentence has it: digits and the place of the point, so that nothing is lost by reading it.
///
///     "0651.300" → value 651300, scale 3
struct Decimal: BitwiseCopyable {
  /// The digits, without their point.
  var value: Int64
  /// How many of them stand behind the point, 0...18.
  var scale: Int

  /// The nearest Double; `factor` is multiplied in before the one rounding there is (1852 and `extraScale` 3: knots to km/h).
  func double(times factor: Int64 = 1, extraScale: Int = 0) -> Double {
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    guard !overflow else { return Double(value) * Double(factor) / Self.powerOfTen(scale + extraScale) }
    return Double(product) / Self.powerOfTen(scale + extraScale)
  }

  /// Whether ``double(times:extraScale:)`` is at most a whole number that is not negative, without a division where six decimals or less stand.
  @inline(__always)
  func isAtMost(_ limit: Int) -> Bool {
    guard scale <= 6 else { return double() <= Double(limit) }
    return value <= Int64(widening: UInt32(truncatingIfNeeded: limit)) &* Int64(widening: smallPowersOfTen.span[scale])
  }

  /// 10ⁿ, exact up to n = 22 as every Double power of ten is.
  static func powerOfTen(_ exponent: Int) -> Double { powersOfTen.span[exponent] }
}

/// An angle as NMEA 0183 writes positions: whole degrees and decimal minutes.
struct Angle: BitwiseCopyable {
  /// Minutes with their decimals, whole degrees times 60 included, and negative for south and west.
  var minutes: Decimal

  /// Degrees; one correctly rounded division of two exact integers.
  var degrees: Double { Double(minutes.value) / (60 * Decimal.powerOfTen(minutes.scale)) }
}

private let powersOfTen: InlineArray<23, Double> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]

/// 10ⁿ as far as 32 bits hold it.
let smallPowersOfTen: InlineArray<10, UInt32> = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
]
