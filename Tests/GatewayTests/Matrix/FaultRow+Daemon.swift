import Foundation
import TestKit
import Testing

/// The same row, played by the real daemon on a real port.
extension FaultRow {
  /// Rows whose waits are short; what is in the dictionary is played in place of the row's own, at earlier times.
  static let forDaemon: [(row: FaultRow, play: Play)] = FaultRows.all.compactMap { row in
    daemonPlays[row.name].map { (row, $0) }
  }

  private static let daemonPlays: [String: Play] = [
    "unplug, replug: idle": Play(faults: "unplug@3s..4s", ends: 4),
    "unplug, replug: mid-init": Play(faults: "unplug@1s..2s", ends: 2),
    "RFCOMM peer gone": Play(faults: "unplug@3s..4s", ends: 4),
    "wrong baud": Play(faults: "", ends: 0),
    "reply split at every byte": Play(faults: "split", ends: 0),
    "CRLF": Play(faults: "crlf", ends: 0),
    "NULs": Play(faults: "nul", ends: 0),
    "prompt twice": Play(faults: "promptTwice@3s..4s", ends: 4),
    "OK before the prompt": Play(faults: "promptOK", ends: 0),
    "reply twice": Play(faults: "replyTwice@3s..4s", ends: 4),
    "0xFC after ATZ": Play(faults: "bannerByte=FC", ends: 0),
    "banner missing": Play(faults: "bannerMissing", ends: 0),
    "banner mid-session": Play(faults: "reset@3s", ends: 3),
    "brown-out reset": Play(faults: "brownOut=1s@3s", ends: 4),
    "LV RESET mid-poll": Play(faults: "lvReset@3s", ends: 3),
    "ERR94": Play(faults: "err=94@3s", ends: 3),
    "? to each AT command": Play(faults: "unknown=AT@1,unknown=ATAT,unknown=ATL0", ends: 0),
    "suffix refused": Play(faults: "noSuffix", ends: 0),
    "multi-PID refused": Play(faults: "noMultiPID", ends: 0),
    "adapter that reports protocol 0": Play(faults: "protocolZero", ends: 0),
    "CAN ERROR storm": Play(faults: "canError@3s..5s", ends: 5),
    "STOPPED": Play(faults: "stopped=0.4@3s..5s", ends: 5),
    "BUFFER FULL with a cut frame": Play(faults: "bufferFull=0.3@3s..5s", ends: 5),
    "<DATA ERROR": Play(faults: "dataError=0.3@3s..5s", ends: 5),
    "<RX ERROR": Play(faults: "rxError=0.3@3s..5s", ends: 5),
    "NO DATA for one PID among six": Play(faults: "noPID=05@3s..5s", ends: 5),
    "four ECUs interleaved": Play(faults: "", ends: 0),
    "nine senders": Play(faults: "senders=9@3s..5s", ends: 5),
    "negative response 0x21": Play(faults: "busy=010C@3s..5s", ends: 5),
    "negative response 0x78": Play(faults: "pending=010C:100ms@3s..5s", ends: 5),
    "VIN with 16 characters": Play(faults: "shortVIN=16", ends: 0),
    "wrong consecutive index": Play(faults: "badSequence=0.3@3s..5s", ends: 5),
    "lost frame": Play(faults: "lostFrame=0.2@3s..5s", ends: 5),
  ]

  /// - Returns: how it went; nil where the daemon is not built.
  func runDaemon(_ play: Play, limit: Double) throws -> Outcome? {
    guard let program = try Tool.obdgated else { return nil }
    let scratch = try ScratchFolder()
    let isStream = if case .serial = address { false } else { name == "RFCOMM peer gone" }
    let link = scratch.file("elm")
    let log = scratch.file("log.capture")
    let adapter = try SimulatedAdapter(
      isStream ? .tcp(0) : .pty(link: link), scenario: scenario, faults: play.faults, log: log, in: scratch.path)
    defer { adapter.stop() }
    let device = isStream ? #""tcp": "\#(try adapter.name)""# : #""device": "\#(link)""#
    let configuration = try scratch.write(
      "gateway.json",
      """
      {"gatewayId": "gw-test", "adapters": [{\(device)}], "discovery": {"serial": false, "bluetooth": false},
       "poll": {"defaultPeriod": 0.25}, "record": {"period": 0.2}}
      """)
    let daemon = try RunningProgram(program, ["--config", configuration])
    defer { daemon.kill() }
    var outcome = Outcome()
    let ends = adapter.started + .seconds(play.ends)
    let fresh = play.ends == 0 ? ends : ends + .milliseconds(300)
    do {
      let wait = Duration.seconds(play.ends + limit)
      while outcome.recovery == nil {
        let line = try daemon.line(within: wait) { $0.contains("\"\(signal)\":") }
        if line.time >= fresh { outcome.recovery = (line.time - ends).inSeconds }
      }
      for _ in 0..<5 { try daemon.line(within: .seconds(5)) { $0.contains("\"\(signal)\":") } }
    } catch let late as RunningProgram.Late {
      outcome.complaints.append("\(late)")
    }
    daemon.send(SIGTERM)
    if try daemon.end(within: .seconds(2)) != 0 { outcome.complaints.append("SIGTERM did not end it with 0") }
    adapter.stop()
    try judge(daemon, play, limit, &outcome)
    outcome.commands = try Self.commands(inLog: String(contentsOfFile: log, encoding: .utf8))
    return outcome
  }

  private func judge(_ daemon: RunningProgram, _ play: Play, _ limit: Double, _ outcome: inout Outcome) throws {
    let records = try daemon.output.map { try Record($0.text.utf8) }
    outcome.said = records.compactMap(\.said)
    for wanted in says where !outcome.said.contains(wanted) { outcome.complaints.append("nothing says \(wanted)") }
    outcome.complaints += Set(records.flatMap { $0.untruths(truth) }).map { "not so: \($0)" }
    if records.map(\.sequence) != Array(1...max(1, records.count)) { outcome.complaints.append("seq has a hole") }
    if let recovery = outcome.recovery, recovery > limit {
      outcome.complaints.append("recovered after \(recovery) s, allowed are \(limit) s")
    }
  }

  /// What the adapter was sent, by the Simulator's log.
  private static func commands(inLog log: String) -> [String] {
    let sent = log.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: " ", maxSplits: 2)
      return parts.count == 3 && parts[1] == ">" ? String(parts[2]) : nil
    }.joined()
    var commands = sent.components(separatedBy: "\\r")
    // What stands behind the last CR was cut by the end.
    commands.removeLast()
    return commands
  }
}
