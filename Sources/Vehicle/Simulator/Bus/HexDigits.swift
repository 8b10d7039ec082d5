/// Conversions of hexadecimal digits, as adapters print and read them.
enum HexDigits {
  /// Returns the value of a digit in upper or lower case; `nil` for any other byte.
  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// Returns the upper-case digit of a value below 16.
  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  /// Formats each byte as two upper-case digits.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
  }

  /// Formats a number in upper case, with leading zeros if it has fewer than `digits` digits.
  static func text(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// Parses pairs of digits; spaces are ignored. Returns `nil` for any other text.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != 0x20 }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Parses a number of 1 to 8 digits; `nil` for any other text.
  static func number(_ text: some StringProtocol) -> UInt32? {
    guard (1...8).contains(text.utf8.count) else { return nil }
    var number: UInt32 = 0
    for character in text.utf8 {
      guard let digit = value(of: character) else { return nil }
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}
