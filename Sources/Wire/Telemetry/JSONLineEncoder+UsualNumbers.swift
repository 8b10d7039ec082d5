// Most numbers in a record are between 0.1 and 1e9, and are integers or have at most six decimals. The functions below
// write them two digits at a time, without the steps that very small and very large numbers need.
extension JSONLineEncoder {
  /// Writes a number in the usual range, as ``value(_:)-(Double)`` does: 0, or a magnitude from 0.1 to 1e9.
  ///
  /// The caller must have reserved ``DecimalDigits/maximumLength`` bytes.
  ///
  /// - Returns: `false` if the number is outside the usual range. Nothing is written then.
  @inline(__always)
  mutating func putUsual(_ number: Double) -> Bool {
    let magnitude = number.magnitude
    guard magnitude >= 1, magnitude < 1e9 else { return putShare(number) }
    var whole = UInt32(truncatingIfNeeded: Int64(magnitude))
    // The difference is exact: it needs no more bits than `magnitude`.
    let rest = magnitude - Double(whole)
    var millionths: UInt32 = 0
    if rest > 0 {
      millionths = UInt32(truncatingIfNeeded: DecimalDigits.rounded(rest, times: 1e6))
      if millionths == 1_000_000 {
        whole &+= 1
        millionths = 0
      }
    }
    if number < 0 { put(UInt8(ascii: "-")) }
    if whole < 10_000 { putSmall(whole) } else { putLarge(whole) }
    if millionths != 0 { putMillionths(millionths) }
    return true
  }

  /// Writes 0, or a number whose magnitude is from 0.1 to below 1, rounded to seven decimals. Such numbers are ratios,
  /// dilutions of precision and the speed of a stationary vehicle.
  ///
  /// - Returns: `false` for any other number. Nothing is written then.
  @inline(__always)
  private mutating func putShare(_ number: Double) -> Bool {
    if number == 0 {
      put(UInt8(ascii: "0"))
      return true
    }
    let magnitude = number.magnitude
    guard magnitude >= 0.1, magnitude < 1 else { return false }
    if number < 0 { put(UInt8(ascii: "-")) }
    let digits = UInt32(truncatingIfNeeded: DecimalDigits.rounded(magnitude, times: 1e7))
    guard digits < 10_000_000 else {
      put(UInt8(ascii: "1"))
      return true
    }
    put(UInt8(ascii: "0"))
    put(UInt8(ascii: "."))
    let high = digits / 1_000
    let low = digits &- high &* 1_000
    putFour(high)
    if low != 0 {
      let tens = low / 10
      unsafe putPair(tens, at: 0)
      count &+= 2
      put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: low &- tens &* 10))
    }
    while unsafe base[count &- 1] == UInt8(ascii: "0") { count &-= 1 }
    return true
  }

  /// Writes a coordinate, rounded to nine decimals. The caller must have reserved ``DecimalDigits/maximumLength``
  /// bytes.
  ///
  /// - Returns: `false` if the number is 1,000 or more. Nothing is written then.
  @inline(__always)
  mutating func putCoordinate(_ number: Double) -> Bool {
    let magnitude = number.magnitude
    guard magnitude < 1_000 else { return false }
    var whole = UInt32(truncatingIfNeeded: Int64(magnitude))
    // The difference is exact: it needs no more bits than `magnitude`.
    let rest = magnitude - Double(whole)
    var billionths = rest > 0 ? UInt32(truncatingIfNeeded: DecimalDigits.rounded(rest, times: 1e9)) : 0
    if billionths == 1_000_000_000 {
      whole &+= 1
      billionths = 0
    }
    if number < 0, whole | billionths != 0 { put(UInt8(ascii: "-")) }
    putSmall(whole)
    guard billionths != 0 else { return true }
    let first = billionths / 100_000_000
    let lower = billionths &- first &* 100_000_000
    put(UInt8(ascii: "."))
    put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: first))
    let high = lower / 10_000
    putFour(high)
    putFour(lower &- high &* 10_000)
    while unsafe base[count &- 1] == UInt8(ascii: "0") { count &-= 1 }
    return true
  }

  /// Writes an integer below 10,000.
  @inline(__always)
  mutating func putSmall(_ number: UInt32) {
    if number >= 100 {
      let hundreds = number / 100
      if hundreds >= 10 {
        unsafe putPair(hundreds, at: 0)
        count &+= 2
      } else {
        put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: hundreds))
      }
      unsafe putPair(number &- hundreds &* 100, at: 0)
      count &+= 2
    } else if number >= 10 {
      unsafe putPair(number, at: 0)
      count &+= 2
    } else {
      put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number))
    }
  }

  /// Writes an integer from 10,000 to 1,000,000,000.
  private mutating func putLarge(_ number: UInt32) {
    let tenThousands = number / 10_000
    if tenThousands < 10_000 {
      putSmall(tenThousands)
    } else {
      putSmall(tenThousands / 10_000)
      putFour(tenThousands % 10_000)
    }
    putFour(number % 10_000)
  }

  /// Writes a number below 10,000 as four digits, with leading zeros.
  @inline(__always)
  private mutating func putFour(_ number: UInt32) {
    unsafe putPair(number / 100, at: 0)
    unsafe putPair(number % 100, at: 2)
    count &+= 4
  }

  /// Writes the decimal point and six decimals without trailing zeros. The decimals must not be 0.
  @inline(__always)
  private mutating func putMillionths(_ number: UInt32) {
    put(UInt8(ascii: "."))
    let high = number / 10_000
    let low = number &- high &* 10_000
    unsafe putPair(high, at: 0)
    var length = 2
    if low != 0 {
      let middle = low / 100
      let last = low &- middle &* 100
      unsafe putPair(middle, at: 2)
      unsafe putPair(last, at: 4)
      length = last == 0 ? 4 : 6
    }
    // In a pair of digits other than 00, only the second digit can be a trailing zero.
    if unsafe base[count &+ length &- 1] == UInt8(ascii: "0") { length &-= 1 }
    count &+= length
  }

  /// Writes the two digits of a number below 100, `offset` bytes after the end of the written bytes. The caller must
  /// have reserved room for them.
  @unsafe @inline(__always)
  private mutating func putPair(_ number: UInt32, at offset: Int) {
    // The table contains a pair of digits for each number below 100.
    let pair = unsafe UnsafeRawPointer(digitPairs.utf8Start).loadUnaligned(
      fromByteOffset: Int(truncatingIfNeeded: number) &* 2, as: UInt16.self)
    unsafe UnsafeMutableRawPointer(base + count).storeBytes(of: pair, toByteOffset: offset, as: UInt16.self)
  }
}
