/// Validates UTF-8 (RFC 3629) in pieces, which may end inside a character.
struct UTF8Check {
  /// The number of bytes that the current character still needs.
  private var missing = 0
  /// The allowed values of the next byte. After some first bytes, the range is smaller.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the last piece ended at the end of a character.
  var isComplete: Bool { missing == 0 }

  /// Validates a piece.
  ///
  /// - Returns: `false` if the bytes cannot continue the text.
  mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
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
        // No overlong form, and no half of a surrogate pair.
        next = byte == 0xE0 ? 0xA0...0xBF : byte == 0xED ? 0x80...0x9F : 0x80...0xBF
      case 0xF0...0xF4:
        missing = 3
        // No overlong form, and not above U+10FFFF.
        next = byte == 0xF0 ? 0x90...0xBF : byte == 0xF4 ? 0x80...0x8F : 0x80...0xBF
      default: return false
      }
    }
    return true
  }
}
