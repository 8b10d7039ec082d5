import FleetstoreTestKit
import Foundation
import TestKit
import Testing

extension InfluxServer {
  /// Returns a record in InfluxDB's line protocol: its origin as tags, every value as a field, the time in ns.
  static func line(_ record: String) throws -> String {
    let json = try #require(try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any])
    let tags = ["gatewayId", "vehicleId"]
    var fields: [String] = []
    for (name, value) in json.sorted(by: { $0.key < $1.key }) where !tags.contains(name) && name != "timestamp" {
      fields.append(name + "=" + ((value as? String).map { "\"\($0)\"" } ?? "\(value)"))
    }
    let time = try Date(
      json["timestamp"] as? String ?? "", strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let nanoseconds = Int((time.timeIntervalSince1970 * 1_000).rounded()) * 1_000_000
    return "record," + tags.map { "\($0)=\(json[$0] ?? "")" }.joined(separator: ",") + " "
      + fields.joined(separator: ",") + " \(nanoseconds)"
  }
}
