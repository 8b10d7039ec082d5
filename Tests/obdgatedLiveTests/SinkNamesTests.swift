import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Sinks in which values have the names of paths of COVESA VSS.
@Suite struct SinkNamesTests {
  /// Returns the records in the order of `seq`. Events overtake telemetry, in each file at another place.
  private static func records(_ path: String) throws -> [[String: Any]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    .sorted { $0["seq"] as? Int ?? 0 < $1["seq"] as? Int ?? 0 }
  }

  @Test func two_sinks_get_the_same_records_each_under_its_own_names() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let run = try DaemonRun(
        settings: DaemonRun.quick + """
          , "stateDirectory": "\(scratch.path)", "spool": {"commitPeriod": 0.2},
          "sinks": [{"type": "file", "name": "plain", "path": "\(scratch.file("plain"))"},
                    {"type": "file", "name": "vss", "path": "\(scratch.file("vss"))", "names": "vss"},
                    {"type": "stdout"}]
          """)
      try run.awaitReadings(20)
      for adapter in run.adapters { adapter.stop() }
      try EndedDrive.wait(for: [scratch.file("plain"), scratch.file("vss")], of: run.daemon)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      let (plain, vss) = (try Self.records(scratch.file("plain")), try Self.records(scratch.file("vss")))
      #expect(plain.map { $0["id"] as? String } == vss.map { $0["id"] as? String })
      var compared = 0
      for (one, other) in zip(plain, vss) where one["type"] as? String == "telemetry" && one["rpm"] != nil {
        #expect(other["vss"] as? String == "6.0" && one["vss"] == nil && other["rpm"] == nil)
        #expect(other["Vehicle.Powertrain.CombustionEngine.Speed"] as? Double == one["rpm"] as? Double)
        #expect(other["Vehicle.Speed"] as? Double == one["speed"] as? Double)
        #expect(other["timestamp"] as? String == one["timestamp"] as? String)
        compared += 1
      }
      #expect(compared >= 20)
    }
  }

  @Test func stdout_can_have_vss_names() async throws {
    try await runBlocking {
      let run = try DaemonRun(settings: DaemonRun.quick + #", "sinks": [{"type": "stdout", "names": "vss"}]"#)
      try run.daemon.line(within: .seconds(60)) {
        $0.contains(#""vss":"6.0""#) && $0.contains(#""Vehicle.Powertrain.CombustionEngine.Speed":"#)
      }
    }
  }
}
