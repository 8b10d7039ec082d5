import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Costs of a vehicle, on both databases.
@Suite struct CostRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func costs_are_added_in_each_currency_and_divided_by_what_is_known(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      _ = try await server.addPerson("viewer@example.com", [.viewer])
      _ = try await server.addPerson("driver@example.com", [.driver])
      try await aside {
        let client = try server.client(server.keys.admin)
        func make(_ path: String, _ json: String) throws {
          let reply = try client.send("POST", path, json: json)
          #expect(reply.status == 201, "\(reply.text)")
        }
        func expense(_ at: String, _ category: String, _ amount: String, _ currency: String = "EUR") throws {
          try make(
            "/api/expenses",
            #"{"vehicleId":"VAN-1","at":"\#(at)","category":"\#(category)","amount":{"amount":"\#(amount)","currency":"\#(currency)"}}"#
          )
        }
        try expense("2026-05-01T00:00:00Z", "toll", "12.50")
        try expense("2026-05-10T10:00:00Z", "parking", "3")
        try expense("2026-05-10T10:00:00Z", "toll", "40", "CHF")
        // Outside of May.
        try expense("2026-04-30T23:59:59Z", "toll", "1000")
        try expense("2026-06-01T00:00:00Z", "toll", "1000")
        func fuel(_ rest: String) throws {
          try make(
            "/api/fuel-entries",
            #"{"vehicleId":"VAN-1","at":"2026-05-12T08:00:00Z","energy":"diesel","quantity":50,"full":true\#(rest)}"#)
        }
        try fuel(#","total":{"amount":"84.50","currency":"EUR"}"#)
        try fuel("")
        func service(_ date: String, _ rest: String) throws {
          try make(
            "/api/maintenance-records",
            #"{"vehicleId":"VAN-2","serviceType":"repair","completedDate":"\#(date)"\#(rest)}"#)
        }
        try service("2026-05-01", #","cost":{"amount":"120","currency":"EUR"}"#)
        let lines = ["EUR", "EUR", "CHF"].map { #"{"text":"x","cost":{"amount":"10","currency":"\#($0)"}}"# }
        try service("2026-05-31", #","lines":[\#(lines.joined(separator: ","))]"#)
        try service("2026-06-01", #","cost":{"amount":"7","currency":"EUR"}"#)
        try service("2026-05-20", "")
        // Not done yet.
        try make(
          "/api/maintenance-records",
          #"{"vehicleId":"VAN-2","serviceType":"repair","cost":{"amount":"9","currency":"EUR"}}"#)
        let repairs = try client.send("GET", "/api/vehicles/VAN-2/costs?from=2026-05-01&to=2026-05-31")
        let maintenance = try #require(
          (try repairs.json["byCategory"] as? [String: [[String: String]]])?["maintenance"], "\(repairs.text)")
        #expect(maintenance.map { $0["amount"] } == ["10.00", "140.00"])
        #expect(try repairs.json["withoutAmount"] as? Int == 1)
        let path = "/api/vehicles/VAN-1/costs?from=2026-05-01&to=2026-05-31"
        let without = try client.send("GET", path)
        #expect(without.status == 200, "\(without.text)")
        func money(_ reply: TestClient.Reply, _ key: String) throws -> [String] {
          try #require(try reply.json[key] as? [[String: Any]]).map { "\($0["amount"] ?? "") \($0["currency"] ?? "")" }
        }
        #expect(try money(without, "total") == ["40.00 CHF", "100.00 EUR"])
        #expect(try money(without, "perDay") == ["1.2903 CHF", "3.2258 EUR"])
        // Without records, neither the distance nor the hours are known.
        #expect(try money(without, "perKilometer") == [] && money(without, "perEngineHour") == [])
        #expect(try without.json["withoutAmount"] as? Int == 1)
        let categories = try #require(try without.json["byCategory"] as? [String: [[String: String]]])
        #expect(categories["fuel"] == [["amount": "84.50", "currency": "EUR"]])
        #expect(categories["toll"]?.count == 2 && categories["parking"]?.count == 1)
        // Half an hour at 72 km/h, on 20 May.
        let start = 139 * 86_400 + 3_600
        let records = (0...18).map {
          SampleRecord($0 + 1, second: start + $0 * 100, rest: #""rpm":1500,"speed":72"#)
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        let known = try client.send("GET", path)
        #expect(try money(known, "perKilometer") == ["1.1111 CHF", "2.7778 EUR"])
        #expect(try money(known, "perEngineHour") == ["80.00 CHF", "200.00 EUR"])
        let all = try client.send("GET", "/api/vehicles/VAN-1/costs?to=2026-12-31")
        #expect(try money(all, "total") == ["40.00 CHF", "2100.00 EUR"])
        #expect(try all.json["from"] as? String == "2026-04-30")
        #expect(try client.send("GET", "/api/vehicles/VAN-1/costs?from=2026-05-02&to=2026-05-01").status == 400)
        #expect(try client.send("GET", "/api/vehicles/NONE/costs").status == 404)
        for (email, status) in [("mech@example.com", 200), ("viewer@example.com", 403), ("driver@example.com", 403)] {
          #expect(try server.asPage(try server.signIn(email), "GET", path).status == status, "\(email)")
        }
      }
    }
  }
}
