extension JSONValue {
  /// A number written without point and exponent that an `Int` can hold; nil for any other value.
  public var int: Int? {
    guard node.kind == .number else { return nil }
    return JSONNumber.int(valueBytes)
  }

  /// The `Double` nearest to the number as it is written (round half to even); nil for any other value and for numbers
  /// whose size no `Double` has. What is too small to be told from 0 is 0.
  public var double: Double? {
    guard node.kind == .number else { return nil }
    return JSONNumber.double(valueBytes)
  }
}

/// From the digits of a checked JSON number to a value.
enum JSONNumber {
  static func int(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    let isNegative = digits.first == UInt8(ascii: "-")
    for byte in isNegative ? digits.dropFirst() : digits {
      let digit = Int(byte) - Int(UInt8(ascii: "0"))
      guard (0...9).contains(digit) else { return nil }
      let (tens, tooBig) = value.multipliedReportingOverflow(by: 10)
      let (sum, over) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if tooBig || over { return nil }
      value = sum
    }
    return value
  }

  static func double(_ digits: ArraySlice<UInt8>) -> Double? {
    if let exact = exactDouble(digits) { return exact }
    // The standard library's conversion is correctly rounded.
    guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// Where digits and power of ten are both exact in a `Double`, one operation rounds correctly (Clinger 1990).
  private static func exactDouble(_ digits: ArraySlice<UInt8>) -> Double? {
    var mantissa: UInt64 = 0
    var scale = 0
    var isBehindPoint = false
    var index = digits.startIndex
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { index += 1 }
    while index < digits.endIndex {
      let byte = digits[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
        if mantissa > 1 << 53 { return nil }
        if isBehindPoint { scale -= 1 }
      case UInt8(ascii: "."):
        isBehindPoint = true
      default:
        guard let exponent = exponent(digits[(index + 1)...]) else { return nil }
        scale += exponent
        index = digits.endIndex - 1
      }
      index += 1
    }
    guard (-22...22).contains(scale) else { return mantissa == 0 ? (isNegative ? -0.0 : 0) : nil }
    let size = scale < 0 ? Double(mantissa) / powers[-scale] : Double(mantissa) * powers[scale]
    return isNegative ? -size : size
  }

  private static func exponent(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.count > 5 ? nil : int(digits.first == UInt8(ascii: "+") ? digits.dropFirst() : digits)
  }

  /// Powers of ten that a `Double` holds exactly.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}
