// Nearly all text lines consist of upper-case digits and end with a carriage return: `7E804410C1AF8` without spaces
// (ATS0), `7E8 04 41 0C 1A F8 ` with spaces. They are read eight characters at a time. ``HexLine/read(_:from:to:)``
// reads all other formats.
extension HexLine {
  /// Reads a text line without spaces, or with a space after each byte, directly from the bytes that were received.
  ///
  /// - Returns: the index of the carriage return at its end; -1 if the text line has another format, is longer than any
  ///   frame, or is incomplete. In these cases, another function must read it.
  @inline(__always)
  mutating func readWords(_ stream: Span<UInt8>, from first: Int) -> Int {
    let word = stream.word(at: first)
    let third = UInt8(truncatingIfNeeded: word &>> 16)
    let fourth = UInt8(truncatingIfNeeded: word &>> 24)
    if third == space || fourth == space {
      return readSpaced(stream, from: first, withIdentifier: third != space)
    }
    // If the number of digits is odd, the text line begins with an identifier. An answer usually has one if the
    // previous answer had one. A request, which the adapter may echo, begins with a digit below 4 and has no
    // identifier.
    if UInt8(truncatingIfNeeded: word) < UInt8(ascii: "4") {
      return readUnspaced(stream, from: first, withIdentifier: false)
    }
    let end = readUnspaced(stream, from: first, withIdentifier: expectsIdentifier)
    if end < 0 { expectsIdentifier = !expectsIdentifier }
    return end
  }

  /// Reads the identifier, which is the first three characters of a text line.
  ///
  /// - Returns: `false` if they are not upper-case digits.
  @inline(__always)
  private mutating func readIdentifier(_ stream: Span<UInt8>, at first: Int) -> Bool {
    let text = UInt32(truncatingIfNeeded: stream.word(at: first)) & 0xFF_FFFF
    // The identifier is usually the same as that of the preceding text line.
    return text == identifierText || readNewIdentifier(text)
  }

  @inline(never)
  private mutating func readNewIdentifier(_ text: UInt32) -> Bool {
    var value: UInt16 = 0
    var rest = text
    for _ in 0..<3 {
      let digit = Hex.value(UInt8(truncatingIfNeeded: rest))
      guard digit < 16, rest & 0x60 != 0x60 else { return false }
      value = value &<< 4 | UInt16(digit)
      rest = rest &>> 8
    }
    identifier = value
    identifierText = text
    return true
  }

  /// Reads pairs of digits (`410C1AF8`), or an identifier and pairs (`7E804410C1AF8`).
  @inline(__always)
  private mutating func readUnspaced(_ stream: Span<UInt8>, from first: Int, withIdentifier: Bool) -> Int {
    var i = first
    if withIdentifier {
      guard readIdentifier(stream, at: first) else { return -1 }
      i &+= 3
    }
    var n = 0
    while n < 64 {
      let word = DigitWord(stream, at: i)
      bytes.store(word.fourBytes, at: n)
      let digits = word.digitCount
      n &+= digits &>> 1
      i &+= digits
      if digits == 8 {
        // Many frames end here, because they have eight data bytes.
        guard i < stream.count else { return -1 }
        if stream[i] != carriageReturn { continue }
      } else {
        guard digits & 1 == 0, n > 0, word.isCarriageReturn(at: digits) else { return -1 }
      }
      hasIdentifier = withIdentifier
      hasDataLengthCode = false
      isSpaced = false
      start = 0
      count = n
      return i
    }
    return -1
  }

  /// Reads an identifier and bytes that are separated by spaces (`7E8 04 41 0C 1A F8 `), or only bytes that are
  /// separated by spaces.
  @inline(__always)
  mutating func readSpaced(_ stream: Span<UInt8>, from first: Int, withIdentifier: Bool) -> Int {
    var i = first
    if withIdentifier {
      guard readIdentifier(stream, at: first) else { return -1 }
      i &+= 4
    }
    var n = 0
    while n < 15 {
      let group = DigitWord(stream, at: i)
      unsafe bytes[unchecked: n] = group.byte0
      unsafe bytes[unchecked: n &+ 1] = group.byte1
      unsafe bytes[unchecked: n &+ 2] = group.byte2
      let wrong = group.misplaced
      var end = i &+ 8
      if wrong != 0 {
        // The text line may end after a byte or after the space that follows, but not within a byte.
        let place = wrong.trailingZeroBitCount &>> 3
        guard 0b0110_1101 &>> place & 1 == 1 else { return -1 }
        // A byte takes three characters, so divide by three and round: 0, 2, 3, 5 and 6 characters are 0, 1, 1, 2 and 2
        // bytes.
        n &+= ((place &+ 1) &* 11) &>> 5
        end = i &+ place
        guard n > 0, group.isCarriageReturn(at: place) else { return -1 }
      } else {
        n &+= 3
        guard end < stream.count else { return -1 }
        i &+= 9
        let separator = stream[end]
        if separator == space { continue }
        guard separator == carriageReturn else { return -1 }
      }
      hasIdentifier = withIdentifier
      hasDataLengthCode = false
      isSpaced = true
      start = 0
      count = n
      return end
    }
    return -1
  }
}
