import FleetDomain

/// The rules for a new password (NIST SP 800-63B-4, section 3.1.1.2).
///
/// A password is 15 characters or longer, or 8 or longer if the person also has a second factor. Any characters are allowed
/// and none are required. Passwords that attackers try first are rejected: the most common ones, and words of the account.
///
///     let policy = PasswordPolicy(common: commonPasswords)
///     try policy.check("correct horse battery", words: ["ann@example.com", "Ann", "Lee"], hasSecondFactor: false)
public struct PasswordPolicy: Sendable {
  /// Minimum number of characters of a password that is the only factor.
  public static let minimumAlone = 15
  /// Minimum number of characters of a password with a second factor.
  public static let minimumWithFactor = 8
  /// Maximum number of UTF-8 bytes of a password. It limits the work of hashing; no person types a longer password.
  public static let maximumBytes = 1_024

  /// The reason why a password is rejected.
  public enum Rejection: Error, Equatable, Sendable {
    /// Fewer characters than required.
    case tooShort(minimum: Int, found: Int)
    /// More than ``maximumBytes`` bytes.
    case tooLong
    /// The password is in the list of common passwords.
    case common
    /// The password consists of a word of the account and few other characters.
    case accountWord(String)
    /// The password repeats one character or one short sequence.
    case repetitive

    /// One sentence for the person who chose the password.
    public var message: String {
      switch self {
      case .tooShort(let minimum, let found): "Use at least \(minimum) characters; this password has \(found)."
      case .tooLong: "Use at most \(PasswordPolicy.maximumBytes) bytes."
      case .common: "This password is among the most common ones; choose another."
      case .accountWord(let word): "The password is mostly “\(word)”, which is part of this account; choose another."
      case .repetitive: "The password repeats the same characters; choose another."
      }
    }
  }

  private let common: Set<String>

  /// - Parameter common: the most common passwords, in any case.
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
    let count = Self.normalized(password).unicodeScalars.count
    guard count >= minimum else { throw .tooShort(minimum: minimum, found: count) }
    let folded = Self.folded(password)
    guard !common.contains(folded) else { throw .common }
    if let word = Self.dominantWord(words, in: folded) { throw .accountWord(word) }
    guard !Self.isRepetitive(Array(folded.unicodeScalars)) else { throw .repetitive }
  }

  /// Returns the form of a password that is hashed: Unicode's form NFC, so that the hash does not depend on the
  /// keyboard.
  public static func normalized(_ password: String) -> String { NameRules.composed(password) }

  private static func folded(_ text: String) -> String { normalized(text).lowercased() }

  /// Returns the word that makes up the password except for fewer than eight characters; `nil` if there is none.
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

  /// Whether a text only repeats one sequence of at most four characters.
  private static func isRepetitive(_ text: [Unicode.Scalar]) -> Bool {
    (1...4).contains { period in text.indices.allSatisfy { text[$0] == text[$0 % period] } }
  }
}
