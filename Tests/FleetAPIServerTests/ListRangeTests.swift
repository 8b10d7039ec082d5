import FleetDomain
import FleetStorageTestKit
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Ranges, text search and order of lists, on both databases.
@Suite struct ListRangeTests {
  private static func run(
    on database: TestServer.Database,
    _ body: @escaping @Sendable (TestServer, TestClient, _ driver: String) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send("POST", "/api/drivers", json: #"{"name":"Dora","licenceExpiry":"2031-05-04"}"#)
        try body(server, client, try #require(try made.json["id"] as? String))
      }
    }
  }

  private static func ids(_ reply: TestClient.Reply) throws -> [String] {
    #expect(reply.status == 200, "\(reply.text)")
    return reply.list.compactMap { $0["id"] as? String }
  }

  private static func made(_ client: TestClient, _ path: String, _ body: String) throws -> String {
    let reply = try client.send("POST", "/api/\(path)", json: body)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(try reply.json["id"] as? String)
  }

  /// Random ranges of a time and of numbers, against a filter of the whole list.
  @Test(arguments: TestServer.Database.allCases)
  func ranges_select_the_same_things_as_a_filter_in_memory(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client, _ in
      var random = SplitMix(seed: 7)
      var entries: [(id: String, at: Int, odometer: Int?, quantity: Int)] = []
      func time(_ hour: Int) -> String {
        Timestamp(nanoseconds: Int64(1_777_593_600 + hour * 3_600) * 1_000_000_000).string
      }
      for _ in 0..<40 {
        let (at, quantity) = (Int.random(in: 0..<240, using: &random), Int.random(in: 1..<60, using: &random))
        let odometer = Bool.random(using: &random) ? Int.random(in: 0..<1_000, using: &random) : nil
        let more = odometer.map { #","odometer":\#($0)"# } ?? ""
        let id = try Self.made(
          client, "fuel-entries",
          #"{"vehicleId":"VAN-1","at":"\#(time(at))","energy":"diesel","quantity":\#(quantity),"full":false\#(more)}"#)
        entries.append((id, at, odometer, quantity))
      }
      for _ in 0..<60 {
        var (query, expected) = (["limit=1000"], entries)
        var (start, isReversed) = ((name: "", hour: 0), false)
        if Bool.random(using: &random) {
          let from = Int.random(in: 0..<240, using: &random)
          start = (Bool.random(using: &random) ? "from=" : "atFrom=", from)
          query.append(start.name + time(from))
          expected.removeAll { $0.at < from }
        }
        if Bool.random(using: &random) {
          let to = Int.random(in: 0..<240, using: &random)
          let name = Bool.random(using: &random) ? "to=" : "atTo="
          query.append(name + time(to))
          isReversed = start.name == (name == "to=" ? "from=" : "atFrom=") && start.hour > to
          expected.removeAll { $0.at >= to }
        }
        if Bool.random(using: &random) {
          let least = Int.random(in: 0..<1_000, using: &random)
          query.append("odometerFrom=\(least)")
          expected.removeAll { $0.odometer ?? -1 < least }
        }
        if Bool.random(using: &random) {
          let most = Int.random(in: 1..<60, using: &random)
          query.append("quantityTo=\(most)")
          expected.removeAll { $0.quantity > most }
        }
        let reply = try client.send("GET", "/api/fuel-entries?" + query.joined(separator: "&"))
        #expect((reply.status == 400) == isReversed, "\(query): \(reply.text)")
        guard !isReversed else { continue }
        let found = try Self.ids(reply)
        #expect(Set(found) == Set(expected.map(\.id)), "\(query)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func days_are_days_of_the_tenant_and_the_last_one_is_included(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client, driver in
      let zone = try client.send(
        "PATCH", "/api/settings", json: #"{"timeZone":"Europe/Vienna"}"#, headers: ["If-Match": "*"])
      #expect(zone.status == 200, "\(zone.text)")
      func journey(_ more: String) throws -> String {
        try Self.made(client, "journeys", #"{"driverId":"\#(driver)","vehicleId":"VAN-1"\#(more)}"#)
      }
      // 4 May in Vienna: from 22:00 to 22:00 UTC.
      let before = try journey(#","plannedFrom":"2026-05-03T21:59:59.999Z""#)
      let first = try journey(#","plannedFrom":"2026-05-03T22:00:00Z""#)
      let last = try journey(#","plannedFrom":"2026-05-04T21:59:59.999Z""#)
      let after = try journey(#","plannedFrom":"2026-05-04T22:00:00Z""#)
      func found(_ query: String) throws -> [String] {
        try Self.ids(try client.send("GET", "/api/journeys?sort=plannedFrom&\(query)"))
      }
      #expect(try found("plannedFrom=2026-05-04&plannedTo=2026-05-04") == [first, last])
      #expect(try found("from=2026-05-04&to=2026-05-04") == [first, last])
      #expect(try found("plannedFrom=2026-05-03T22:00:00Z") == [first, last, after])
      #expect(try found("plannedTo=2026-05-03T22:00:00Z") == [before])
      #expect(try found("startTimeFrom=2026-05-04").isEmpty)
      #expect(try found("createdAtFrom=2026-05-04").count == 4)
      for wrong in ["plannedFrom=x", "plannedFrom=2026-02-30", "plannedTo=9999-01-01", "startOdometerFrom=x", "from="] {
        #expect(try client.send("GET", "/api/journeys?\(wrong)").status == 400, "\(wrong)")
      }
      // A range that begins after its end, in every list of things.
      for list in ["expenses", "journeys", "fuel-entries", "assignments", "maintenance-records", "meter-readings"] {
        for range in [
          "from=2026-05-05&to=2026-05-04", "from=2026-05-04T10:00:00Z&to=2026-05-04T09:00:00Z",
          "from=2026-05-05T00:00:00.001Z&to=2026-05-04", "createdAtFrom=2026-05-05&createdAtTo=2026-05-04",
        ] {
          #expect(try client.send("GET", "/api/\(list)?\(range)").status == 400, "\(list) \(range)")
        }
        #expect(try client.send("GET", "/api/\(list)?from=2026-05-04&to=2026-05-04").status == 200)
      }
      #expect(try client.send("GET", "/api/journeys?startOdometerFrom=2&startOdometerTo=1").status == 400)
      // Ranges of days, and of an assignment that has no end.
      #expect(
        try client.send("GET", "/api/drivers?licenceExpiryFrom=2031-05-04&licenceExpiryTo=2031-05-04").list.count == 1)
      #expect(try client.send("GET", "/api/drivers?licenceExpiryTo=2031-05-03").list.isEmpty)
      let open = try Self.made(
        client, "assignments",
        #"{"driverId":"\#(driver)","vehicleId":"VAN-1","from":"2026-05-04T10:00:00Z","notes":"spare Key"}"#)
      #expect(try Self.ids(try client.send("GET", "/api/assignments?from=2026-06-01&to=2026-06-02")) == [open])
      #expect(try client.send("GET", "/api/assignments?to=2026-05-03").list.isEmpty)
      #expect(try client.send("GET", "/api/assignments?q=key").list.count == 1)
      #expect(try client.send("GET", "/api/assignments?q=none").list.isEmpty)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func fields_that_a_person_may_not_see_are_no_limits_either(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await server.addPerson("viewer@example.com", [.viewer])
      try await runBlocking {
        let viewer = try server.signIn("viewer@example.com")
        #expect(try server.asPage(viewer, "GET", "/api/drivers?licenceExpiryFrom=2020-01-01").status == 403)
        #expect(try server.asPage(viewer, "GET", "/api/drivers?createdAtFrom=2020-01-01").status == 200)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func schedules_and_documents_are_listed_by_due_date_and_subject(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { _, client, driver in
      func schedule(_ months: Int) throws -> String {
        try Self.made(
          client, "service-schedules",
          #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"months":\#(months)},"lastService":{"date":"2026-05-04"}}"#
        )
      }
      let (late, early, middle) = (try schedule(100), try schedule(80), try schedule(90))
      #expect(try Self.ids(try client.send("GET", "/api/service-schedules?sort=-dueDate")) == [late, middle, early])
      #expect(
        try Self.ids(try client.send("GET", "/api/service-schedules?sort=dueDate&dueDateTo=2033-11-04"))
          == [early, middle])
      let record = try Self.made(
        client, "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"repair","dueDate":"2026-07-01"}"#)
      #expect(
        try client.send("GET", "/api/maintenance-records/\(record)").json["scheduledDate"] as? String == "2026-07-01")
      #expect(
        try Self.ids(try client.send("GET", "/api/maintenance-records?sort=-dueDate&from=2026-07-01")) == [record])
      func document(_ kind: String, _ id: String) throws -> String {
        try Self.made(client, "documents", #"{"of":{"kind":"\#(kind)","id":"\#(id)"},"kind":"invoice"}"#)
      }
      let (ofVehicle, ofRecord) = (try document("vehicle", "VAN-1"), try document("maintenanceRecord", record))
      _ = try document("driver", driver)
      _ = try document("serviceSchedule", late)
      #expect(try Self.ids(try client.send("GET", "/api/documents?of=maintenanceRecord:\(record)")) == [ofRecord])
      #expect(try Self.ids(try client.send("GET", "/api/documents?of=VAN-1")) == [ofVehicle])
      #expect(try client.send("GET", "/api/documents?of=..").status == 400)
      // What is wrong can be removed.
      #expect(try client.send("DELETE", "/api/documents/\(ofRecord)").status == 204)
      #expect(try client.send("GET", "/api/documents/\(ofRecord)").status == 404)
      #expect(try client.send("DELETE", "/api/service-schedules/\(late)", headers: ["If-Match": #""9""#]).status == 412)
      #expect(try client.send("DELETE", "/api/service-schedules/\(late)").status == 204)
      #expect(try client.send("GET", "/api/vehicles/VAN-1/due").list.count == 2)
      let overdue = try Self.made(
        client, "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"brakeService","every":{"months":1},"lastService":{"date":"2020-05-04"}}"#)
      #expect(try client.send("GET", "/api/maintenance-records?schedule=\(overdue)&status=scheduled").list.count == 1)
      #expect(try client.send("DELETE", "/api/service-schedules/\(overdue)").status == 204)
      #expect(try client.send("GET", "/api/maintenance-records?schedule=\(overdue)&status=cancelled").list.count == 1)
    }
  }
}
