/// Conversion of bytes to lower-case hexadecimal digits, two for each byte, and back.
public enum Hexadecimal {
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    unsafe String(
      unsafeUninitializedCapacity: bytes.count * 2,
      initializingUTF8With: { buffer in
        var index = 0
        for byte in bytes {
          unsafe buffer[index] = digit(byte >> 4)
          unsafe buffer[index + 1] = digit(byte & 0xF)
          index += 2
        }
        return index
      })
  }

  /// Returns the 16 digits of a number.
  public static func text(_ number: UInt64) -> String {
    text((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }

  /// Returns the bytes of a text; `nil` unless it consists of lower-case digits, two for each byte.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// Returns the value of a lower-case digit; `nil` for any other character. Upper-case digits are rejected, so that
  /// each sequence of bytes has only one text.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
