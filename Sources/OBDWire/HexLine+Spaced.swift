// Bytes with a space behind each, `41 0C 1A F8 `, are nine tenths of what adapters print. Three of them with the two
// spaces between are eight characters: one word of 64 bits, checked and converted in some twenty instructions, where a
// look at each character takes three times as many. A line of any other form is left to ``HexLine/read(_:from:to:)``.
extension HexLine {
  /// Reads the commonest form, `7E8 04 41 0C 1A F8 ` or pairs, straight from the stream.
  ///
  /// - Returns: the index of the line end behind it, or -1 where the line has another form: nothing is decided then.
  @inline(__always)
  mutating func readSpaced(_ stream: Span<UInt8>, from first: Int) -> Int {
    // An identifier and 12 bytes, or 15 bytes: more than any frame of CAN or J1850. Near the end of the stream the
    // general path reads. Within these 54 no index needs a check of its own, nor do the at most 15 bytes that they become.
    guard first + 54 <= stream.count else { return -1 }
    let raw = unsafe stream.bytes
    var i = first
    if unsafe stream[unchecked: first + 2] != space {
      guard readIdentifier(unsafe SpacedDigits(raw, at: first)) else { return -1 }
      i += 4
    } else {
      hasIdentifier = false
    }
    hasDataLengthCode = false
    isSpaced = true
    start = 0
    var n = 0
    let limit = first + 45
    while i < limit {
      let group = unsafe SpacedDigits(raw, at: i)
      unsafe bytes[unchecked: n] = group.byte0
      unsafe bytes[unchecked: n + 1] = group.byte1
      unsafe bytes[unchecked: n + 2] = group.byte2
      let wrong = group.misplaced
      if wrong != 0 {
        // The line end, behind a byte or behind its space: not in the middle of one.
        let place = wrong.trailingZeroBitCount &>> 3
        guard 0b0110_1101 &>> place & 1 == 1, unsafe stream[unchecked: i + place] == carriageReturn else { return -1 }
        // A third, rounded: 0, 2, 3, 5, 6 characters are 0, 1, 1, 2, 2 bytes.
        n += ((place + 1) &* 11) &>> 5
        guard n > 0 else { return -1 }
        count = n
        return i + place
      }
      n += 3
      i += 9
      let separator = unsafe stream[unchecked: i - 1]
      if separator != space {
        guard separator == carriageReturn else { return -1 }
        count = n
        return i - 1
      }
    }
    guard unsafe stream[unchecked: i] == carriageReturn else { return -1 }
    count = n
    return i
  }

  /// `7E8 `, the first half of a word.
  @inline(__always)
  private mutating func readIdentifier(_ group: SpacedDigits) -> Bool {
    guard group.isIdentifier else { return false }
    hasIdentifier = true
    identifier = group.identifier
    return true
  }
}

/// Eight characters of a line, taken for `41 0C 1A`.
private struct SpacedDigits: BitwiseCopyable {
  private let word: UInt64
  /// Each character's value as a digit; something else, above 15 or not, where it is none.
  private let values: UInt64
  /// Not 0 in each byte that is no upper-case digit. (Lower case goes the general way.)
  private let others: UInt64

  /// - Precondition: eight bytes stand at `index`.
  @unsafe @inline(__always)
  init(_ bytes: RawSpan, at index: Int) {
    // Any eight bytes are a UInt64; the caller has measured them.
    word = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    // Letters have bit 6: A is 41, its value the low four bits and nine.
    values = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ (word &>> 6 & 0x0101_0101_0101_0101) &* 9
    // The digit that has this value: seven characters lie between 9 and A.
    let tens = (values &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    let digits = values &+ tens &* 7 &+ 0x3030_3030_3030_3030
    others = digits ^ word | values & 0xF0F0_F0F0_F0F0_F0F0
  }

  /// Not 0 in each byte that is not what `41 0C 1A` has there; the lowest of them ends the form.
  var misplaced: UInt64 {
    @inline(__always) get {
      others & 0xFFFF_00FF_FF00_FFFF | (word ^ 0x0000_2000_0020_0000) & 0x0000_FF00_00FF_0000
    }
  }

  /// The first four characters are `7E8 `.
  var isIdentifier: Bool {
    @inline(__always) get { others & 0x00FF_FFFF | (word ^ 0x2000_0000) & 0xFF00_0000 == 0 }
  }

  var identifier: UInt16 {
    @inline(__always) get {
      let low = UInt32(truncatingIfNeeded: values)
      return UInt16(truncatingIfNeeded: low &<< 8 | low &>> 4 & 0xF0 | low &>> 16 & 0x0F) & 0xFFF
    }
  }

  /// Each byte beside its neighbour: the pair's value stands in its first byte.
  private var pairs: UInt64 { @inline(__always) get { values &<< 4 | values &>> 8 } }
  var byte0: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs) } }
  var byte1: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs &>> 24) } }
  var byte2: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs &>> 48) } }
}
