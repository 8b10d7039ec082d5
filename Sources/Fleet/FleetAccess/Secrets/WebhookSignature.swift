import Crypto
import FleetDomain
import Telemetry

/// Signatures of requests in the format of the specification Standard Webhooks 1.0.
///
///     webhook-id: 0193f5a8-…
///     webhook-timestamp: 1714809659
///     webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
public struct WebhookSignature: Sendable {
  private let keys: [[UInt8]]

  /// Reads a secret: `whsec_` and 24 to 64 bytes in Base64. While a secret is being replaced, the text contains the new
  /// and the old secret, separated by a space; requests then have a signature for each.
  ///
  /// - Returns: `nil` if the text is not a valid secret.
  public init?(_ secret: String) {
    let parts = secret.split(separator: " ", omittingEmptySubsequences: false)
    var keys: [[UInt8]] = []
    for part in parts {
      guard part.hasPrefix("whsec_"), let key = Base64.bytes(String(part.dropFirst(6))), (24...64).contains(key.count)
      else { return nil }
      keys.append(key)
    }
    guard (1...2).contains(keys.count) else { return nil }
    self.keys = keys
  }

  /// Returns a new secret of 24 random bytes.
  public static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return "whsec_" + Base64.text((0..<24).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  public static let expectedSecret =
    "expected whsec_ and 24 to 64 bytes in Base64, or two of these with a space between"

  /// Returns the headers of a request.
  ///
  /// - Parameter id: the ID of the message. A repeated message has the same ID, so that its receiver can ignore it.
  public func headers(_ body: [UInt8], id: String, at now: Timestamp) -> [String] {
    let seconds = now.milliseconds / 1_000
    return [
      "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
      "webhook-signature: " + text(body, id: id, seconds: seconds), "Content-Type: application/json",
    ]
  }

  /// Returns the signatures of a message, one for each secret.
  public func text(_ body: [UInt8], id: String, seconds: Int64) -> String {
    let signed = Array("\(id).\(seconds).".utf8) + body
    return keys.map { key in
      let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
      return "v1," + Base64.text(Array(code))
    }.joined(separator: " ")
  }
}
