import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Positions and tracks of vehicles, on both databases.
@Suite struct PositionRoutesTests {
  /// Seconds since 2026-01-01 of a time before now.
  private static func second(ago seconds: Int) -> Int {
    Int(WallClock.now.milliseconds / 1_000) - Int(SampleRecord.start / 1_000_000_000) - seconds
  }

  private static func send(_ server: TestServer, _ records: [SampleRecord]) throws {
    let reply = try server.client(server.keys.admin).send("POST", "/api/telemetry", records.lines)
    #expect(reply.status == 200 && reply.text.contains(#""refused":0"#), "\(reply.text)")
  }

  private static func features(_ reply: TestClient.Reply) throws -> [String: [String: Any]] {
    #expect(reply.status == 200, "\(reply.text)")
    let json = try reply.json
    #expect(json["type"] as? String == "FeatureCollection")
    let features = try #require(json["features"] as? [[String: Any]])
    return Dictionary(uniqueKeysWithValues: features.map { ($0["id"] as? String ?? "", $0) })
  }

  private static func property(_ feature: [String: Any]?, _ key: String) -> Any? {
    (feature?["properties"] as? [String: Any])?[key]
  }

  @Test(arguments: TestServer.Database.allCases)
  func positions_have_state_heading_speed_and_driver(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      try await runBlocking {
        let now = Self.second(ago: 20)
        let client = try server.client(server.keys.admin)
        #expect(try Self.features(client.send("GET", "/api/positions")).isEmpty)
        try Self.send(
          server,
          [
            SampleRecord(1, second: now - 9, rest: #""latitude":48.5,"longitude":16.25,"rpm":900,"speed":1"#),
            SampleRecord(
              2, second: now, rest: #""latitude":48.75,"longitude":16.5,"heading":90.5,"rpm":1700,"speed":48.5"#),
            SampleRecord(
              3, vehicle: "VAN-2", second: now - 5, rest: #""latitude":-17.5,"longitude":179.75,"rpm":800,"speed":0"#),
            // The position is older than the newest telemetry, by which the state is known.
            SampleRecord(4, vehicle: "VAN-2", second: now, rest: #""rpm":0,"speed":0"#),
            SampleRecord(5, vehicle: "FREE", second: now - 3_600, rest: #""latitude":-17,"longitude":-179,"speed":50"#),
          ])
        let driver = try #require(
          try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#).json["id"] as? String)
        let start = TextOf.time(Timestamp(nanoseconds: SampleRecord.start + Int64(now - 60) * 1_000_000_000))
        #expect(
          try client.send(
            "POST", "/api/assignments", json: #"{"driverId":"\#(driver)","vehicleId":"VAN-1","from":"\#(start)"}"#
          ).status == 201)
        let all = try Self.features(client.send("GET", "/api/positions"))
        #expect(all.count == 3)
        #expect((all["VAN-1"]?["geometry"] as? [String: Any])?["coordinates"] as? [Double] == [16.5, 48.75])
        #expect(Self.property(all["VAN-1"], "state") as? String == "moving")
        #expect(Self.property(all["VAN-1"], "heading") as? Double == 90.5)
        #expect(Self.property(all["VAN-1"], "speed") as? Double == 48.5)
        #expect(Self.property(all["VAN-1"], "driverId") as? String == driver)
        #expect(Self.property(all["VAN-1"], "fleetId") as? String == depots.ids.north)
        #expect(Self.property(all["VAN-2"], "state") as? String == "parked")
        #expect(Self.property(all["VAN-2"], "driverId") == nil)
        #expect(Self.property(all["FREE"], "state") as? String == "silent")
        func ids(_ query: String) throws -> Set<String> {
          Set(try Self.features(client.send("GET", "/api/positions?\(query)")).keys)
        }
        #expect(try ids("bbox=16,48,17,49") == ["VAN-1"])
        #expect(try ids("bbox=170,-20,-170,0") == ["VAN-2", "FREE"])
        #expect(try ids("fleet=\(depots.ids.south)") == ["VAN-2"])
        #expect(try ids("fleet=\(depots.ids.south),\(depots.ids.north)") == ["VAN-1", "VAN-2"])
        for wrong in ["bbox=1,2,3", "bbox=1,5,2,4", "bbox=a,b,c,d", "bbox=1,2,3,91", "fleet=x", "fleet="] {
          #expect(try client.send("GET", "/api/positions?\(wrong)").status == 400, "\(wrong)")
        }
        #expect(try Self.features(server.client(server.keys.foreignAdmin).send("GET", "/api/positions")).isEmpty)
        let viewer = try server.signIn("viewer@example.com")
        #expect(Set(try Self.features(server.asPage(viewer, "GET", "/api/positions")).keys) == ["VAN-1"])
        #expect(
          try Self.features(server.asPage(viewer, "GET", "/api/positions?fleet=\(depots.ids.south)")).isEmpty)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_sees_positions_and_tracks_of_the_own_assignment(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      let first = Self.second(ago: 1_000)
      @Sendable func time(_ second: Int) -> Timestamp {
        Timestamp(nanoseconds: SampleRecord.start + Int64(first + second) * 1_000_000_000)
      }
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var driver = Driver()
        (driver.name, driver.personID) = ("Dora", dora.id)
        let stored = try transaction.insert(driver)
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (stored.id, "VAN-1")
        (assignment.from, assignment.to) = (time(100), time(200))
        return try transaction.insert(assignment)
      }
      try await runBlocking {
        func record(_ number: Int) -> SampleRecord {
          SampleRecord(
            number + 1, second: first + number, rest: #""latitude":48.\#(100 + number),"longitude":16.5,"speed":9"#)
        }
        try Self.send(server, [record(0), record(150), record(199)])
        let session = try server.signIn("dora@example.com")
        #expect(try Self.features(server.asPage(session, "GET", "/api/positions")).count == 1)
        try Self.send(server, [record(200)])
        #expect(try Self.features(server.asPage(session, "GET", "/api/positions")).isEmpty)
        let path = "/api/vehicles/VAN-1/track?tolerance=0"
        let track = try server.asPage(session, "GET", path)
        #expect(track.status == 200, "\(track.text)")
        #expect(try track.json["coordinates"] as? [[Double]] == [[16.5, 48.25], [16.5, 48.299]])
        let later = "&from=\(TextOf.time(time(200)))"
        #expect(try (server.asPage(session, "GET", path + later).json["coordinates"] as? [Any])?.isEmpty == true)
        #expect(try server.asPage(session, "GET", "/api/vehicles/VAN-2/track").status == 404)
        let all = try server.client(server.keys.readOnly).send("GET", path)
        // All are on a line.
        #expect(try all.json["coordinates"] as? [[Double]] == [[16.5, 48.1], [16.5, 48.3]])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_track_is_simplified_and_split_at_gaps(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        // North for 100 s with an excursion of 22 m to the east, and 10 minutes later another place.
        var records = (0..<100).map { second in
          let east = second == 50 ? 0.0003 : 0
          return SampleRecord(
            second + 1, second: second,
            rest: #""latitude":\#(48 + Double(second) / 10_000),"longitude":\#(16.5 + east)"#)
        }
        records.append(SampleRecord(700, second: 700, rest: #""latitude":48.5,"longitude":16.5"#))
        records.append(SampleRecord(701, second: 701, rest: #""latitude":48.5,"longitude":16.5001"#))
        records.append(SampleRecord(50_000, second: 702, rest: #""rpm":7"#))
        try Self.send(server, records.shuffled())
        let client = try server.client(server.keys.readOnly)
        func track(_ query: String) throws -> TestClient.Reply {
          let reply = try client.send("GET", "/api/vehicles/VAN-1/track?\(query)")
          #expect(reply.status == 200, "\(reply.text)")
          return reply
        }
        let both = try track("tolerance=5")
        #expect(both.headers["content-type"] == "application/geo+json")
        #expect(try both.json["type"] as? String == "MultiLineString")
        #expect((try both.json["coordinates"] as? [[[Double]]])?.map(\.count) == [5, 2])
        #expect((try both.json["times"] as? [[String]])?.map(\.count) == [5, 2])
        let first = try track("tolerance=30&to=2026-01-01T00:05:00Z")
        #expect(try first.json["type"] as? String == "LineString")
        #expect(try first.json["coordinates"] as? [[Double]] == [[16.5, 48], [16.5, 48.0099]])
        #expect(try first.json["times"] as? [String] == ["2026-01-01T00:00:00.000Z", "2026-01-01T00:01:39.000Z"])
        #expect(try first.json["vehicleId"] as? String == "VAN-1")
        let gpx = try track("format=gpx&tolerance=5")
        #expect(gpx.headers["content-type"] == "application/gpx+xml")
        let segments = gpx.text.components(separatedBy: "<trkseg>").dropFirst()
        #expect(segments.map { $0.components(separatedBy: "<trkpt ").count - 1 } == [5, 2])
        #expect(try track("from=2030-01-01T00:00:00Z").json["coordinates"] as? [Double] == [])
        for wrong in ["tolerance=-1", "tolerance=x", "tolerance=1e9", "format=kml", "from=now"] {
          #expect(try client.send("GET", "/api/vehicles/VAN-1/track?\(wrong)").status == 400, "\(wrong)")
        }
        #expect(try client.send("GET", "/api/vehicles/NONE/track").status == 404)
      }
    }
  }
}
