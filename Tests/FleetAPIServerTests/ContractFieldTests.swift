import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Fields of fleet.md that the server computes or that have two names, on both databases.
@Suite struct ContractFieldTests {
  private static let any = ["If-Match": "*"]

  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (TestServer, TestClient) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      _ = try await server.addPerson("viewer@example.com", [.viewer])
      try await runBlocking { try body(server, try server.client(server.keys.admin)) }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_given_odometer_becomes_one_reading(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { server, client in
      let made = try client.send("POST", "/api/vehicles", json: #"{"id":"NEW","odometer":12000,"engineHours":300.5}"#)
      #expect(made.status == 201, "\(made.text)")
      #expect(try made.json["odometer"] as? Double == 12_000 && made.json["engineHours"] as? Double == 300.5)
      func readings() throws -> [[String: Any]] { try client.send("GET", "/api/meter-readings?vehicle=NEW").list }
      #expect(try readings().compactMap { $0["source"] as? String } == ["manual", "manual"])
      func patch(_ body: String) throws -> TestClient.Reply {
        try client.send("PATCH", "/api/vehicles/NEW", json: body, headers: Self.any)
      }
      let changed = try patch(#"{"odometer":12010,"name":"Van"}"#)
      #expect(try changed.json["odometer"] as? Double == 12_010 && changed.json["name"] as? String == "Van")
      #expect(try readings().count == 3)
      // The same value again is no reading, and a wrong one is stored but not used.
      #expect(try patch(#"{"odometer":12010}"#).status == 200)
      #expect(try readings().count == 3)
      let backward = try patch(#"{"odometer":1}"#)
      #expect(try backward.status == 200 && backward.json["odometer"] as? Double == 12_010, "\(backward.text)")
      #expect(try client.send("GET", "/api/meter-readings?vehicle=NEW&flag=backward").list.count == 1)
      for wrong in [#"{"odometer":-1}"#, #"{"odometer":"x"}"#, #"{"engineHours":99999999}"#] {
        #expect(try patch(wrong).status == 422, "\(wrong)")
      }
      // The workshop enters readings, but changes nothing else of a vehicle.
      let mechanic = try server.signIn("mech@example.com")
      func asMechanic(_ body: String) throws -> Int {
        try server.asPage(mechanic, "PATCH", "/api/vehicles/NEW", body, headers: Self.any).status
      }
      #expect(try asMechanic(#"{"odometer":12020}"#) == 200)
      #expect(try asMechanic(#"{"odometer":12030,"name":"x"}"#) == 403)
      #expect(try client.send("GET", "/api/vehicles/NEW").json["odometer"] as? Double == 12_020)
      let viewer = try server.signIn("viewer@example.com")
      #expect(
        try server.asPage(viewer, "PATCH", "/api/vehicles/NEW", #"{"odometer":2}"#, headers: Self.any).status == 403)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_change_of_what_the_server_sets_is_rejected(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      let vehicle = try client.send("GET", "/api/vehicles/VAN-1")
      for key in [
        #""status":"retired""#, #""lifetimeKilometers":1"#, #""odometerAt":"2026-05-04T10:00:00Z""#,
        #""createdAt":"2026-05-04T10:00:00Z""#, #""addedAt":"2026-05-04T10:00:00Z""#,
        #""lastRecordAt":null,"dailyKilometers":3"#,
      ] {
        let reply = try client.send("PATCH", "/api/vehicles/VAN-1", json: "{\(key)}", headers: Self.any)
        #expect(reply.status == 422, "\(key) \(reply.text)")
      }
      // An answer that is sent back changes nothing.
      let back = try client.send("PATCH", "/api/vehicles/VAN-1", json: vehicle.text, headers: Self.any)
      #expect(back.status == 200 && back.headers["etag"] == vehicle.headers["etag"], "\(back.text)")
      let fleet = try client.send("POST", "/api/fleets", json: #"{"name":"North"}"#)
      let id = try #require(try fleet.json["id"] as? String)
      let metrics = try client.send(
        "PATCH", "/api/fleets/\(id)", json: #"{"metrics":{"total":9}}"#, headers: Self.any)
      #expect(metrics.status == 422, "\(metrics.text)")
      #expect(
        try client.send("PATCH", "/api/fleets/\(id)", json: #"{"id":"\#(id)","notes":"x"}"#, headers: Self.any).status
          == 200)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func readings_of_other_sources_come_only_from_the_server(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      for (source, status) in [
        ("gateway", 422), ("journey", 422), ("fuel", 422), ("inspection", 422), ("service", 422), ("import", 201),
        ("manual", 201),
      ] {
        let reply = try client.send(
          "POST", "/api/meter-readings", json: #"{"vehicleId":"VAN-1","odometer":10,"source":"\#(source)"}"#)
        #expect(reply.status == status, "\(source) \(reply.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func reports_have_scope_metrics_and_times(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ body: String) throws -> TestClient.Reply { try client.send("POST", "/api/reports", json: body) }
        let range = #""from":"2026-05-04","to":"2026-05-10""#
        let all = try make(#"{"kind":"maintenance","scope":"all",\#(range),"metrics":["done"]}"#)
        #expect(all.status == 201 && all.text.contains(#""scope":"all""#), "\(all.text)")
        #expect(try all.json["generatedAt"] as? String != nil)
        let record = try client.send(
          "POST", "/api/maintenance-records",
          json: #"{"vehicleId":"VAN-1","serviceType":"repair","completedDate":"2026-05-05"}"#)
        #expect(record.status == 201, "\(record.text)")
        let fleet = #"["\#(depots.ids.north)"]"#
        let north = try make(
          #"{"kind":"maintenance","scope":\#(fleet),"from":"2026-05-05T12:00:00Z","to":"2026-05-06T00:00:00Z","metrics":["done"]}"#
        )
        let rows = try #require(try north.json["rows"] as? [[String: Any]])
        #expect(rows.map { Set($0.keys) } == [["group", "done"]] && rows[0]["done"] as? Int == 1, "\(north.text)")
        #expect(try north.json["from"] as? String == "2026-05-05" && north.json["to"] as? String == "2026-05-05")
        #expect(try north.json["scope"] as? [String] == [depots.ids.north])
        for wrong in [
          #"{"kind":"maintenance","scope":"x",\#(range)}"#, #"{"kind":"maintenance","scope":[],\#(range)}"#,
          #"{"kind":"maintenance","scope":\#(fleet),"fleetId":"\#(depots.ids.south)",\#(range)}"#,
          #"{"kind":"maintenance","metrics":["distance"],\#(range)}"#,
        ] {
          #expect(try make(wrong).status == 422, "\(wrong)")
        }
        func count(_ query: String) throws -> Int { try client.send("GET", "/api/reports?\(query)").list.count }
        #expect(try count("fleet=\(depots.ids.north)") == 1)
        #expect(try count("sort=-from&groupBy=vehicle&from=2026-05-06&to=2026-05-07") == 1)
        #expect(try count("generatedAtFrom=2020-01-01") == 2)
        #expect(!(try client.send("GET", "/api/reports")).text.contains(#""rows""#))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_contract_s_certification_is_understood(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client in
      let driver = try #require(
        try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#).json["id"] as? String)
      let made = try client.send(
        "POST", "/api/inspections",
        json:
          #"{"vehicleId":"VAN-1","driverId":"\#(driver)","kind":"postTrip","odometer":10,"items":[{"item":"horn","result":"defect","note":"silent"}]}"#
      )
      let path = "/api/inspections/\(try #require(try made.json["id"] as? String, "\(made.text)"))"
      #expect(try client.send("POST", path + "/sign", json: #"{"signature":"Dora"}"#).status == 200)
      let certified = try client.send("POST", path + "/certify", json: #"{"certification":"repairUnnecessary"}"#)
      #expect(certified.status == 200 && certified.text.contains(#""result":"repairUnnecessary""#), "\(certified.text)")
    }
  }
}
