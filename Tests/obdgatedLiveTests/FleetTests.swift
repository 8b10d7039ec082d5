import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// Communication between daemon and fleet store that is not about records.
@Suite struct FleetTests {
  @Test func records_from_before_the_vehicle_is_known_are_stored_too() async throws {
    try await runBlocking {
      let vin = "1D4GP00R55B123456"
      let fleet = try FleetRun()
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(
        token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text, vehicles: [vin])
      var daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      var committed: Set<String> = []
      try fleet.record(20, besides: &committed, daemon)
      try daemon.killNow()
      committed.formUnion(try fleet.committed())
      daemon = try fleet.startDaemon()
      try fleet.record(20, besides: &committed, daemon)
      let records = try fleet.finish(&daemon, committed)
      func has(_ type: String, _ vehicle: String, _ text: String) -> Bool {
        records.contains {
          $0.type == type && $0.line.contains("\"vehicleId\":\"\(vehicle)\"") && $0.line.contains(text)
        }
      }
      #expect(
        has("adapter", "gw-test", "found") && has("gap", "gw-test", "processKilled") && has("telemetry", vin, "rpm"),
        "\(records.filter { $0.type != "telemetry" }.map(\.line))")
      #expect(!FileManager.default.fileExists(atPath: fleet.folder.file("state/refused-fleetStore.jsonl")))
    }
  }

  @Test func fences_of_the_store_are_watched_without_a_restart() async throws {
    try await runBlocking {
      let fleet = try FleetRun()
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(60)) { !$0.isEmpty }.text)
      let fences = try fleet.folder.write(
        "depot.geojson",
        """
        {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": "depot", "radius": 100},
         "geometry": {"type": "Point", "coordinates": [11.5, 48.1]}}]}
        """)
      let put = try Tool.run(
        try Tool.required("curl"),
        [
          "-sS", "--fail-with-body", "-H", "@\(fleet.folder.file("header"))", "-H",
          "Content-Type: application/geo+json",
          "-X", "PUT", "--data-binary", "@\(fences)", "http://127.0.0.1:\(fleet.port.number)/api/geofences",
        ])
      try #require(put.status == 0, "\(put.output) \(put.errors)")
      let daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      try daemon.errorLine(within: .seconds(60)) { $0.contains("1 fence is watched") }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      // At the next start, the daemon uses these fences without a network.
      server.kill()
      let kept = try String(contentsOfFile: fleet.folder.file("state/fences.geojson"), encoding: .utf8)
      #expect(kept.contains("depot"))
    }
  }
}
