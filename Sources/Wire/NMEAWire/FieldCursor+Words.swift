// A processor cannot predict where a loop over the digits of a number ends, and each misprediction takes longer than
// the arithmetic. The functions below therefore read the usual number formats in words of eight bytes, without a loop.
// Each of them returns `nil` and reads nothing if it does not support the format. Another function then reads the field
// or reports its error.
extension FieldCursor {
  /// Returns the eight bytes that begin at `index + offset`; `nil` if fewer are left.
  @inline(__always)
  private func word(at offset: Int) -> DigitWord? {
    let first = index &+ offset
    guard first &+ 8 <= bytes.count else { return nil }
    // Any eight bytes form a UInt64, and the `guard` above ensures that there are eight.
    let raw = unsafe bytes.bytes
    return DigitWord(
      UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: first, as: UInt64.self)))
  }

  /// Reads a number such as `12`, `62.5` or `545.4`, with at most seven characters, and the delimiter after it. Returns
  /// `nil`, and reads nothing, if the field has another form.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func shortNumber() -> Decimal? {
    guard let word = word(at: 0), let first = word.firstOther else { return nil }
    if word.byte(first) != 0x2E {
      guard first > 0, isDelimiter(word.byte(first)) else { return nil }
      index &+= first &+ 1
      return Decimal(value: Int64(widening: word.number(first)), scale: 0)
    }
    guard let end = word.secondOther, end > 1, isDelimiter(word.byte(end)) else { return nil }
    index &+= end &+ 1
    return Decimal(value: Int64(widening: word.number(end &- 1, withPointAt: first)), scale: end &- first &- 1)
  }

  /// Reads an angle and its hemisphere, such as `4807.03810,N,`: whole degrees and minutes, a decimal point, one to
  /// five decimals, the hemisphere. Returns `nil`, and reads nothing, if the fields have another form.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func shortAngle(wholeDegreeDigits: Int, limit: Int, positive: UInt8, negative: UInt8) -> Angle? {
    let whole = wholeDegreeDigits &+ 2
    guard let front = word(at: 0), front.firstOther == whole, front.byte(whole) == 0x2E else { return nil }
    guard let back = word(at: whole &+ 1), let decimals = back.firstOther, decimals >= 1, decimals <= 5 else {
      return nil
    }
    let hemisphere = back.byte(decimals &+ 1)
    guard back.byte(decimals) == 0x2C, isDelimiter(back.byte(decimals &+ 2)) else { return nil }
    guard hemisphere == positive || hemisphere == negative else { return nil }
    let digits = front.number(whole)
    let degrees = digits / 100
    let minutes = degrees &* 60 &+ (digits &- degrees &* 100)
    guard digits &- degrees &* 100 < 60 else { return nil }
    let power = smallPowersOfTen.span[decimals]
    let value = Int64(widening: minutes) &* Int64(widening: power) &+ Int64(widening: back.number(decimals))
    guard value <= Int64(widening: UInt32(truncatingIfNeeded: limit) &* 60) &* Int64(widening: power) else {
      return nil
    }
    index &+= whole &+ decimals &+ 4
    return Angle(minutes: Decimal(value: hemisphere == positive ? value : 0 &- value, scale: decimals))
  }

  /// Skips words (groups of eight bytes) as long as the next word contains only commas and numbers of one or two
  /// digits, and fewer commas than `remaining`. Subtracts the number of skipped commas from `remaining`.
  ///
  /// - Returns: the number of digits at the end of the last skipped word, 0, 1 or 2. They may be the beginning of a
  ///   number that continues after the word.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func skipShortIntegers(_ remaining: inout Int) -> Int {
    var digits = 0
    while let word = word(at: 0), let list = word.shortList, list.commas < remaining {
      remaining &-= list.commas
      digits = list.digitsBehind
      index &+= 8
    }
    return digits
  }

  /// Reads a time `hhmmss` or `hhmmss.sss`, and the delimiter after it. Returns `nil`, and reads nothing, if the field
  /// has another form.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func shortTime() -> TimeOfDay? {
    guard let front = word(at: 0), front.firstOther == 6 else { return nil }
    var length = 6
    var nanosecond: UInt32 = 0
    if front.byte(6) == 0x2E {
      guard let back = word(at: 7), let decimals = back.firstOther, decimals >= 1 else { return nil }
      length = 7 &+ decimals
      guard isDelimiter(back.byte(decimals)) else { return nil }
      // Convert the decimals, of which there are at most seven, to nanoseconds.
      nanosecond = back.number(decimals) &* smallPowersOfTen.span[9 &- decimals]
    } else {
      guard isDelimiter(front.byte(6)) else { return nil }
    }
    let digits = front.number(6)
    let minutes = digits / 100
    let hour = minutes / 100
    guard
      let time = TimeOfDay(
        hour: Int(hour), minute: Int(minutes &- hour &* 100), second: Int(digits &- minutes &* 100),
        nanosecond: Int(nanosecond))
    else { return nil }
    index &+= length &+ 1
    return time
  }
}

