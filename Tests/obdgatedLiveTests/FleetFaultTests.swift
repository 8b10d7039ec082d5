import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Faults of networks and servers between obdgated and a real fleet store: every record arrives once.
@Suite struct FleetFaultTests {
  @Test func each_record_arrives_once_despite_every_request_fault() async throws {
    try await runBlocking {
      let port = try ReservedPort()
      let fleet = try FleetRun(proxy: port, sink: ", \"connectLimit\": 2, \"requestLimit\": 5")
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text)
      let proxy = try SwitchedProxy("fault-proxy.py", port, to: fleet.port.number)
      var daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      var committed: Set<String> = []
      try fleet.record(20, besides: &committed, daemon)
      for fault in ["refuse", "hole", "reset", "drip", "error", "busy", "cut", "reset", "cut"] {
        try proxy.set(fault)
        if fault == "refuse" {
          try fleet.record(40, besides: &committed, daemon)
        } else {
          try fleet.record(20, besides: &committed, daemon)
          if fault != "drip" { try proxy.wait(for: fault) }
        }
        try proxy.set("pass")
        // Wait until the earlier records have arrived, because the failures of one fault must not lengthen the waits of
        // the next.
        let deadline = ContinuousClock.now + .seconds(120)
        let before = committed
        while try !fleet.committed(isLive: true).isDisjoint(with: before), .now < deadline { poll(nil, 0, 20) }
        #expect(
          try fleet.committed(isLive: true).isDisjoint(with: before), "after \(fault): \(daemon.errorLines.suffix(5))")
      }
      let records = try fleet.finish(&daemon, committed)
      #expect(records.count > 150)
    }
  }

  @Test func a_store_with_another_name_or_an_expired_certificate_gets_nothing_until_it_is_put_right() async throws {
    try await runBlocking {
      let certificates = try Certificates()
      let fleet = try FleetRun(authority: certificates.authority)
      let right = try certificates.make("right", for: "IP:127.0.0.1")
      var server = try fleet.startStore(tls: try certificates.make("other", for: "DNS:other.example"))
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text)
      var daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      var committed: Set<String> = []
      try daemon.errorLine(within: .seconds(60)) { $0.contains("certificate") }
      try fleet.record(20, besides: &committed, daemon)
      try server.killNow()
      server = try fleet.startStore(tls: try certificates.make("expired", for: "IP:127.0.0.1", isExpired: true))
      try fleet.record(20, besides: &committed, daemon)
      try daemon.killNow()
      daemon = try fleet.startDaemon()
      try daemon.errorLine(within: .seconds(60)) { $0.contains("certificate") }
      // Nothing was sent to either server; the next attempt begins only after this check.
      daemon.send(SIGSTOP)
      try server.killNow()
      server = try fleet.startStore(tls: right)
      #expect(try fleet.stored().isEmpty)
      daemon.send(SIGCONT)
      let records = try fleet.finish(&daemon, committed)
      #expect(records.count >= 40)
    }
  }
}
