import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Amounts of money in things of all kinds, which only callers who may read costs see; on both databases.
@Suite struct CostVisibilityTests {
  @Test(arguments: TestServer.Database.allCases)
  func amounts_are_hidden_from_those_who_may_not_read_costs(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      for (name, role) in [("mech", PersonRole.maintenance), ("viewer", .viewer), ("admin", .admin)] {
        try await server.addPerson("\(name)@example.com", [role])
      }
      let dora = try await server.addPerson("dora@example.com", [.driver]).id.string
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ path: String, _ body: String) throws -> String {
          let reply = try client.send("POST", "/api/\(path)", json: body)
          return try #require(try reply.json["id"] as? String, "\(reply.text)")
        }
        let money = #"{"amount":"31415.92","currency":"EUR"}"#
        let driver = try make("drivers", #"{"name":"Dora","personId":"\#(dora)"}"#)
        let vehicle = try make("vehicles", #"{"id":"DEAR","acquisitionCost":\#(money),"residualValue":\#(money)}"#)
        _ = try make("assignments", #"{"driverId":"\#(driver)","vehicleId":"DEAR"}"#)
        let at = TextOf.time(WallClock.now)
        let record = try make(
          "maintenance-records",
          #"{"vehicleId":"DEAR","serviceType":"repair","lines":[{"kind":"part","text":"Pump","cost":\#(money)}]}"#)
        let entry = #""vehicleId":"DEAR","driverId":"\#(driver)","at":"\#(at)""#
        let expense = try make("expenses", #"{\#(entry),"category":"toll","amount":\#(money)}"#)
        let fuel = try make("fuel-entries", #"{\#(entry),"energy":"diesel","quantity":1,"total":\#(money)}"#)
        let places = [
          ("vehicles", vehicle), ("maintenance-records", record), ("expenses", expense), ("fuel-entries", fuel),
        ]
        // Which of the places show the amount to a person. Drivers read no maintenance.
        for (name, shown) in [
          ("admin", [true, true, true, true]), ("mech", [true, true, true, true]),
          ("viewer", [false, false, false, false]), ("dora", [false, false, true, true]),
        ] {
          let session = try server.signIn("\(name)@example.com")
          for ((path, id), isShown) in zip(places, shown) where name != "dora" || path != "maintenance-records" {
            for request in ["/api/\(path)/\(id)", "/api/\(path)", "/api/\(path)?format=csv"] {
              let reply = try server.asPage(session, "GET", request)
              #expect(
                reply.status == 200 && reply.text.contains("31415.92") == isShown, "\(name) \(request): \(reply.text)")
            }
          }
        }
        #expect(try client.send("GET", "/api/expenses/\(expense)").text.contains("31415.92"))
        // An administrator allows the viewer to read costs.
        let people = try client.send("GET", "/api/people").list
        let viewer = try #require(
          people.first { $0["email"] as? String == "viewer@example.com" }?["id"] as? String)
        let granted = try server.asPage(
          try server.signIn("admin@example.com"), "PATCH", "/api/people/\(viewer)", #"{"mayReadCosts":true}"#,
          headers: ["If-Match": "*"])
        #expect(granted.status == 200, "\(granted.text)")
        let session = try server.signIn("viewer@example.com")
        for (path, id) in places {
          #expect(try server.asPage(session, "GET", "/api/\(path)/\(id)").text.contains("31415.92"), "\(path)")
        }
      }
    }
  }
}
