import Crypto
import FleetDomain

/// A new key or token. It is shown once, and only its hash is stored.
///
///     fsk_3f9c…  (a gateway's key)
///     fst_a01d…  (an operator's token)
public struct Secret: Sendable {
  /// The purpose, which is the secret's prefix: a leaked key can be recognised.
  public enum Purpose: String, Sendable {
    case gatewayKey = "fsk_"
    case operatorToken = "fst_"
  }

  /// The secret itself. Never logged.
  public let text: String

  /// 256 bits of the system's random numbers, as hexadecimal digits.
  public init(_ purpose: Purpose) {
    var generator = SystemRandomNumberGenerator()
    text =
      purpose.rawValue
      + (0..<4).map { _ in
        let digits = String(generator.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
  }

  /// Whether a text seems to contain a secret, percent-encoded or not.
  static func isOne(in text: Substring) -> Bool {
    let plain = PercentCoding.decode(text) ?? String(text)
    return [Purpose.gatewayKey, .operatorToken].contains { plain.contains($0.rawValue) }
  }

  /// The hash that is stored in its place.
  public var hash: SecretHash { Self.hash(of: text) }

  /// The SHA-256 hash of a secret that came with a request.
  ///
  /// Secrets have 256 random bits and cannot be guessed. A password would need a slow hash.
  public static func hash(of text: String) -> SecretHash {
    // SHA-256 has 32 bytes.
    SecretHash(Array(SHA256.hash(data: Array(text.utf8))))!
  }
}
