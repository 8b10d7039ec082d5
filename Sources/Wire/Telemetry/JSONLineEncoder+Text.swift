extension JSONLineEncoder {
  /// Writes UTF-8 text.
  ///
  /// Quotes, backslashes and control characters (U+0000 to U+001F, U+007F to U+009F, which a terminal would interpret)
  /// are escaped. A byte that is not part of valid UTF-8 is treated as a character of ISO 8859-1 and written as
  /// `\u00XX`, so that the bytes that an ECU sent can be recovered.
  ///
  /// - Returns: `false` if the text does not fit.
  @discardableResult
  public mutating func value(_ text: Span<UInt8>) -> Bool {
    unsafe text.withUnsafeBufferPointer { bytes in unsafe writeText(bytes) }
  }

  /// Writes text; see ``value(_:)-(Span<UInt8>)``.
  @discardableResult
  public mutating func value(_ text: StaticString) -> Bool {
    unsafe writeText(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes text; see ``value(_:)-(Span<UInt8>)``.
  @discardableResult
  public mutating func value(_ text: String) -> Bool { value(text.utf8.span) }

  /// Writes bytes as a text of upper-case hexadecimal digits, two for each byte.
  ///
  /// - Returns: `false` if the digits do not fit.
  @discardableResult
  public mutating func value(hex bytes: Span<UInt8>) -> Bool {
    guard startValue(room: bytes.count * 2 + 2) else { return false }
    put(UInt8(ascii: "\""))
    for index in bytes.indices {
      put(upperHexDigit(bytes[index] >> 4))
      put(upperHexDigit(bytes[index] & 0x0F))
    }
    put(UInt8(ascii: "\""))
    return true
  }

  private mutating func writeText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // Assume the worst case first, in which every byte is escaped. Count the exact length only near the end of the
    // buffer, because most text needs no escape sequences.
    var room = text.count * 6 + 2
    if !hasRoom(room + 1) { room = unsafe escapedLength(text) + 2 }
    guard startValue(room: room) else { return false }
    unsafe putText(text)
    return true
  }

  /// Returns whether a text, with its escape sequences but without quotes, and `more` further bytes fit.
  @inline(__always)
  mutating func hasRoom(forText text: UnsafeBufferPointer<UInt8>, more: Int) -> Bool {
    if count + text.count * 6 + more + kept <= capacity { return true }
    let length = unsafe escapedLength(text)
    return hasRoom(length + more)
  }

  /// Writes a text in quotes, for which the caller has reserved room.
  @inline(__always)
  mutating func putText(_ text: UnsafeBufferPointer<UInt8>) {
    put(UInt8(ascii: "\""))
    if unsafe !putPlain(text) { unsafe putEscaping(text) }
    put(UInt8(ascii: "\""))
  }

  @inline(never)
  private mutating func putEscaping(_ text: UnsafeBufferPointer<UInt8>) {
    var index = unsafe copyPlain(text, from: 0)
    while index < text.count {
      let escape = unsafe Escape(text, at: index)
      unsafe put(escape, of: text, at: index)
      index = unsafe copyPlain(text, from: index + escape.sourceLength)
    }
  }

  /// Copies characters that need no escape sequence. Returns the index of the first character that needs one.
  private mutating func copyPlain(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count {
      let byte = unsafe text[index]
      if byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      put(byte)
      index += 1
    }
    return index
  }

  private mutating func put(_ escape: Escape, of text: UnsafeBufferPointer<UInt8>, at index: Int) {
    switch escape {
    case .character(let length):
      for offset in 0..<length { put(unsafe text[index + offset]) }
    case .short(let letter):
      put(UInt8(ascii: "\\"))
      put(letter)
    case .codePoint(let byte), .control(let byte):
      put(UInt8(ascii: "\\"))
      put(UInt8(ascii: "u"))
      put(UInt8(ascii: "0"))
      put(UInt8(ascii: "0"))
      put(upperHexDigit(byte >> 4))
      put(upperHexDigit(byte & 0x0F))
    }
  }

  /// Returns the length of a text with its escape sequences, without quotes, in bytes.
  @inline(never)
  private func escapedLength(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var length = 0
    var index = 0
    while index < text.count {
      let byte = unsafe text[index]
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        length += 1
        index += 1
      } else {
        let escape = unsafe Escape(text, at: index)
        length += escape.writtenLength
        index += escape.sourceLength
      }
    }
    return length
  }
}

/// The form in which a character of a text is written (RFC 8259, 7).
enum Escape {
  /// The character is written unchanged. It is a valid UTF-8 sequence; the value is its number of bytes.
  case character(Int)
  /// The character is written as a backslash and the ASCII character that is the value: `\n` for a line feed.
  case short(UInt8)
  /// A byte that is not part of valid UTF-8, or a control character. It is written as `\u00XX`; the value is the byte,
  /// XX.
  case codePoint(UInt8)
  /// A control character U+0080 to U+009F, which has two bytes in UTF-8. It is written as `\u00XX`; the value is XX.
  case control(UInt8)

  init(_ text: UnsafeBufferPointer<UInt8>, at index: Int) {
    let byte = unsafe text[index]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): self = .short(byte)
    case 0x08: self = .short(UInt8(ascii: "b"))
    case 0x09: self = .short(UInt8(ascii: "t"))
    case 0x0A: self = .short(UInt8(ascii: "n"))
    case 0x0C: self = .short(UInt8(ascii: "f"))
    case 0x0D: self = .short(UInt8(ascii: "r"))
    case 0x20..<0x7F: self = .character(1)
    default:
      let length = unsafe validSequenceLength(text, at: index)
      if length == 2, byte == 0xC2, unsafe text[index + 1] < 0xA0 {
        self = .control(unsafe text[index + 1])
      } else {
        self = length > 0 ? .character(length) : .codePoint(byte)
      }
    }
  }

  var sourceLength: Int {
    switch self {
    case .character(let length): length
    case .control: 2
    case .short, .codePoint: 1
    }
  }

  var writtenLength: Int {
    switch self {
    case .character(let length): length
    case .short: 2
    case .codePoint, .control: 6
    }
  }
}

/// Returns the length of the valid UTF-8 sequence of two or more bytes at `index`; 0 if there is none (Unicode, table
/// 3-7).
private func validSequenceLength(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
  let lead = unsafe text[index]
  let length: Int
  var second: ClosedRange<UInt8> = 0x80...0xBF
  switch lead {
  case 0xC2...0xDF: length = 2
  case 0xE0: (length, second) = (3, 0xA0...0xBF)
  case 0xED: (length, second) = (3, 0x80...0x9F)
  case 0xE1...0xEF: length = 3
  case 0xF0: (length, second) = (4, 0x90...0xBF)
  case 0xF4: (length, second) = (4, 0x80...0x8F)
  case 0xF1...0xF3: length = 4
  default: return 0
  }
  guard index + length <= text.count, second.contains(unsafe text[index + 1]) else { return 0 }
  for offset in 2..<max(length, 2) where unsafe text[index + offset] & 0xC0 != 0x80 { return 0 }
  return length
}

/// Returns the upper-case hexadecimal digit of a number below 16.
func upperHexDigit(_ nibble: UInt8) -> UInt8 {
  nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
}
