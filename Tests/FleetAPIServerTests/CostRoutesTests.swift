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
      try await runBlocking {
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

  @Test(arguments: TestServer.Database.allCases)
  func odometer_readings_give_the_distance_of_days_without_telemetry(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func fill(_ day: Int, _ odometer: Int) throws -> String {
          let body =
            #"{"vehicleId":"VAN-1","at":"2026-05-\#(day)T20:00:00Z","energy":"diesel","quantity":40,"full":true,"odometer":\#(odometer),"total":{"amount":"50","currency":"EUR"}}"#
          let reply = try client.send("POST", "/api/fuel-entries", json: body)
          #expect(reply.status == 201, "\(reply.text)")
          return try #require(try reply.json["id"] as? String)
        }
        func costs() throws -> (distance: [String: Any]?, perKilometer: [[String: String]]?, total: [[String: String]]?)
        {
          let json = try client.send("GET", "/api/vehicles/VAN-1/costs?from=2026-05-01&to=2026-05-31").json
          return (
            json["distance"] as? [String: Any], json["perKilometer"] as? [[String: String]],
            json["total"] as? [[String: String]]
          )
        }
        _ = try fill(10, 1_000)
        _ = try fill(14, 1_400)
        let odometer = try costs()
        #expect(odometer.distance?["kilometers"] as? Int == 400 && odometer.distance?["basis"] as? String == "odometer")
        #expect(odometer.distance?["odometerDays"] as? Int == 4)
        #expect(odometer.perKilometer == [["amount": "0.25", "currency": "EUR"]])
        // 36 km on 20 May, half an hour at 72 km/h.
        let start = 139 * 86_400 + 3_600
        let records = (0...18).map { SampleRecord($0 + 1, second: start + $0 * 100, rest: #""rpm":1500,"speed":72"#) }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        let both = try costs()
        #expect(both.distance?["kilometers"] as? Int == 436 && both.distance?["basis"] as? String == "mixed")
        #expect(both.distance?["telemetryDays"] as? Int == 1)
        #expect(both.perKilometer == [["amount": "0.2294", "currency": "EUR"]])
        // A wrong fill is made void: its costs, its reading and its consumption count no longer.
        let wrong = try fill(25, 2_000)
        #expect(try costs().total == [["amount": "150.00", "currency": "EUR"]])
        func economy() throws -> Int? {
          (try client.send("GET", "/api/vehicles/VAN-1/fuel-economy").json["intervals"] as? [Any])?.count
        }
        #expect(try economy() == 2)
        #expect(try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Int == 2_000)
        func make(void: Bool) throws {
          let reply = try client.send(
            "PATCH", "/api/fuel-entries/\(wrong)", json: #"{"void":\#(void)}"#, headers: ["If-Match": "*"])
          #expect(try reply.status == 200 && reply.json["void"] as? Bool == void, "\(reply.text)")
        }
        try make(void: true)
        #expect(try costs().total == both.total && costs().distance?["kilometers"] as? Int == 436)
        #expect(try economy() == 1)
        #expect(try client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Int == 1_400)
        let report = try client.send(
          "POST", "/api/reports", json: #"{"kind":"costs","from":"2026-05-01","to":"2026-05-31"}"#)
        let rows = try #require(try report.json["rows"] as? [[String: Any]])
        #expect(
          rows.first?["total"] as? [[String: String]] == [["amount": "100.00", "currency": "EUR"]], "\(report.text)")
        // The entry remains, and the audit names the person who has made it void.
        #expect(try client.send("GET", "/api/fuel-entries?void=true").list.map { $0["id"] as? String } == [wrong])
        let audit = try client.send("GET", "/api/audit?limit=10").list
        #expect(
          audit.contains {
            $0["thing"] as? String == wrong && ($0["after"] as? [String: Any])?["void"] as? Bool == true
          }, "\(audit)")
        let file = try client.send("GET", "/api/fuel-entries?format=csv").text
        #expect(file.split(separator: "\n").first?.contains("void") == true)
        try make(void: false)
        #expect(try economy() == 2 && client.send("GET", "/api/vehicles/VAN-1").json["odometer"] as? Int == 2_000)
        let toll = try client.send(
          "POST", "/api/expenses",
          json:
            #"{"vehicleId":"VAN-1","at":"2026-05-26T10:00:00Z","category":"toll","amount":{"amount":"7","currency":"EUR"}}"#
        )
        let id = try #require(try toll.json["id"] as? String)
        #expect(try costs().total == [["amount": "157.00", "currency": "EUR"]])
        _ = try client.send("PATCH", "/api/expenses/\(id)", json: #"{"void":true}"#, headers: ["If-Match": "*"])
        #expect(try costs().total == [["amount": "150.00", "currency": "EUR"]])
      }
    }
  }

  /// The list of fills, the costs and the reports have the same amount.
  @Test(arguments: TestServer.Database.allCases)
  func a_fill_with_a_price_and_no_total_has_the_cost_that_is_counted(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("viewer@example.com", [.viewer])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func fill(_ price: String) throws -> String {
          let made = try client.send(
            "POST", "/api/fuel-entries",
            json: #"{"vehicleId":"VAN-1","at":"2026-05-12T08:00:00Z","energy":"diesel","quantity":41.37\#(price)}"#)
          return try #require(try made.json["id"] as? String, "\(made.text)")
        }
        func cost(_ id: String) throws -> [String: String]? {
          let entry = try client.send("GET", "/api/fuel-entries/\(id)").json
          #expect(entry["total"] == nil)
          return entry["cost"] as? [String: String]
        }
        // 41.37 × 1.659 = 68.63283, and 41.37 × 170 = 7032.9; the smallest unit of the yen is 1.
        let euros = try fill(#","price":{"amount":"1.659","currency":"EUR"}"#)
        let yen = try fill(#","price":{"amount":"170","currency":"JPY"}"#)
        #expect(try cost(euros) == ["amount": "68.63", "currency": "EUR"])
        #expect(try cost(yen) == ["amount": "7033", "currency": "JPY"])
        #expect(try cost(try fill("")) == nil)
        let costs = try client.send("GET", "/api/vehicles/VAN-1/costs?from=2026-05-01&to=2026-05-31")
        #expect(
          try costs.json["total"] as? [[String: String]] == [
            ["amount": "68.63", "currency": "EUR"], ["amount": "7033", "currency": "JPY"],
          ], "\(costs.text)")
        #expect(try costs.json["withoutAmount"] as? Int == 1)
        let header = try client.send("GET", "/api/fuel-entries?format=csv").text.split(separator: "\r\n").first ?? ""
        #expect(header.split(separator: ",").contains("cost.amount"), "\(header)")
        // Those who may not read costs see no computed ones either.
        let shown = try server.asPage(try server.signIn("viewer@example.com"), "GET", "/api/fuel-entries/\(euros)")
        #expect(shown.status == 200 && !shown.text.contains("68.63"), "\(shown.text)")
      }
    }
  }
}
