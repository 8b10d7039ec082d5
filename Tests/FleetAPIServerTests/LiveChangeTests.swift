import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// `/ws`: clients that subscribe with `changes` learn of the changes of things that they may read, on both databases.
@Suite struct LiveChangeTests {
  // MARK: What clients receive

  @Test(arguments: TestServer.Database.allCases)
  func one_page_learns_what_another_page_changes(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let api = try server.client(server.keys.admin)
        let vin = "WVWZZZ1KZAW000001"
        let named = try api.send("PATCH", "/api/vehicles/VAN-1", json: #"{"vin":"\#(vin)"}"#, headers: Self.any)
        #expect(named.status == 200, "\(named.text)")
        let listeners = try ["fleet", "vehicle:VAN-1", "vehicle:\(vin)"].map { channel in
          try Self.follower(of: channel, server, server.keys.readOnly)
        }
        let defect = try Self.make("/api/defects", #"{"vehicleId":"VAN-1","text":"no horn"}"#, api)
        var versions: [Int] = []
        for listener in listeners {
          let change = try Self.change(of: defect, listener)
          #expect(change["kind"] as? String == "defect" && change["vehicleId"] as? String == "VAN-1")
          #expect(change["action"] as? String == "created")
          // The page reads the rest with its own rights.
          #expect(Set(change.keys) == ["kind", "id", "vehicleId", "action", "version"])
          versions.append(try #require(change["version"] as? Int))
        }
        #expect(Set(versions).count == 1)
        let changed = try api.send(
          "PATCH", "/api/defects/\(defect)", json: #"{"text":"no horn at all"}"#, headers: Self.any)
        #expect(changed.status == 200, "\(changed.text)")
        for listener in listeners {
          let change = try Self.change(of: defect, listener)
          #expect(change["action"] as? String == "updated")
          #expect(change["version"] as? Int ?? 0 > versions[0])
        }
        let moved = try api.send("PATCH", "/api/vehicles/VAN-1", json: #"{"notes":"new"}"#, headers: Self.any)
        #expect(moved.status == 200, "\(moved.text)")
        for listener in listeners {
          #expect(try Self.change(of: "VAN-1", listener)["kind"] as? String == "vehicle")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_removed_thing_is_reported_to_those_who_could_read_it(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let api = try server.client(server.keys.admin)
        let north = try Self.follower(of: "fleet", server, try server.accessToken("north@example.com"))
        let all = try Self.follower(of: "fleet:\(fleets.south)", server, server.keys.readOnly)
        let schedules = try ["VAN-1", "VAN-2"].map { vehicle in
          try Self.make(
            "/api/service-schedules",
            #"{"vehicleId":"\#(vehicle)","serviceType":"oilChange","every":{"kilometers":10000}}"#, api)
        }
        #expect(try Self.change(of: schedules[0], north)["action"] as? String == "created")
        #expect(try Self.change(of: schedules[1], all)["action"] as? String == "created")
        for schedule in schedules.reversed() {
          #expect(try api.send("DELETE", "/api/service-schedules/\(schedule)").status == 204)
        }
        // The removal of the schedule of VAN-2 was earlier, and nobody of the other fleet learned of it.
        var seen: [String] = []
        var change: [String: Any] = [:]
        repeat {
          change = try Self.next(north)
          seen.append(change["id"] as? String ?? "")
        } while seen.last != schedules[0]
        #expect(change["action"] as? String == "deleted" && change["vehicleId"] as? String == "VAN-1")
        #expect(!seen.contains(schedules[1]))
        #expect(try Self.change(of: schedules[1], all)["action"] as? String == "deleted")
      }
    }
  }

  @Test func a_change_by_another_server_or_a_command_is_sent_as_well() async throws {
    let database = try await runBlocking { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      let listener = try await runBlocking {
        let listener = try Self.follower(of: "fleet", first, first.keys.readOnly)
        let api = try second.client(second.keys.admin)
        let defect = try Self.make("/api/defects", #"{"vehicleId":"VAN-1","text":"no horn"}"#, api)
        #expect(try Self.change(of: defect, listener)["action"] as? String == "created")
        return Unchecked(listener)
      }
      let driver = try await Self.addDrivers(1, to: second.storage)[0]
      try await runBlocking {
        let change = try Self.change(of: driver, listener.value)
        #expect(change["kind"] as? String == "driver" && change["vehicleId"] == nil)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_reading_of_a_gateway_in_a_private_journey_is_not_sent(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let listener = try await runBlocking {
        Unchecked(try Self.follower(of: "vehicle:VAN-1", server, server.keys.readOnly))
      }
      let now = WallClock.now
      let reading = try await server.storage.change(tenant: .standard, by: Actor(.server), at: now) {
        transaction throws(ThingError) in
        var journey = Journey()
        (journey.vehicle, journey.purpose, journey.status) = ("VAN-1", .personal, .completed)
        journey.isConfirmed = true
        (journey.startTime, journey.endTime) = (now.adding(seconds: -3_600), now.adding(seconds: -1_800))
        try transaction.insert(journey)
        var reading = MeterReading()
        (reading.vehicle, reading.odometer, reading.source) = ("VAN-1", 48_210, .gateway)
        reading.at = now.adding(seconds: -2_000)
        try transaction.insert(reading)
        // After the journey.
        (reading.odometer, reading.at) = (48_220, now.adding(seconds: -60))
        return try transaction.insert(reading).id.string
      }
      try await runBlocking {
        var kinds: [String: [String]] = [:]
        var change: [String: Any] = [:]
        repeat {
          change = try Self.next(listener.value)
          if let kind = change["kind"] as? String, let id = change["id"] as? String {
            kinds[kind, default: []].append(id)
          }
        } while change["id"] as? String != reading
        #expect(kinds.values.flatMap { $0 }.count == 2 && kinds.values.contains([reading]), "\(kinds)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func many_changes_are_one_message_that_names_no_thing(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let listener = try await runBlocking { Unchecked(try Self.follower(of: "fleet", server, server.keys.readOnly)) }
      _ = try await Self.addDrivers(Int(ChangeFeed.page) + 1, to: server.storage)
      let driver = try await runBlocking {
        let event = try listener.value.event()
        #expect(event["event"] as? String == "change" && event["channel"] as? String == "fleet")
        #expect(event["change"] == nil)
        return try Self.make("/api/drivers", #"{"name":"Ann"}"#, try server.client(server.keys.admin))
      }
      try await runBlocking { try Self.expectNext(driver, listener.value) }
    }
  }

  @Test func changes_arrive_after_the_storage_has_failed() async throws {
    try await TestServer.run { server in
      let listener = try await runBlocking { Unchecked(try Self.follower(of: "fleet", server, server.keys.readOnly)) }
      let failures = server.storage.fail(.auditNumbers, times: 2)
      let driver = try await Self.addDrivers(1, to: server.storage)[0]
      try await runBlocking { try Self.expectNext(driver, listener.value) }
      #expect(failures.value > 2)
    }
  }

  // MARK: Who receives it

  @Test(arguments: TestServer.Database.allCases)
  func nobody_learns_of_things_that_they_may_not_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let south = FleetScope.fleets([try UUIDv7.parsed(depots.ids.south)])
      let people = [
        try await server.addPerson("dora@example.com", [.driver]),
        try await server.addPerson("dan@example.com", [.driver]),
        try await server.addPerson("tina@example.com", [.maintenance], scope: south), depots.viewer,
        try await server.addPerson("boss@example.com", [.admin]),
      ]
      let dora = people[0].id
      // Dora has VAN-2 now. Dan has no vehicle.
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var driver = Driver()
        (driver.name, driver.personID) = ("Dora", dora)
        let stored = try transaction.insert(driver)
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (stored.id, "VAN-2")
        (assignment.status, assignment.from) = (.active, transaction.now.adding(seconds: -3_600))
        try transaction.insert(assignment)
      }
      let ids = people.map(\.id.string)
      try await runBlocking {
        let api = try server.client(server.keys.admin)
        let cases: [(email: String, channel: String, expected: Set<String>)] = [
          ("boss@example.com", "fleet", ["north defect", "south defect", "south expense", "rule", "tenant expense"]),
          ("boss@example.com", "me", []), ("viewer@example.com", "fleet", ["north defect"]),
          ("tina@example.com", "fleet", ["south defect", "south expense"]),
          ("dora@example.com", "fleet", ["south defect"]), ("dora@example.com", "me", ["south defect"]),
          ("dan@example.com", "fleet", []), ("dan@example.com", "me", []),
        ]
        let listeners = try cases.map { email, channel, _ in
          try Self.follower(of: channel, server, try server.accessToken(email))
        }
        func expense(_ vehicle: String?) throws -> String {
          let of = vehicle.map { #""vehicleId":"\#($0)","# } ?? ""
          return try Self.make(
            "/api/expenses",
            #"{\#(of)"at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"EUR"}}"#, api)
        }
        var made: [String: String] = [:]
        for (name, vehicle) in [("north defect", "VAN-1"), ("south defect", "VAN-2")] {
          made[try Self.make("/api/defects", #"{"vehicleId":"\#(vehicle)","text":"no horn"}"#, api)] = name
        }
        made[try expense("VAN-2")] = "south expense"
        made[try expense(nil)] = "tenant expense"
        let rule = #"{"name":"N","events":["journeyIncident"],"roles":["admin"]}"#
        made[try Self.make("/api/rules", rule, api)] = "rule"
        // All may read their own accounts, so the change of the account is the last message.
        for id in ids {
          let reply = try api.send("PATCH", "/api/people/\(id)", json: #"{"lastName":"Last"}"#, headers: Self.any)
          #expect(reply.status == 200, "\(reply.text)")
        }
        for (listener, (email, channel, expected)) in zip(listeners, cases) {
          let index = ["dora", "dan", "tina", "viewer", "boss"].firstIndex { email.hasPrefix($0) } ?? 0
          var seen: Set<String> = []
          var id = ""
          repeat {
            id = try #require(try Self.next(listener)["id"] as? String)
            seen.formUnion([made[id]].compactMap { $0 })
          } while id != ids[index]
          #expect(seen == expected, "\(email) \(channel)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_channel_of_a_fleet_or_vehicle_has_only_its_changes(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      try await runBlocking {
        let api = try server.client(server.keys.admin)
        let fleet = try Self.follower(of: "fleet:\(fleets.south)", server, server.keys.admin)
        let vehicle = try Self.follower(of: "vehicle:VAN-2", server, server.keys.admin)
        for name in ["VAN-1", "FREE", "VAN-2"] {
          _ = try Self.make("/api/defects", #"{"vehicleId":"\#(name)","text":"no horn"}"#, api)
        }
        for listener in [fleet, vehicle] {
          #expect(try Self.next(listener)["vehicleId"] as? String == "VAN-2")
        }
        let renamed = try api.send("PATCH", "/api/fleets/\(fleets.south)", json: #"{"name":"S"}"#, headers: Self.any)
        #expect(renamed.status == 200, "\(renamed.text)")
        #expect(try Self.next(fleet)["id"] as? String == fleets.south)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func changes_of_one_tenant_never_reach_another(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let body = #"{"vehicleId":"VAN-1","text":"no horn"}"#
        let own = try Self.follower(of: "fleet", server, server.keys.admin)
        let foreign = try ["fleet", "vehicle:VAN-1"].map { channel in
          try Self.follower(of: channel, server, server.keys.foreignAdmin)
        }
        let first = try Self.make("/api/defects", body, try server.client(server.keys.admin))
        #expect(try Self.next(own)["id"] as? String == first)
        let second = try Self.make("/api/defects", body, try server.client(server.keys.foreignAdmin))
        for client in foreign { #expect(try Self.next(client)["id"] as? String == second) }
        let third = try Self.make("/api/defects", body, try server.client(server.keys.admin))
        #expect(try Self.next(own)["id"] as? String == third)
      }
    }
  }

  @Test func a_new_token_of_the_connection_determines_what_it_learns() async throws {
    try await TestServer.run { server in
      let listener = try await runBlocking { Unchecked(try Self.follower(of: "fleet", server, server.keys.admin)) }
      let ann = try await server.addPerson("ann@example.com").id.string
      try await runBlocking {
        #expect(try Self.next(listener.value)["id"] as? String == ann)
        try listener.value.send(#"{"action":"authenticate","token":"\#(server.keys.readOnly)"}"#)
        #expect(try listener.value.event()["event"] as? String == "authenticated")
      }
      _ = try await server.addPerson("bob@example.com")
      let driver = try await Self.addDrivers(1, to: server.storage)[0]
      // The second token may not read people.
      try await runBlocking { try Self.expectNext(driver, listener.value) }
    }
  }

  // MARK: Subscriptions

  @Test(arguments: TestServer.Database.allCases)
  func clients_receive_only_what_they_have_asked_for(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let token = server.keys.readOnly
        let records = try WebSocketTestClient(port: server.port, token: token)
        #expect(try records.listen("fleet")["event"] as? String == "subscribed")
        let changes = try Self.follower(of: "fleet", server, token)
        let both = try Self.follower(of: "fleet", server, token, hasRecords: true)
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect(try records.event()["event"] as? String == "record")
        #expect(try both.event()["event"] as? String == "record")
        let driver = try Self.make("/api/drivers", #"{"name":"Ann"}"#, try server.client(server.keys.admin))
        // The record has changed its vehicle, too.
        for client in [changes, both] { _ = try Self.change(of: driver, client) }
        try Self.expectNothing(records)
        let metrics = try server.client(server.keys.admin).send("GET", "/api/metrics").text
        #expect(metrics.contains("fleetstore_live_subscriptions 3\n"))
        // After the end of a subscription, nothing is sent.
        try both.send(#"{"action":"unsubscribe","channel":"fleet"}"#)
        #expect(try both.event()["event"] as? String == "unsubscribed")
        let second = try Self.make("/api/drivers", #"{"name":"Bob"}"#, try server.client(server.keys.admin))
        try Self.expectNext(second, changes)
        try Self.expectNothing(both)
        try both.send(#"{"action":"subscribe","channel":"fleet","records":false}"#)
        let refused = try both.event()
        #expect((refused["error"] as? [String: Any])?["code"] as? String == "badRequest", "\(refused)")
      }
    }
  }

  // MARK: Helper functions

  private static let any = ["If-Match": "*"]

  /// Connects, and subscribes to the changes of a channel.
  private static func follower(
    of channel: String, _ server: TestServer, _ token: String, hasRecords: Bool = false
  ) throws -> WebSocketTestClient {
    let client = try WebSocketTestClient(port: server.port, token: token)
    #expect(try client.event()["event"] as? String == "authenticated")
    try client.send(#"{"action":"subscribe","channel":"\#(channel)","changes":true,"records":\#(hasRecords)}"#)
    let answer = try client.event()
    #expect(answer["event"] as? String == "subscribed", "\(channel): \(answer)")
    return client
  }

  /// Returns the next change.
  private static func next(_ client: WebSocketTestClient) throws -> [String: Any] {
    let event = try client.event()
    guard event["event"] as? String == "change", let change = event["change"] as? [String: Any] else {
      throw TestClient.Failure(description: "\(event)")
    }
    return change
  }

  /// Returns the next change of a thing.
  private static func change(of id: String, _ client: WebSocketTestClient) throws -> [String: Any] {
    var change: [String: Any] = [:]
    repeat { change = try next(client) } while change["id"] as? String != id
    return change
  }

  /// Expects that the next message is the change of a thing.
  private static func expectNext(_ id: String, _ client: WebSocketTestClient) throws {
    #expect(try next(client)["id"] as? String == id)
  }

  /// Expects that the client has received no further message.
  private static func expectNothing(_ client: WebSocketTestClient) throws {
    try client.send(#"{"action":"ping"}"#)
    #expect(try client.event()["event"] as? String == "pong")
  }

  /// Creates a thing. Returns its id.
  private static func make(_ path: String, _ body: String, _ api: TestClient) throws -> String {
    let reply = try api.send("POST", path, json: body)
    return try #require(try reply.json["id"] as? String, "\(reply.text)")
  }

  /// Adds drivers in one transaction, as a command does. Returns their ids.
  private static func addDrivers(_ count: Int, to storage: TroubledStorage) async throws -> [String] {
    try await storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      var ids: [String] = []
      for number in 0..<count {
        var driver = Driver()
        driver.name = "Driver \(number)"
        ids.append(try transaction.insert(driver).id.string)
      }
      return ids
    }
  }
}
