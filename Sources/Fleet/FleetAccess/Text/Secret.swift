import Crypto
import FleetDomain

/// A new key or token. It is shown once, and only its hash is stored.
///
///     fsk_3f9c…  (a gateway's key)
///     fst_a01d…  (an operator's token)
public struct Secret: Sendable {
  /// The purpose, which is the secret's prefix: a leaked key can be recognised.
  public enum Purpose: String, CaseIterable, Sendable {
    case gatewayKey = "fsk_"
    case operatorToken = "fst_"
    /// The cookie of a browser that has signed in.
    case sessionCookie = "fss_"
    /// The access token of an app that has signed in.
    case accessToken = "fsa_"
    /// The token with which an app renews its access token.
    case refreshToken = "fsr_"
    /// A secret that is good once and for a short time, such as that of an invitation.
    case ticket = "fsl_"
    /// Marks a browser from which a person has signed in before.
    case device = "fsd_"
  }

  /// The secret itself. Never logged.
  public let text: String

  /// 256 bits of the system's random numbers, as hexadecimal digits.
  public init(_ purpose: Purpose) { text = purpose.rawValue + Self.randomDigits() }

  /// Creates a secret whose text begins with the place that it belongs to: `fsl_north.3f9c…`.
  ///
  /// - Parameter place: letters, digits and `-`.
  public init(_ purpose: Purpose, of place: String) { text = "\(purpose.rawValue)\(place).\(Self.randomDigits())" }

  /// Returns the place of a secret made by ``init(_:of:)``; `nil` for any other text.
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

  /// The hash that is stored in its place.
  public var hash: SecretHash { Self.hash(of: text) }

  /// The SHA-256 hash of a secret that came with a request.
  ///
  /// Secrets have 256 random bits and cannot be guessed. A password would need a slow hash (``PasswordHash``).
  public static func hash(of text: String) -> SecretHash {
    // SHA-256 has 32 bytes.
    SecretHash(Array(SHA256.hash(data: Array(text.utf8))))!
  }
}
