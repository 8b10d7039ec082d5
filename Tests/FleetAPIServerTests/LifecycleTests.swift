import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// What happens to the assignments, journeys, defects and services of a vehicle when it goes into service, is repaired,
/// retired and taken back, on both databases.
@Suite struct LifecycleTests {
  private struct Office {
    let client: TestClient
    let dora: String

    func post(_ path: String, _ body: String = "{}") throws -> TestClient.Reply {
      try client.send("POST", "/api/\(path)", json: body)
    }

    func made(_ path: String, _ body: String) throws -> String {
      let reply = try post(path, body)
      try #require(reply.status == 201, "\(path): \(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }

    func patch(_ path: String, _ body: String) throws -> TestClient.Reply {
      try client.send("PATCH", "/api/\(path)", json: body, headers: ["If-Match": "*"])
    }

    func thing(_ path: String) throws -> [String: Any] { try client.send("GET", "/api/\(path)").json }

    func state(_ path: String) throws -> String? { try thing(path)["status"] as? String }

    func journey(_ more: String) throws -> TestClient.Reply {
      try post("journeys", #"{"driverId":"\#(dora)","vehicleId":"VAN-1"\#(more)}"#)
    }
  }

  private static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (Office) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/drivers", json: #"{"name":"Dora","licenceExpiry":"2031-05-04"}"#)
        try body(Office(client: client, dora: try #require(try made.json["id"] as? String)))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_duty_of_a_driver_ends_when_the_account_is_erased(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let client = try dispatch.server.client(dispatch.server.keys.admin)
      func made(_ path: String, _ body: String) throws -> String {
        let reply = try client.send("POST", "/api/\(path)", json: body)
        return try #require(try reply.json["id"] as? String, "\(reply.text)")
      }
      func thing(_ path: String) throws -> [String: Any] { try client.send("GET", "/api/\(path)").json }
      func assign(_ vehicle: String, _ times: String) throws -> String {
        try made("assignments", #"{"driverId":"\#(dispatch.dora)","vehicleId":"\#(vehicle)",\#(times)}"#)
      }
      let present = try assign("VAN-1", #""from":"2026-01-01T00:00:00Z","to":"2099-01-01T00:00:00Z""#)
      let planned = try assign("VAN-2", #""from":"2099-01-02T00:00:00Z""#)
      let journey = try dispatch.add(#","purpose":"business""#)
      #expect(try dispatch.command(journey, "start").status == 200)
      let later = try dispatch.add(#","purpose":"business""#)
      let person = try #require(try thing("drivers/\(dispatch.dora)")["personId"] as? String)
      #expect(try client.send("DELETE", "/api/people/\(person)").status == 204)
      let driver = try thing("drivers/\(dispatch.dora)")
      #expect(driver["personId"] == nil && driver["name"] as? String == "Dora", "\(driver)")
      #expect(driver["status"] as? String == "available", "\(driver)")
      #expect(try thing("assignments/\(present)")["status"] as? String == "completed")
      #expect(try thing("assignments/\(planned)")["status"] as? String == "cancelled")
      #expect(try thing("vehicles/VAN-1")["status"] as? String == "available")
      let ended = try dispatch.journey(journey)
      let last = (ended["log"] as? [[String: Any]])?.last
      #expect(ended["status"] as? String == "completed", "\(ended)")
      #expect(last?["notes"] as? String == "the account of the driver was erased", "\(ended)")
      #expect(try dispatch.journey(later)["status"] as? String == "cancelled")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_assignment_can_be_shortened_while_its_vehicle_is_in_service(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { office in
      let id = try office.made(
        "assignments",
        #"{"driverId":"\#(office.dora)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z","to":"2030-01-01T00:00:00Z"}"#
      )
      let record = try office.made(
        "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"repair","scheduledDate":"2026-05-04"}"#)
      #expect(try office.post("maintenance-records/\(record)/start").status == 200)
      let notes = try office.patch("assignments/\(id)", #"{"notes":"in the workshop"}"#)
      #expect(notes.status == 200, "\(notes.text)")
      #expect(try office.patch("assignments/\(id)", #"{"to":"2029-01-01T00:00:00Z"}"#).status == 200)
      // More time needs a vehicle that is ready.
      for longer in [#"{"to":"2029-06-01T00:00:00Z"}"#, #"{"to":null}"#, #"{"from":"2025-01-01T00:00:00Z"}"#] {
        #expect(try office.patch("assignments/\(id)", longer).errorCode == "vehicleUnavailable", "\(longer)")
      }
      #expect(try office.post("maintenance-records/\(record)/complete").status == 200)
      #expect(try office.patch("assignments/\(id)", #"{"to":"2029-06-01T00:00:00Z"}"#).status == 200)
      // The licence ends before, so no more time can be added after it.
      #expect(try office.patch("drivers/\(office.dora)", #"{"licenceExpiry":"2020-01-01"}"#).status == 200)
      #expect(try office.patch("assignments/\(id)", #"{"notes":null}"#).status == 200)
      #expect(try office.patch("assignments/\(id)", #"{"to":null}"#).errorCode == "licenceExpired")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_journey_that_begins_now_obeys_the_rules_of_start(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { office in
      let start = #","startTime":"2026-05-04T10:00:00Z""#
      let first = try office.journey(start)
      #expect(try first.status == 201 && first.json["status"] as? String == "inProgress", "\(first.text)")
      #expect(try office.journey(start).errorCode == "journeyInProgress")
      let id = try #require(try first.json["id"] as? String)
      #expect(try office.post("journeys/\(id)/complete", #"{"at":"2026-05-04T11:00:00Z"}"#).status == 200)
      // One that is entered afterwards is stored, but needs a review if it overlaps another one.
      let between = try office.journey(
        #","startTime":"2026-05-04T10:30:00Z","endTime":"2026-05-04T12:00:00Z""#)
      #expect(try between.status == 201 && between.json["needsReview"] as? Bool == true, "\(between.text)")
      #expect(between.text.contains(#""doubt":"overlap""#))
      let moved = try office.patch(
        "journeys/\(try #require(try between.json["id"] as? String))", #"{"startTime":"2026-05-04T11:00:00Z"}"#)
      #expect(try moved.json["needsReview"] as? Bool == false, "\(moved.text)")
      let after = try office.journey(
        #","startTime":"2026-05-04T12:00:00Z","endTime":"2026-05-04T13:00:00Z""#)
      #expect(try after.status == 201 && after.json["needsReview"] as? Bool == false, "\(after.text)")
      #expect(try office.patch("drivers/\(office.dora)", #"{"status":"suspended"}"#).status == 200)
      #expect(try office.journey(start).errorCode == "driverSuspended")
      #expect(try office.patch("drivers/\(office.dora)", #"{"status":"available"}"#).status == 200)
      #expect(try office.post("vehicles/VAN-1/retire").status == 200)
      #expect(try office.patch("vehicles/VAN-1", #"{"disposedOn":"2026-05-05"}"#).status == 200)
      #expect(try office.journey(start).errorCode == "vehicleUnavailable")
      let late = #","startTime":"2026-05-06T10:00:00Z","endTime":"2026-05-06T11:00:00Z""#
      #expect(try office.journey(late).errorCode == "vehicleUnavailable")
      let inTime = #","startTime":"2026-05-05T10:00:00Z","endTime":"2026-05-05T11:00:00Z""#
      #expect(try office.journey(inTime).status == 201)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func defects_follow_the_record_that_repairs_them(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { office in
      func defect() throws -> String {
        try office.made("defects", #"{"vehicleId":"VAN-1","severity":"unsafe","text":"brakes"}"#)
      }
      func record(_ more: String) throws -> String {
        try office.made("maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"repair"\#(more)}"#)
      }
      let (first, second) = (try defect(), try defect())
      // A repair that is entered afterwards.
      let done = try record(#","completedDate":"2026-05-04","defectIds":["\#(first)"]"#)
      #expect(try office.state("defects/\(first)") == "repaired")
      #expect(try office.thing("defects/\(first)")["recordId"] as? String == done)
      #expect(
        try office.patch("maintenance-records/\(done)", #"{"defectIds":["\#(first)","\#(second)"]}"#).status == 200)
      #expect(try office.state("defects/\(second)") == "repaired")
      // A record that is cancelled, or that lists a defect no longer, leaves the defect free.
      let third = try defect()
      let planned = try record(#","scheduledDate":"2026-05-04","defectIds":["\#(third)"]"#)
      #expect(try office.thing("defects/\(third)")["recordId"] as? String == planned)
      #expect(try office.patch("maintenance-records/\(planned)", #"{"defectIds":[]}"#).status == 200)
      #expect(try office.thing("defects/\(third)")["recordId"] == nil)
      #expect(try office.patch("maintenance-records/\(planned)", #"{"defectIds":["\#(third)"]}"#).status == 200)
      #expect(try office.post("maintenance-records/\(planned)/cancel").status == 200)
      #expect(try office.thing("defects/\(third)")["recordId"] == nil)
      #expect(try office.state("defects/\(third)") == "open")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func retiring_a_vehicle_ends_its_journeys_and_services(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { office in
      let planned = try #require(try office.journey("").json["id"] as? String)
      let underway = try #require(
        try office.journey(#","startTime":"2026-05-04T10:00:00Z""#).json["id"] as? String)
      let schedule = try office.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"months":12},"lastService":{"date":"2020-01-01"}}"#)
      #expect(try office.thing("service-schedules/\(schedule)")["state"] as? String == "overdue")
      #expect(try office.state("drivers/\(office.dora)") == "onTrip")
      let retired = try office.post("vehicles/VAN-1/retire")
      #expect(try retired.json["status"] as? String == "retired", "\(retired.text)")
      #expect(try office.state("journeys/\(planned)") == "cancelled")
      #expect(try office.state("journeys/\(underway)") == "completed")
      #expect(try office.state("drivers/\(office.dora)") == "available")
      let log = try #require(try office.thing("journeys/\(underway)")["log"] as? [[String: Any]])
      #expect(log.last?["notes"] as? String == "the vehicle was retired")
      #expect(try office.thing("service-schedules/\(schedule)")["state"] as? String == "ok")
      #expect(try office.thing("service-schedules/\(schedule)")["next"] == nil)
      #expect(try office.client.send("GET", "/api/vehicles/VAN-1/due").list.isEmpty)
      #expect(try office.client.send("GET", "/api/maintenance-records?status=scheduled").list.isEmpty)
      // The schedule continues from the last service when the vehicle comes back.
      #expect(try office.post("vehicles/VAN-1/reactivate").status == 200)
      #expect(try office.thing("service-schedules/\(schedule)")["state"] as? String == "overdue")
      #expect(try office.client.send("GET", "/api/vehicles/VAN-1/due").list.count == 1)
      #expect(try office.journey(#","startTime":"2026-05-05T10:00:00Z""#).status == 201)
    }
  }

  /// Other tenants wait while the status is computed, so that it must not depend on the number of planned assignments.
  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_is_assigned_however_many_assignments_are_planned(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let now = WallClock.now
      let driver = try await server.storage.change(tenant: .standard, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        var driver = Driver()
        driver.name = "Dora"
        let id = try transaction.insert(driver).id
        for number in 0..<1_001 {
          var assignment = Assignment()
          (assignment.driver, assignment.vehicle) = (id, "VAN-1")
          assignment.from = now.adding(seconds: 86_400 * (1_000 + number))
          assignment.to = assignment.from.adding(seconds: 3_600)
          try transaction.insert(assignment)
        }
        return id.string
      }
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/assignments",
          json: #"{"driverId":"\#(driver)","vehicleId":"VAN-1","to":"\#(now.adding(seconds: 3_600).string)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(try client.send("GET", "/api/vehicles/VAN-1").json["status"] as? String == "assigned")
      }
    }
  }

  /// More notifications than one transaction marks.
  @Test(arguments: TestServer.Database.allCases)
  func all_notifications_are_marked_as_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("ada@example.com", [.admin])
      let now = WallClock.now
      try await server.storage.change(tenant: .standard, by: Actor(.server), at: now) {
        transaction throws(ThingError) in
        for _ in 0..<1_300 {
          var notification = FleetWork.Notification()
          notification.personID = person.id
          notification.at = now
          try transaction.insert(notification)
        }
      }
      try await runBlocking {
        let session = try server.signIn("ada@example.com")
        #expect(try server.asPage(session, "POST", "/api/notifications/read").status == 204)
        #expect(try server.asPage(session, "GET", "/api/notifications?unread=true").list.isEmpty)
      }
    }
  }
}
