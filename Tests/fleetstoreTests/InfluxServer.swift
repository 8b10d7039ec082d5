import Foundation
import TestKit
import Testing

/// Debian's InfluxDB 1.6 in a separate folder, with a database `fleet`, for comparison with the fleet store.
final class InfluxServer {
  let program: RunningProgram
  let port: Int
  private let folder: ScratchFolder
  private let reserved: (ReservedPort, ReservedPort)

  init() throws {
    folder = try ScratchFolder()
    reserved = (try ReservedPort(), try ReservedPort())
    port = Int(reserved.0.number)
    let configuration = try folder.write(
      "influx.conf",
      """
      reporting-disabled = true
      bind-address = "127.0.0.1:\(reserved.1.number)"
      [meta]
        dir = "\(folder.file("meta"))"
      [data]
        dir = "\(folder.file("data"))"
        wal-dir = "\(folder.file("wal"))"
        query-log-enabled = false
      [http]
        bind-address = "127.0.0.1:\(port)"
        log-enabled = false
      [monitor]
        store-enabled = false
      [continuous_queries]
        enabled = false
      """)
    program = try RunningProgram(
      try Tool.required("influxd"), ["run", "-config", configuration], readsOutput: true)
    try program.errorLine(within: .seconds(60)) { $0.contains("Listening for signals") }
    let made = try Tool.run(
      try Tool.required("curl"),
      ["-sS", "--fail", "--data-urlencode", "q=CREATE DATABASE fleet", "http://127.0.0.1:\(port)/query"])
    try #require(made.status == 0, "\(made.errors)")
  }

  deinit { program.kill() }

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
