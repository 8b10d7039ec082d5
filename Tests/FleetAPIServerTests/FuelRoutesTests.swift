import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Fuel entries and the consumption that follows from them, on both databases.
@Suite struct FuelRoutesTests {
  private static func body(
    _ day: Int, _ odometer: Int?, _ quantity: Double, full: Bool = true, more: String = ""
  ) -> String {
    let read = odometer.map { #""odometer":\#($0),"# } ?? ""
    return
      #"{"vehicleId":"VAN-1","at":"2026-05-\#(day)T10:00:00Z",\#(read)"energy":"diesel","quantity":\#(quantity),"full":\#(full)\#(more)}"#
  }

  @Test(arguments: TestServer.Database.allCases)
  func consumption_follows_from_full_tanks(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        // In the order in which people remember receipts.
        for body in [
          Self.body(22, 10_500, 20), Self.body(20, nil, 10, full: false), Self.body(10, 10_000, 40),
          Self.body(15, 10_100, 10, full: false), Self.body(25, 10_600, 5, more: #","unit":"usGallon""#),
        ] {
          let reply = try client.send("POST", "/api/fuel-entries", json: body)
          #expect(reply.status == 201, "\(reply.text)")
        }
        let path = "/api/vehicles/VAN-1/fuel-economy"
        let reply = try client.send("GET", path)
        let intervals = try #require(try reply.json["intervals"] as? [[String: Any]])
        #expect(intervals.map { $0["litresPer100km"] as? Double } == [8, 18.927], "\(reply.text)")
        #expect(intervals.map { $0["distance"] as? Int } == [500, 100])
        let average = try #require((try reply.json["average"] as? [String: [String: Any]])?["diesel"])
        #expect(average["quantity"] as? Double == 58.927 && average["litresPer100km"] as? Double == 9.821)
        // An interval counts in the range of its end, although it began before.
        func count(_ query: String) throws -> Int? {
          (try client.send("GET", "\(path)?\(query)").json["intervals"] as? [Any])?.count
        }
        #expect(try count("from=2026-05-23T00:00:00Z") == 1)
        #expect(try count("from=2026-05-21T00:00:00Z&to=2026-05-23T00:00:00Z") == 1)
        #expect(try count("to=2026-05-22T10:00:00Z") == 0)
        #expect(
          try client.send("GET", "\(path)?from=2026-05-23T00:00:00Z&to=2026-05-22T00:00:00Z").status == 400)
        #expect(try client.send("GET", "/api/vehicles/NONE/fuel-economy").status == 404)
        #expect(try count("from=2026-05-22&to=2026-05-22") == 1 && count("from=2026-05-23&to=2026-05-24") == 0)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func consumption_does_not_use_rejected_readings(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func add(_ body: String) throws {
          let reply = try client.send("POST", "/api/fuel-entries", json: body)
          #expect(reply.status == 201, "\(reply.text)")
        }
        try add(Self.body(10, 10_000, 40))
        // 80,000 km in two days are impossible, and so is a reading that goes back.
        try add(Self.body(12, 90_000, 30))
        try add(Self.body(14, 9_000, 10))
        try add(Self.body(20, 11_000, 20))
        let flags = try client.send("GET", "/api/meter-readings?vehicle=VAN-1&flag=tooFast,backward").list
        #expect(flags.count == 2)
        let path = "/api/vehicles/VAN-1/fuel-economy"
        func intervals(_ query: String = "") throws -> [[String: Any]] {
          try #require(try client.send("GET", path + query).json["intervals"] as? [[String: Any]])
        }
        // The litres of both fills belong to the interval that ends with the next usable reading.
        #expect(try intervals().map { $0["distance"] as? Int } == [1_000])
        #expect(try intervals().map { $0["litresPer100km"] as? Double } == [6])
        #expect(try intervals("?from=2026-05-15T00:00:00Z").map { $0["distance"] as? Int } == [1_000])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func quantities_keep_what_was_entered_and_are_also_in_litres(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let price = #","price":{"amount":"3.499","currency":"USD"}"#
        let made = try client.send(
          "POST", "/api/fuel-entries", json: Self.body(10, 1, 10, more: #","unit":"usGallon"\#(price)"#))
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json["quantity"] as? Int == 10 && made.json["unit"] as? String == "usGallon")
        #expect(try made.json["standardQuantity"] as? Double == 37.85411784)
        let id = try #require(try made.json["id"] as? String)
        let changed = try client.send(
          "PATCH", "/api/fuel-entries/\(id)", json: #"{"quantity":20,"unit":"L"}"#, headers: ["If-Match": "*"])
        #expect(try changed.json["standardQuantity"] as? Int == 20)
        for (wrong, path) in [
          (Self.body(10, 1, 0), "quantity"), (Self.body(10, 1, 100_001), "quantity"),
          (Self.body(10, -1, 1), "odometer"), (Self.body(10, 1, 1, more: #","unit":"kWh""#), "unit"),
          (Self.body(10, 1, 1, more: #","unit":"pint""#), "unit"),
          (Self.body(10, 1, 1, more: price + #","total":{"amount":"1","currency":"EUR"}"#), "price"),
        ] {
          let reply = try client.send("POST", "/api/fuel-entries", json: wrong)
          #expect(reply.status == 422 && reply.text.contains(#""path":"\#(path)""#), "\(reply.text)")
        }
      }
    }
  }

  /// A phone that did not get the answer sends the same again, and the server had added values.
  @Test(arguments: TestServer.Database.allCases)
  func a_repeated_entry_of_a_driver_is_stored_once(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora","personId":"\#(dora.id.string)"}"#)
        let id = try #require(try driver.json["id"] as? String)
        let session = try server.signIn("dora@example.com")
        let assigned = try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(id)","vehicleId":"VAN-1","from":"2026-05-01T00:00:00Z","to":"2026-06-01T00:00:00Z"}"#)
        #expect(assigned.status == 201)
        let path = "/api/fuel-entries/\(UUIDv7.random(at: WallClock.now).string)"
        func put(_ body: String) throws -> TestClient.Reply {
          try server.asPage(session, "PUT", path, body, headers: ["If-None-Match": "*"])
        }
        let first = try put(Self.body(10, 1, 40))
        #expect(first.status == 201 && first.text.contains(id), "\(first.text)")
        let again = try put(Self.body(10, 1, 40))
        #expect(again.status == 201 && again.body == first.body, "\(again.text)")
        #expect(try put(Self.body(10, 1, 41)).status == 409)
        #expect(try put(Self.body(10, 1, 40, more: #","unit":"usGallon""#)).status == 409)
        #expect(try client.send("GET", "/api/fuel-entries?driver=\(id)").list.count == 1)
        // The same of an assignment, whose start the server sets.
        let assignment = "/api/assignments/\(UUIDv7.random(at: WallClock.now).string)"
        for _ in 0..<2 {
          let reply = try client.send(
            "PUT", assignment, json: #"{"driverId":"\#(id)","vehicleId":"VAN-2"}"#, headers: ["If-None-Match": "*"])
          #expect(reply.status == 201, "\(reply.text)")
        }
      }
    }
  }
}
