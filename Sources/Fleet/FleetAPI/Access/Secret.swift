import FleetDomain

/// A new key or token: shown once to who asked for it, kept only as its hash.
///
///     fsk_3f9c…  (a gateway's key)
///     fst_a01d…  (an operator's token)
public struct Secret: Sendable {
  /// What it is for; stands in front, so that a key that leaked can be recognised.
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

  /// Whether a text looks as if it had a secret in it, percent-encoded or not.
  static func isOne(in text: Substring) -> Bool {
    let plain = PercentCoding.decode(text) ?? String(text)
    return [Purpose.gatewayKey, .operatorToken].contains { plain.contains($0.rawValue) }
  }

  /// What is kept of it.
  public var hash: SecretHash { Self.hash(of: text) }

  /// What is kept of a secret that came with a request.
  public static func hash(of text: String) -> SecretHash {
    // SHA-256 has 32 bytes.
    SecretHash(SHA256.digest(text.utf8))!
  }
}