/// Eight characters of a sentence, some of which are digits.
struct DigitWord: BitwiseCopyable {
  /// The eight characters, each as a byte. The byte of a digit contains the digit's value, 0 to 9.
  private let values: UInt64
  /// One byte for each of the eight characters. The byte's high bit is set if the character is not a digit; all other
  /// bits are 0.
  private let others: UInt64

  @inline(__always)
  init(_ word: UInt64) {
    values = word ^ 0x3030_3030_3030_3030
    // A value of ten or more carries into the high bit of its byte, and never into the next byte.
    others = ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
  }

  /// Index of the first character that is not a digit; `nil` if all are digits.
  var firstOther: Int? {
    @inline(__always) get { others == 0 ? nil : others.trailingZeroBitCount &>> 3 }
  }

  /// Index of the second character that is not a digit; `nil` if there is none.
  var secondOther: Int? {
    @inline(__always) get {
      let later = others & (others &- 1)
      return later == 0 ? nil : later.trailingZeroBitCount &>> 3
    }
  }

  /// The number of commas in the word, and the number of digits after the last comma; `nil` if the word contains other
  /// characters, or three digits in a row.
  var shortList: (commas: Int, digitsBehind: Int)? {
    @inline(__always) get {
      let digits = others ^ 0x8080_8080_8080_8080
      guard digits & (digits &>> 8) & (digits &>> 16) == 0 else { return nil }
      // The value of a comma is 0x1C. No other character that is not a digit has this value.
      let commas = others &>> 7 &* 0x1C
      guard (values ^ commas) & (others &>> 7 &* 0xFF) == 0 else { return nil }
      let count = (others &>> 7 &* 0x0101_0101_0101_0101) &>> 56
      let behind = others &>> 63 == 1 ? 0 : others &>> 55 & 1 == 1 ? 1 : 2
      return (Int(truncatingIfNeeded: count), behind)
    }
  }

  @inline(__always)
  func byte(_ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: values &>> Self.bits(place)) ^ 0x30
  }

  /// Returns the number formed by the first `count` characters, 1...8, which must all be digits.
  @inline(__always)
  func number(_ count: Int) -> UInt32 { Self.number(values, count) }

  /// Returns the number formed by the first `count + 1` characters. The character at `point` is the decimal point and
  /// is skipped.
  @inline(__always)
  func number(_ count: Int, withPointAt point: Int) -> UInt32 {
    let below = (1 &<< Self.bits(point)) &- 1
    return Self.number(values & below | (values &>> 8) & ~below, count)
  }

  /// Returns the number formed by `count` digits, the first of which is in the lowest byte. The digits are shifted so
  /// that zeros precede them. Then neighbouring digits are combined to numbers of two digits, pairs of these to numbers
  /// of four digits, and these to one number of eight digits.
  @inline(__always)
  private static func number(_ digits: UInt64, _ count: Int) -> UInt32 {
    let aligned = digits &<< bits(8 &- count)
    let pairs = (aligned &* 10 &+ aligned &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: fours &* 10_000 &+ fours &>> 32)
  }

  @inline(__always)
  private static func bits(_ bytes: Int) -> UInt64 { UInt64(low: UInt32(truncatingIfNeeded: bytes &* 8)) }
}
