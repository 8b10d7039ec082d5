/// Checks UTF-8 (RFC 3629) that comes in pieces: a character may be cut anywhere.
struct UTF8Check {
  /// Bytes that the character still needs.
  private var missing = 0
  /// What the next of them may be: the second byte of some characters is narrower than any other.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether no character is cut at the end of what was taken.
  var isComplete: Bool { missing == 0 }

  /// Takes a piece.
  ///
  /// - Returns: false for bytes with which no text goes on.
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
        // No longer than needed, and no half of a surrogate pair.
        next = byte == 0xE0 ? 0xA0...0xBF : byte == 0xED ? 0x80...0x9F : 0x80...0xBF
      case 0xF0...0xF4:
        missing = 3
        // No longer than needed, and not above U+10FFFF.
        next = byte == 0xF0 ? 0x90...0xBF : byte == 0xF4 ? 0x80...0x8F : 0x80...0xBF
      default: return false
      }
    }
    return true
  }
}
