import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// A hostile MQTT broker (`Tests/Support/hostile-broker.py`), which mosquitto later replaces. The daemon reports the
/// fault in one line, does not exceed its memory limit, continues to read the vehicle, and loses no record.
@Suite struct HostileBrokerTests {
  /// Permitted growth of the memory, KiB. A broker may send 128 KiB without any use; the batches of a backlog need the
  /// rest.
  private static let growthKiB = 16_384

  @Test func a_hostile_broker_costs_no_record_and_little_memory() async throws {
    try await runBlocking {
      let program = try Tool.obdgated
      let folder = try ScratchFolder()
      let broker = try Mosquitto(in: folder)
      let subscriber = try broker.subscriber()
      defer { subscriber.kill() }
      let port = try ReservedPort()
      let proxy = try SwitchedProxy("hostile-broker.py", port, to: UInt16(broker.port))
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: folder.path)
      defer { adapter.stop() }
      let state = folder.file("state")
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      let configuration = try folder.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "adapters": [{"tcp": "\(try adapter.name)"}],
         "discovery": {"serial": false, "bluetooth": false}, "poll": {"defaultPeriod": 0.05},
         "record": {"period": 0.05}, "spool": {"commitPeriod": 0.2}, "stateDirectory": "state",
         "sinks": [{"type": "mqtt", "url": "mqtt://127.0.0.1:\(port.number)", "answerLimit": 2,
                    "batch": {"records": 20, "seconds": 0.2}}]}
        """)
      let daemon = try RunningProgram(program, ["--config", configuration])
      defer { daemon.kill() }
      var committed: Set<String> = []
      try Self.record(40, in: state, besides: &committed, daemon)
      try daemon.errorLine(within: .seconds(60)) { $0.contains("connected, MQTT 5") }
      let before = try daemon.memoryKiB()
      for malice in try SwitchedProxy.abilities(of: "hostile-broker.py")[0] {
        let said = daemon.errorLines.count
        try proxy.set(malice)
        try Self.record(10, in: state, besides: &committed, daemon)
        try daemon.errorLine(within: .seconds(60)) { $0.contains("its records wait") }
        try proxy.set("pass")
        let waiting = committed
        let deadline = ContinuousClock.now + .seconds(120)
        while try !KeptRecord.committed(in: state, isLive: true).isDisjoint(with: waiting), .now < deadline {
          poll(nil, 0, 20)
        }
        #expect(
          try KeptRecord.committed(in: state, isLive: true).isDisjoint(with: waiting),
          "after \(malice): \(daemon.errorLines.suffix(5))")
        // The lines report the closed connection, which occurs at every change of the peer, then the effect of the
        // fault, and then the recovery.
        let lines = daemon.errorLines.dropFirst(said)
        let essential = ToldLines.essential(lines) {
          $0.contains("does not acknowledge messages") || $0.contains("no answer from the broker")
        }
        #expect(lines.count >= 2 && essential.count <= 6, "\(malice): \(lines)")
        #expect(lines.allSatisfy { $0.utf8.count < 600 && !$0.contains("\u{1B}") }, "\(malice): \(lines)")
      }
      let most = try daemon.memoryKiB("VmHWM")
      #expect(most <= before + Self.growthKiB, "\(before) KiB before all of them, \(most) at most")
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      let left = try KeptRecord.committed(in: state)
      let seen = Set(
        subscriber.output.compactMap { line -> String? in
          guard let start = line.text.firstIndex(of: "{"), let record = try? KeptRecord(String(line.text[start...]))
          else { return nil }
          return "\(record.epoch) \(record.seq)"
        })
      #expect(committed.subtracting(seen).subtracting(left) == [], "committed, and neither published nor kept")
      #expect(seen.count > 100)
    }
  }

  /// Waits until this number of further records is committed.
  private static func record(
    _ count: Int, in state: String, besides committed: inout Set<String>, _ daemon: RunningProgram
  ) throws {
    let before = committed.count
    let deadline = ContinuousClock.now + .seconds(60)
    while committed.count < before + count, .now < deadline {
      committed.formUnion(try KeptRecord.committed(in: state, isLive: true))
    }
    try #require(committed.count >= before + count, "\(daemon.errorLines.suffix(5))")
  }
}
