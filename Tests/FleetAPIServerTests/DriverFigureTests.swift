import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The figures that drivers read about themselves, on both databases.
@Suite struct DriverFigureTests {
  @Test(arguments: TestServer.Database.allCases)
  func drivers_read_their_own_figures_and_those_of_nobody_else(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func send(_ path: String, _ json: String) throws -> String {
          let reply = try client.send("POST", path, json: json)
          #expect((200...201).contains(reply.status), "\(reply.text)")
          return try #require(try reply.json["id"] as? String)
        }
        let own = try send("/api/drivers", #"{"name":"Dora","personId":"\#(dora.id.string)"}"#)
        let other = try send("/api/drivers", #"{"name":"Max"}"#)
        _ = try send(
          "/api/assignments",
          #"{"driverId":"\#(own)","vehicleId":"VAN-1","from":"2026-05-01T00:00:00Z","to":"2026-06-01T00:00:00Z"}"#)
        for (driver, start, end, odometers) in [
          (own, "04T08:00", "04T09:30", #","startOdometer":1000,"endOdometer":1090"#),
          (own, "06T08:00", "06T08:30", ""), (other, "07T08:00", "07T09:00", ""),
        ] {
          _ = try send(
            "/api/journeys",
            #"{"driverId":"\#(driver)","vehicleId":"VAN-1","startTime":"2026-05-\#(start):00Z","endTime":"2026-05-\#(end):00Z"\#(odometers)}"#
          )
        }
        // Two hours at 72 km/h on 4 May, when the vehicle is Dora's.
        let records = (0...72).map {
          SampleRecord($0 + 1, second: 123 * 86_400 + 28_800 + $0 * 100, rest: #""rpm":1500,"speed":72"#)
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        // Figures that lack records say so until they are computed.
        let early = try client.send("GET", "/api/drivers/\(own)/figures?from=2026-05-01&to=2026-05-31")
        #expect(try early.json["pending"] as? [String] == ["2026-05-04"], "\(early.text)")
        // The day has records, so it does not lack them. The other days of the assignment do.
        #expect(try early.json["days"] as? Int == 31 && early.json["daysWithRecords"] as? Int == 0)
        let without = (1...31).filter { $0 != 4 }.map { "2026-05-" + ($0 < 10 ? "0" : "") + "\($0)" }
        #expect(try early.json["withoutRecords"] as? [String] == without, "\(early.text)")
        let foreign = try client.send("GET", "/api/drivers/\(other)/figures?from=2026-05-01&to=2026-05-31")
        #expect(try foreign.status == 200 && foreign.json["pending"] == nil, "\(foreign.text)")
        // A journey with a vehicle of another driver has no records that count for its driver.
        #expect(try foreign.json["days"] as? Int == 1 && foreign.json["daysWithRecords"] as? Int == 0)
        #expect(try foreign.json["withoutRecords"] as? [String] == ["2026-05-07"], "\(foreign.text)")
        #expect(try client.send("GET", "/api/vehicles/VAN-1/days?from=2026-05-01&to=2026-05-31").status == 200)
        let session = try server.signIn("dora@example.com")
        let query = "figures?from=2026-05-01&to=2026-05-31"
        let reply = try server.asPage(session, "GET", "/api/drivers/\(own)/\(query)")
        #expect(reply.status == 200, "\(reply.text)")
        let figures = try reply.json
        #expect(figures["pending"] == nil)
        #expect(figures["days"] as? Int == 31 && figures["daysWithRecords"] as? Int == 1, "\(reply.text)")
        #expect(figures["withoutRecords"] as? [String] == without, "\(reply.text)")
        #expect(figures["journeys"] as? Int == 2 && figures["journeySeconds"] as? Int == 7_200)
        #expect(figures["journeyKilometers"] as? Int == 90 && figures["journeysInProgress"] as? Int == 0)
        #expect(figures["distance"] as? Int == 144 && figures["score"] as? Int == 100, "\(reply.text)")
        #expect(figures["from"] as? String == "2026-05-01")
        #expect(try server.asPage(session, "GET", "/api/drivers/\(other)/\(query)").status == 404)
        let mechanic = try server.signIn("mech@example.com")
        // Mechanics may read the names of drivers, but not their figures.
        #expect(try server.asPage(mechanic, "GET", "/api/drivers/\(own)/\(query)").status == 403)
        let none = try client.send("GET", "/api/drivers/\(other)/figures?from=2026-04-01&to=2026-04-30")
        #expect(try none.json["note"] as? String == "not enough distance", "\(none.text)")
        #expect(try none.json["journeys"] as? Int == 0)
        #expect(try none.json["days"] as? Int == 0 && none.json["withoutRecords"] == nil, "\(none.text)")
        #expect(try client.send("GET", "/api/drivers/\(own)/figures?from=2024-01-01&to=2026-01-01").status == 400)
      }
    }
  }
}
