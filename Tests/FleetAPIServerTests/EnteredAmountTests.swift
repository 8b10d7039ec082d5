import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Amounts that people enter in other units than the stored one, on both databases.
@Suite struct EnteredAmountTests {
  private static func amount(_ json: Any?) -> String {
    guard let amount = json as? [String: Any] else { return "-" }
    return "\(amount["value"] ?? "") \(amount["unit"] ?? "")"
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_amount_keeps_the_number_and_unit_that_were_entered(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func entered(_ json: [String: Any], _ key: String) -> String {
          Self.amount((json["entered"] as? [String: Any])?[key])
        }
        func patch(_ path: String, _ body: String) throws -> [String: Any] {
          let reply = try client.send("PATCH", path, json: body, headers: ["If-Match": "*"])
          #expect(reply.status == 200, "\(reply.text)")
          return try reply.json
        }
        let made = try client.send(
          "POST", "/api/fuel-entries",
          json:
            #"{"vehicleId":"VAN-1","at":"2026-05-10T10:00:00Z","energy":"diesel","quantity":10,"unit":"usGallon","entered":{"odometer":{"value":46300,"unit":"mi"}}}"#
        )
        #expect(made.status == 201, "\(made.text)")
        // 46,300 miles of 1.609344 km.
        #expect(try made.json["odometer"] as? Double == 74_512.627)
        #expect(try entered(made.json, "odometer") == "46300 mi")
        let path = "/api/fuel-entries/\(try #require(try made.json["id"] as? String))"
        // What was read is written back, as forms do.
        let same = try patch(path, #"{"odometer":74512.627,"entered":{"odometer":{"value":46300,"unit":"mi"}}}"#)
        #expect(entered(same, "odometer") == "46300 mi")
        #expect(entered(try patch(path, #"{"notes":"x"}"#), "odometer") == "46300 mi")
        // Its reading has the same amount.
        let readings = try client.send("GET", "/api/meter-readings?vehicle=VAN-1").list
        #expect(readings.map { entered($0, "odometer") } == ["46300 mi"])
        // Kilometres replace the miles.
        let metric = try patch(path, #"{"odometer":74600}"#)
        #expect(metric["odometer"] as? Int == 74_600 && metric["entered"] == nil)
        let again = try patch(path, #"{"entered":{"odometer":{"value":46400,"unit":"mi"}}}"#)
        #expect(again["odometer"] as? Double == 74_673.562)
        // All others of the kinds.
        let vehicle = try patch(
          "/api/vehicles/VAN-1",
          #"{"entered":{"tankCapacity":{"value":15,"unit":"usGallon"},"payload":{"value":2000,"unit":"lb"}}}"#)
        #expect(vehicle["tankCapacity"] as? Double == 56.781 && vehicle["payload"] as? Double == 907.185)
        #expect(entered(vehicle, "payload") == "2000 lb")
        let schedule = try client.send(
          "POST", "/api/service-schedules",
          json:
            #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"entered":{"kilometers":{"value":10000,"unit":"mi"}}}}"#
        )
        #expect(schedule.status == 201, "\(schedule.text)")
        let every = try #require(try schedule.json["every"] as? [String: Any])
        #expect(every["kilometers"] as? Double == 16_093.44 && entered(every, "kilometers") == "10000 mi")
        let place = "/api/service-schedules/\(try #require(try schedule.json["id"] as? String))"
        let changed = try #require(try patch(place, #"{"every":{"kilometers":20000}}"#)["every"] as? [String: Any])
        #expect(changed["kilometers"] as? Int == 20_000 && changed["entered"] == nil)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_journey_keeps_the_units_of_its_commands(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func send(_ path: String, _ json: String) throws -> [String: Any] {
          let reply = try client.send("POST", path, json: json)
          #expect((200...201).contains(reply.status), "\(reply.text)")
          return try reply.json
        }
        let driver = try #require(try send("/api/drivers", #"{"name":"Dora"}"#)["id"] as? String)
        let journey = try send("/api/journeys", #"{"driverId":"\#(driver)","vehicleId":"VAN-1"}"#)
        let path = "/api/journeys/\(try #require(journey["id"] as? String))"
        _ = try send("\(path)/start", #"{"entered":{"odometer":{"value":100,"unit":"mi"}}}"#)
        let ended = try send("\(path)/complete", #"{"odometer":200}"#)
        #expect(ended["startOdometer"] as? Double == 160.934 && ended["endOdometer"] as? Int == 200)
        let entered = try #require(ended["entered"] as? [String: Any])
        #expect(Self.amount(entered["startOdometer"]) == "100 mi" && entered["endOdometer"] == nil)
        let corrected = try client.send(
          "PATCH", path, json: #"{"entered":{"endOdometer":{"value":130,"unit":"mi"}}}"#, headers: ["If-Match": "*"])
        #expect(try corrected.json["endOdometer"] as? Double == 209.215, "\(corrected.text)")
        let both = try #require(try corrected.json["entered"] as? [String: Any])
        #expect(Self.amount(both["startOdometer"]) == "100 mi" && Self.amount(both["endOdometer"]) == "130 mi")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func changes_of_two_people_to_different_amounts_are_merged(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let seen = try #require(try client.send("GET", "/api/vehicles/VAN-1").headers["etag"])
        func patch(_ body: String) throws -> TestClient.Reply {
          try client.send("PATCH", "/api/vehicles/VAN-1", json: body, headers: ["If-Match": seen])
        }
        #expect(try patch(#"{"entered":{"payload":{"value":2000,"unit":"lb"}}}"#).status == 200)
        let second = try patch(#"{"entered":{"tankCapacity":{"value":10,"unit":"imperialGallon"}}}"#)
        #expect(second.status == 200, "\(second.text)")
        let entered = try #require(try second.json["entered"] as? [String: Any])
        #expect(Self.amount(entered["payload"]) == "2000 lb")
        #expect(Self.amount(entered["tankCapacity"]) == "10 imperialGallon")
        #expect(try second.json["tankCapacity"] as? Double == 45.461)
        let third = try patch(#"{"entered":{"payload":{"value":3000,"unit":"lb"}}}"#)
        #expect(third.status == 409 && third.text.contains(#""field":"payload""#), "\(third.text)")
      }
    }
  }

  @Test func a_wrong_unit_or_another_value_is_an_error_of_the_field() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for (body, path) in [
          (#""entered":{"odometer":{"value":1,"unit":"L"}}"#, "entered.odometer.unit"),
          (#""entered":{"odometer":{"value":1,"unit":"furlong"}}"#, "entered.odometer.unit"),
          (#""entered":{"odometer":{"unit":"mi"}}"#, "entered.odometer.value"),
          (#""odometer":5,"entered":{"odometer":{"value":1,"unit":"mi"}}"#, "entered.odometer.value"),
          (#""entered":{"speed":{"value":1,"unit":"mi"}}"#, "entered.speed"),
          (#""entered":{"odometer":{"value":-1,"unit":"mi"}}"#, "odometer"),
          (#""entered":3"#, "entered"),
        ] {
          let reply = try client.send(
            "POST", "/api/meter-readings", json: #"{"vehicleId":"VAN-1",\#(body)}"#)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(path)""#), "\(body): \(reply.text)")
        }
      }
    }
  }
}
