import FleetAccess
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Planned assignments begin and end at their times, on both databases.
@Suite struct AssignmentWatchTests {
  /// Returns a time in seconds after 2035-01-01. The server's own clock is earlier, so the server itself finds nothing
  /// that is due.
  private static func time(_ second: Int64) -> Timestamp {
    Timestamp(nanoseconds: (2_051_222_400 + second) * 1_000_000_000)
  }

  /// Assigns VAN-1 to several drivers, each for some seconds.
  private static func assign(
    _ times: [(from: Int64, to: Int64?)], on storage: some FleetStorage
  ) async throws -> [UUIDv7] {
    try await storage.change(tenant: .standard, by: Actor(.command), at: time(0)) { transaction throws(ThingError) in
      var ids: [UUIDv7] = []
      for (from, to) in times {
        var driver = Driver()
        driver.name = "Dora \(from)"
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (try transaction.insert(driver).id, "VAN-1")
        (assignment.from, assignment.to) = (Self.time(from), to.map(Self.time))
        ids.append(try transaction.insert(assignment).id)
      }
      return ids
    }
  }

  /// Returns the status of VAN-1 and of the assignments.
  private static func states(_ ids: [UUIDv7], on storage: some FleetStorage) async throws -> [String] {
    try await storage.view(tenant: .standard) { view throws(ThingError) in
      var states = [try view.vehicle(named: "VAN-1")?.value.status.rawValue ?? ""]
      for id in ids { states.append(try view.existing(id, Assignment.self).value.status.rawValue) }
      return states
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_is_assigned_for_the_time_of_its_planned_assignments(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let watch = AssignmentWatch(storage: storage, logger: Logger(label: "test"))
      let ids = try await Self.assign([(100, 200), (200, 300), (400, nil)], on: storage)
      func states() async throws -> [String] { try await Self.states(ids, on: storage) }
      var last: Timestamp?
      for (second, expected) in [
        (99, ["available", "active", "active", "active"]), (100, ["assigned", "active", "active", "active"]),
        (199, ["assigned", "active", "active", "active"]),
        // The next one begins when the first one ends.
        (200, ["assigned", "completed", "active", "active"]), (300, ["available", "completed", "completed", "active"]),
        (401, ["assigned", "completed", "completed", "active"]),
      ] as [(Int64, [String])] {
        try await watch.apply(since: last, at: Self.time(second))
        #expect(try await states() == expected, "\(second)")
        let entries = try await storage.auditHead(tenant: .standard).number
        // Another server finds nothing that is due.
        try await watch.apply(since: nil, at: Self.time(second))
        #expect(try await storage.auditHead(tenant: .standard).number == entries)
        last = Self.time(second)
      }
      let ended = try await storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(ids[0], Assignment.self).value
      }
      #expect(ended.to == Self.time(200))
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func what_was_due_while_no_server_ran_is_done_at_the_start(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      // There are more assignments than one transaction processes.
      var times: [(from: Int64, to: Int64?)] = []
      for start: Int64 in stride(from: 0, to: 2_300, by: 10) { times.append((start, start + 10)) }
      times.append((2_300, nil))
      let ids = try await Self.assign(times, on: storage)
      let watch = AssignmentWatch(storage: storage, logger: Logger(label: "test"))
      try await watch.apply(since: nil, at: Self.time(10_000))
      let states = try await Self.states(ids, on: storage)
      #expect(states.first == "assigned" && states.last == "active")
      #expect(states.dropFirst().dropLast().allSatisfy { $0 == "completed" } && states.count == 232)
    }
  }

  /// Rows that cannot be read are of a tenant that comes before the others.
  @Test(arguments: TestServer.Database.allCases)
  func unreadable_rows_delay_no_other_assignment(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let tenant = try #require(TenantID("aaa"))
      let archive = UUIDv7.random(at: Self.time(0))
      func id(_ number: UInt64) -> JSON { UUIDv7(milliseconds: 9, first: 9, rest: number).json }
      try await storage.addRows(
        [
          ["id": id(1), "driver_id": id(2), "vehicle_id": .text("VAN-8"), "from": .integer(.min)],
          ["id": id(3), "driver_id": id(2), "vehicle_id": .text("VAN-8"), "from": .integer(.min), "to": .integer(5)],
        ], of: Assignment.self, tenant: tenant, archive: archive)
      try await storage.addRows(
        [["thing": id(4), "id": .text("VAN-7"), "status": .text("broken")]], of: Vehicle.self, tenant: tenant,
        archive: archive)
      try await storage.addVehicle("VAN-9", tenant: tenant, at: Self.time(0))
      let own = try await storage.change(tenant: tenant, by: Actor(.command), at: Self.time(0)) {
        transaction throws(ThingError) in
        var ids: [UUIDv7] = []
        for vehicle in ["VAN-7", "VAN-9"] {
          var assignment = Assignment()
          (assignment.driver, assignment.vehicle) = (UUIDv7(milliseconds: 9, first: 9, rest: 2), vehicle)
          (assignment.from, assignment.to) = (Self.time(100), Self.time(200))
          ids.append(try transaction.insert(assignment).id)
        }
        return ids
      }
      let ids = try await Self.assign([(100, 200)], on: storage)
      let watch = AssignmentWatch(storage: storage, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      for (second, status, state) in [(150, "assigned", "active"), (250, "available", "completed")]
        as [(
          Int64, String, String
        )]
      {
        #expect(try await watch.apply(since: nil, at: Self.time(second)))
        #expect(try await Self.states(ids, on: storage) == [status, state])
        #expect(try await storage.vehicle("VAN-9", tenant: tenant)?.value.status.rawValue == status)
        let ended = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.existing(own[1], Assignment.self).value.status.rawValue
        }
        #expect(ended == state)
      }
    }
  }

