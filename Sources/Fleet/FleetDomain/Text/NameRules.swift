@_spi(_Unicode) import Swift

/// The rules for texts that become names, the same for records, requests and commands.
public enum NameRules {
  /// The maximum length of `gatewayId`, `vehicleId` and all other ids in bytes.
  public static let maximumNameCount = 128

  /// The description of a valid name, for messages.
  public static let expectedName =
    "1 to \(maximumNameCount) bytes without control characters or invisible ones, in Unicode's form NFC, and not \".\" or \"..\""

  /// Whether a text is a valid id: 1 to 128 bytes of visible characters.
  ///
  /// Two ids that look alike must be equal. An id therefore has no control characters, no bidirectional controls and
  /// no zero-width characters, and it is composed (Unicode Standard Annex 15, form NFC): `É`, and `E` with a
  /// combining accent, are equal in Swift but not in a database. `.` and `..` are not allowed, because they disappear
  /// from URLs (RFC 3986, 5.2.4).
  public static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= maximumNameCount, isPlain(bytes.span), text != ".", text != ".." else {
      return false
    }
    return bytes.allSatisfy { $0 < 0x80 } || isVisible(text) && text.unicodeScalars.elementsEqual(text._nfc)
  }

  /// Whether every character is visible: no format characters (bidirectional controls, zero-width space and joiners,
  /// soft hyphen, byte order mark), no line separators, and no other invisible characters.
  private static func isVisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .format, .lineSeparator, .paragraphSeparator: false
      // The Braille pattern without dots is a symbol, and looks like a space.
      default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
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
