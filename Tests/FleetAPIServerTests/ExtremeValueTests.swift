import FleetDomain
import FleetFigures
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Times and amounts at their limits are answered, on both databases. A trap in the server would end the tests, as it
/// would end the server for all tenants.
@Suite struct ExtremeValueTests {
  /// Times outside of 1678 to 2261, most of which a `Timestamp` can still represent.
  private static let times = [
    "0001-01-01T00:00:00Z", "1677-09-21T00:12:43.145Z", "1677-09-21T00:12:44Z", "1677-12-31T23:59:59Z",
    "2262-01-01T00:00:00Z", "2262-04-11T23:47:16Z", "9999-12-31T23:59:59Z",
  ]
  private static let days = ["0001-01-01", "0206-05-04", "1677-09-21", "1678-12-31", "2262-04-11", "9999-12-31"]

  @Test(arguments: TestServer.Database.allCases)
  func things_and_records_have_times_from_1678_to_2261(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "PUT", "/api/vehicles/VAN-1", json: #"{"make":"Ford","fuelType":"diesel","tankCapacity":60}"#,
          headers: ["If-Match": "*"])
        try #require(made.status == 200, "\(made.text)")
        for time in Self.times {
          for (path, body) in [
            ("fuel-entries", #""energy":"diesel","quantity":10,"odometer":5"#), ("meter-readings", #""odometer":5"#),
            ("meter-readings", #""engineHours":5"#),
          ] {
            let reply = try client.send(
              "POST", "/api/\(path)", json: #"{"vehicleId":"VAN-1","at":"\#(time)",\#(body)}"#)
            #expect(reply.status == 422 && reply.text.contains("expected a time"), "\(path) \(time): \(reply.text)")
          }
          for field in ["startTime", "endTime", "timestamp"] {
            let usual = #""timestamp":"2026-11-29T09:30:00Z","#
            let record =
              #"{"type":"trip","event":"end","tripId":"x","distance":5,"id":"01a226bd-47d2-77ff-87f5-b971e6723d02","#
              + #""vehicleId":"VAN-1","gatewayId":"gw-1","seq":6,"epoch":"01a226bd-45cc-7945-9484-35054e8052a7","#
              + #""timeQuality":"gps",\#(field == "timestamp" ? "" : usual)"\#(field)":"\#(time)"}"#
            let reply = try client.send("POST", "/api/telemetry", Array(record.utf8))
            #expect(reply.text.contains("1678 to 2261"), "\(field) \(time): \(reply.text)")
          }
        }
        for day in Self.days {
          for (path, body) in [
            ("maintenance-records", #""serviceType":"oilChange","completedDate":"\#(day)","odometer":5"#),
            ("documents", #""kind":"insurance","expiresOn":"\#(day)""#),
          ] {
            let reply = try client.send("POST", "/api/\(path)", json: #"{"vehicleId":"VAN-1",\#(body)}"#)
            #expect(reply.status == 422, "\(path) \(day): \(reply.text)")
          }
          let imported = try client.send(
            "POST", "/api/imports?kind=vehicles&dryRun=true", Array("id,acquiredOn\nQ1,\(day)\n".utf8),
            headers: ["Content-Type": "text/csv"])
          #expect(imported.status < 500, "\(day): \(imported.text)")
        }
        // The vehicle's own reading is in order.
        let reading = try client.send(
          "POST", "/api/meter-readings", json: #"{"vehicleId":"VAN-1","at":"2026-05-04T10:00:00Z","odometer":5}"#)
        #expect(reading.status == 201, "\(reading.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func ranges_of_any_days_and_times_are_answered(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let driver = try #require(try made.json["id"] as? String)
        let ends = Self.days + Self.times + ["1700-01-01", "2026-11-29", "2261-01-01"]
        for path in [
          "drivers/\(driver)/figures", "vehicles/VAN-1/costs", "vehicles/VAN-1/days", "vehicles/VAN-1/meters",
          "vehicles/VAN-1/reconciliation", "vehicles/VAN-1/telemetry", "vehicles/VAN-1/track", "journeys",
          "fuel-entries",
        ] {
          for end in ends {
            for query in ["to=\(end)", "from=\(end)", "from=1700-01-01&to=\(end)", "from=\(end)&to=2026-11-29"] {
              let reply = try client.send("GET", "/api/\(path)?\(query)")
              #expect([200, 400, 422].contains(reply.status), "\(path)?\(query): \(reply.status) \(reply.text)")
            }
          }
        }
        for topic in ["costs", "drivers", "compliance", "trips", "utilization", "fuel", "maintenance"] {
          for (from, to) in [("0001-01-01", "0001-03-01"), ("9999-01-01", "9999-12-31"), ("2261-12-01", "2261-12-31")] {
            for group in ["vehicle", "driver", "month"] {
              let reply = try client.send(
                "POST", "/api/reports",
                json: #"{"kind":"\#(topic)","groupBy":"\#(group)","from":"\#(from)","to":"\#(to)"}"#)
              #expect([201, 400, 422].contains(reply.status), "\(topic) \(from) \(group): \(reply.text)")
            }
          }
        }
      }
    }
  }

  /// The part of the time range before the private journey has no beginning.
  @Test(arguments: TestServer.Database.allCases)
  func spans_of_telemetry_without_a_beginning_are_answered_beside_private_journeys(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      _ = depots
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let records = [0, 30, 90].enumerated().map { number, second in SampleRecord(number + 1, second: 36_000 + second)
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        let made = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let driver = try #require(try made.json["id"] as? String)
        let journey = try client.send(
          "POST", "/api/journeys",
          json:
            #"{"vehicleId":"VAN-1","driverId":"\#(driver)","purpose":"private","startTime":"2026-01-01T08:00:00Z","endTime":"2026-01-01T09:00:00Z"}"#
        )
        #expect(journey.status == 201, "\(journey.text)")
        for query in ["every=60", "every=60&fields=rpm", "every=60&to=2026-12-31", "every=3600&format=csv"] {
          let reply = try client.send("GET", "/api/vehicles/VAN-1/telemetry?\(query)")
          #expect(reply.status == 200 && reply.text.contains("10:0"), "\(query): \(reply.text)")
        }
      }
    }
  }

  @Test func sums_of_the_largest_amounts_are_exact() throws {
    var costs = VehicleCosts()
    let largest = try #require(Money(amount: "999999999999.9999", currency: "EUR"))
    for _ in 0..<1_100 { costs.add(largest, category: "toll") }
    costs.add(Money(amount: "5.00", currency: "EUR"), category: "parking")
    // 1,100 × 999,999,999,999.9999 + 5
    #expect(costs.total.map(\.amount) == ["1100000000000004.89"])
    #expect(costs.total(per: 1e-300) == nil)
  }
}
