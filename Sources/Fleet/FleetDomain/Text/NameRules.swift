import JSONText
@_spi(_Unicode) import Swift

/// The rules for texts that are used as names, in records, requests and commands.
public enum NameRules {
  /// The maximum length of `gatewayId`, `vehicleId` and all other ids in bytes.
  public static let maximumNameCount = 128

  /// A description of valid names, for messages.
  public static let expectedName =
    "1 to \(maximumNameCount) bytes \(visibleRule), in Unicode's form NFC, and not \".\" or \"..\""

  /// Whether a text is a valid ID: 1 to 128 bytes of visible characters.
  ///
  /// Two IDs that look alike must be equal. Therefore, an ID contains no control characters, no bidirectional controls
  /// and no zero-width characters, and it is in composed form (Unicode Standard Annex 15, form NFC). For example, `É`
  /// and `E` with a combining accent are equal in Swift but not in a database. `.` and `..` are not allowed, because
  /// they are removed from URLs (RFC 3986, 5.2.4).
  public static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= maximumNameCount, isVisible(text), text != ".", text != ".." else {
      return false
    }
    return bytes.allSatisfy { $0 < 0x80 } || text.unicodeScalars.elementsEqual(text._nfc)
  }

  /// A description of names that are valid for new things, for messages.
  public static let expectedNewName = expectedName + ", and with no white space but single spaces inside"

  /// Whether a text is a valid ID for a new thing: a valid ID (``isName(_:)``) in which all spaces can be seen. Things
  /// that have other IDs from earlier versions keep them.
  public static func isNewName(_ text: String) -> Bool { isName(text) && hasVisibleSpaces(text) }

  /// Whether all white space of a text can be seen: it is between other characters, and is the space U+0020. For
  /// example, a no-break space looks like a space, and an ideographic space at the end is not seen at all. Of several
  /// spaces in a row, web pages show only one.
  public static func hasVisibleSpaces(_ text: String) -> Bool {
    var isAfterSpace = true
    for scalar in text.unicodeScalars {
      let isSpace = scalar == " "
      if isSpace ? isAfterSpace : scalar.properties.isWhitespace { return false }
      isAfterSpace = isSpace
    }
    return !isAfterSpace
  }

  /// A description of the rule of ``isVisible(_:)``, for messages.
  public static let visibleRule = "without control characters or invisible ones"

  /// Whether every character of a text is visible. This rule applies to all names that people choose.
  public static func isVisible(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } || !text.unicodeScalars.contains(where: \.isInvisible)
  }

  /// Returns the text with composed characters (Unicode Standard Annex 15, form NFC).
  public static func composed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfc)
    return String(scalars)
  }

  /// Whether a text is a vehicle identification number: 17 of A-H, J-N, P, R-Z and 0-9 (ISO 3779).
  public static func isVIN(_ text: String) -> Bool {
    text.utf8.count == 17
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "I"), UInt8(ascii: "O"), UInt8(ascii: "Q"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
      }
  }
}
