import Foundation
import TestKit
import Testing

/// Debian's InfluxDB 1.6 in a separate folder, with a database `fleet`, as a peer of the fleet store.
public final class InfluxServer: @unchecked Sendable {
  public let program: RunningProgram
  public let port: Int
  private let folder: ScratchFolder
  private let reserved: (ReservedPort, ReservedPort)

  /// Starts a server.
  public init() throws {
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
}
