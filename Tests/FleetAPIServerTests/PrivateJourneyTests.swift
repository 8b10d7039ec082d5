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
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
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
        json: #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z"}"#)
      #expect(assigned.status == 201, "\(assigned.text)")
      let session = try dispatch.server.signIn("dora@example.com")
      let path = "/api/vehicles/VAN-1/track?tolerance=0&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
      /// The minutes of the positions in a track.
      func minutes(_ reply: TestClient.Reply) -> Set<Int> {
        Set(reply.text.matches(of: /16\.[56],48\.(\d+)/).compactMap { Int($0.1).map { ($0 - 101) / 2 } })
      }
      func minutesOfAdmin() throws -> Set<Int> { minutes(try client.send("GET", path)) }
      #expect(try minutesOfAdmin() == Set(0..<60))
      _ = try dispatch.add(
        #","purpose":"private","startTime":"2026-01-01T00:10:00Z","endTime":"2026-01-01T00:20:00Z""#)
      _ = try dispatch.add(
        #","purpose":"business","startTime":"2026-01-01T00:30:00Z","endTime":"2026-01-01T00:40:00Z""#)
      #expect(try minutesOfAdmin() == Set(0..<10).union(20..<60))
      #expect(minutes(try dispatch.server.asPage(session, "GET", path)) == Set(0..<60))
      func isOnMap(_ reply: TestClient.Reply) -> Bool { reply.text.contains(#""id":"VAN-1""#) }
      #expect(isOnMap(try client.send("GET", "/api/positions")))
      _ = try dispatch.add(#","purpose":"private","startTime":"2026-01-01T00:50:00Z""#)
      #expect(try minutesOfAdmin() == Set(0..<10).union(20..<50))
      #expect(!isOnMap(try client.send("GET", "/api/positions")))
      #expect(isOnMap(try dispatch.server.asPage(session, "GET", "/api/positions")))
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
      #expect(
        count(try dispatch.server.asPage(session, "GET", "/api/vehicles/VAN-1/telemetry?\(range)&limit=100")) == 60)
      // The newest position outside the private journey is that of minute 49.
      let latest = try client.send("GET", "/api/vehicles/VAN-1/latest")
      #expect(latest.status == 200 && latest.text.contains(#""latitude":48.199,"#), "\(latest.text)")
      #expect(!latest.text.contains(#""latitude":48.219,"#), "\(latest.text)")
      #expect(try dispatch.server.asPage(session, "GET", "/api/vehicles/VAN-1/latest").text.contains("latitude"))
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_hides_only_the_time_of_the_assignment(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let server = dispatch.server
      let client = try server.client(server.keys.admin)
      let records = (0..<60).map { minute in
        SampleRecord(
          minute + 1, second: minute * 60,
          rest: #""latitude":48.\#(101 + 2 * minute),"longitude":16.\#(5 + minute % 2),"speed":50"#)
      }
      #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
      let session = try server.signIn("dora@example.com")
      let path = "/api/vehicles/VAN-1/track?tolerance=0&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
      func minutes() throws -> Set<Int> {
        Set(
          try client.send("GET", path).text.matches(of: /16\.[56],48\.(\d+)/).compactMap {
            Int($0.1).map { ($0 - 101) / 2 }
          })
      }
      func isOnMap() throws -> Bool {
        try client.send("GET", "/api/positions").text.contains(#""id":"VAN-1""#)
      }
      func driver(_ minute: String) throws -> String? {
        try client.send("GET", "/api/vehicles/VAN-1/driver?at=2026-01-01T00:\(minute):00Z").json["driverId"] as? String
      }
      func declare(_ more: String) throws -> TestClient.Reply {
        try server.asPage(
          session, "POST", "/api/journeys", #"{"vehicleId":"VAN-1","purpose":"private"\#(more)}"#)
      }
      let declared = try declare(#","startTime":"2026-01-01T00:10:00Z","endTime":"2026-01-01T01:30:00Z""#)
      #expect(try declared.status == 201 && declared.json["needsReview"] as? Bool == true, "\(declared.text)")
      // The vehicle was never assigned to the driver.
      #expect(try minutes() == Set(0..<60))
      #expect(try isOnMap())
      for wrong in [
        #","startTime":"2000-01-01T00:00:00Z","endTime":"2099-01-01T00:00:00Z""#,
        #","startTime":"2025-10-01T00:00:00Z","endTime":"2026-01-01T00:10:00Z""#,
        #","startTime":"2025-10-01T00:00:00Z""#, #","startTime":"2099-01-01T00:00:00Z""#,
      ] {
        #expect(try declare(wrong).status == 422, "\(wrong)")
      }
      let emil = try #require(try client.send("POST", "/api/drivers", json: #"{"name":"Emil"}"#).json["id"] as? String)
      func assign(_ driver: String, _ from: Int, _ to: Int) throws {
        let reply = try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(driver)","vehicleId":"VAN-1","from":"2026-01-01T00:\#(from):00Z","to":"2026-01-01T00:\#(to):00Z"}"#
        )
        #expect(reply.status == 201, "\(reply.text)")
      }
      try assign(emil, 10, 20)
      #expect(try driver("15") == emil)
      try assign(dispatch.dora, 30, 40)
      #expect(try minutes() == Set(0..<30).union(40..<60))
      #expect(try driver("35") == dispatch.dora)
      #expect(try isOnMap())
      // A person who may review has confirmed it.
      let id = try #require(try declared.json["id"] as? String)
      #expect(try dispatch.command(id, "review").json["confirmed"] as? Bool == true)
      #expect(try minutes() == Set(0..<10))
      // After the journey, the map shows the newest position before it, that of minute 9.
      let map = try client.send("GET", "/api/positions").text
      #expect(map.contains("[16.6,48.119]") && !map.contains("lastRecordAt"), "\(map)")
      #expect(try driver("15") == dispatch.dora)
      // The confirmation does not hold for what the driver states afterwards.
      let changed = try server.asPage(
        session, "PATCH", "/api/journeys/\(id)", #"{"startTime":"2026-01-01T00:05:00Z"}"#, headers: ["If-Match": "*"])
      #expect(changed.status == 200, "\(changed.text)")
      #expect(try minutes() == Set(0..<30).union(40..<60))
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_adds_things_only_about_assigned_vehicles(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let server = dispatch.server
      let client = try server.client(server.keys.admin)
      let session = try server.signIn("dora@example.com")
      func add(_ path: String, _ vehicle: String, _ more: String = "") throws -> TestClient.Reply {
        try server.asPage(session, "POST", path, #"{"vehicleId":"\#(vehicle)"\#(more)}"#)
      }
      let (toll, fuel) = (
        #","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"EUR"}"#,
        #","at":"2026-05-04T10:00:00Z","energy":"diesel","quantity":1"#
      )
      let bodies = [
        ("/api/expenses", toll), ("/api/fuel-entries", fuel),
        ("/api/inspections", #","kind":"preTrip","at":"2026-05-04T10:00:00Z""#),
        ("/api/defects", #","text":"no horn","severity":"unsafe""#), ("/api/meter-readings", #","odometer":5"#),
      ]
      func answers(_ vehicle: String) throws -> [String] {
        try bodies.map { path, more in
          let reply = try add(path, vehicle, more)
          return "\(path) \(reply.status) \(reply.status < 300 ? "" : reply.errorMessage)"
        }
      }
      // The same answer as for a vehicle that does not exist.
      let unknown = try answers("NO-SUCH")
      #expect(unknown.allSatisfy { $0.contains(" 403 ") }, "\(unknown)")
      #expect(try answers("VAN-1") == unknown)
      #expect(try client.send("GET", "/api/defects?vehicle=VAN-1").list.isEmpty)
      let assigned = try client.send(
        "POST", "/api/assignments",
        json:
          #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-1","from":"2026-05-04T00:00:00Z","to":"2026-05-05T00:00:00Z"}"#
      )
      #expect(assigned.status == 201, "\(assigned.text)")
      // It was assigned at the stated time, but is not now.
      #expect(try answers("VAN-1").map { $0.split(separator: " ")[1] } == ["201", "201", "201", "403", "403"])
      #expect(
        try client.send("POST", "/api/assignments", json: #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-2"}"#)
          .status
          == 201)
      #expect(try answers("VAN-2").map { $0.split(separator: " ")[1] } == ["201", "201", "201", "201", "201"])
      func document(_ id: String) throws -> TestClient.Reply {
        try server.asPage(
          session, "POST", "/api/documents", #"{"of":{"kind":"vehicle","id":"\#(id)"},"kind":"insurance"}"#)
      }
      let (known, other) = (try document("VAN-1"), try document("NO-SUCH"))
      #expect(known.status == 403 && other.status == 403 && known.errorMessage == other.errorMessage)
    }
  }
}
