import Foundation
import TestKit

/// A daemon with simulated adapters, in a separate folder.
final class DaemonRun: @unchecked Sendable {
  let daemon: RunningProgram
  let adapters: [SimulatedAdapter]
  let configuration: String
  private let scratch: ScratchFolder

  struct Missing: Error { var what: String }

  /// Starts the daemon.
  ///
  /// - Parameters:
  ///   - scenarios: a scenario for each adapter; all adapters are on TCP.
  ///   - settings: further members of the configuration.
  init(
    _ scenarios: [String] = [Scenarios.car()], settings: String = DaemonRun.quick, baud: Int? = nil,
    environment: [String: String] = [:], readsOutput: Bool = true
  ) throws {
    let program = try Tool.obdgated
    scratch = try ScratchFolder()
    let folder = scratch.path
    adapters = try scenarios.map {
      try SimulatedAdapter(.tcp(0), scenario: $0, log: folder + "/log", baud: baud, in: folder)
    }
    configuration = scratch.file("gateway.json")
    try Self.text(adapters, settings).write(toFile: configuration, atomically: true, encoding: .utf8)
    daemon = try RunningProgram(
      program, ["--config", configuration], environment: environment, readsOutput: readsOutput)
  }

  deinit {
    daemon.kill()
    for adapter in adapters { adapter.stop() }
  }

  static let quick = #""poll": {"defaultPeriod": 0.1}, "record": {"period": 0.1}"#

  private static func text(_ adapters: [SimulatedAdapter], _ settings: String) throws -> String {
    let list = try adapters.map { #"{"tcp": "\#(try $0.name)"}"# }.joined(separator: ", ")
    return """
      {"gatewayId": "gw-test", "adapters": [\(list)], "discovery": {"serial": false, "bluetooth": false}, \(settings)}
      """
  }

  /// Replaces the configuration and makes the daemon reload it.
  func reload(_ text: String) throws {
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    daemon.send(SIGHUP)
  }

  func reload(settings: String) throws { try reload(Self.text(adapters, settings)) }

  /// Waits for this number of telemetry records with an engine speed.
  func awaitReadings(_ count: Int, within limit: Duration = .seconds(60)) throws {
    for _ in 0..<count { try daemon.line(within: limit) { $0.contains("\"rpm\":") } }
  }

  /// Waits until the adapter has received a text.
  func awaitSent(_ text: String) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if let log = try? String(contentsOfFile: scratch.file("log"), encoding: .utf8), log.contains(text) { return }
      poll(nil, 0, 5)
    }
    throw Missing(what: "\(text) in the adapter's log")
  }

  /// Ends the adapters, and returns the bytes that they received and sent, in the form of `obdgate simulate --log`.
  func dialogue() throws -> String {
    // An adapter writes the rest of its log when it ends.
    for adapter in adapters { adapter.stop() }
    return try String(contentsOfFile: scratch.file("log"), encoding: .utf8)
  }

  /// The events in adapter records about finding and losing an adapter.
  var events: [String] {
    let texts = daemon.output.map(\.text)
    return texts.compactMap { text in
      ["found", "connected", "lost", "recovered"].first { text.contains("\"event\":\"\($0)\"") }
    }
  }

  /// The `seq` of every record, in the order of the output.
  var sequences: [Int] {
    get throws {
      try daemon.output.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any]
        return object?["seq"] as? Int ?? -1
      }
    }
  }
}

enum Scenarios {
  /// A car that idles. Its adapter starts quickly.
  ///
  /// - Parameter latency: the time from a request to its answer, ms.
  static func car(vin: String = "1D4GP00R55B123456", baud: Int = 115_200, latency: Int = 10) -> String {
    """
    {"adapter": {"resetTime": 50, "baud": \(baud)},
     "cars": [{"vin": "\(vin)", "noise": 0, "latency": \(latency),
       "drive": {"phases": [{"phase": "idle", "seconds": 10}]},
       "ecus": [{"address": "7E8", "pids": ["04", "05", "0C", "0D", "0F", "11"],
         "values": {"04": "66", "05": "82", "0C": "1AF8", "0D": "32", "0F": "41", "11": "33"}}]}]}
    """
  }

  /// A car that drives faster and slower for two hours, so that the engine speed is different in each poll cycle.
  static let drive: String = {
    let laps = String(
      repeating:
        #", {"phase": "accelerate", "seconds": 60, "speed": 180}, {"phase": "brake", "seconds": 60, "speed": 20}"#,
      count: 60)
    return """
      {"adapter": {"resetTime": 50, "baud": 115200},
       "cars": [{"vin": "1D4GP00R55B123456", "noise": 0,
         "drive": {"repeat": false, "phases": [{"phase": "accelerate", "seconds": 0.1, "speed": 20}\(laps)]},
         "ecus": [{"address": "7E8", "pids": ["04", "05", "0C", "0D", "0F", "11"]}]}]}
      """
  }()
}
