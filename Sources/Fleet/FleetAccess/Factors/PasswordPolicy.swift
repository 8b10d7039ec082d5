import FleetDomain

/// The rules for a new password (NIST SP 800-63B-4, section 3.1.1.2).
///
/// A password has at least 15 characters, or at least 8 if the person also has a second factor. Any characters are
/// allowed and none are required. Passwords that attackers try first are rejected: the most common ones, and words of
/// the account.
///
///     let policy = PasswordPolicy(common: commonPasswords)
///     try policy.check("correct horse battery", words: ["ann@example.com", "Ann", "Lee"], hasSecondFactor: false)
public struct PasswordPolicy: Sendable {
  /// Minimum number of characters of a password that is the only factor.
  public static let minimumAlone = 15
  /// Minimum number of characters of a password with a second factor.
  public static let minimumWithFactor = 8
  /// Maximum length of a password in UTF-8 bytes. It limits the work of hashing. People do not type longer passwords.
  public static let maximumBytes = 1_024

  /// The reason why a password is rejected.
  public enum Rejection: Error, Equatable, Sendable {
    /// Fewer characters than required.
    case tooShort(minimum: Int, found: Int)
    /// More than ``maximumBytes`` bytes.
    case tooLong
    /// The password is in the list of common passwords.
    case common
    /// The password consists of a word from the account, such as a name, and few other characters.
    case accountWord(String)
    /// The password consists only of common passwords, words from the account, and rows of keys or digits.
    case guessable
    /// The password repeats one character or one short sequence.
    case repetitive

    /// The reason as one sentence, for the person who chose the password.
    public var message: String {
      switch self {
      case .tooShort(let minimum, let found): "Use at least \(minimum) characters; this password has \(found)."
      case .tooLong: "Use at most \(PasswordPolicy.maximumBytes) bytes."
      case .common: "This password is among the most common ones; choose another."
      case .accountWord(let word): "The password is mostly “\(word)”, which is part of this account; choose another."
      case .guessable:
        "The password consists of common passwords, words of this account, and rows of keys or digits; choose another."
      case .repetitive: "The password repeats the same characters; choose another."
      }
    }
  }

  private let common: Set<String>

  /// Creates a policy.
  ///
  /// - Parameter common: the most common passwords, in upper or lower case.
  public init(common: some Sequence<String>) { self.common = Set(common.lazy.map { Self.folded($0) }) }

  /// Checks a new password.
  ///
  /// - Parameters:
  ///   - password: as the person typed it.
  ///   - words: email address, names, and the tenant's and the service's name.
  ///   - hasSecondFactor: whether every sign-in of the account also needs a second factor.
  public func check(_ password: String, words: [String], hasSecondFactor: Bool) throws(Rejection) {
    guard password.utf8.count <= Self.maximumBytes else { throw .tooLong }
    let minimum = hasSecondFactor ? Self.minimumWithFactor : Self.minimumAlone
    let count = Self.count(password)
    guard count >= minimum else { throw .tooShort(minimum: minimum, found: count) }
    let folded = Self.folded(password)
    guard !common.contains(folded) else { throw .common }
    if let word = Self.dominantWord(words, in: folded) { throw .accountWord(word) }
    guard !Self.isRepetitive(Array(folded.unicodeScalars)) else { throw .repetitive }
    let own = Set(words.flatMap { Self.folded($0).split { !$0.isLetter && !$0.isNumber }.map(String.init) })
    guard isHardToGuess(folded, own: own, required: min(8, (count + 1) / 2)) else { throw .guessable }
  }

  /// Whether a password is too short for an account without a second factor.
  public static func isTooShortAlone(_ password: String) -> Bool { count(password) < minimumAlone }

  /// The number of characters.
  private static func count(_ password: String) -> Int { normalized(password).unicodeScalars.count }

  /// Returns the password in Unicode's form NFC, in which it is hashed. The hash therefore does not depend on the
  /// keyboard.
  public static func normalized(_ password: String) -> String { NameRules.composed(password) }

  private static func folded(_ text: String) -> String { normalized(text).lowercased() }

  /// Returns a word that the password contains, if fewer than eight characters remain without it; `nil` if there is
  /// none.
  private static func dominantWord(_ words: [String], in password: String) -> String? {
    let parts = words.flatMap { word in
      [folded(word)] + folded(word).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
    let count = password.unicodeScalars.count
    return Set(parts).filter { $0.unicodeScalars.count >= 4 }.sorted().first { word in
      occurrences(of: Array(word.unicodeScalars), in: Array(password.unicodeScalars)) * word.unicodeScalars.count
        > count - 8
    }
  }

  /// Returns the number of occurrences of a word in a text, without overlaps.
  private static func occurrences(of word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int {
    var (count, start) = (0, 0)
    while start + word.count <= text.count {
      if text[start..<start + word.count].elementsEqual(word) {
        count += 1
        start += word.count
      } else {
        start += 1
      }
    }
    return count
  }

  /// Whether at least `required` characters remain after the removal of the parts that attackers try first. Such a part
  /// is a common password, a word from the account with at least three characters, a row of at least four neighbouring
  /// keys, digits or letters, or a character that is repeated at least four times. Spaces are not counted.
  private func isHardToGuess(_ password: String, own: Set<String>, required: Int) -> Bool {
    let text = Array(password)
    var (index, left) = (0, 0)
    while index < text.count {
      let length = max(
        longestPrefix(text[index...], own), Self.sequence(text[index...]))
      if length > 0 {
        index += length
      } else {
        if !text[index].isWhitespace { left += 1 }
        index += 1
      }
      if left >= required { return true }
    }
    // A password without letters and digits is judged only by its length.
    return !text.contains { $0.isLetter || $0.isNumber }
  }

  /// If a text begins with a common password or with a word from the account, returns the length of the longest one;
  /// otherwise 0.
  private func longestPrefix(_ text: ArraySlice<Character>, _ own: Set<String>) -> Int {
    for length in stride(from: min(text.count, 24), through: 3, by: -1) {
      let part = String(text.prefix(length))
      if own.contains(part) || length >= 8 && common.contains(part) { return length }
    }
    return 0
  }

  private static let rows = [
    "01234567890123456789", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "abcdefghijklmnopqrstuvwxyz",
  ].flatMap { [$0, String($0.reversed())] }

  /// Returns the length of the row at the beginning of a text: neighbouring keys, such as `qwer`, successive digits or
  /// letters, or the same character again and again. Returns 0 if the row has fewer than four characters.
  private static func sequence(_ text: ArraySlice<Character>) -> Int {
    let repeated = text.prefix { $0 == text.first }.count
    if repeated >= 4 { return repeated }
    var longest = 0
    for length in stride(from: min(text.count, 20), through: 4, by: -1) where longest == 0 {
      let part = String(text.prefix(length))
      if rows.contains(where: { $0.contains(part) }) { longest = length }
    }
    return longest
  }

  /// Whether a text only repeats one sequence of at most four characters.
  private static func isRepetitive(_ text: [Unicode.Scalar]) -> Bool {
    (1...4).contains { period in text.indices.allSatisfy { text[$0] == text[$0 % period] } }
  }
}
