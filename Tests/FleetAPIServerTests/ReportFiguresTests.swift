import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The figures in reports.
@Suite struct ReportFiguresTests {
  @Test(arguments: TestServer.Database.allCases)
  func maintenance_and_compliance_are_counted(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let range = #""from":"2026-05-01","to":"2026-05-31""#
        func send(_ path: String, _ json: String) throws {
          let reply = try client.send("POST", path, json: json)
          try #require(reply.status == 201, "\(reply.text)")
        }
        for (vehicle, date, cost) in [("VAN-1", "2026-05-04", "100.50"), ("VAN-1", "2026-05-05", "9.50")] {
          try send(
            "/api/maintenance-records",
            #"{"vehicleId":"\#(vehicle)","serviceType":"repair","completedDate":"\#(date)","cost":{"amount":"\#(cost)","currency":"EUR"}}"#
          )
        }
        try send(
          "/api/maintenance-records", #"{"vehicleId":"VAN-2","serviceType":"repair","scheduledDate":"2026-05-10"}"#)
        try send("/api/drivers", #"{"name":"Dora","licenceExpiry":"2026-04-30","fleetId":"\#(depots.ids.north)"}"#)
        try send(
          "/api/documents",
          #"{"of":{"kind":"vehicle","id":"VAN-1"},"kind":"insurance","expiresOn":"2026-05-20"}"#)
        func rows(_ kind: String, _ more: String = "") throws -> [[String: Any]] {
          let reply = try client.send("POST", "/api/reports", json: #"{"kind":"\#(kind)",\#(range)\#(more)}"#)
          return try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        let maintenance = try rows("maintenance")
        #expect(maintenance.map { $0["group"] as? String } == ["VAN-1", "VAN-2"])
        #expect(maintenance.map { $0["done"] as? Int } == [2, 0] && maintenance.map { $0["open"] as? Int } == [0, 1])
        #expect(maintenance[1]["overdue"] as? Int == 1)
        #expect(maintenance[0]["cost"] as? [[String: String]] == [["amount": "110.00", "currency": "EUR"]])
        let days = try rows("maintenance", #","groupBy":"day""#)
        #expect(days.map { $0["group"] as? String } == ["2026-05-04", "2026-05-05", "2026-05-10"])
        let fleets = try rows("compliance", #","groupBy":"fleet""#)
        let north = try #require(fleets.first { $0["group"] as? String == depots.ids.north })
        #expect(north["licencesExpired"] as? Int == 1 && north["documentsExpired"] as? Int == 1)
        let south = try rows("compliance", #","fleetId":"\#(depots.ids.south)""#)
        #expect(south.isEmpty)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func costs_contain_completed_maintenance(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func send(_ path: String, _ json: String) throws {
          let reply = try client.send("POST", path, json: json)
          try #require(reply.status == 201, "\(reply.text)")
        }
        func euros(_ amount: String, _ currency: String = "EUR") -> String {
          #"{"amount":"\#(amount)","currency":"\#(currency)"}"#
        }
        let lines =
          #"[{"text":"oil","cost":\#(euros("10"))},{"text":"filter","cost":\#(euros("5", "USD"))}]"#
        for (vehicle, rest) in [
          ("VAN-1", #""completedDate":"2026-05-31","cost":\#(euros("100.50"))"#),
          ("VAN-1", #""completedDate":"2026-05-01","lines":\#(lines)"#),
          // Not in the range, not done, and of unknown cost.
          ("VAN-1", #""completedDate":"2026-04-30","cost":\#(euros("1000"))"#),
          ("VAN-1", #""completedDate":"2026-06-01","cost":\#(euros("1000"))"#),
          ("VAN-1", #""scheduledDate":"2026-05-10","cost":\#(euros("1000"))"#),
          ("VAN-2", #""completedDate":"2026-05-10""#),
        ] {
          try send("/api/maintenance-records", #"{"vehicleId":"\#(vehicle)","serviceType":"repair",\#(rest)}"#)
        }
        try send(
          "/api/expenses",
          #"{"vehicleId":"VAN-1","at":"2026-05-02T10:00:00Z","category":"toll","amount":\#(euros("24"))}"#)
        func rows(_ more: String) throws -> [[String: Any]] {
          let reply = try client.send(
            "POST", "/api/reports", json: #"{"kind":"costs","from":"2026-05-01","to":"2026-05-31"\#(more)}"#)
          return try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        func money(_ json: Any?) -> [String] {
          (json as? [[String: String]] ?? []).map { "\($0["amount"] ?? "") \($0["currency"] ?? "")" }
        }
        let vehicles = try rows("")
        #expect(vehicles.map { $0["group"] as? String } == ["VAN-1", "VAN-2"])
        #expect(vehicles.map { money($0["total"]) } == [["134.50 EUR", "5.00 USD"], []])
        #expect(vehicles.map { $0["withoutAmount"] as? Int } == [nil, 1])
        let categories = try #require(vehicles[0]["byCategory"] as? [String: Any])
        #expect(money(categories["maintenance"]) == ["110.50 EUR", "5.00 USD"])
        #expect(money(categories["toll"]) == ["24.00 EUR"])
        let days = try rows(#","groupBy":"day","fleetId":"\#(depots.ids.north)""#)
        #expect(days.map { $0["group"] as? String } == ["2026-05-01", "2026-05-02", "2026-05-31"])
        #expect(days.map { money($0["total"]) } == [["10.00 EUR", "5.00 USD"], ["24.00 EUR"], ["100.50 EUR"]])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func costs_are_the_sums_of_the_vehicles_costs(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func euros(_ amount: String) -> String { #"{"amount":"\#(amount)","currency":"EUR"}"# }
        for (path, rest) in [
          (
            "/api/expenses",
            #""vehicleId":"VAN-1","at":"2026-09-02T10:00:00Z","category":"toll","amount":\#(euros("10"))"#
          ),
          (
            "/api/maintenance-records",
            #""vehicleId":"VAN-1","serviceType":"repair","completedDate":"2026-09-15","cost":\#(euros("500"))"#
          ),
          ("/api/maintenance-records", #""vehicleId":"VAN-1","serviceType":"repair","completedDate":"2026-09-16""#),
          (
            "/api/fuel-entries",
            #""vehicleId":"VAN-1","at":"2026-09-20T10:00:00Z","energy":"diesel","quantity":50,"total":\#(euros("80"))"#
          ),
        ] {
          let reply = try client.send("POST", path, json: "{\(rest)}")
          #expect(reply.status == 201, "\(reply.text)")
        }
        // The second vehicle has no other costs, and is disposed of within the month.
        for (vehicle, cost, disposed) in [("VAN-1", "3650", "2027-01-01"), ("VAN-2", "1000", "2026-09-24")] {
          let reply = try client.send(
            "PATCH", "/api/vehicles/\(vehicle)",
            json:
              #"{"acquiredOn":"2026-01-01","disposedOn":"\#(disposed)","acquisitionCost":\#(euros(cost)),"residualValue":\#(euros("0"))}"#,
            headers: ["If-Match": "*"])
          #expect(reply.status == 200, "\(reply.text)")
        }
        func total(_ json: [String: Any]) throws -> Decimal {
          let money = try #require(json["total"] as? [[String: String]])
          return try money.reduce(0) { try $0 + #require(Decimal(string: $1["amount"] ?? "")) }
        }
        func rows(_ grouping: String) throws -> [[String: Any]] {
          let reply = try client.send(
            "POST", "/api/reports",
            json: #"{"kind":"costs","from":"2026-09-01","to":"2026-09-30","groupBy":"\#(grouping)"}"#)
          return try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        let vehicles = try rows("vehicle")
        #expect(vehicles.compactMap { $0["group"] as? String } == ["VAN-1", "VAN-2"])
        // 30 of 365 days of 3,650 EUR, and 23 of 266 days of 1,000 EUR.
        #expect(try vehicles.map(total) == [890, try #require(Decimal(string: "86.4662"))])
        var sum: Decimal = 0
        for row in vehicles {
          let costs = try client.send(
            "GET", "/api/vehicles/\(row["group"] ?? "")/costs?from=2026-09-01&to=2026-09-30"
          ).json
          #expect(try total(row) == total(costs))
          let categories = try [row, costs].map { try #require($0["byCategory"] as? [String: [[String: String]]]) }
          #expect(categories[0] == categories[1])
          #expect(row["withoutAmount"] as? Int == costs["withoutAmount"] as? Int)
          sum += try total(costs)
        }
        #expect(vehicles[0]["withoutAmount"] as? Int == 1)
        for grouping in ["day", "week", "month", "driver", "fleet"] {
          #expect(try rows(grouping).map(total).reduce(0, +) == sum, "\(grouping)")
        }
        #expect(try rows("day").count == 30)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func sums_of_days_agree_with_the_days(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await FleetRoutesTests.depots(server)
      let storage = server.storage
      // Days around the ends of weeks, months and years.
      var random = SplitMix(seed: 9)
      var all: [(vehicle: String, day: VehicleDay)] = []
      for vehicle in ["VAN-1", "VAN-2"] {
        var days: [(date: CalendarDate, figures: VehicleDay?)] = []
        for number in 0..<90 where Bool.random(using: &random) {
          let date = CalendarDate("2025-11-20")!.adding(days: number)
          let start = Timestamp(nanoseconds: Int64(date.dayNumber) * 86_400_000_000_000)
          var day = VehicleDay(date: date, firstTime: start, lastTime: start.adding(seconds: 3_600))
          (day.engineOn, day.idle) = (Int64.random(in: 0...9, using: &random) * 1_000, 500)
          day.distance = Bool.random(using: &random) ? Double(Int.random(in: 0...99, using: &random)) : nil
          day.fuelUsed = Bool.random(using: &random) ? Double(Int.random(in: 0...9, using: &random)) : nil
          (day.trips, day.drivingEvents) = (Int.random(in: 0...3, using: &random), 5)
          day.driverEvents = Bool.random(using: &random) ? 2 : nil
          days.append((date, day))
          all.append((vehicle, day))
        }
        let stale = try #require(try await storage.staleDays(of: vehicle, tenant: .standard))
        #expect(try await storage.storeDays(ComputedDays(stale, hours: 0...0, days: days), tenant: .standard))
      }
      func month(_ day: VehicleDay) -> String { String(day.date.text.prefix(7)) }
      func week(_ day: VehicleDay) -> Int { (day.date.dayNumber + 3) / 7 }
      let groups: [(DaySums.Grouping, (String, VehicleDay) -> String)] = [
        (.vehicle, { vehicle, _ in vehicle }), (.fleet, { vehicle, _ in vehicle }), (.driver, { _, _ in "" }),
        (.day, { $1.date.text }), (.week, { "\(week($1))" }), (.month, { month($1) }),
      ]
      for (grouping, key) in groups {
        let found = try await storage.view(tenant: .standard) { view throws(ThingError) in
          try view.daySums(
            by: grouping, fleet: nil, from: CalendarDate("2025-11-25")!, through: CalendarDate("2026-02-10")!,
            at: WallClock.now)
        }.map { sums in
          var sums = sums
          (sums.vehicle, sums.fleet) = (nil, nil)
          return sums
        }
        let inside = all.filter { ("2025-11-25"..."2026-02-10").contains($0.day.date.text) }
        let expected = Dictionary(grouping: inside) { key($0.vehicle, $0.day) }.values.map { days in
          let own = days.map(\.day)
          var sums = DaySums(date: own.map(\.date).min()!)
          func sum(_ values: [Double?]) -> Double? {
            let known = values.compactMap { $0 }
            return known.isEmpty ? nil : known.reduce(0, +)
          }
          sums.vehicles = Set(days.map(\.vehicle)).count
          sums.usedDays = own.count { $0.engineOn > 0 || $0.trips > 0 || ($0.distance ?? 0) > 0 }
          sums.engineOn = own.reduce(0) { $0 + $1.engineOn }
          sums.idle = own.reduce(0) { $0 + $1.idle }
          (sums.distance, sums.fuelUsed) = (sum(own.map(\.distance)), sum(own.map(\.fuelUsed)))
          sums.fuelDistance = sum(own.filter { $0.fuelUsed != nil }.map(\.distance)) ?? 0
          sums.trips = own.reduce(0) { $0 + $1.trips }
          sums.driverEvents = own.reduce(0) { $0 + ($1.driverEvents ?? 0) }
          sums.driverDistance = sum(own.filter { $0.driverEvents != nil }.map(\.distance)) ?? 0
          return sums
        }
        func text(_ sums: [DaySums]) -> [String] { sums.map { "\($0)" }.sorted() }
        #expect(text(found) == text(expected), "\(grouping)")
      }
    }
  }
}
