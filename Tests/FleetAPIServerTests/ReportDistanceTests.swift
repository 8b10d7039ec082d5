import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Tests of reports of costs: the distance, the number of figures that are not final, and sums of random costs.
@Suite struct ReportDistanceTests {
  @Test(arguments: TestServer.Database.allCases)
  func costs_of_each_kilometer_use_odometers_where_telemetry_is_missing(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func fill(_ vehicle: String, _ day: Int, _ odometer: Int) throws {
          let body =
            #"{"vehicleId":"\#(vehicle)","at":"2026-05-\#(day)T20:00:00Z","energy":"diesel","quantity":40,"odometer":\#(odometer),"total":{"amount":"50","currency":"EUR"}}"#
          let reply = try client.send("POST", "/api/fuel-entries", json: body)
          #expect(reply.status == 201, "\(reply.text)")
        }
        try fill("VAN-1", 10, 1_000)
        try fill("VAN-1", 14, 1_400)
        try fill("VAN-2", 10, 5_000)
        // VAN-1 drives 36 km on 20 May, and VAN-2 has one reading and drives 36 km on 21 May.
        for (number, vehicle, day) in [(0, "VAN-1", 139), (100, "VAN-2", 140)] {
          let records = (0...18).map {
            SampleRecord(
              number + $0 + 1, vehicle: vehicle, gateway: vehicle == "VAN-1" ? "gw-1" : "gw-2",
              second: day * 86_400 + 3_600 + $0 * 100, rest: #""rpm":1500,"speed":72"#)
          }
          #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
          // The figures of the days are computed on request.
          #expect(try client.send("GET", "/api/vehicles/\(vehicle)/days?from=2026-05-01&to=2026-05-31").status == 200)
        }
        func rows(_ grouping: String) throws -> [[String: Any]] {
          let reply = try client.send(
            "POST", "/api/reports",
            json: #"{"kind":"costs","from":"2026-05-01","to":"2026-05-31","groupBy":"\#(grouping)"}"#)
          return try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        let vehicles = try rows("vehicle")
        #expect(vehicles.map { $0["distance"] as? Int } == [436, 36])
        #expect(vehicles.map { $0["distanceBasis"] as? String } == ["mixed", "telemetry"])
        let costs = try client.send("GET", "/api/vehicles/VAN-1/costs?from=2026-05-01&to=2026-05-31")
        #expect(
          vehicles[0]["perKilometer"] as? [[String: String]]
            == (try costs.json["perKilometer"] as? [[String: String]]), "\(costs.text)")
        #expect(try rows("month").map { $0["distance"] as? Int } == [472])
        #expect(try rows("month").map { $0["distanceBasis"] as? String } == ["mixed"])
        // An odometer does not show who drove.
        #expect(try rows("driver").map { $0["distanceBasis"] as? String } == ["telemetry"])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func what_is_not_final_is_in_every_file_of_a_report(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func send(_ path: String, _ json: String) throws -> String {
          let reply = try client.send("POST", path, json: json)
          #expect((200...201).contains(reply.status), "\(reply.text)")
          return try #require(try reply.json["id"] as? String)
        }
        let driver = try send("/api/drivers", #"{"name":"Dora"}"#)
        _ = try send(
          "/api/journeys",
          #"{"driverId":"\#(driver)","vehicleId":"VAN-1","startTime":"2026-05-20T01:00:00Z"}"#)
        let records = (0...18).map {
          SampleRecord($0 + 1, second: 139 * 86_400 + 3_600 + $0 * 100, rest: #""rpm":1500,"speed":72"#)
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        #expect(try client.send("GET", "/api/vehicles/VAN-1/days?from=2026-05-20&to=2026-05-20").status == 200)
        let id = try send("/api/reports", #"{"kind":"trips","from":"2026-05-20","to":"2026-05-20"}"#)
        let report = try client.send("GET", "/api/reports/\(id)")
        let pending = try #require(try report.json["pending"] as? [String: Any], "\(report.text)")
        #expect(pending["journeys"] as? Int == 1)
        let csv = try client.send("GET", "/api/reports/\(id)?format=csv").text.split(separator: "\r\n")
        let header = try #require(csv.first).split(separator: ",", omittingEmptySubsequences: false)
        let column = try #require(header.firstIndex(of: "pending.journeys"))
        #expect(
          csv.dropFirst().allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false)[column] == "1" })
        #expect(csv.count > 1)
        for format in ["xlsx", "pdf"] {
          #expect(try client.send("GET", "/api/reports/\(id)?format=\(format)").status == 200, "\(format)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_comparison_of_journeys_accepts_days(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        #expect(
          try client.send(
            "PATCH", "/api/settings", json: #"{"timeZone":"Europe/Vienna"}"#, headers: ["If-Match": "*"]
          ).status == 200)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let id = try #require(try driver.json["id"] as? String)
        // 5 May in Vienna begins at 22:00 UTC.
        for (start, end) in [("04T20:00", "04T21:00"), ("04T22:30", "04T23:00"), ("05T21:00", "05T21:30")] {
          let reply = try client.send(
            "POST", "/api/journeys",
            json:
              #"{"driverId":"\#(id)","vehicleId":"VAN-1","startTime":"2026-05-\#(start):00Z","endTime":"2026-05-\#(end):00Z"}"#
          )
          #expect(reply.status == 201, "\(reply.text)")
        }
        func starts(_ query: String) throws -> [String?] {
          let reply = try client.send("GET", "/api/vehicles/VAN-1/reconciliation?\(query)")
          let journeys = try #require(try reply.json["journeysWithoutTrip"] as? [[String: Any]], "\(reply.text)")
          return journeys.map { ($0["from"] as? String).map { String($0.dropFirst(8).prefix(8)) } }
        }
        #expect(try starts("from=2026-05-05&to=2026-05-05") == ["04T22:30", "05T21:00"])
        #expect(try starts("from=2026-05-04&to=2026-05-04") == ["04T20:00"])
        #expect(try starts("from=2026-05-04T22:00:00Z&to=2026-05-05") == ["04T22:30", "05T21:00"])
        let wrong = try client.send("GET", "/api/vehicles/VAN-1/reconciliation?from=2026-05-06&to=2026-05-04")
        #expect(wrong.status == 400)
      }
    }
  }

  /// Amounts in ten-thousandths, added without the server's code.
  private static func amount(_ json: [String: Any]) throws -> (currency: String, amount: Int) {
    let parts = try #require(json["amount"] as? String).split(separator: ".")
    let fraction = (String(parts[1]) + "0000").prefix(4)
    return (try #require(json["currency"] as? String), Int("\(parts[0])\(fraction)") ?? 0)
  }

  private static func sums(_ json: Any?) throws -> [String: Int] {
    var sums: [String: Int] = [:]
    for money in json as? [[String: Any]] ?? [] {
      let (currency, value) = try amount(money)
      sums[currency, default: 0] += value
    }
    return sums
  }

  @Test(arguments: TestServer.Database.allCases, 1...2)
  func the_parts_of_random_costs_add_up_to_the_total(_ database: TestServer.Database, seed: Int) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        var random = SplitMix(seed: UInt64(seed))
        let client = try server.client(server.keys.admin)
        var expected: [String: [String: Int]] = [:]
        var byCategory: [String: [String: Int]] = [:]
        for _ in 0..<60 {
          let vehicle = ["VAN-1", "VAN-2"][Int.random(in: 0...1, using: &random)]
          let (day, currency) = (Int.random(in: 1...31, using: &random), Bool.random(using: &random) ? "EUR" : "CHF")
          let cents = Int.random(in: 1...99_999, using: &random)
          let text = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
          let money = #"{"amount":"\#(text)","currency":"\#(currency)"}"#
          let date = "2026-05-\(day < 10 ? "0" : "")\(day)"
          let kind = Int.random(in: 0...2, using: &random)
          let (path, category, body) =
            switch kind {
            case 0: ("expenses", "toll", #""at":"\#(date)T12:00:00Z","category":"toll","amount":\#(money)"#)
            case 1:
              ("fuel-entries", "fuel", #""at":"\#(date)T12:00:00Z","energy":"diesel","quantity":9,"total":\#(money)"#)
            default:
              (
                "maintenance-records", "maintenance",
                #""serviceType":"repair","completedDate":"\#(date)","cost":\#(money)"#
              )
            }
          let isVoid = kind < 2 && Int.random(in: 0...5, using: &random) == 0
          let reply = try client.send("POST", "/api/\(path)", json: #"{"vehicleId":"\#(vehicle)",\#(body)}"#)
          #expect(reply.status == 201, "\(reply.text)")
          if isVoid {
            let id = try #require(try reply.json["id"] as? String)
            let void = try client.send(
              "PATCH", "/api/\(path)/\(id)", json: #"{"void":true}"#, headers: ["If-Match": "*"])
            #expect(void.status == 200, "\(void.text)")
          } else {
            expected[vehicle, default: [:]][currency, default: 0] += cents * 100
            byCategory[category, default: [:]][currency, default: 0] += cents * 100
          }
        }
        var all: [String: Int] = [:]
        for sums in expected.values { all.merge(sums) { $0 + $1 } }
        for (vehicle, sums) in expected {
          let json = try client.send("GET", "/api/vehicles/\(vehicle)/costs?from=2026-05-01&to=2026-05-31").json
          #expect(try Self.sums(json["total"]) == sums)
          var parts: [String: Int] = [:]
          for money in (json["byCategory"] as? [String: Any] ?? [:]).values {
            parts.merge(try Self.sums(money)) { $0 + $1 }
          }
          #expect(parts == sums)
        }
        for grouping in ["vehicle", "driver", "fleet", "day", "week", "month"] {
          let reply = try client.send(
            "POST", "/api/reports",
            json: #"{"kind":"costs","from":"2026-05-01","to":"2026-05-31","groupBy":"\#(grouping)"}"#)
          var (totals, categories) = ([String: Int](), [String: [String: Int]]())
          for row in try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)") {
            totals.merge(try Self.sums(row["total"])) { $0 + $1 }
            for (category, money) in row["byCategory"] as? [String: Any] ?? [:] {
              categories[category, default: [:]].merge(try Self.sums(money)) { $0 + $1 }
            }
            if grouping == "vehicle" { #expect(try Self.sums(row["total"]) == expected[row["group"] as? String ?? ""]) }
          }
          #expect(totals == all && categories == byCategory, "\(grouping)")
        }
      }
    }
  }
}
