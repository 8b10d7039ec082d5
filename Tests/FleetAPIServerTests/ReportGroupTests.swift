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

  /// Returns the figures of a day on which the engine ran for 12 hours.
  private static func longDay(_ date: CalendarDate, _ server: TestServer) -> VehicleDay {
    var day = PrivateFigureTests.day(date, in: server.storage.zone(nil), kilometers: 300)
    (day.engineOn, day.moving) = (43_200_000, 43_200_000)
    return day
  }

  /// Returns the figures of a day with a trip of which only the distance is known.
  private static func dayWithoutTimes(_ date: CalendarDate, _ server: TestServer) -> VehicleDay {
    var day = PrivateFigureTests.day(date, in: server.storage.zone(nil), kilometers: 300)
    day.trips = 1
    return day
  }

  @Test(arguments: TestServer.Database.allCases)
  func vehicles_with_unknown_engine_time_do_not_reduce_the_utilization(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      // The vehicle FREE has no records.
      let fleet = try await runBlocking {
        let client = try server.client(server.keys.admin)
        let vehicle = try client.send("POST", "/api/vehicles", json: #"{"id":"FREE"}"#)
        try #require(vehicle.status == 201, "\(vehicle.text)")
        let made = try client.send(
          "POST", "/api/fleets", json: #"{"name":"North","vehicleIds":["VAN-1","VAN-2","FREE"]}"#)
        return try #require(try made.json["id"] as? String, "\(made.text)")
      }
      let today = server.storage.zone(nil).day(of: WallClock.now)
      try await PrivateFigureTests.store(
        [Self.longDay(Self.date, server), Self.longDay(today, server)], of: "VAN-1", server)
      try await PrivateFigureTests.store(
        [Self.dayWithoutTimes(Self.date, server), Self.dayWithoutTimes(today, server)], of: "VAN-2", server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let vehicles = try Self.rows(client, #""kind":"utilization""#)
        #expect(vehicles.map { $0["utilization"] as? Double } == [0.5, nil], "\(vehicles)")
        #expect(vehicles.map { $0["workingSeconds"] as? Int } == [86_400, 86_400], "\(vehicles)")
        for grouping in ["day", "week", "month", "fleet"] {
          let rows = try Self.rows(client, #""kind":"utilization","groupBy":"\#(grouping)""#)
          #expect(rows.map { $0["vehicles"] as? Int } == [2], "\(grouping): \(rows)")
          #expect(rows.map { $0["workingSeconds"] as? Int } == [172_800], "\(grouping): \(rows)")
          #expect(rows.map { $0["utilization"] as? Double } == [0.5], "\(grouping): \(rows)")
        }
        // Today, FREE is not used: 12 of 48 hours.
        let json = try client.send("GET", "/api/fleets/\(fleet)").json
        let metrics = try #require(json["metrics"] as? [String: Any], "\(json)")
        #expect(metrics["utilization"] as? Double == 0.25, "\(metrics)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func missing_inspections_count_once_for_each_vehicle_and_day(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let settings = try client.send(
          "PATCH", "/api/settings", json: #"{"requiresInspections":true}"#, headers: ["If-Match": "*"])
        try #require(settings.status == 200, "\(settings.text)")
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let dora = try #require(try driver.json["id"] as? String, "\(driver.text)")
        for hour in ["08", "10", "12"] {
          let journey = try client.send(
            "POST", "/api/journeys",
            json:
              #"{"driverId":"\#(dora)","vehicleId":"VAN-1","startTime":"2026-05-04T\#(hour):00:00Z","endTime":"2026-05-04T\#(hour):30:00Z"}"#
          )
          try #require(journey.status == 201, "\(journey.text)")
        }
        for grouping in ["vehicle", "driver", "day"] {
          let rows = try Self.rows(client, #""kind":"compliance","groupBy":"\#(grouping)""#)
          #expect(rows.map { $0["inspectionsRequired"] as? Int } == [2], "\(grouping): \(rows)")
          #expect(rows.map { $0["inspectionsMissing"] as? Int } == [2], "\(grouping): \(rows)")
        }
      }
    }
  }
}
