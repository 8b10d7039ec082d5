import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Times of what has happened, on both databases.
@Suite struct PastTimeTests {
  private static func time(inMinutes minutes: Int64) -> String {
    Timestamp(nanoseconds: WallClock.now.nanoseconds + minutes * 60_000_000_000).string
  }

  @Test(arguments: TestServer.Database.allCases)
  func what_has_happened_is_not_in_the_future(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      let (future, near) = (Self.time(inMinutes: 60), Self.time(inMinutes: 2))
      func refuse(_ reply: TestClient.Reply, _ key: String) {
        #expect(
          reply.status == 422 && reply.text.contains("expected a time that is not in the future")
            && reply.text.contains(#""path":"\#(key)""#), "\(reply.text)")
      }
      let things: [(path: String, key: String, rest: String)] = [
        ("/api/meter-readings", "at", #""odometer":41000"#),
        ("/api/fuel-entries", "at", #""energy":"diesel","quantity":40,"odometer":41000"#),
        ("/api/expenses", "at", #""category":"toll","amount":{"amount":"1","currency":"EUR"}"#),
        ("/api/inspections", "at", #""driverId":"\#(dispatch.dora)","kind":"preTrip","odometer":41000"#),
        ("/api/journeys", "startTime", #""driverId":"\#(dispatch.dora)""#),
      ]
      for (path, key, rest) in things {
        func body(_ time: String) -> String { #"{"vehicleId":"VAN-1","\#(key)":"\#(time)",\#(rest)}"# }
        refuse(try client.send("POST", path, json: body(future)), key)
        #expect(try client.send("GET", path).list.isEmpty, "\(path)")
        // The clock of a client may be a little ahead.
        let made = try client.send("POST", path, json: body(near))
        #expect(made.status == 201, "\(made.text)")
        guard path != "/api/meter-readings" else { continue }
        let id = try #require(try made.json["id"] as? String)
        let any = ["If-Match": "*"]
        refuse(try client.send("PATCH", "\(path)/\(id)", json: #"{"\#(key)":"\#(future)"}"#, headers: any), key)
        #expect(try client.send("PATCH", "\(path)/\(id)", json: #"{"notes":"x"}"#, headers: any).status == 200)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_journey_does_not_end_in_the_future(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let future = Self.time(inMinutes: 60)
      let id = try dispatch.add()
      #expect(try dispatch.command(id, "start").status == 200)
      for key in ["", #""id":"\#(UUIDv7.random(at: WallClock.now).string)","#] {
        let reply = try dispatch.command(id, "complete", #"{\#(key)"at":"\#(future)"}"#)
        #expect(
          reply.status == 422 && reply.text.contains("expected a time that is not in the future"), "\(reply.text)")
      }
      #expect(try dispatch.journey(id)["status"] as? String == "inProgress")
      // What is planned may be in the future.
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      for (path, body) in [
        ("/api/assignments", #""from":"\#(future)""#), ("/api/journeys", #""plannedFrom":"\#(future)""#),
      ] {
        let made = try client.send(
          "POST", path, json: #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-2",\#(body)}"#)
        #expect(made.status == 201, "\(made.text)")
      }
    }
  }
}