  /// A list leaves out rows that cannot be read, and says so. So does a file of the list.
  @Test(arguments: TestServer.Database.allCases)
  func a_list_names_the_rows_that_it_cannot_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let tenant = try #require(TenantID("aaa"))
      @Sendable func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 9, first: 9, rest: UInt64(number)) }
      // The 1st, 2nd, 5th, and so on, cannot be read.
      let broken = [1, 2, 5, 9, 10]
      try await storage.addRows(
        (1...10).map { number in
          let start: Int64 = broken.contains(number) ? .min : 1_000_000
          return [
            "id": id(number).json, "driver_id": id(99).json, "vehicle_id": .text("VAN-8"), "from": .integer(start),
            "created": .integer(Int64(number)),
          ]
        }, of: Assignment.self, tenant: tenant, archive: id(98))
      let secret = Secret(.operatorToken)
      try await storage.addToken(
        OperatorToken(id: id(97), label: "test", role: .admin, addedAt: Self.time(0)), secret: secret.hash,
        tenant: tenant)
      try await runBlocking {
        let client = try server.client(secret.text)
        var (seen, unreadable, next, pages) = ([String](), [String](), "", 0)
        repeat {
          let page = try client.send("GET", "/api/assignments?sort=createdAt&limit=2\(next)")
          #expect(page.status == 200, "\(page.text)")
          seen += page.list.compactMap { $0["id"] as? String }
          unreadable += try page.json["unreadable"] as? [String] ?? []
          next = page.text.firstMatch(of: /"next":"([^"]+)"/).map { "&cursor=\($0.1)" } ?? ""
          pages += 1
        } while !next.isEmpty && pages < 20
        #expect(seen == (1...10).filter { !broken.contains($0) }.map { id($0).string })
        #expect(unreadable.count == broken.count)
        for (number, text) in zip(broken, unreadable) {
          #expect(text.hasPrefix("assignment \(id(number).string): from: expected a time"), "\(text)")
        }
        let file = try client.send("GET", "/api/assignments?sort=createdAt&format=csv")
        #expect(file.status == 200)
        let lines = file.text.split(whereSeparator: \.isNewline)
        #expect(lines.count == 11 && lines.suffix(5).allSatisfy { $0.contains("unreadable: assignment") }, "\(lines)")
      }
    }
  }

  /// A request can commit an assignment after a search, although the assignment began before it.
  @Test func an_assignment_that_is_committed_late_begins_at_the_next_look() async throws {
    try await TestServer.run { server in
      let watch = AssignmentWatch(storage: server.storage, logger: Logger(label: "test"))
      try await watch.apply(since: nil, at: Self.time(101))
      let ids = try await Self.assign([(100, nil)], on: server.storage)
      try await watch.apply(since: Self.time(101), at: Self.time(102))
      #expect(try await Self.states(ids, on: server.storage) == ["assigned", "active"])
    }
  }

  @Test func a_vehicle_in_service_stays_in_service() async throws {
    try await TestServer.run { server in
      let ids = try await Self.assign([(100, 200)], on: server.storage)
      try await server.storage.change(tenant: .standard, by: Actor(.command), at: Self.time(0)) {
        transaction throws(ThingError) in
        var record = MaintenanceRecord()
        (record.vehicle, record.serviceType, record.status) = ("VAN-1", "repair", .inProgress)
        try transaction.insert(record)
        try transaction.updateStatus(ofVehicle: "VAN-1")
      }
      let watch = AssignmentWatch(storage: server.storage, logger: Logger(label: "test"))
      for (second, state) in [(150, "active"), (250, "completed")] as [(Int64, String)] {
        try await watch.apply(since: nil, at: Self.time(second))
        #expect(try await Self.states(ids, on: server.storage) == ["inService", state])
      }
    }
  }

  @Test func a_running_server_begins_a_planned_assignment_within_seconds() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let driver = try #require(
          try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#).json["id"] as? String)
        let from = TextOf.time(WallClock.now.adding(seconds: 1))
        let made = try client.send(
          "POST", "/api/assignments", json: #"{"driverId":"\#(driver)","vehicleId":"VAN-1","from":"\#(from)"}"#)
        #expect(made.status == 201, "\(made.text)")
        let end = Date(timeIntervalSinceNow: 60)
        var status: String?
        repeat {
          status = try client.send("GET", "/api/vehicles/VAN-1").json["status"] as? String
        } while status != "assigned" && Date() < end
        #expect(status == "assigned")
      }
    }
  }
}
