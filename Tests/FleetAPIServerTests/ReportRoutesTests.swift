import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Reports, on both databases.
@Suite struct ReportRoutesTests {
  @Test(arguments: TestServer.Database.allCases)
  func reports_are_made_kept_and_shown_to_those_who_may_see_them(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await aside {
        let client = try server.client(server.keys.admin)
        // 20 minutes at 36 km/h of VAN-1, 10 minutes of VAN-2, on 1 July.
        let start = 181 * 86_400 + 36_000
        let rest = #""rpm":1500,"speed":36"#
        var records: [SampleRecord] = []
        for number in 0...20 {
          records.append(SampleRecord(number + 1, second: start + number * 60, rest: rest))
          guard number <= 10 else { continue }
          records.append(SampleRecord(number + 100, vehicle: "VAN-2", second: start + number * 60, rest: rest))
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        for vehicle in ["VAN-1", "VAN-2"] {
          _ = try client.send("GET", "/api/vehicles/\(vehicle)/days?from=2026-07-01&to=2026-07-01")
        }
        #expect(
          try client.send(
            "POST", "/api/expenses",
            json:
              #"{"vehicleId":"VAN-1","at":"2026-07-01T10:00:00Z","category":"toll","amount":{"amount":"24","currency":"EUR"}}"#
          ).status == 201)
        func make(_ json: String) throws -> TestClient.Reply { try client.send("POST", "/api/reports", json: json) }
        func rows(_ reply: TestClient.Reply) throws -> [[String: Any]] {
          try #require(try reply.json["rows"] as? [[String: Any]], "\(reply.text)")
        }
        let range = #""from":"2026-07-01","to":"2026-07-31""#
        let vehicles = try make(#"{"kind":"utilization",\#(range)}"#)
        #expect(vehicles.status == 201)
        #expect(try rows(vehicles).map { $0["group"] as? String } == ["VAN-1", "VAN-2"])
        #expect(try rows(vehicles).map { $0["distance"] as? Double } == [12, 6])
        let month = try make(#"{"kind":"trips","groupBy":"month",\#(range)}"#)
        #expect(try rows(month).map { $0["distance"] as? Double } == [18])
        let north = try make(#"{"kind":"utilization","fleetId":"\#(depots.ids.north)",\#(range)}"#)
        #expect(try rows(north).map { $0["group"] as? String } == ["VAN-1"])
        let costs = try make(#"{"kind":"costs","groupBy":"fleet",\#(range)}"#)
        let own = try #require(try rows(costs).first { $0["group"] as? String == depots.ids.north })
        #expect(own["total"] as? [[String: String]] == [["amount": "24.00", "currency": "EUR"]])
        #expect(own["perKilometer"] as? [[String: String]] == [["amount": "2.00", "currency": "EUR"]])
        #expect(try make(#"{"kind":"drivers",\#(range)}"#).text.contains("not enough distance"))
        for wrong in [
          #"{"kind":"utilization"}"#, #"{"kind":"x",\#(range)}"#,
          #"{"kind":"trips","from":"2026-07-02","to":"2026-07-01"}"#,
          #"{"kind":"trips","from":"2020-07-02","to":"2026-07-01"}"#, #"{"kind":"trips","rows":[],"x":1,\#(range)}"#,
        ] {
          #expect(try make(wrong).status == 422, "\(wrong)")
        }
        let list = try client.send("GET", "/api/reports")
        #expect(list.list.count == 5 && !list.text.contains("rows"))
        #expect(try client.send("GET", "/api/reports?kind=costs").list.count == 1)
        let id = try #require(try vehicles.json["id"] as? String)
        #expect(try client.send("GET", "/api/reports/\(id)").json["rows"] as? [[String: Any]] != nil)
        let csv = try client.send("GET", "/api/reports/\(id)?format=csv")
        #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
        #expect(csv.text.hasPrefix("group,distance,") && csv.text.contains("\r\nVAN-1,12,"))
        #expect(try client.send("GET", "/api/reports/\(id)?format=pdf").status == 400)
        #expect(try server.client(server.keys.foreignAdmin).send("GET", "/api/reports/\(id)").status == 404)
        // Viewers of a fleet see its reports, but no costs; they make none.
        let viewer = try server.signIn("viewer@example.com")
        let shown = try server.asPage(viewer, "GET", "/api/reports").list.compactMap { $0["id"] as? String }
        #expect(try shown == [#require(north.json["id"] as? String)])
        #expect(try server.asPage(viewer, "GET", "/api/reports/\(id)").status == 404)
        #expect(try server.asPage(viewer, "POST", "/api/reports", #"{"kind":"trips",\#(range)}"#).status == 403)
        let scoped = try server.signIn("north@example.com")
        #expect(try server.asPage(scoped, "POST", "/api/reports", #"{"kind":"trips",\#(range)}"#).status == 403)
        func scopedMake(_ fleet: String) throws -> Int {
          try server.asPage(scoped, "POST", "/api/reports", #"{"kind":"costs","fleetId":"\#(fleet)",\#(range)}"#).status
        }
        #expect(try scopedMake(depots.ids.north) == 201)
        #expect(try scopedMake(depots.ids.south) == 422)
        let mechanic = try server.signIn("mech@example.com")
        #expect(try server.asPage(mechanic, "POST", "/api/reports", #"{"kind":"costs",\#(range)}"#).status == 201)
      }
    }
  }
}
