/// Base32 (RFC 4648, section 6) without padding, as authenticator apps read it.
public enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns bytes as text. Each character encodes five bits; the last character is padded with zero bits.
  ///
  ///     Base32.text([0x66, 0x6F, 0x6F])  // "MZXW6"
  public static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 8 + 4) / 5)
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[Int(bits >> UInt32(count)) & 31])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(5 - count)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }
}
