extension JSONParser {
  /// Parses a string from its opening to its closing quote, and checks its UTF-8 and its escape sequences.
  mutating func parseString() throws(JSONError) {
    let quote = position
    position += 1
    let start = position
    skipPlainASCII()
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        let length = position - start
        position += 1
        nodes.append(
          JSONNode(offset: UInt32(quote), start: UInt32(start), extent: UInt32(length), kind: .string))
        return
      case UInt8(ascii: "\\"):
        return try parseEscapedString(quote: quote)
      case 0..<0x20:
        throw error(.controlCharacter(bytes[position]))
      case 0x80...:
        position += try utf8Length()
      default:
        position += 1
      }
      skipPlainASCII()
    }
    throw error(.unexpectedEnd(expected: "a closing quote"))
  }

  /// Skips the text in groups of eight bytes, up to the first group that contains a quote, a backslash, a control
  /// character or a byte that is not ASCII.
  @inline(__always)
  private mutating func skipPlainASCII() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let raw = unsafe bytes.bytes
    while position &+ 8 <= bytes.count {
      // The offset is within the text, and any eight bytes are a valid UInt64.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // In `marks`, the top bit of a byte is set if its character is a quote, a backslash, a control character, or not
      // ASCII. A borrow may also set the bit of the next higher byte, which only ends the loop early.
      let marks =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word) | word
      if marks & tops != 0 { return }
      position &+= 8
    }
  }

  /// Parses a string with escape sequences again, from its opening quote, and writes its value to `decoded`.
  private mutating func parseEscapedString(quote: Int) throws(JSONError) {
    let start = decoded.count
    position = quote + 1
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        nodes.append(
          JSONNode(
            offset: UInt32(quote), start: UInt32(bytes.count + start), extent: UInt32(decoded.count - start),
            kind: .string))
        return
      case UInt8(ascii: "\\"):
        try parseEscape()
      case 0..<0x20:
        throw error(.controlCharacter(byte))
      case 0x80...:
        let length = try utf8Length()
        for index in position..<(position + length) { decoded.append(bytes[index]) }
        position += length
      default:
        decoded.append(byte)
        position += 1
      }
    }
    throw error(.unexpectedEnd(expected: "a closing quote"))
  }

  private mutating func parseEscape() throws(JSONError) {
    let start = position
    guard position + 1 < bytes.count else {
      throw error(.unexpectedEnd(expected: "an escaped character"), at: bytes.count)
    }
    let plain: UInt8
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = bytes[position + 1]
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"):
      position += 2
      return try parseUnicodeEscape(from: start)
    default: throw error(.invalidEscape)
    }
    decoded.append(plain)
    position += 2
  }

  private mutating func parseUnicodeEscape(from start: Int) throws(JSONError) {
    let unit = try fourHexDigits(from: start)
    var scalar = UInt32(unit)
    if UTF16.isTrailSurrogate(unit) { throw error(.unpairedSurrogate, at: start) }
    if UTF16.isLeadSurrogate(unit) {
      guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
      else { throw error(.unpairedSurrogate, at: start) }
      let second = position
      position += 2
      let trail = try fourHexDigits(from: second)
      guard UTF16.isTrailSurrogate(trail) else { throw error(.unpairedSurrogate, at: start) }
      scalar = 0x1_0000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
    }
    // The value is neither a surrogate nor above U+10FFFF, so it is always a scalar.
    if let scalar = Unicode.Scalar(scalar) { decoded.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
  }

  private mutating func fourHexDigits(from start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count else { throw error(.unexpectedEnd(expected: "four hexadecimal digits")) }
      let byte = bytes[position]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw error(.invalidEscape, at: start)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Returns the length of the UTF-8 sequence at `position` (RFC 3629, section 4), whose first byte is not ASCII.
  private func utf8Length() throws(JSONError) -> Int {
    let lead = bytes[position]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0:
      (length, second) = (3, 0xA0...0xBF)  // Lower values would be overlong.
    case 0xED:
      (length, second) = (3, 0x80...0x9F)  // Higher values would be surrogates.
    case 0xE1...0xEF: length = 3
    case 0xF0:
      (length, second) = (4, 0x90...0xBF)  // Lower values would be overlong.
    case 0xF4:
      (length, second) = (4, 0x80...0x8F)  // Higher values would be above U+10FFFF.
    case 0xF1...0xF3: length = 4
    default: throw error(.invalidUTF8)
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { throw error(.invalidUTF8) }
    for index in (position + 2)..<(position + max(length, 2)) where !(0x80...0xBF).contains(bytes[index]) {
      throw error(.invalidUTF8)
    }
    return length
  }
}
