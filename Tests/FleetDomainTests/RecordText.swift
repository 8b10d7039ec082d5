import FleetDomain
import Telemetry

/// Records as text, and the results of parsing them.
enum RecordText {
  static let id = "0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877"
  static let epoch = "0193e0f2-0000-7000-8000-000000000000"
  static let head: [(String, String)] = [
    ("type", #""telemetry""#), ("id", "\"\(id)\""), ("timestamp", #""2024-12-18T07:41:06.250Z""#),
    ("timeQuality", #""gps""#), ("gatewayId", #""gw-17""#), ("vehicleId", #""VAN-001""#), ("epoch", "\"\(epoch)\""),
    ("seq", "17"),
  ]

  /// A record with other values for some keys; an empty value removes the key. `rest` adds further keys.
  static func record(_ changes: [String: String] = [:], _ rest: String = #""rpm":1726"#) -> String {
    let members = head.compactMap { key, value -> String? in
      let value = changes[key] ?? value
      return value.isEmpty ? nil : "\"\(key)\":\(value)"
    }
    return "{" + (members + (rest.isEmpty ? [] : [rest])).joined(separator: ",") + "}"
  }

  static func parse(_ text: String) throws(RecordRefusal) -> IncomingRecord {
    try IncomingRecord(parsing: Array(text.utf8).span)
  }
}
