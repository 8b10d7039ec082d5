import Crypto
import FleetAccess
import FleetDomain
import Telemetry

/// Encodes records as signed requests in the format of the specification Standard Webhooks 1.0 (``WebhookSignature``).
///
///     {"data":{"records":[{"id":"019…","timestamp":"…","values":{"speed":50},"vehicleId":"VAN-1"}]},
///      "timestamp":"…","type":"telemetry"}
enum ForwardWebhook {
  /// Returns the body for some records; `nil` if there are none. The same records always give the same body.
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

  /// Returns the ID of a request. It depends only on the body, so that a receiver can ignore a repeated request.
  static func id(of body: [UInt8]) -> String { "msg_" + Hexadecimal.text(Array(SHA256.hash(data: body).prefix(16))) }
}
