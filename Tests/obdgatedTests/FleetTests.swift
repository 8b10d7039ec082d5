import Foundation
import TestKit
import Testing

/// What daemon and fleet store say to each other besides records.
@Suite struct FleetTests {
  @Test func fences_of_the_store_are_watched_without_a_restart() async throws {
    try await aside {
      let fleet = try FleetRun()
      let server = try fleet.startStore()
      defer { server.kill() }
      try fleet.register(token: try server.line(within: .seconds(20)) { !$0.isEmpty }.text)
      let fences = try fleet.folder.write(
        "depot.geojson",
        """
        {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": "depot", "radius": 100},
         "geometry": {"type": "Point", "coordinates": [11.5, 48.1]}}]}
        """)
      let put = try Tool.run(
        try #require(try Tool.required("curl")),
        [
          "-sS", "--fail-with-body", "-H", "@\(fleet.folder.file("header"))", "-H",
          "Content-Type: application/geo+json",
          "-X", "PUT", "--data-binary", "@\(fences)", "http://127.0.0.1:\(fleet.port.number)/api/geofences",
        ])
      try #require(put.status == 0, "\(put.output) \(put.errors)")
      let daemon = try fleet.startDaemon()
      defer { daemon.kill() }
      try daemon.errorLine(within: .seconds(30)) { $0.contains("1 fences are watched") }
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(20)) == 0)
      // The next start knows them without a network.
      server.kill()
      let kept = try String(contentsOfFile: fleet.folder.file("state/fences.geojson"), encoding: .utf8)
      #expect(kept.contains("depot"))
    }
  }
}
