import JSONText
@_spi(_Unicode) import Swift

/// The rules for texts that become names, the same for records, requests and commands.
public enum NameRules {
  /// The maximum length of `gatewayId`, `vehicleId` and all other ids in bytes.
  public static let maximumNameCount = 128

  /// The description of a valid name, for messages.
  public static let expectedName =
    "1 to \(maximumNameCount) bytes \(visibleRule), in Unicode's form NFC, and not \".\" or \"..\""

  /// Whether a text is a valid id: 1 to 128 bytes of visible characters.
  ///
  /// Two ids that look alike must be equal. An id therefore has no control characters, no bidirectional controls and
  /// no zero-width characters, and it is composed (Unicode Standard Annex 15, form NFC): `É`, and `E` with a
  /// combining accent, are equal in Swift but not in a database. `.` and `..` are not allowed, because they disappear
  /// from URLs (RFC 3986, 5.2.4).
  public static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= maximumNameCount, isVisible(text), text != ".", text != ".." else {
      return false
    }
    return bytes.allSatisfy { $0 < 0x80 } || text.unicodeScalars.elementsEqual(text._nfc)
  }

  /// The rule of ``isVisible(_:)``, for messages.
  public static let visibleRule = "without control characters or invisible ones"

  /// Whether every character of a text is visible. This is the rule for all texts by which people name things.
  public static func isVisible(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } || !text.unicodeScalars.contains(where: \.isInvisible)
  }

  /// The text with composed characters (Unicode Standard Annex 15, form NFC).
  public static func composed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfc)
    return String(scalars)
  }

  /// Checks a name of a person or a thing that is shown to people: 1 to 100 visible characters.
  static let checkShown: @Sendable (String) throws(FieldError) -> Void = { name throws(FieldError) in
    guard (1...100).contains(name.unicodeScalars.count), isVisible(name) else {
      throw FieldError("", "expected 1 to 100 characters \(visibleRule)")
    }
  }
}
