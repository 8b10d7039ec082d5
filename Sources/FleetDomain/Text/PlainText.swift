/// What texts that become names may hold: one rule for records, requests and commands.
public enum PlainText {
  /// Bytes of `gatewayId` and `vehicleId`, and of whatever else is an id.
  public static let maximumNameCount = 128

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
