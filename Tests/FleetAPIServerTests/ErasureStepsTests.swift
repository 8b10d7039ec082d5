import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The erasure of a person with much to end: in several transactions, because all other tenants wait for each of them.
@Suite struct ErasureStepsTests {
  /// The assignments and journeys that one transaction ends.
  private static let together = 16

  /// Adds a driver with 30 planned assignments, 30 planned journeys, and one journey in progress with a full log.
  ///
  /// - Returns: the driver, and the journey with the full log.
  private static func addBusyDriver(
    of person: UUIDv7, _ server: TestServer
  ) async throws -> (driver: UUIDv7, full: UUIDv7) {
    let now = WallClock.now
    return try await server.storage.change(tenant: .standard, by: Actor(.command), at: now) {
      transaction throws(ThingError) in
      var driver = Driver()
      (driver.name, driver.personID, driver.status) = ("Dora", person, .onTrip)
      let id = try transaction.insert(driver).id
      for number in 0..<30 {
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (id, "VAN-1")
        assignment.from = now.adding(seconds: 86_400 * (1_000 + number))
        assignment.to = assignment.from.adding(seconds: 3_600)
        try transaction.insert(assignment)
        var journey = Journey()
        (journey.driverID, journey.vehicle) = (id, "VAN-1")
        journey.plannedFrom = assignment.from
        try transaction.insert(journey)
      }
      var full = Journey()
      (full.driverID, full.vehicle, full.status) = (id, "VAN-1", .inProgress)
      full.startTime = now.adding(seconds: -3_600)
      full.log = (0..<1_000).map { number in
        JourneyEvent(number == 0 ? .started : .incident, id: .random(at: now), at: now.adding(seconds: number - 3_600))
      }
      return (id, try transaction.insert(full).id)
    }
  }

  /// Returns the number of the driver's assignments and journeys that have not ended.
  private static func open(_ driver: UUIDv7, _ server: TestServer) async throws(StorageError) -> Int {
    do throws(ThingError) {
      return try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        let own = driver.json
        let assignments = try view.count(
          ThingQuery<Assignment>(
            .oneOf(key: "driverId", [own]), .oneOf(key: "status", [Assignment.Status.active.json])))
        let journeys = try view.count(
          ThingQuery<Journey>(
            .oneOf(key: "driverId", [own]), .oneOf(key: "status", Journey.Status.open.map(\.json))))
        return Int(assignments + journeys)
      }
    } catch {
      throw StorageError(.system, "test", "\(error)")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_interrupted_erasure_leaves_the_person_without_access_and_can_be_repeated(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("dora@example.com", [.driver]).id
      let (driver, full) = try await Self.addBusyDriver(of: person, server)
      let session = try await runBlocking { try server.signIn("dora@example.com") }
      #expect(try await Self.open(driver, server) == 61)
      // The first transaction of the erasure succeeds.
      server.storage.set(.change) { () throws(StorageError) in
        guard try await Self.open(driver, server) == 61 else {
          throw StorageError(.unavailable, "test", "does not answer")
        }
      }
      let path = "/api/people/\(person.string)"
      let interrupted = try await runBlocking { try server.client(server.keys.admin).send("DELETE", path) }
      server.storage.set(.change, nil)
      #expect(interrupted.status == 503, "\(interrupted.text)")
      #expect(try await Self.open(driver, server) == 61 - Self.together)
      try await runBlocking {
        // Another tenant's change is stored between two parts of the erasure.
        let foreign = try server.client(server.keys.foreignAdmin)
        #expect(try foreign.send("POST", "/api/vehicles", json: #"{"id":"VAN-9"}"#).status == 201)
        let client = try server.client(server.keys.admin)
        #expect(try client.send("GET", path).json["isActive"] as? Bool == false)
        // The sessions ended with the first part, and nobody can sign in as the person.
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 401)
        let login = try server.asPage(
          nil, "POST", "/api/auth/login",
          #"{"email":"dora@example.com","password":"\#(TestServer.password)","tenant":"default"}"#)
        #expect(login.status == 401, "\(login.text)")
        let again = try client.send("DELETE", path)
        #expect(again.status == 204, "\(again.text)")
        #expect(try client.send("GET", path).status == 404)
        #expect(try client.send("DELETE", path).status == 404)
        let released = try client.send("GET", "/api/drivers/\(driver.string)").json
        #expect(released["personId"] == nil && released["status"] as? String == "available", "\(released)")
        // The end of a journey needs no room in the log.
        let ended = try client.send("GET", "/api/journeys/\(full.string)").json
        #expect(ended["status"] as? String == "completed", "\(ended["status"] ?? "none")")
        let log = try #require(ended["log"] as? [[String: Any]])
        #expect(log.count == 1_001 && log.last?["notes"] as? String == "the account of the driver was erased")
        for (kind, count) in [("assignments", 30), ("journeys", 30)] {
          let cancelled = try client.send(
            "GET", "/api/\(kind)?driver=\(driver.string)&status=cancelled&count=true&limit=1")
          #expect(try cancelled.json["count"] as? Int == count, "\(kind)")
        }
      }
      #expect(try await Self.open(driver, server) == 0)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_erased_person_leaves_no_notification_and_no_mail(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let person = try await server.addPerson("dora@example.com", [.viewer]).id
      let now = WallClock.now
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: now) {
        transaction throws(ThingError) in
        for _ in 0..<250 {
          var notification = FleetWork.Notification()
          (notification.personID, notification.at) = (person, now)
          try transaction.insert(notification)
        }
        for _ in 0..<40 {
          var mail = QueuedMail()
          (mail.personID, mail.recipient) = (person, EmailAddress("dora@example.com"))
          try transaction.insert(mail)
        }
      }
      let reply = try await runBlocking {
        try server.client(server.keys.admin).send("DELETE", "/api/people/\(person.string)")
      }
      #expect(reply.status == 204, "\(reply.text)")
      let left = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        let own = person.json
        let notifications = try view.count(
          ThingQuery<FleetWork.Notification>(.oneOf(key: "personId", [own])))
        return (notifications, try view.count(ThingQuery<QueuedMail>(.oneOf(key: "personId", [own]))))
      }
      #expect(left == (0, 0))
    }
  }
}
