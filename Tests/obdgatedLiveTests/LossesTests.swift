import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Lost records are counted in the status and in the metrics, by reason.
@Suite struct LossesTests {
  @Test func a_kill_is_counted_with_at_most_the_records_that_were_in_memory() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let socket = scratch.file("d.sock")
      // The sink's folder does not exist, so no record leaves the spool.
      let settings =
        #", "stateDirectory": "@", "spool": {"commitPeriod": 0.2, "days": 0.01}, "#
        + #""sinks": [{"type": "file", "path": "@/missing/r.jsonl"}]"#
      let first = try Watched.start(settings, in: scratch.path)
      let deadline = ContinuousClock.now + .seconds(60)
      while try Self.spooled(socket) < 20, .now < deadline { poll(nil, 0, 20) }
      let before = try Self.made(socket)
      let asked = ContinuousClock.now
      first.daemon.kill()
      _ = try first.daemon.end(within: .seconds(60))
      // Ten telemetry records a second were made in the meantime.
      let made = before + 10 * Int((ContinuousClock.now - asked).components.seconds + 1)
      let committed = try KeptRecord.committed(in: scratch.path).count
      let second = try Watched.start(settings, in: scratch.path)
      defer { second.daemon.kill() }
      // The spool's thread reports the loss when it first runs.
      func killed(_ status: [String: Any]) -> Int? {
        ((status["records"] as? [String: Any])?["lostByReason"] as? [String: Any])?["processKilled"] as? Int
      }
      let status = try Watched.status(at: socket) { killed($0) != nil }
      let records = try #require(status["records"] as? [String: Any], "\(status)")
      let lost = try #require(killed(status), "\(records)")
      #expect(lost > 0 && records["lost"] as? Int == lost)
      // During a commit, twice as many are permitted, and always one that is on its way to the spool.
      #expect(lost <= 2 * (made - committed) + 1, "\(made) made, \(committed) committed")
      #expect((records["made"] as? [String: Any])?["gap"] as? Int == 1)
      let metrics = try Watched.curl(["--unix-socket", socket, "http://d/metrics"]).text
      #expect(metrics.contains("obdgate_records_lost_total{reason=\"processKilled\"} \(lost)\n"), "\(metrics)")
      #expect(metrics.contains("obdgate_records_lost_total{reason=\"powerLoss\"} 0\n"))
      #expect(metrics.contains("obdgate_records_lost_total{reason=\"spoolFull\"} 0\n"))
      #expect(metrics.contains("obdgate_records_total{type=\"gap\"} 1\n"))
    }
  }

  @Test func records_that_were_only_in_memory_at_the_end_are_counted_in_one_line() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let fault = try scratch.write("fault", "0")
      let run = try Watched.start(
        #", "stateDirectory": "@/state", "spool": {"commitPeriod": 0.2}, "#
          + #""sinks": [{"type": "file", "path": "@/missing/r.jsonl"}]"#, in: scratch.path,
        [
          "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": scratch.file("state"), "STORAGE_FAULT": fault,
        ])
      defer { run.daemon.kill() }
      try scratch.write("fault", "\(ENOSPC)")
      let deadline = ContinuousClock.now + .seconds(60)
      while try Self.spooled(scratch.file("d.sock"), "memoryRecords") < 10, .now < deadline { poll(nil, 0, 20) }
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      let said = run.daemon.errorLines.filter { $0.contains("only in memory") }
      #expect(said.count == 1, "\(run.daemon.errorLines)")
      let words = try #require(said.first).split(separator: " ")
      #expect(Int(words[1]) ?? 0 >= 10 && said[0].contains(" records that sinks lack were only in memory and lost: "))
      #expect(said[0].hasSuffix("disk is full"), "\(said)")
    }
  }

  private static func made(_ socket: String) throws -> Int {
    let records = try Watched.status(at: socket)["records"] as? [String: Any]
    return (records?["made"] as? [String: Int])?.values.reduce(0, +) ?? 0
  }

  private static func spooled(_ socket: String, _ key: String = "records") throws -> Int {
    (try Watched.status(at: socket)["spool"] as? [String: Any])?[key] as? Int ?? 0
  }
}
