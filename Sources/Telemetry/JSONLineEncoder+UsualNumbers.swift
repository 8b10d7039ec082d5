// Most numbers of a record lie between 1 and a thousand million, are whole or have six decimals. They are written by their
// size, two digits at a time, without the steps that very small and very large ones need.
extension JSONLineEncoder {
  /// Writes a number as ``value(_:)-(Double)`` does; the caller has made sure of ``Decimal/maximumLength`` bytes.
  ///
  /// - Returns: false where the number is not of this size: nothing was written then.
  @inline(__always)
  mutating func putUsual(_ number: Double) -> Bool {
    let magnitude = number.magnitude
    guard magnitude >= 1, magnitude < 1e9 else { return false }
    var whole = UInt32(truncatingIfNeeded: Int64(magnitude))
    // Exact: both have the same scale.
    let rest = magnitude - Double(whole)
    var millionths: UInt32 = 0
    if rest > 0 {
      millionths = UInt32(truncatingIfNeeded: Decimal.rounded(rest, times: 1e6))
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

  /// Writes a number below 10,000.
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

  /// Writes a number from 10,000 to 1,000,000,000.
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

  /// Writes four digits, zeros in front included.
  @inline(__always)
  private mutating func putFour(_ number: UInt32) {
    unsafe putPair(number / 100, at: 0)
    unsafe putPair(number % 100, at: 2)
    count &+= 4
  }

  /// Writes the point and six decimals less the zeros at their end; the number is not 0.
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
    // Of a pair that is not 00 at most the second digit is 0.
    if unsafe base[count &+ length &- 1] == UInt8(ascii: "0") { length &-= 1 }
    count &+= length
  }

  /// Puts the two digits of a number below 100 at `offset` behind what is written; their room is the caller's.
  @unsafe @inline(__always)
  private mutating func putPair(_ number: UInt32, at offset: Int) {
    // The table has a pair for each number below 100.
    let pair = unsafe UnsafeRawPointer(digitPairs.utf8Start).loadUnaligned(
      fromByteOffset: Int(truncatingIfNeeded: number) &* 2, as: UInt16.self)
    unsafe UnsafeMutableRawPointer(base + count).storeBytes(of: pair, toByteOffset: offset, as: UInt16.self)
  }
}
