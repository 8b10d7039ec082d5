import Crypto
import FleetDomain

/// A new key or token. It is shown once, and only its hash is stored.
///
///     fsk_3f9c…  (a gateway's key)
///     fst_a01d…  (an operator's token)
public struct Secret: Sendable {
  /// The purpose of a secret. Its prefix shows the purpose, so that a leaked secret can be recognised.
  public enum Purpose: String, CaseIterable, Sendable {
    case gatewayKey = "fsk_"
    case operatorToken = "fst_"
    /// The cookie of a browser that has signed in.
    case sessionCookie = "fss_"
    /// The access token of an app that has signed in.
    case accessToken = "fsa_"
    /// The token with which an app renews its access token.
    case refreshToken = "fsr_"
    /// A secret that can be used once, within a short time, such as the secret of an invitation.
    case ticket = "fsl_"
    /// The cookie that marks a browser from which a person has signed in before.
    case device = "fsd_"
    /// The key with which a driver's phone reports positions.
    case phoneKey = "fsp_"
  }

  /// The secret itself. It must never be logged.
  public let text: String

  /// Creates a secret from 256 random bits of the system, written as hexadecimal digits.
  public init(_ purpose: Purpose) { text = purpose.rawValue + Self.randomDigits() }

  /// Creates a secret whose text contains the name of the place to which it belongs, such as a tenant:
  /// `fsl_north.3f9c…`.
  ///
  /// - Parameter place: letters, digits and `-`.
  public init(_ purpose: Purpose, of place: String) { text = "\(purpose.rawValue)\(place).\(Self.randomDigits())" }

  /// Creates a refresh token. All refresh tokens of a session share a random text, the family, in front of their own:
  /// `fsr_north/0193….77ab….3f9c…`. The family identifies a token that was used before, however long ago.
  ///
  /// - Parameters:
  ///   - place: the session, which is the place of the token.
  ///   - previous: the token that the new one replaces; `nil` for the first of a family.
  public init(refreshing place: String, after previous: String? = nil) {
    let family = previous.flatMap { Self.familyDigits(in: $0) } ?? Self.randomDigits()
    text = "\(Purpose.refreshToken.rawValue)\(place).\(family).\(Self.randomDigits())"
  }

  /// Returns the hash of a refresh token's family; `nil` if the text contains none.
  public static func family(in text: String) -> SecretHash? { familyDigits(in: text).map { hash(of: $0) } }

  /// If this is a refresh token, the hash of its family: the random text that all refresh tokens of a session share.
  /// Otherwise `nil`.
  public var family: SecretHash? { Self.family(in: text) }

  private static func familyDigits(in text: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[1].utf8.count == 64 ? String(parts[1]) : nil
  }

  /// Returns the name in front of the first dot of a secret: the tenant, the session or another owner to which the
  /// secret belongs. `nil` if the text has another purpose or contains no name.
  public static func place(in text: String, _ purpose: Purpose) -> String? {
    guard text.utf8.count <= 256, text.hasPrefix(purpose.rawValue), let dot = text.firstIndex(of: ".") else {
      return nil
    }
    return String(text[text.index(text.startIndex, offsetBy: purpose.rawValue.count)..<dot])
  }

  private static func randomDigits() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Whether a text seems to contain a secret.
  public static func isOne(in text: some StringProtocol) -> Bool {
    Purpose.allCases.contains { text.contains($0.rawValue) }
  }

  /// The hash that is stored instead of the secret.
  public var hash: SecretHash { Self.hash(of: text) }

  /// Returns the SHA-256 hash of a secret that a client sent.
  ///
  /// A fast hash is sufficient, because secrets have 256 random bits and cannot be guessed. Passwords need a slow one
  /// (``PasswordHash``).
  public static func hash(of text: String) -> SecretHash {
    // SHA-256 has 32 bytes.
    SecretHash(Array(SHA256.hash(data: Array(text.utf8))))!
  }
}
