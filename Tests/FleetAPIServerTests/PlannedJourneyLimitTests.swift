import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The limits of planned journeys, on both databases.
@Suite struct PlannedJourneyLimitTests {
  private struct Planner {
    let client: TestClient

    func driver(_ name: String) throws -> String {
      let made = try client.send("POST", "/api/drivers", json: #"{"name":"\#(name)"}"#)
      return try #require(try made.json["id"] as? String, "\(made.text)")
    }

    func plan(_ driver: String, _ more: String = "") throws -> TestClient.Reply {
      try client.send(
        "POST", "/api/journeys", json: #"{"driverId":"\#(driver)","vehicleId":"VAN-1"\#(more)}"#)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_tenant_has_a_limited_number_of_planned_journeys(_ database: TestServer.Database) async throws {
    try await TestServer.run(.test { $0.limits.plannedJourneys = 3 }, on: database) { server in
      try await runBlocking {
        let planner = Planner(client: try server.client(server.keys.admin))
        let (dora, emil) = (try planner.driver("Dora"), try planner.driver("Emil"))
        let first = try #require(try planner.plan(dora).json["id"] as? String)
        #expect(try planner.plan(dora).status == 201 && planner.plan(emil).status == 201)
        let full = try planner.plan(emil)
        #expect(full.status == 409 && full.errorCode == "limitReached", "\(full.text)")
        #expect(full.errorMessage.contains("3 planned journeys (limits.plannedJourneys)"), "\(full.text)")
        // A journey that is over when it is entered is not planned.
        let over = try planner.plan(
          emil, #","startTime":"2026-05-04T10:00:00Z","endTime":"2026-05-04T11:00:00Z""#)
        #expect(over.status == 201, "\(over.text)")
        // A journey that is cancelled makes room for another one.
        #expect(try planner.client.send("POST", "/api/journeys/\(first)/cancel").status == 200)
        let id = "01970000-0000-7000-8000-000000000001"
        func put() throws -> TestClient.Reply {
          try planner.client.send(
            "PUT", "/api/journeys/\(id)", json: #"{"driverId":"\#(emil)","vehicleId":"VAN-1"}"#,
            headers: ["If-None-Match": "*"])
        }
        #expect(try put().status == 201)
        // A repeated request adds no journey, so that it is answered as the first time.
        #expect(try put().status == 201)
        #expect(try planner.plan(dora).errorCode == "limitReached")
        // Another tenant has its own journeys.
        let foreign = Planner(client: try server.client(server.keys.foreignAdmin))
        #expect(try foreign.plan(try foreign.driver("Fay")).status == 201)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_driver_has_a_limited_number_of_planned_journeys(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let (dora, emil) = try await runBlocking {
        let planner = Planner(client: try server.client(server.keys.admin))
        return (try planner.driver("Dora"), try planner.driver("Emil"))
      }
      let id = try UUIDv7.parsed(dora)
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        for _ in 1..<1_000 {
          var journey = Journey()
          (journey.driverID, journey.vehicle) = (id, "VAN-1")
          try transaction.insert(journey)
        }
      }
      try await runBlocking {
        let planner = Planner(client: try server.client(server.keys.admin))
        let last = try planner.plan(dora)
        #expect(last.status == 201, "\(last.text)")
        let full = try planner.plan(dora)
        #expect(full.status == 409 && full.errorCode == "limitReached", "\(full.text)")
        #expect(full.errorMessage.contains("a driver has at most 1000 planned journeys"), "\(full.text)")
        #expect(try planner.plan(emil).status == 201)
        let started = try #require(try last.json["id"] as? String)
        #expect(try planner.client.send("POST", "/api/journeys/\(started)/start").status == 200)
        #expect(try planner.plan(dora).status == 201)
      }
    }
  }
}
