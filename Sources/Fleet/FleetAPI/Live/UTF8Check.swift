/// Checks whether a text that arrives in pieces is UTF-8 (RFC 3629). A piece may end inside a character.
struct UTF8Check {
  /// The number of bytes of the current character that are still missing.
  private var missing = 0
  /// The allowed values of the next byte of the current character. After some first bytes, the range is smaller.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the last piece ended at the end of a character, not inside one.
  var isComplete: Bool { missing == 0 }

  /// Checks the next piece of the text.
  ///
  /// - Returns: `false` if the text is not UTF-8.
  mutating func append(_ bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes {
      if missing > 0 {
        guard next.contains(byte) else { return false }
        missing -= 1
        next = 0x80...0xBF
        continue
      }
      switch byte {
      case 0x00...0x7F: break
      case 0xC2...0xDF: missing = 1
      case 0xE0...0xEF:
        missing = 2
        // This range excludes overlong encodings and surrogates.
        next = byte == 0xE0 ? 0xA0...0xBF : byte == 0xED ? 0x80...0x9F : 0x80...0xBF
      case 0xF0...0xF4:
        missing = 3
        // This range excludes overlong encodings and values above U+10FFFF.
        next = byte == 0xF0 ? 0x90...0xBF : byte == 0xF4 ? 0x80...0x8F : 0x80...0xBF
      default: return false
      }
    }
    return true
  }
}
