import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// A hostile fleet store (`Tests/Support/hostile-store.py`), which the real one later replaces. The daemon reports the
/// fault in one line, does not exceed its memory limit, continues to read the vehicle, and loses no record.
@Suite struct HostileStoreTests {
  /// Permitted growth of the memory, KiB. An answer may have 1 MiB, and fences 4 MiB, which are in memory twice while
  /// they are read. The allocator needs the rest.
  private static let growthKiB = 16_384

  @Test func hostile_answers_to_records_cost_no_record_and_little_memory() async throws {
    try await runBlocking {
      let port = try ReservedPort()
      let fleet = try FleetRun(
        proxy: port, sink: ", \"connectLimit\": 2, \"requestLimit\": 3, \"geofencePeriod\": 86400")
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text)
      let proxy = try SwitchedProxy("hostile-store.py", port, to: fleet.port.number)
      var daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      var committed: Set<String> = []
      try fleet.record(40, besides: &committed, daemon)
      let before = try daemon.memoryKiB()
      for malice in try SwitchedProxy.abilities(of: "hostile-store.py")[0] {
        let said = daemon.errorLines.count
        try proxy.set(malice)
        try fleet.record(10, besides: &committed, daemon)
        try proxy.wait(for: malice)
        try daemon.errorLine(within: .seconds(60)) { $0.contains("its records wait") }
        try proxy.set("pass")
        try daemon.errorLine(within: .seconds(60)) { $0.hasSuffix("takes records") }
        let waiting = committed
        let deadline = ContinuousClock.now + .seconds(120)
        while try !fleet.committed(isLive: true).isDisjoint(with: waiting), .now < deadline { poll(nil, 0, 20) }
        #expect(
          try fleet.committed(isLive: true).isDisjoint(with: waiting), "after \(malice): \(daemon.errorLines.suffix(5))"
        )
        // The lines report that the store fails, perhaps in two ways (the connection is cut when the peer changes), and
        // that it works again.
        let lines = daemon.errorLines.dropFirst(said)
        let essential = ToldLines.essential(lines) { $0.contains("timed out") || $0.contains("timeout") }
        #expect(lines.count >= 2 && essential.count <= 4, "\(malice): \(lines)")
        #expect(lines.allSatisfy { $0.utf8.count < 600 && !$0.contains("\u{1B}") }, "\(malice): \(lines)")
        let now = try daemon.memoryKiB()
        #expect(now <= before + Self.growthKiB, "\(malice): \(before) KiB before all of them, \(now) after it")
      }
      #expect(try daemon.memoryKiB("VmHWM") <= before + Self.growthKiB)
      let records = try fleet.finish(&daemon, committed)
      #expect(records.count > 250)
    }
  }

  @Test func hostile_answers_to_the_geofence_request_do_not_stop_the_daemon() async throws {
    try await runBlocking {
      let port = try ReservedPort()
      let fleet = try FleetRun(proxy: port, sink: ", \"connectLimit\": 2, \"requestLimit\": 3")
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text)
      let proxy = try SwitchedProxy("hostile-store.py", port, to: fleet.port.number)
      var committed: Set<String> = []
      // Its memory without fences.
      var daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      try fleet.record(20, besides: &committed, daemon)
      let before = try daemon.memoryKiB("VmHWM")
      for malice in try SwitchedProxy.abilities(of: "hostile-store.py")[1] {
        daemon.send(SIGTERM)
        #expect(try daemon.end(within: .seconds(60)) == 0)
        committed.formUnion(try fleet.committed())
        // The daemon requests the fences immediately at its start.
        try proxy.set(malice)
        daemon = try fleet.startDaemon()
        try proxy.wait(for: malice)
        try fleet.record(20, besides: &committed, daemon)
        let most = try daemon.memoryKiB("VmHWM")
        #expect(most <= before + 4 * Self.growthKiB, "\(malice): \(most) KiB at most, \(before) without")
        let about = daemon.errorLines.filter { $0.contains("fences") }
        #expect(about.count <= 2, "\(malice): \(daemon.errorLines)")
        #expect(daemon.errorLines.allSatisfy { $0.utf8.count < 600 && !$0.contains("\u{1B}") }, "\(malice)")
      }
      try proxy.set("pass")
      let records = try fleet.finish(&daemon, committed)
      #expect(records.count > 100)
    }
  }
}
