import Foundation
import TestKit
import Testing

/// `status`, `tail` and `doctor` with the real daemon, which polls a simulated car.
@Suite struct RunningDaemonTests {
  /// Runs a shell command while a daemon with the socket `sock` runs and has read values; `$PID` is its process ID.
  ///
  /// `calm COMMAND` prints the output of a command at a moment when the daemon reports no fault: during a slow write to
  /// the disk it reports a stuck thread.
  private func beside(
    _ line: String, sinks: String = #"[{"type": "stdout"}]"#, state: String = #""stateDirectory": "state","#
  ) async throws -> Tool.Result {
    let daemon = try Tool.obdgated
    return try await runBlocking {
      let scratch = try ScratchFolder()
      let script = """
        cat >gateway.json <<END
        {"gatewayId": "gw-1", "adapters": [{"tcp": "$D0"}], "discovery": {"serial": false, "bluetooth": false},
         "poll": {"defaultPeriod": 0.1}, "record": {"period": 0.1}, \(state) "sinks": \(sinks),
         "status": {"socket": "sock"}}
        END
        '\(daemon)' --config gateway.json >records 2>said & PID=$!; pids+=($PID)
        until [ -S sock ]; do kill -0 $PID || exit 98; sleep 0.05; done
        until [[ ${record-} == *'"rpm":'* ]]; do
          kill -0 $PID || exit 98
          exec {feed}< <("$OBDGATE" tail --socket sock --type telemetry)
          while read -r record <&$feed && [[ $record != *'"rpm":'* ]]; do :; done
          exec {feed}<&-
        done
        calm() {
          local code
          while code=0; "$@" >calm 2>&1 || code=$?; grep -qE '\(Self.troubled)' calm; do kill -0 $PID || exit 98; done
          cat calm; return $code
        }
        \(line)
        """
      return try play(script, beside: [Simulation(scenario: Scenarios.running, place: .tcp)], in: scratch.path).result
    }
  }

  private static let troubled = #" is stuck|"isStuck": ?true|does not answer|no result within"#

  @Test func status_shows_what_the_daemon_polls() async throws {
    let line = #"calm "$OBDGATE" status --socket sock --json && calm "$OBDGATE" status --socket sock"#
    let result = try await beside(line, sinks: #"[{"type": "file", "path": "records.jsonl"}]"#)
    #expect(result.status == 0, "\(result.errors)")
    let status = try PrintedJSON(try #require(result.lines.first))
    #expect(status.holdsNoNull)
    #expect(status["gatewayId"] == "gw-1")
    let adapter = try #require(status["adapters"]?[0])
    #expect(adapter["state"] == "connected")
    #expect(adapter["identity"] == "ELM327 v1.5")
    #expect((adapter["commands"]?.number ?? 0) > 0)
    #expect((adapter["readings"]?.number ?? 0) > 0)
    #expect((adapter["busySeconds"]?.number ?? 1e9) <= (adapter["openSeconds"]?.number ?? 0))
    #expect((status["records"]?["made"]?["telemetry"]?.number ?? 0) > 0)
    #expect(status["spool"]?["state"] == "durable")
    #expect(status["sinks"]?[0]?["name"] == "file")
    #expect(status["threads"]?.elements.allSatisfy { $0["isStuck"] == false } == true)
    let page = result.lines.dropFirst().joined(separator: "\n")
    for text in ["obdgated ", "gateway gw-1", "connected", "ELM327 v1.5", "durable", "file"] {
      #expect(page.contains(text), "\(text) is missing in:\n\(page)")
    }
    #expect(!page.contains("PROBLEM"))
  }

  @Test func a_spool_without_a_folder_is_a_remark() async throws {
    let line = #"""
      calm "$OBDGATE" status --socket sock; calm "$OBDGATE" status --socket sock --json >status.json
      calm "$OBDGATE" doctor --config gateway.json --socket sock --json >doctor.jsonl
      jq -c 'select(.check == "daemon" or .check == "disk")' doctor.jsonl
      jq -c '.spool | [.state, has("reason"), has("path")]' status.json
      """#
    try Tool.required("jq")
    let result = try await beside(line, sinks: #"[{"type": "file", "path": "records.jsonl"}]"#, state: "")
    #expect(result.status == 0, "\(result.errors)")
    let note = "the spool is only in memory: no stateDirectory is configured"
    #expect(result.lines.contains { $0.hasPrefix("note     \(note)") }, "\(result.output)")
    #expect(!result.output.contains("PROBLEM") && !result.output.contains(#""problem""#), "\(result.output)")
    #expect(result.lines.contains { $0.contains(#""warning""#) && $0.contains(note) })
    #expect(result.lines.last == #"["memory",false,false]"#)
  }

  @Test func several_tail_commands_each_get_every_record() async throws {
    let line = """
      "$OBDGATE" tail --socket sock | head -n 5 >one & one=$!
      "$OBDGATE" tail --socket sock --type telemetry | head -n 5 >two & two=$!
      wait $one $two; cat one two
      """
    let result = try await beside(line)
    #expect(result.status == 0, "\(result.errors)")
    let records = try PrintedJSON.lines(result.output)
    #expect(records.count == 10)
    #expect(records.allSatisfy { $0["gatewayId"] == "gw-1" && $0.holdsNoNull })
    let sequences = records.suffix(5).compactMap { $0["seq"]?.number }
    #expect(sequences == sequences.sorted())
    #expect(Set(sequences).count == 5)
  }

  @Test func tail_reports_the_end_of_the_daemon() async throws {
    let line = """
      "$OBDGATE" tail --once --socket sock --type telemetry > >(head -n 1 >first; cat >rest; echo done >ended) & tail=$!
      until [ -s first ]; do sleep 0.05; done
      kill $PID; wait $tail; echo $?
      """
    let result = try await beside(line)
    #expect(result.output == "69\n")
    #expect(result.errors.contains("obdgate tail: "))
  }

  @Test func doctor_finds_the_daemon_by_its_configuration() async throws {
    let line = #"calm "$OBDGATE" doctor --config gateway.json --json || true"#
    let result = try await beside(line, sinks: #"[{"type": "file", "path": "state/records.jsonl"}]"#)
    let findings = try PrintedJSON.lines(result.output)
    let daemon = findings.filter { $0["check"] == "daemon" }
    #expect(daemon.first?["verdict"] == "ok")
    #expect(daemon.first?["what"]?.text?.contains("1 of 1 adapters connected") == true, "\(daemon)")
    #expect(findings.first { $0["check"] == "disk" }?["verdict"] == "ok", "\(findings)")
  }
}
