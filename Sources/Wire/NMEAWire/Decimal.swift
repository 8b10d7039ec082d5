/// A decimal number in a sentence, stored as its digits and the position of the decimal point, so that nothing is
/// rounded.
///
///     "0651.300" → value 651300, scale 3
struct Decimal: BitwiseCopyable {
  /// The number formed by the digits, without the decimal point.
  var value: Int64
  /// Number of digits after the decimal point, 0...18.
  var scale: Int

  /// Returns the `Double` nearest to the number multiplied by `factor` and divided by 10 to the power of `extraScale`.
  ///
  /// - Parameters:
  ///   - factor: the factor. 1852 with an `extraScale` of 3 converts knots to km/h.
  ///   - extraScale: the number of places by which the decimal point moves to the left.
  func double(times factor: Int64 = 1, extraScale: Int = 0) -> Double {
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    guard !overflow else { return Double(value) * Double(factor) / Self.powerOfTen(scale + extraScale) }
    return Double(product) / Self.powerOfTen(scale + extraScale)
  }

  /// Whether ``double(times:extraScale:)`` is at most `limit`, which must not be negative. The function needs no
  /// division if the number has at most six decimals.
  @inline(__always)
  func isAtMost(_ limit: Int) -> Bool {
    guard scale <= 6 else { return double() <= Double(limit) }
    return value <= Int64(widening: UInt32(truncatingIfNeeded: limit)) &* Int64(widening: smallPowersOfTen.span[scale])
  }

  /// Returns 10ⁿ for n from 0 to 22, the powers of ten that a `Double` represents exactly.
  static func powerOfTen(_ exponent: Int) -> Double { powersOfTen.span[exponent] }
}

/// An angle as NMEA 0183 writes it: whole degrees, and minutes with decimals.
struct Angle: BitwiseCopyable {
  /// The whole angle in minutes of arc, 60 for each degree; negative for south and west.
  var minutes: Decimal

  /// The angle in degrees, correctly rounded by one division of two exact integers.
  var degrees: Double { Double(minutes.value) / (60 * Decimal.powerOfTen(minutes.scale)) }
}

private let powersOfTen: InlineArray<23, Double> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]

/// 10ⁿ for n from 0 to 9, the powers of ten that fit 32 bits.
let smallPowersOfTen: InlineArray<10, UInt32> = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
]
