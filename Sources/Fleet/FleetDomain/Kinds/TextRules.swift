/// Checks of texts in fields of things.
public enum TextRules {
  /// Checks a name by which commands find a thing: 1 to 100 visible characters, and no spaces that people cannot see
  /// (``NameRules/hasVisibleSpaces(_:)``).
  public static let unique: @Sendable (String) throws(FieldError) -> Void = { name throws(FieldError) in
    try TextRules.shown(name)
    guard NameRules.hasVisibleSpaces(name) else {
      throw FieldError("", "expected no white space but single spaces inside")
    }
  }

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

  /// Checks that an optional text is a well-formed language tag (BCP 47), such as `de-AT`.
  public static let languageTag: @Sendable (String?) throws(FieldError) -> Void = { text throws(FieldError) in
    guard let text, !LanguageTag.isWellFormed(text) else { return }
    throw FieldError("", "expected a language tag (BCP 47) like \"de-AT\"")
  }

  /// Checks that an optional text is the name of a time zone in the IANA database.
  public static let timeZone: @Sendable (String?) throws(FieldError) -> Void = { text throws(FieldError) in
    guard let text, !TimeZoneNames.contains(text) else { return }
    throw FieldError("", "expected a name of the IANA time zone database like \"Europe/Vienna\"")
  }
}
