import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// The effect of SIGTERM and SIGHUP on the daemon.
@Suite struct DaemonSignalsTests {
  @Test func a_SIGTERM_ends_the_daemon_within_two_seconds() async throws {
    try await runBlocking {
      let run = try DaemonRun()
      try run.awaitReadings(3)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(20)) == 0)
      #expect(try run.sequences == Array(1...run.daemon.output.count))
      #expect(run.daemon.errorLines == [])
    }
  }

  @Test func a_SIGTERM_ends_the_daemon_within_two_seconds_without_a_reader() async throws {
    try await runBlocking {
      let run = try DaemonRun(readsOutput: false)
      run.daemon.clogOutput()
      // Records are made, and wait for a sink.
      try run.awaitSent("010C")
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(20)) == 0)
    }
  }

  @Test func a_SIGHUP_changes_periods_and_keeps_the_adapter() async throws {
    try await runBlocking {
      let run = try DaemonRun(settings: #""poll": {"defaultPeriod": 30}, "record": {"period": 0.1}"#)
      try run.awaitReadings(1)
      try run.reload(settings: DaemonRun.quick)
      try run.daemon.errorLine(within: .seconds(60)) { $0.hasPrefix("obdgated: SIGHUP:") && $0.hasSuffix("read") }
      // Each well within the period before.
      try run.awaitReadings(10, within: .seconds(20))
      // If the machine stops for seconds, the adapter seems to be silent. This is reported, and nothing else may
      // happen.
      let silences = run.daemon.output.count { $0.text.contains(#""reason":"silent""#) }
      let regained = repeatElement(["lost", "recovered"], count: silences).flatMap { $0 }
      #expect(run.events == ["found", "connected"] + regained)
    }
  }

  /// Changes that need a restart are reported as long as they are pending.
  @Test func a_SIGHUP_reports_changes_that_need_a_restart() async throws {
    try await runBlocking {
      let run = try DaemonRun()
      try run.awaitReadings(1)
      let changed = DaemonRun.quick + #", "driving": {"speedLimit": 100}"#
      for (settings, isWaiting) in [(changed, true), (changed, true), (DaemonRun.quick, false)] {
        let before = run.daemon.errorLines.count
        try run.reload(settings: settings)
        try run.daemon.errorLine(within: .seconds(60)) { $0.hasPrefix("obdgated: SIGHUP:") && $0.hasSuffix("read") }
        let said = run.daemon.errorLines.dropFirst(before).map { "\($0)" }.joined(separator: "\n")
        #expect(said.contains("driving takes effect with the next start") == isWaiting, "\(said)")
      }
    }
  }

  /// The period of the adapter's voltage is not part of a running poll plan. Its removal is a change like any other.
  @Test func a_SIGHUP_reports_periods_that_were_changed_or_removed() async throws {
    try await runBlocking {
      func settings(_ signals: String) -> String { #""poll": {"defaultPeriod": 1, "signals": {\#(signals)}}"# }
      let run = try DaemonRun(settings: settings(#""batteryVoltage": 5"#))
      try run.awaitReadings(1)
      for (signals, count) in [(#""batteryVoltage": 7"#, 1), ("", 1), (#""batteryVoltage": 5"#, 0)] {
        let before = run.daemon.errorLines.count
        try run.reload(settings: settings(signals))
        try run.daemon.errorLine(within: .seconds(60)) { $0.hasPrefix("obdgated: SIGHUP:") && $0.hasSuffix("read") }
        let said = run.daemon.errorLines.dropFirst(before).map { "\($0)" }
        #expect(said.count { $0.contains("poll.signals.batteryVoltage takes effect") } == count, "\(said)")
      }
    }
  }

  /// A limit of the file size acts like a full disk. The signal that the system sends for it must not end the daemon.
  @Test func a_file_size_limit_is_reported_and_loses_no_record() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let sinks = """
        , "stateDirectory": "\(scratch.path)", "spool": {"commitPeriod": 0.2},
          "sinks": [{"type": "stdout"}, {"type": "file", "path": "\(scratch.file("records.jsonl"))"}]
        """
      let run = try DaemonRun(settings: DaemonRun.quick + sinks)
      try run.awaitReadings(3)
      let daemon = ["--pid", "\(run.daemon.pid)"]
      #expect(try Tool.run("prlimit", daemon + ["--fsize=4096:unlimited"]).status == 0)
      try run.daemon.errorLine(within: .seconds(60)) { $0.contains("kept in memory") }
      try run.awaitReadings(3)
      #expect(try Tool.run("prlimit", daemon + ["--fsize=unlimited"]).status == 0)
      try run.daemon.errorLine(within: .seconds(60)) { $0.contains("kept in the file again") }
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
    }
  }

  @Test func a_SIGHUP_with_an_invalid_file_logs_one_line_and_changes_nothing() async throws {
    try await runBlocking {
      let run = try DaemonRun()
      try run.awaitReadings(2)
      try run.reload(#"{"gatewayId": "gw-test", "adaptors": []}"#)
      let said = try run.daemon.errorLine(within: .seconds(60)) { _ in true }.text
      #expect(
        said.contains("gateway.json:1:") && said.contains("adaptors") && said.contains("stays as it was"), "\(said)")
      try run.awaitReadings(5)
      #expect(run.daemon.errorLines.count == 1)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
    }
  }
}
