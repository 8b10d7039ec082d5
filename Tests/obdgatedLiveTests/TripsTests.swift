import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Trips and driving events of the daemon itself.
@Suite struct TripsTests {
  private func settings(_ folder: String) -> String {
    DaemonRun.quick + #", "stateDirectory": "\#(folder)", "driving": {"speedLimit": 30, "overspeedTime": 2}"#
  }

  private func trips(_ program: RunningProgram) throws -> [[String: Any]] {
    try program.output.filter { $0.text.contains("\"type\":\"trip\"") }.map { line in
      try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any] ?? [:]
    }
  }

  @Test func a_trip_outlasts_a_program_that_is_killed() async throws {
    try await runBlocking {
      let state = try ScratchFolder()
      let run = try DaemonRun(settings: settings(state.path))
      // 50 km/h: 50 m in four seconds.
      try run.daemon.line(within: .seconds(60)) { $0.contains("\"type\":\"trip\"") && $0.contains("\"start\"") }
      let started = try #require(try trips(run.daemon).first?["tripId"] as? String)
      // The trip is stored when it begins. The part that is driven before this line is read may be lost, but not the
      // trip.
      try awaitText(in: state.file("trips.jsonl"), has: started)
      try run.daemon.killNow()
      let program = try Tool.obdgated
      let again = try RunningProgram(program, ["--config", run.configuration])
      defer { again.kill() }
      for _ in 0..<20 { try again.line(within: .seconds(60)) { $0.contains("\"rpm\":") } }
      again.send(SIGTERM)
      #expect(try again.end(within: .seconds(60)) == 0)
      #expect(try trips(again).isEmpty, "neither ended nor begun again")
      #expect(try String(contentsOfFile: state.file("trips.jsonl"), encoding: .utf8).contains(started))
    }
  }

  @Test func overspeed_is_recorded_with_its_values() async throws {
    try await runBlocking {
      let state = try ScratchFolder()
      let run = try DaemonRun(settings: settings(state.path))
      let line = try run.daemon.line(within: .seconds(60)) { $0.contains("\"type\":\"driving\"") }
      let record = try JSONSerialization.jsonObject(with: Data(line.text.utf8)) as? [String: Any]
      #expect(record?["event"] as? String == "overspeed")
      #expect(record?["speed"] as? Double == 50)
      #expect(record?["limit"] as? Double == 30)
      #expect((record?["seconds"] as? Double ?? 0) >= 2)
    }
  }

  private func awaitText(in path: String, has text: String) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if let found = try? String(contentsOfFile: path, encoding: .utf8), found.contains(text) { return }
      poll(nil, 0, 5)
    }
    throw DaemonRun.Missing(what: "\(text) in \(path)")
  }
}
