import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// `/ws`: people receive the records that they may see, on both databases.
@Suite struct LiveVisibilityTests {
  /// A server with VAN-1 in the fleet North, VAN-2 in the fleet South, a viewer of North, and a driver Dora who has
  /// VAN-2 from second 100 up to second 200.
  private static func run(
    on database: TestServer.Database,
    _ body: @escaping @Sendable (TestServer, _ fleets: (north: String, south: String), _ dora: UUIDv7) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let person = try await server.addPerson("dora@example.com", [.driver])
      let dora = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var driver = Driver()
        (driver.name, driver.personID) = ("Dora", person.id)
        let stored = try transaction.insert(driver)
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle, assignment.status) = (stored.id, "VAN-2", .completed)
        (assignment.from, assignment.to) = (Self.time(100), Self.time(200))
        try transaction.insert(assignment)
        return stored.id
      }
      let fleets = depots.ids
      try await runBlocking { try body(server, fleets, dora) }
    }
  }

  private static func time(_ second: Int64) -> Timestamp {
    Timestamp(nanoseconds: SampleRecord.start + second * 1_000_000_000)
  }

  /// A connection of a person, as the server's own pages make it.
  private static func connect(_ email: String, _ server: TestServer) throws -> WebSocketTestClient {
    let session = try server.signIn(email)
    return try WebSocketTestClient(
      port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
  }

  /// Stores records of VAN-1 and VAN-2, one after another.
  private static func store(_ records: [(vehicle: Int, number: Int)], _ server: TestServer) throws {
    for (vehicle, number) in records {
      let sample = SampleRecord(number, vehicle: "VAN-\(vehicle)", gateway: "gw-\(vehicle)")
      let client = try server.client(vehicle == 1 ? server.keys.gateway : server.keys.otherGateway)
      let reply = try client.send("POST", "/api/telemetry", [sample].lines)
      guard reply.status == 200 else { throw TestClient.Failure(description: reply.text) }
    }
  }

  /// The numbers of the next records up to a last one, which the client may see.
  private static func numbers(_ client: WebSocketTestClient, until last: Int) throws -> [Int] {
    var numbers: [Int] = []
    repeat {
      let event = try client.event()
      guard let number = (event["record"] as? [String: Any])?["seq"] as? Int else {
        throw TestClient.Failure(description: "\(event)")
      }
      numbers.append(number)
    } while numbers.last != last
    return numbers
  }

  private static let sent = [(1, 50), (2, 99), (2, 100), (1, 150), (2, 199), (2, 200), (1, 250)]

  @Test(arguments: TestServer.Database.allCases)
  func each_person_gets_the_records_of_their_fleets_and_assignments(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, fleets, _ in
      // Channel, person, expected numbers.
      let cases: [(String, String, [Int])] = [
        ("fleet", "viewer@example.com", [50, 150, 250]),
        ("fleet:\(fleets.north)", "viewer@example.com", [50, 150, 250]),
        ("fleet", "dora@example.com", [100, 199]), ("me", "dora@example.com", [100, 199]),
        ("vehicle:VAN-2", "dora@example.com", [100, 199]), ("vehicle:VAN-1", "viewer@example.com", [50, 150, 250]),
      ]
      let listeners = try cases.map { channel, email, _ in
        let client = try Self.connect(email, server)
        #expect(try client.listen(channel)["event"] as? String == "subscribed", "\(channel)")
        return client
      }
      let admin = try WebSocketTestClient(port: server.port, token: server.keys.admin)
      _ = try admin.listen("fleet:\(fleets.south)")
      try Self.store(Self.sent, server)
      #expect(try Self.numbers(admin, until: 200) == [99, 100, 199, 200])
      for ((channel, email, expected), client) in zip(cases, listeners) {
        #expect(try Self.numbers(client, until: expected.last ?? 0) == expected, "\(channel) \(email)")
        // The same records for those who connect later, and nothing after them.
        let late = try Self.connect(email, server)
        _ = try late.listen(channel, after: 0)
        #expect(try Self.numbers(late, until: expected.last ?? 0) == expected, "\(channel) \(email)")
        try client.send(#"{"action":"ping"}"#)
        #expect(try client.event()["event"] as? String == "pong", "\(channel) \(email)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_change_of_an_assignment_or_a_fleet_applies_to_the_next_record(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, fleets, dora in
      let api = try server.client(server.keys.admin)
      let driver = try Self.connect("dora@example.com", server)
      _ = try driver.listen("fleet")
      let viewer = try Self.connect("viewer@example.com", server)
      _ = try viewer.listen("fleet")
      try Self.store([(2, 150), (1, 300)], server)
      #expect(try Self.numbers(driver, until: 150) == [150])
      #expect(try Self.numbers(viewer, until: 300) == [300])
      let from = TextOf.time(Self.time(400))
      let made = try api.send(
        "POST", "/api/assignments", json: #"{"driverId":"\#(dora.string)","vehicleId":"VAN-1","from":"\#(from)"}"#)
      #expect(made.status == 201, "\(made.text)")
      try Self.store([(1, 399), (1, 400), (1, 401)], server)
      #expect(try Self.numbers(driver, until: 401) == [400, 401])
      let id = try #require(try made.json["id"] as? String)
      let end = TextOf.time(Self.time(500))
      #expect(try api.send("POST", "/api/assignments/\(id)/end", json: #"{"at":"\#(end)"}"#).status == 200)
      let moved = try api.send(
        "PATCH", "/api/vehicles/VAN-1", json: #"{"fleetId":"\#(fleets.south)"}"#, headers: ["If-Match": "*"])
      #expect(moved.status == 200, "\(moved.text)")
      try Self.store([(1, 499), (1, 500), (2, 160)], server)
      #expect(try Self.numbers(driver, until: 160) == [499, 160])
      let back = try api.send(
        "PATCH", "/api/vehicles/VAN-1", json: #"{"fleetId":"\#(fleets.north)"}"#, headers: ["If-Match": "*"])
      #expect(back.status == 200, "\(back.text)")
      try Self.store([(1, 600)], server)
      #expect(try Self.numbers(viewer, until: 600) == [399, 400, 401, 600])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func channels_beyond_the_rights_of_a_client_are_refused(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, fleets, _ in
      let none = UUIDv7.random(at: WallClock.now).string
      for (email, channels) in [
        ("viewer@example.com", ["fleet:\(fleets.south)", "fleet:\(none)"]),
        ("dora@example.com", ["fleet:\(fleets.south)", "fleet:\(fleets.north)"]),
      ] {
        for channel in channels {
          let answer = try Self.connect(email, server).listen(channel)
          #expect((answer["error"] as? [String: Any])?["code"] as? String == "forbidden", "\(email) \(answer)")
        }
      }
      let token = try WebSocketTestClient(port: server.port, token: server.keys.admin)
      #expect((try token.listen("me")["error"] as? [String: Any])?["code"] as? String == "forbidden")
      // A vehicle that is not visible looks like one that does not exist.
      let driver = try Self.connect("dora@example.com", server)
      #expect(try driver.listen("vehicle:VAN-1")["event"] as? String == "subscribed")
    }
  }

  @Test func a_connection_that_authenticates_as_someone_else_loses_channels_with_other_records() async throws {
    try await Self.run(on: .sqlite) { server, fleets, _ in
      let reply = try server.client().send(
        "POST", "/api/auth/token",
        json: #"{"grant":"password","email":"dora@example.com","password":"\#(TestServer.password)"}"#)
      let token = try #require(try reply.json["accessToken"] as? String, "\(reply.text)")
      let client = try WebSocketTestClient(port: server.port, token: server.keys.admin)
      _ = try client.listen("fleet")
      try client.send(#"{"action":"authenticate","token":"\#(token)"}"#)
      #expect(try client.event()["event"] as? String == "authenticated")
      let ended = try client.event()
      #expect(ended["event"] as? String == "error" && ended["channel"] as? String == "fleet", "\(ended)")
      try Self.store([(1, 300), (2, 150)], server)
      try client.send(#"{"action":"subscribe","channel":"fleet","after":0}"#)
      #expect(try client.event()["event"] as? String == "subscribed")
      #expect(try Self.numbers(client, until: 150) == [150])
    }
  }
}
