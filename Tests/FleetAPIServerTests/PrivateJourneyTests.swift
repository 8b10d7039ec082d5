import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Only the driver of a private journey sees its track.
@Suite struct PrivateJourneyTests {
  @Test(arguments: TestServer.Database.allCases)
  func others_see_neither_track_nor_position(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { desk in
      let client = try desk.server.client(desk.server.keys.admin)
      let records = (0..<60).map { minute in
        // The positions are a zigzag, so simplification removes none of them.
        SampleRecord(
          minute + 1, second: minute * 60,
          rest: #""latitude":48.\#(101 + 2 * minute),"longitude":16.\#(5 + minute % 2),"speed":50"#)
      }
      let sent = try client.send("POST", "/api/telemetry", records.lines)
      #expect(sent.status == 200 && sent.text.contains(#""stored":60"#), "\(sent.text)")
      let assigned = try client.send(
        "POST", "/api/assignments",
        json: #"{"driverId":"\#(desk.dora)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z"}"#)
      #expect(assigned.status == 201, "\(assigned.text)")
      let session = try desk.server.signIn("dora@example.com")
      let path = "/api/vehicles/VAN-1/track?tolerance=0&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
      /// The minutes of the positions in a track.
      func minutes(_ reply: TestClient.Reply) -> Set<Int> {
        Set(reply.text.matches(of: /16\.[56],48\.(\d+)/).compactMap { Int($0.1).map { ($0 - 101) / 2 } })
      }
      func minutesOfAdmin() throws -> Set<Int> { minutes(try client.send("GET", path)) }
      #expect(try minutesOfAdmin() == Set(0..<60))
      _ = try desk.add(
        #","purpose":"private","startTime":"2026-01-01T00:10:00Z","endTime":"2026-01-01T00:20:00Z""#)
      _ = try desk.add(
        #","purpose":"business","startTime":"2026-01-01T00:30:00Z","endTime":"2026-01-01T00:40:00Z""#)
      #expect(try minutesOfAdmin() == Set(0..<10).union(20..<60))
      #expect(minutes(try desk.server.asPage(session, "GET", path)) == Set(0..<60))
      func isOnMap(_ reply: TestClient.Reply) -> Bool { reply.text.contains(#""id":"VAN-1""#) }
      #expect(isOnMap(try client.send("GET", "/api/positions")))
      _ = try desk.add(#","purpose":"private","startTime":"2026-01-01T00:50:00Z""#)
      #expect(try minutesOfAdmin() == Set(0..<10).union(20..<50))
      #expect(!isOnMap(try client.send("GET", "/api/positions")))
      #expect(isOnMap(try desk.server.asPage(session, "GET", "/api/positions")))
      // The same for raw records.
      let range = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
      func count(_ reply: TestClient.Reply) -> Int { reply.text.matches(of: /"seq":/).count }
      let telemetry = "/api/vehicles/VAN-1/telemetry?\(range)&limit=7"
      var (seen, next) = (0, "")
      repeat {
        let page = try client.send("GET", telemetry + next)
        #expect(page.status == 200)
        seen += count(page)
        next = page.text.firstMatch(of: /"next":"([^"]+)"/).map { "&cursor=\($0.1)" } ?? ""
      } while !next.isEmpty
      #expect(seen == 40)
      #expect(count(try desk.server.asPage(session, "GET", "/api/vehicles/VAN-1/telemetry?\(range)&limit=100")) == 60)
      // The newest position is of the private journey.
      let latest = try client.send("GET", "/api/vehicles/VAN-1/latest")
      #expect(latest.status == 200 && !latest.text.contains("latitude"), "\(latest.text)")
      #expect(try desk.server.asPage(session, "GET", "/api/vehicles/VAN-1/latest").text.contains("latitude"))
    }
  }
}
