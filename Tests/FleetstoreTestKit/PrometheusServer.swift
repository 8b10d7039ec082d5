import TestKit

/// Debian's Prometheus in a separate folder, which receives remote writes and scrapes nothing.
public final class PrometheusServer: @unchecked Sendable {
  public let program: RunningProgram
  public let port: Int
  private let folder: ScratchFolder
  private let reserved: ReservedPort

  /// Starts a server.
  public init() throws {
    folder = try ScratchFolder()
    reserved = try ReservedPort()
    port = Int(reserved.number)
    let configuration = try folder.write("prometheus.yml", "global:\n  scrape_interval: 1h\n")
    program = try RunningProgram(
      try Tool.required("prometheus"),
      [
        "--config.file=\(configuration)", "--storage.tsdb.path=\(folder.file("data"))",
        "--web.listen-address=127.0.0.1:\(port)", "--web.enable-remote-write-receiver",
      ], readsOutput: true)
    try program.errorLine(within: .seconds(60)) { $0.contains("ready to receive web requests") }
  }

  deinit { program.kill() }
}
