@_spi(_Unicode) import Swift

/// What texts that become names may hold: one rule for records, requests and commands.
public enum PlainText {
  /// Bytes of `gatewayId` and `vehicleId`, and of whatever else is an id.
  public static let maximumNameCount = 128

  /// What ``isName(_:)`` wants.
  public static let expectedName = "1 to \(maximumNameCount) bytes without control characters, in Unicode's form NFC"

  /// Whether a text can be an id: 1 to 128 bytes without control characters. Two that look alike and compare as equal
  /// (`É`, and `E` with an accent behind it) would be one id here and two to a database: it is composed (Unicode Standard
  /// Annex 15, form NFC), so that there is one way to write it.
  public static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    return !bytes.isEmpty && bytes.count <= maximumNameCount && isPlain(bytes.span) && isComposed(text)
  }

  private static func isComposed(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 } || text.unicodeScalars.elementsEqual(text._nfc)
  }

  /// Whether UTF-8 has no control characters: U+0000 to U+001F, U+007F to U+009F.
  public static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte == 0x7F { return false }
      if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return false }
    }
    return true
  }
}
