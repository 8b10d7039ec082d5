/// The syntax of language tags (BCP 47: RFC 5646, section 2.1), such as `de`, `de-AT`, `zh-Hant-TW` and `sl-rozaj`.
enum LanguageTag {
  /// Whether a text is a well-formed tag. Tags of earlier standards that do not follow this syntax, such as
  /// `i-klingon`, are not accepted.
  static func isWellFormed(_ text: String) -> Bool {
    var parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(Array.init)[...]
    guard text.utf8.count <= 64, parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) })
    else { return false }
    if isPrivate(parts.first) { return parts.count > 1 }
    guard let language = parts.popFirst(), isLetters(language, 2...8) else { return false }
    // Extended languages, such as `yue` in `zh-yue`.
    var extended = 0
    while language.count <= 3, extended < 3, let part = parts.first, isLetters(part, 3...3) {
      parts.removeFirst()
      extended += 1
    }
    // The script, such as `Hant`.
    if let part = parts.first, isLetters(part, 4...4) { parts.removeFirst() }
    // The region, such as `TW` or `419`.
    if let part = parts.first, isLetters(part, 2...2) || part.count == 3 && part.allSatisfy(isDigit) {
      parts.removeFirst()
    }
    while let part = parts.first, isVariant(part) { parts.removeFirst() }
    // Extensions: one character, and at least one part of 2 to 8 characters.
    var singletons: Set<UInt8> = []
    while let part = parts.first, part.count == 1, !isPrivate(part) {
      guard singletons.insert(part[0] | 0x20).inserted else { return false }
      parts.removeFirst()
      let count = parts.prefix { $0.count >= 2 }.count
      guard count > 0 else { return false }
      parts.removeFirst(count)
    }
    return parts.isEmpty || isPrivate(parts.first) && parts.count > 1
  }

  private static func isVariant(_ part: [UInt8]) -> Bool { part.count >= 5 || part.count == 4 && isDigit(part[0]) }
  private static func isPrivate(_ part: [UInt8]?) -> Bool {
    part?.count == 1 && part?.first.map { $0 | 0x20 } == UInt8(ascii: "x")
  }
  private static func isLetters(_ part: [UInt8], _ count: ClosedRange<Int>) -> Bool {
    count.contains(part.count) && part.allSatisfy(isLetter)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
}
