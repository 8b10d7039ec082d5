extension JSONLineEncoder {
  /// Writes a number. A number that is not finite is omitted together with its key.
  ///
  /// Integers are written without a decimal point. Other numbers are rounded correctly to six decimals, halves to even,
  /// and written without trailing zeros. Numbers below 1 have more decimals, so that they have seven significant digits
  /// and the relative error is at most one in a million. Numbers above 999,999,999 have fewer decimals, because a
  /// `Double` has only 15 digits. Numbers below 1e-12 are usually rounding errors and become 0. Only numbers from 2⁶⁴
  /// (about 1.8e19) are written with an exponent.
  ///
  /// - Returns: `false` if the number does not fit.
  @discardableResult
  public mutating func value(_ number: Double) -> Bool {
    guard number.isFinite else {
      skipValue()
      return true
    }
    guard startValue(room: DecimalDigits.maximumLength) else { return false }
    if !putUsual(number) { putNumber(number, decimals: DecimalDigits.usualDecimals(for: number)) }
    return true
  }

  /// Writes a number rounded to `decimals` decimals (0…17), without trailing zeros.
  ///
  /// - Returns: `false` if the number does not fit.
  @discardableResult
  public mutating func value(_ number: Double, decimals: Int) -> Bool {
    guard number.isFinite else {
      skipValue()
      return true
    }
    guard startValue(room: DecimalDigits.maximumLength) else { return false }
    if decimals != 9 || !putCoordinate(number) { putNumber(number, decimals: min(max(decimals, 0), 17)) }
    return true
  }

  /// Writes an integer.
  ///
  /// - Returns: `false` if the number does not fit.
  @discardableResult
  public mutating func value(_ number: Int) -> Bool {
    guard startValue(room: 20) else { return false }
    if number < 0 { put(UInt8(ascii: "-")) }
    putInteger(UInt64(number.magnitude))
    return true
  }

  /// Writes an integer.
  ///
  /// - Returns: `false` if the number does not fit.
  @discardableResult
  public mutating func value(_ number: UInt64) -> Bool {
    guard startValue(room: 20) else { return false }
    putInteger(number)
    return true
  }

  /// Writes `true` or `false`.
  ///
  /// - Returns: `false` if the value does not fit.
  @discardableResult
  public mutating func value(_ flag: Bool) -> Bool {
    guard startValue(room: 5) else { return false }
    let word: StaticString = flag ? "true" : "false"
    for offset in 0..<word.utf8CodeUnitCount { put(unsafe word.utf8Start[offset]) }
    return true
  }

  mutating func putNumber(_ number: Double, decimals: Int) {
    let decimal = DecimalDigits(number.magnitude, decimals: decimals)
    if number < 0, !decimal.isZero { put(UInt8(ascii: "-")) }
    putInteger(decimal.whole)
    if decimal.fraction != 0 { putFraction(decimal.fraction, decimals: decimal.decimals) }
    if decimal.exponent != 0 {
      put(UInt8(ascii: "e"))
      putInteger(UInt64(decimal.exponent))
    }
  }

  /// Writes an unsigned integer of at most 20 digits, for which the caller has reserved room.
  private mutating func putInteger(_ number: UInt64) {
    if number < 10_000 { return putSmall(UInt32(truncatingIfNeeded: number)) }
    let length = digitCount(number)
    unsafe putDigits(of: number, upTo: base + count + length)
    count += length
  }

  /// Writes the decimal point and the decimals without trailing zeros. `fraction` must not be 0.
  private mutating func putFraction(_ fraction: UInt64, decimals: Int) {
    put(UInt8(ascii: "."))
    let start = count
    for _ in digitCount(fraction)..<max(decimals, digitCount(fraction)) { put(UInt8(ascii: "0")) }
    count = start + decimals
    unsafe putDigits(of: fraction, upTo: base + count)
    while unsafe base[count - 1] == UInt8(ascii: "0") { count -= 1 }
  }

  /// Writes digits backwards from `end`, two at a time. The caller must have reserved room for them.
  private func putDigits(of number: UInt64, upTo end: UnsafeMutablePointer<UInt8>) {
    let pairs = unsafe digitPairs.utf8Start
    var rest = number
    var at = unsafe end
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      unsafe at -= 2
      unsafe at[0] = pairs[Int(truncatingIfNeeded: pair) * 2]
      unsafe at[1] = pairs[Int(truncatingIfNeeded: pair) * 2 + 1]
      rest = quotient
    }
    if rest >= 10 {
      unsafe at[-2] = pairs[Int(truncatingIfNeeded: rest) * 2]
      unsafe at[-1] = pairs[Int(truncatingIfNeeded: rest) * 2 + 1]
    } else {
      unsafe at[-1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)
    }
  }
}

/// Returns the number of decimal digits of a number.
func digitCount(_ number: UInt64) -> Int {
  var length = 1
  var rest = number
  while rest >= 10_000 {
    rest /= 10_000
    length += 4
  }
  if rest >= 1_000 { return length + 3 }
  if rest >= 100 { return length + 2 }
  return rest >= 10 ? length + 1 : length
}

/// The numbers 00 to 99 as pairs of characters; see ``JSONLineEncoder/putPair(_:at:)``.
let digitPairs: StaticString = """
  0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
  5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
  """
