import FleetDomain
import FleetFigures
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The rows of reports about groups of vehicles, of which some figures are unknown.
@Suite struct ReportGroupTests {
  private static let date = CalendarDate("2026-05-04")!

  /// Returns the rows of a report on 4 May 2026.
  private static func rows(_ client: TestClient, _ members: String) throws -> [[String: Any]] {
    let reply = try client.send(
      "POST", "/api/reports", json: #"{\#(members),"from":"2026-05-04","to":"2026-05-04"}"#)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(try reply.json["rows"] as? [[String: Any]])
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_report_of_drivers_scores_drivers(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      for vehicle in ["VAN-1", "VAN-2"] {
        var day = PrivateFigureTests.day(Self.date, in: server.storage.zone(nil), kilometers: 200)
        (day.drivingEvents, day.driverEvents) = (1, 1)
        try await PrivateFigureTests.store([day], of: vehicle, server)
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let dora = try #require(try driver.json["id"] as? String, "\(driver.text)")
        let assignment = try client.send(
          "POST", "/api/assignments",
          json:
            #"{"driverId":"\#(dora)","vehicleId":"VAN-1","from":"2026-05-01T00:00:00Z","to":"2026-06-01T00:00:00Z"}"#)
        try #require(assignment.status == 201, "\(assignment.text)")
        let rows = try Self.rows(client, #""kind":"drivers""#)
        #expect(rows.map { $0["group"] as? String } == ["", dora], "\(rows)")
        #expect(rows.map { $0["distance"] as? Int } == [200, 200], "\(rows)")
        // 4 × 1 event in 200 km; nobody drove VAN-2.
        #expect(rows.map { $0["score"] as? Int } == [nil, 98], "\(rows)")
        #expect(rows.allSatisfy { $0["note"] == nil }, "\(rows)")
        let vehicles = try Self.rows(client, #""kind":"drivers","groupBy":"vehicle""#)
        #expect(vehicles.map { $0["group"] as? String } == ["VAN-1", "VAN-2"], "\(vehicles)")
      }
    }
  }

  /// VAN-1 drives without costs, and VAN-2 has costs.
  @Test(arguments: TestServer.Database.allCases)
  func costs_are_not_divided_by_the_distance_of_other_vehicles(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let zone = server.storage.zone(nil)
      try await PrivateFigureTests.store(
        [PrivateFigureTests.day(Self.date, in: zone, kilometers: 99.5)], of: "VAN-1", server)
      try await runBlocking {
        let expense = try server.client(server.keys.admin).send(
          "POST", "/api/expenses",
          json:
            #"{"vehicleId":"VAN-2","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"500","currency":"EUR"}}"#
        )
        #expect(expense.status == 201, "\(expense.text)")
      }
      func check(_ distance: Double, _ expected: [[String: String]]) async throws {
        try await runBlocking {
          let client = try server.client(server.keys.admin)
          for grouping in ["day", "week", "month", "fleet", "driver"] {
            let rows = try Self.rows(client, #""kind":"costs","groupBy":"\#(grouping)""#)
            #expect(rows.map { $0["distance"] as? Double } == [distance], "\(grouping): \(rows)")
            #expect(rows.map { $0["perKilometer"] as? [[String: String]] } == [expected], "\(grouping): \(rows)")
          }
        }
      }
      try await check(99.5, [])
      try await PrivateFigureTests.store(
        [PrivateFigureTests.day(Self.date, in: zone, kilometers: 0.5)], of: "VAN-2", server)
      // 500 EUR of 100 km.
      try await check(100, [["amount": "5.00", "currency": "EUR"]])
    }
  }
}
