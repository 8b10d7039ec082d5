import FleetDomain
import FleetWork
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Faults that other fleet programs have, as tests that this one passes, on both databases.
@Suite struct PeerFaultTests {
  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (TestServer, TestClient) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("boss@example.com", [.admin])
      try await runBlocking { try body(server, try server.client(server.keys.admin)) }
    }
  }

  private static func made(_ client: TestClient, _ path: String, _ body: String) throws -> [String: Any] {
    let reply = try client.send("POST", "/api/\(path)", json: body)
    #expect(reply.status == 201, "\(path): \(reply.text)")
    return try reply.json
  }

  @Test(arguments: TestServer.Database.allCases)
  func fuel_after_a_partial_first_fill_is_not_divided_by_its_distance(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      for (day, odometer, quantity, full) in [(1, 10_000, 10, false), (2, 10_300, 40, true), (3, 10_800, 40, true)] {
        _ = try Self.made(
          client, "fuel-entries",
          #"{"vehicleId":"VAN-1","at":"2026-05-0\#(day)T10:00:00Z","energy":"diesel","quantity":\#(quantity),"full":\#(full),"odometer":\#(odometer)}"#
        )
      }
      let economy = try client.send("GET", "/api/vehicles/VAN-1/fuel-economy")
      let intervals = try #require(try economy.json["intervals"] as? [[String: Any]])
      #expect(intervals.map { $0["litresPer100km"] as? Double } == [8])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_odometer_that_is_edited_is_judged_like_any_reading(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      let fuel = try Self.made(
        client, "fuel-entries",
        #"{"vehicleId":"VAN-1","at":"2026-05-01T10:00:00Z","energy":"diesel","quantity":4,"odometer":10000}"#)
      let id = try #require(fuel["id"] as? String)
      for odometer in [10_010, 10_020, 10_020] {
        let edit = try client.send(
          "PATCH", "/api/fuel-entries/\(id)", json: #"{"odometer":\#(odometer)}"#, headers: ["If-Match": "*"])
        #expect(edit.status == 200)
      }
      let readings = try client.send("GET", "/api/meter-readings?vehicle=VAN-1").list
      #expect(readings.map { $0["odometer"] as? Double } == [10_020])
      // The vehicle's own odometer comes from readings. An edit adds a reading, which is marked as doubtful.
      let edit = try client.send(
        "PATCH", "/api/vehicles/VAN-1", json: #"{"odometer":1}"#, headers: ["If-Match": "*"])
      #expect(try edit.status == 422 || client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Double == 10_020)
      #expect(try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Double == 10_020)
      let doubtful = try client.send("GET", "/api/meter-readings?vehicle=VAN-1").list.first {
        $0["odometer"] as? Double == 1
      }
      #expect(doubtful?["source"] as? String == "manual" && doubtful?["flag"] as? String == "backward")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func closing_a_scheduled_record_resets_its_schedule_and_one_record_is_opened(
    _ database: TestServer.Database
  ) async throws {
    try await Self.run(on: database) { _, client in
      func read(_ odometer: Int) throws {
        _ = try Self.made(client, "meter-readings", #"{"vehicleId":"VAN-1","odometer":\#(odometer)}"#)
      }
      try read(9_000)
      let schedule = try Self.made(
        client, "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":10000},"lastService":{"odometer":0}}"#)
      let id = try #require(schedule["id"] as? String)
      func open() throws -> [[String: Any]] {
        try client.send("GET", "/api/maintenance-records?schedule=\(id)&status=scheduled,inProgress").list
      }
      #expect(try open().isEmpty)
      // Each reading past the threshold finds the open record.
      for odometer in stride(from: 10_010, through: 10_100, by: 10) { try read(odometer) }
      #expect(try open().count == 1)
      let record = try #require(try open().first?["id"] as? String)
      for command in ["start", "complete"] {
        #expect(try client.send("POST", "/api/maintenance-records/\(record)/\(command)", json: "{}").status == 200)
      }
      let after = try client.send("GET", "/api/service-schedules/\(id)").json
      #expect(after["state"] as? String == "ok")
      #expect((after["next"] as? [String: Any])?["dueOdometer"] as? Double == 20_100)
      try read(10_200)
      #expect(try open().isEmpty)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func metres_are_not_taken_for_kilometres(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      for (odometer, flag) in [(10_000, nil), (10_050_000, "wrongUnit"), (10_100, nil)] as [(Int, String?)] {
        let reading = try Self.made(client, "meter-readings", #"{"vehicleId":"VAN-1","odometer":\#(odometer)}"#)
        #expect(reading["flag"] as? String == flag)
      }
      #expect(try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Double == 10_100)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_new_driver_never_overwrites_an_administrator(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, client in
      let people = try client.send("GET", "/api/people?q=boss").list
      let boss = try #require(people.first?["id"] as? String)
      let same = try client.send(
        "POST", "/api/people",
        json: #"{"email":"Boss@example.com","firstName":"Dora","lastName":"Ray","roles":["driver"]}"#)
      #expect(same.status == 409, "\(same.text)")
      _ = try Self.made(client, "drivers", #"{"name":"Dora","personId":"\#(boss)"}"#)
      let second = try client.send("POST", "/api/drivers", json: #"{"name":"Emil","personId":"\#(boss)"}"#)
      #expect(second.status == 409, "\(second.text)")
      let person = try client.send("GET", "/api/people/\(boss)").json
      #expect(person["roles"] as? [String] == ["admin"] && person["email"] as? String == "boss@example.com")
      _ = try server.signIn("boss@example.com")
    }
  }
}
