@_spi(_Unicode) import Swift

/// What texts that become names may hold: one rule for records, requests and commands.
public enum PlainText {
  /// Bytes of `gatewayId` and `vehicleId`, and of whatever else is an id.
  public static let maximumNameCount = 128

  /// What ``isName(_:)`` wants.
  public static let expectedName =
    "1 to \(maximumNameCount) bytes without control characters or invisible ones, in Unicode's form NFC, and not \".\" or \"..\""

  /// Whether a text can be an id: 1 to 128 bytes that can be seen, and that nothing takes for something else.
  ///
  /// Two ids that look alike are two: so there are no control characters, none that turn the direction of text, and none
  /// without a width; and the text is composed (Unicode Standard Annex 15, form NFC), as `É`, and `E` with an accent behind
  /// it, compare as equal here and not in a database. `.` and `..` go no way through a URL (RFC 3986, 5.2.4).
  public static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= maximumNameCount, isPlain(bytes.span), text != ".", text != ".." else {
      return false
    }
    return bytes.allSatisfy { $0 < 0x80 } || isVisible(text) && text.unicodeScalars.elementsEqual(text._nfc)
  }

  /// Whether every character has a place of its own in the line: no format characters (bidirectional controls, zero-width
  /// space and joiners, soft hyphen, byte order mark), no line separators, nothing else that is not shown.
  private static func isVisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .format, .lineSeparator, .paragraphSeparator: false
      default: !scalar.properties.isDefaultIgnorableCodePoint
      }
    }
  }

  /// The text with composed characters (Unicode Standard Annex 15, form NFC).
  public static func composed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfc)
    return String(scalars)
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
