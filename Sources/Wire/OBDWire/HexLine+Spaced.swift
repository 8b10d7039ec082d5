// About 90 % of the text lines that adapters print contain bytes followed by spaces, `41 0C 1A F8 `. Three bytes and
// the two spaces between them are eight characters: one word of 64 bits, which is checked and converted in about 20
// instructions, three times as fast as character by character. ``HexLine/read(_:from:to:)`` handles all other formats.
extension HexLine {
  /// Reads the most frequent format, `7E8 04 41 0C 1A F8 ` or pairs of digits, directly from the stream.
  ///
  /// - Returns: the index of the line end after it, or -1 if the text line has another format. The line has then not
  ///   been consumed.
  @inline(__always)
  mutating func readSpaced(_ stream: Span<UInt8>, from first: Int) -> Int {
    // An identifier and 12 bytes, or 15 bytes, exceed any frame of CAN or J1850. Near the end of the stream, the
    // general function reads the line. Within these 54 characters no index needs its own check, nor do the at most 15
    // bytes.
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
        // The line may end after a byte or after its space, but not inside a byte.
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

  /// Reads `7E8 `, the first half of a word.
  @inline(__always)
  private mutating func readIdentifier(_ group: SpacedDigits) -> Bool {
    guard group.isIdentifier else { return false }
    hasIdentifier = true
    identifier = group.identifier
    return true
  }
}

/// Eight characters of a text line, in the format `41 0C 1A`.
private struct SpacedDigits: BitwiseCopyable {
  private let word: UInt64
  /// The value of each digit; undefined for other characters.
  private let values: UInt64
  /// A word with a non-zero byte for each character that is not an upper-case digit. The general function handles lower
  /// case.
  private let others: UInt64

  /// Loads eight characters.
  ///
  /// - Precondition: eight bytes exist at `index`.
  @unsafe @inline(__always)
  init(_ bytes: RawSpan, at index: Int) {
    // Any eight bytes form a UInt64. The caller has checked that they exist.
    word = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    // Letters have bit 6 set. A is 41: its value is that of the low four bits plus nine.
    values = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ (word &>> 6 & 0x0101_0101_0101_0101) &* 9
    // The digit with this value. Seven characters lie between 9 and A.
    let tens = (values &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    let digits = values &+ tens &* 7 &+ 0x3030_3030_3030_3030
    others = digits ^ word | values & 0xF0F0_F0F0_F0F0_F0F0
  }

  /// A word with a non-zero byte for each character that does not match the format `41 0C 1A`. The lowest such byte
  /// ends the match.
  var misplaced: UInt64 {
    @inline(__always) get {
      others & 0xFFFF_00FF_FF00_FFFF | (word ^ 0x0000_2000_0020_0000) & 0x0000_FF00_00FF_0000
    }
  }

  /// Whether the first four characters are `7E8 `.
  var isIdentifier: Bool {
    @inline(__always) get { others & 0x00FF_FFFF | (word ^ 0x2000_0000) & 0xFF00_0000 == 0 }
  }

  var identifier: UInt16 {
    @inline(__always) get {
      let low = UInt32(truncatingIfNeeded: values)
      return UInt16(truncatingIfNeeded: low &<< 8 | low &>> 4 & 0xF0 | low &>> 16 & 0x0F) & 0xFFF
    }
  }

  /// Each digit combined with the next one. The value of a pair is in its first byte.
  private var pairs: UInt64 { @inline(__always) get { values &<< 4 | values &>> 8 } }
  var byte0: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs) } }
  var byte1: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs &>> 24) } }
  var byte2: UInt8 { @inline(__always) get { UInt8(truncatingIfNeeded: pairs &>> 48) } }
}
