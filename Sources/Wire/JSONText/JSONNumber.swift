/// Converts the text of a valid JSON number.
enum JSONNumber {
  /// Returns the value of an integer; `nil` if it has a fraction or an exponent, or does not fit `Int`.
  static func int(_ digits: Span<UInt8>) -> Int? {
    let isNegative = digits[0] == UInt8(ascii: "-")
    return int(digits, from: isNegative ? 1 : 0, isNegative: isNegative)
  }

  private static func int(_ digits: Span<UInt8>, from first: Int, isNegative: Bool) -> Int? {
    var value = 0
    for index in first..<digits.count {
      let digit = Int(digits[index]) - Int(UInt8(ascii: "0"))
      guard (0...9).contains(digit) else { return nil }
      let (tens, tooBig) = value.multipliedReportingOverflow(by: 10)
      let (sum, over) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if tooBig || over { return nil }
      value = sum
    }
    return value
  }

  /// Returns the `Double` nearest to the number; `nil` if the number is too large for a `Double`.
  static func double(_ digits: Span<UInt8>) -> Double? {
    if let exact = exactDouble(digits) { return exact }
    // The standard library rounds to the nearest `Double`. The buffer is used only while it is valid, during this call.
    let text = unsafe digits.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// Converts a number with one multiplication or division, whose result is rounded correctly if the digits and the
  /// power of ten are both exact in a `Double` (Clinger 1990). Returns `nil` if one of them is not exact.
  @inline(__always)
  private static func exactDouble(_ digits: Span<UInt8>) -> Double? {
    var mantissa: UInt64 = 0
    var scale = 0
    let isNegative = digits[0] == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    // Index of the decimal point. Without one, the end of the text.
    var point = digits.count
    while index < digits.count {
      let digit = UInt64(digits[index] &- UInt8(ascii: "0"))
      if digit < 10 {
        mantissa = mantissa &* 10 &+ digit
        if mantissa > 1 << 53 { return nil }
      } else if digits[index] == UInt8(ascii: ".") {
        point = index
      } else {
        guard let exponent = exponent(digits, from: index + 1) else { return nil }
        scale = exponent
        break
      }
      index &+= 1
    }
    if point < index { scale -= index - point - 1 }
    guard (-22...22).contains(scale) else { return mantissa == 0 ? (isNegative ? -0.0 : 0) : nil }
    let powers = powersOfTen.span
    let size = scale < 0 ? Double(mantissa) / powers[-scale] : Double(mantissa) * powers[scale]
    return isNegative ? -size : size
  }

  private static func exponent(_ digits: Span<UInt8>, from first: Int) -> Int? {
    if digits.count - first > 5 { return nil }
    let isNegative = digits[first] == UInt8(ascii: "-")
    return int(
      digits, from: isNegative || digits[first] == UInt8(ascii: "+") ? first + 1 : first, isNegative: isNegative)
  }
}

/// The powers of ten that a `Double` represents exactly.
private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]
