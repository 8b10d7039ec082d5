import Foundation
import Simulator
import TestKit
import Testing

@testable import GatewayTestKit

/// Plays of a row with the real daemon on a real port.
extension FaultRow {
  /// Plays the row.
  ///
  /// - Parameter limit: maximum time from the fault's end to the next value, s.
  /// - Returns: the outcome.
  func runDaemon(_ play: Play, _ plays: DaemonPlays, limit: Double) throws -> Outcome {
    let program = try Tool.obdgated
    let scratch = try ScratchFolder()
    let port = daemonPort(linked: scratch.file("elm"))
    let logs = [scratch.file("log.capture"), scratch.file("successor.capture")]
    let adapter = try SimulatedAdapter(
      port, scenario: plays.scenario ?? scenario, faults: play.faults, log: logs[0], in: scratch.path)
    defer { adapter.stop() }
    let configuration = try scratch.write("gateway.json", daemonConfiguration(port, try adapter.name, plays))
    let daemon = try RunningProgram(program, ["--config", configuration])
    defer { daemon.kill() }
    var outcome = Outcome()
    var successor: SimulatedAdapter?
    defer { successor?.stop() }
    var ends = adapter.started + .seconds(play.ends)
    var recovered: ContinuousClock.Instant?
    // This is only a safety limit; the times are checked later.
    let patience = Duration.seconds(60)
    do {
      let first = try self.value(of: daemon, within: .seconds(play.ends) + patience)
      outcome.firstValue = (first.time - adapter.started).inSeconds
      if let other = plays.successor {
        while try daemon.line(within: patience, where: { _ in true }).time < ends {}
        adapter.stop()
        let second = try SimulatedAdapter(port, scenario: other, log: logs[1], in: scratch.path)
        successor = second
        ends = second.started
      }
      // A record may have a value that was read before the fault's end.
      let fresh = play.ends == 0 ? ends : ends + .milliseconds(300)
      var value = first
      while value.time < fresh { value = try self.value(of: daemon, within: .seconds(play.ends) + patience) }
      recovered = value.time
      try awaitWords(of: daemon, within: patience)
      for _ in 0..<5 { _ = try self.value(of: daemon, within: patience) }
    } catch let late as RunningProgram.Late {
      outcome.complaints.append("\(late)")
    }
    daemon.send(SIGTERM)
    if try daemon.end(within: .seconds(60)) != 0 { outcome.complaints.append("SIGTERM did not end it with 0") }
    adapter.stop()
    successor?.stop()
    let dialogues = try logs.prefix(successor == nil ? 1 : 2).map { try String(contentsOfFile: $0, encoding: .utf8) }
    if let recovered {
      // Some faults end before the daemon runs, or never. The start of a process does not count as recovery.
      let opened = adapter.started + .seconds(Self.firstCommand(inLog: dialogues[0]) ?? 0)
      outcome.recovery = (recovered - max(ends, opened)).inSeconds
    }
    try judge(daemon, limit, &outcome)
    for dialogue in dialogues { outcome.commands += Self.commands(inLog: dialogue) }
    return outcome
  }

  /// Returns a pty, or TCP if the row concerns a network peer. Test machines have no Bluetooth device; TCP represents
  /// it.
  private func daemonPort(linked link: String) -> SimulatorOptions.Port {
    name == "RFCOMM peer gone" ? .tcp(0) : .pty(link: link)
  }

  private func daemonConfiguration(_ port: SimulatorOptions.Port, _ name: String, _ plays: DaemonPlays) -> String {
    var device = #""tcp": "\#(name)""#
    if case .pty(let link?) = port { device = #""device": "\#(link)""# }
    if let digit = plays.protocolDigit { device += #", "protocol": "\#(digit)""# }
    return """
      {"gatewayId": "gw-test", "adapters": [{\(device)}], "discovery": {"serial": false, "bluetooth": false},
       "poll": {"defaultPeriod": \(plays.period)}, "record": {"period": 0.2}}
      """
  }

  /// Waits for the next record with the value that must return.
  private func value(of daemon: RunningProgram, within limit: Duration) throws -> RunningProgram.Line {
    try daemon.line(within: limit) { $0.contains("\"\(signal)\":") }
  }

  /// Waits for all adapter records that the row expects.
  private func awaitWords(of daemon: RunningProgram, within limit: Duration) throws {
    let deadline = ContinuousClock.now + limit
    while .now < deadline {
      let said = try daemon.output.filter { $0.text.contains("\"type\":\"adapter\"") }.compactMap {
        try Record($0.text.utf8).said
      }
      if says.allSatisfy(said.contains) { return }
      try daemon.line(within: limit) { _ in true }
    }
  }

  private func judge(_ daemon: RunningProgram, _ limit: Double, _ outcome: inout Outcome) throws {
    let records = try daemon.output.map { try Record($0.text.utf8) }
    outcome.said = records.compactMap(\.said)
    for wanted in says where !outcome.said.contains(wanted) { outcome.complaints.append("nothing says \(wanted)") }
    outcome.complaints += unjustified(outcome)
    outcome.complaints += Set(records.flatMap { $0.untruths(truth) }).map { "not so: \($0)" }
    if records.map(\.sequence) != Array(1...max(1, records.count)) { outcome.complaints.append("seq has a hole") }
    if let recovery = outcome.recovery, recovery > limit {
      outcome.complaints.append("recovered after \(recovery) s, allowed are \(limit) s")
    }
  }

  /// Returns the time at which the first command was sent to the adapter, by the Simulator's log, s; `nil` if none was
  /// sent.
  private static func firstCommand(inLog log: String) -> Double? {
    for line in log.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      if parts.count == 3, parts[1] == ">" { return Double(parts[0]) }
    }
    return nil
  }

  /// Returns the commands that were sent to the adapter, by the Simulator's log.
  static func commands(inLog log: String) -> [String] {
    let sent = log.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: " ", maxSplits: 2)
      return parts.count == 3 && parts[1] == ">" ? String(parts[2]) : nil
    }.joined()
    var commands = sent.components(separatedBy: "\\r")
    // A text after the last CR is incomplete.
    commands.removeLast()
    return commands
  }
}
