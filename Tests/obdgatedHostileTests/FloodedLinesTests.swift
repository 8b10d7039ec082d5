import Foundation
import Glibc
import Ports
import Simulator
import TestKit
import Testing

@testable import DaemonTestKit

/// Adapters and receivers that send a day's bytes of noise at full speed. The daemon continues to read and does not
/// exceed its memory limit. Then it works with a correct peer as usual.
///
/// A day at 38,400 baud is 330 MB; `FLOOD_MEGABYTES` sets the amount.
@Suite(.serialized) struct FloodedLinesTests {
  private static let total = (Int(ProcessInfo.processInfo.environment["FLOOD_MEGABYTES"] ?? "") ?? 24) * 1_000_000
  /// Permitted growth of the memory while noise is read, KiB. Nothing grows with the noise, and the pages of the
  /// allocator vary by less.
  private static let growthKiB = 4_096
  private static let limit = 300 + Double(total) / 1e5

  private static func daemon(_ lines: String, in scratch: borrowing ScratchFolder) throws -> RunningProgram {
    let program = try Tool.obdgated
    let configuration = try scratch.write(
      "gateway.json",
      """
      {"gatewayId": "gw-test", "discovery": {"serial": false, "bluetooth": false}, \(lines),
       "poll": {"defaultPeriod": 0.1}, "record": {"period": 0.1}, "stateDirectory": "\(scratch.path)"}
      """)
    return try RunningProgram(program, ["--config", configuration])
  }

  /// Waits for the noise, and compares the memory of the daemon after an eighth of it and at its end.
  private static func staysSmall(
    _ daemon: RunningProgram, _ what: String, _ awaitNoise: (_ bytes: Int, _ within: TimeInterval) throws -> Void
  ) throws {
    try awaitNoise(total / 8, limit)
    let before = try daemon.memoryKiB()
    try awaitNoise(total, limit)
    let after = try daemon.memoryKiB()
    #expect(after <= before + growthKiB, "\(what): \(before) KiB after an eighth of \(total) bytes, \(after) after all")
    let most = try daemon.memoryKiB("VmHWM")
    #expect(most <= before + 2 * growthKiB, "\(what): \(most) KiB at most, \(before) after an eighth")
  }

  @Test func an_adapter_that_floods_is_read_and_polled_again_once_it_is_sane() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      defer { adapter.stop() }
      let peer = try FloodingPeer(try .adapter(seed: 1), bytes: Self.total, then: SanePeer.at(try adapter.name))
      defer { peer.stop() }
      let daemon = try Self.daemon(#""adapters": [{"tcp": "\#(peer.name)"}]"#, in: scratch)
      defer { daemon.kill() }
      try Self.staysSmall(daemon, "an adapter", peer.awaitNoise)
      for _ in 0..<20 { try daemon.line(within: .seconds(120)) { $0.contains("\"rpm\":1726") } }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(daemon.errorLines.count < 20, "\(daemon.errorLines)")
    }
  }

  @Test func an_adapter_that_answers_nonsense_is_polled_again_once_it_is_sane() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      defer { adapter.stop() }
      let peer = try BabblingAdapter(try .adapter(seed: 2), bytes: Self.total, of: try adapter.name)
      defer { peer.stop() }
      let daemon = try Self.daemon(#""adapters": [{"tcp": "\#(peer.name)"}]"#, in: scratch)
      defer { daemon.kill() }
      try Self.staysSmall(daemon, "an adapter", peer.awaitNoise)
      for _ in 0..<20 { try daemon.line(within: .seconds(120)) { $0.contains("\"rpm\":1726") } }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(daemon.errorLines.count < 20, "\(daemon.errorLines)")
    }
  }

  @Test func a_receiver_that_floods_is_read_and_has_positions_once_it_is_sane() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      defer { adapter.stop() }
      let receiver = try FloodingReceiver(try .receiver(seed: 3), bytes: Self.total)
      defer { receiver.stop() }
      let lines = #""adapters": [{"tcp": "\#(try adapter.name)"}], "gps": [{"device": "\#(receiver.path)"}]"#
      let daemon = try Self.daemon(lines, in: scratch)
      defer { daemon.kill() }
      try Self.staysSmall(daemon, "a receiver", receiver.awaitNoise)
      for _ in 0..<20 {
        try daemon.line(within: .seconds(120)) { $0.contains("\"latitude\":48.1") && $0.contains("\"rpm\":1726") }
      }
      #expect(daemon.errorLines.count < 20, "\(daemon.errorLines)")
    }
  }

  @Test func a_gpsd_that_floods_is_read_and_has_positions_once_it_is_sane() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      defer { adapter.stop() }
      let peer = try FloodingPeer(.gpsd(seed: 4), bytes: Self.total, then: SanePeer.gpsd)
      defer { peer.stop() }
      let lines = #""adapters": [{"tcp": "\#(try adapter.name)"}], "gps": [{"gpsd": "\#(peer.name)"}]"#
      let daemon = try Self.daemon(lines, in: scratch)
      defer { daemon.kill() }
      try Self.staysSmall(daemon, "gpsd", peer.awaitNoise)
      for _ in 0..<20 {
        try daemon.line(within: .seconds(120)) { $0.contains("\"latitude\":48.1") && $0.contains("\"rpm\":1726") }
      }
      #expect(daemon.errorLines.count < 20, "\(daemon.errorLines)")
    }
  }
}
