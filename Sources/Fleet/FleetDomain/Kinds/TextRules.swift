/// Checks of texts in fields of things.
public enum TextRules {
  /// Checks the name of a person or a thing: 1 to 100 visible characters.
  public static let shown: @Sendable (String) throws(FieldError) -> Void = { name throws(FieldError) in
    guard (1...100).contains(name.unicodeScalars.count), NameRules.isVisible(name) else {
      throw FieldError("", "expected 1 to 100 characters \(NameRules.visibleRule)")
    }
  }

  /// Returns a check of an optional text: one line of visible characters.
  ///
  /// - Parameter limit: the maximum length in bytes.
  public static func short(_ limit: Int) -> @Sendable (String?) throws(FieldError) -> Void {
    { text throws(FieldError) in
      guard let text else { return }
      guard (1...limit).contains(text.utf8.count), NameRules.isVisible(text) else {
        throw FieldError("", "expected 1 to \(limit) bytes \(NameRules.visibleRule)")
      }
    }
  }

  /// Checks optional notes: at most 10,000 bytes of visible characters, tabs and line breaks.
  public static let long: @Sendable (String?) throws(FieldError) -> Void = { text throws(FieldError) in
    guard let text else { return }
    let line = text.replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\t", with: " ")
    guard (1...10_000).contains(text.utf8.count), NameRules.isVisible(line) else {
      throw FieldError("", "expected 1 to 10000 bytes \(NameRules.visibleRule) other than line breaks")
    }
  }

  /// Returns a check of an optional code: ASCII letters, digits and `-+_/`, for example a language or a time zone.
  ///
  /// - Parameter expected: description of a valid code, for the message.
  public static func code(_ expected: String) -> @Sendable (String?) throws(FieldError) -> Void {
    { text throws(FieldError) in
      guard let text else { return }
      let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "_"),
          UInt8(ascii: "/"):
          true
        default: false
        }
      }
      guard (1...64).contains(text.utf8.count), isPlain else { throw FieldError("", "expected \(expected)") }
    }
  }
}
