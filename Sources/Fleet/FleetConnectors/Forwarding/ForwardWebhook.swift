import Crypto
import FleetDomain
import Telemetry

/// Signed requests in the format of the specification Standard Webhooks 1.0.
///
///     webhook-id: msg_2c26b46b68ffc68ff99b453c1d304134
///     webhook-timestamp: 1714809659
///     webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
///
///     {"data":{"records":[{"id":"019…","timestamp":"…","values":{"speed":50},"vehicleId":"VAN-1"}]},
///      "timestamp":"…","type":"telemetry"}
public enum ForwardWebhook {
  /// The keys that sign requests.
  public struct Keys: Sendable {
    fileprivate let keys: [[UInt8]]

    /// Reads a secret: `whsec_` and 24 to 64 bytes in Base64. While a secret is being replaced, the text contains the
    /// new and the old secret, separated by a space; requests then have a signature for each.
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
  }

  public static let expectedSecret =
    "expected whsec_ and 24 to 64 bytes in Base64, or two of these with a space between"

  /// Returns the body for some records. The same records always give the same body.
  static func body(_ records: [ForwardedRecord]) -> [UInt8]? {
    guard let last = records.last else { return nil }
    let list = records.map { record in
      JSON.object([
        "id": record.id.json, "vehicleId": .text(record.vehicle), "timestamp": record.time.json,
        "values": .object(record.values),
      ])
    }
    let json = JSON.object([
      "type": .text("telemetry"), "timestamp": last.time.json, "data": .object(["records": .array(list)]),
    ])
    return Array(json.canonicalText.utf8)
  }

  /// Returns the headers of a request. A repeated request has the same id, so that its receiver can ignore it.
  static func headers(_ body: [UInt8], _ keys: Keys, at now: Timestamp) -> [String] {
    let id = "msg_" + Hexadecimal.text(Array(SHA256.hash(data: body).prefix(16)))
    let seconds = now.milliseconds / 1_000
    return [
      "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
      "webhook-signature: " + signature(body, id: id, seconds: seconds, keys),
    ]
  }

  static func signature(_ body: [UInt8], id: String, seconds: Int64, _ keys: Keys) -> String {
    let signed = Array("\(id).\(seconds).".utf8) + body
    return keys.keys.map { key in
      let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
      return "v1," + Base64.text(Array(code))
    }.joined(separator: " ")
  }
}
