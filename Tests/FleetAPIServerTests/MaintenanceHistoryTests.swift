import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Services that are entered later, in another order or repeatedly, on both databases.
@Suite struct MaintenanceHistoryTests {
  typealias Workshop = MaintenanceRoutesTests.Workshop

  /// A number of days before today.
  private static func day(_ days: Int) -> String { CalendarDate(utc: WallClock.now).adding(days: -days).text }

  private static func last(_ schedule: String, _ workshop: Workshop) throws -> [String: Any] {
    try #require(try workshop.thing("service-schedules/\(schedule)")["lastService"] as? [String: Any])
  }

  private static func next(_ schedule: String, _ workshop: Workshop) throws -> [String: Any] {
    try #require(try workshop.thing("service-schedules/\(schedule)")["next"] as? [String: Any])
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_service_has_the_odometer_of_its_own_day(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      try workshop.read(10_000, hoursAgo: 180 * 24)
      try workshop.read(20_000, hoursAgo: 0)
      func completed(_ body: String) throws -> String {
        let id = try workshop.made(
          "service-schedules",
          #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":15000},"lastService":{"odometer":500}}"#
        )
        let reply = try workshop.post("service-schedules/\(id)/complete", body)
        #expect(reply.status == 200, "\(reply.text)")
        return id
      }
      let known = try completed(#"{"completedDate":"\#(Self.day(180))"}"#)
      #expect(try Self.last(known, workshop)["odometer"] as? Double == 10_000)
      #expect(try Self.next(known, workshop)["dueOdometer"] as? Double == 25_000)
      // No reading is known of that day. Distances count from the last reading before it.
      let unknown = try completed(#"{"completedDate":"\#(Self.day(90))"}"#)
      #expect(try Self.last(unknown, workshop)["date"] as? String == Self.day(90))
      #expect(try Self.last(unknown, workshop)["odometer"] == nil)
      #expect(try Self.next(unknown, workshop)["dueOdometer"] as? Double == 25_000)
      let present = try completed("{}")
      #expect(try Self.last(present, workshop)["odometer"] as? Double == 20_000)
      #expect(try Self.next(present, workshop)["dueOdometer"] as? Double == 35_000)
      // A stated reading counts, even if it was entered too late to be used.
      let stated = try completed(#"{"completedDate":"\#(Self.day(90))","odometer":14900}"#)
      #expect(try Self.last(stated, workshop)["odometer"] as? Double == 14_900)
      #expect(try Self.next(stated, workshop)["dueOdometer"] as? Double == 29_900)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_newest_service_counts(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let id = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":365},"lastService":{"date":"\#(Self.day(100))"}}"#
      )
      func state() throws -> String? { try workshop.thing("service-schedules/\(id)")["state"] as? String }
      // Old services are history, however they are entered.
      let old = try workshop.made(
        "maintenance-records",
        #"{"vehicleId":"VAN-1","serviceType":"inspection","scheduleId":"\#(id)","completedDate":"\#(Self.day(800))"}"#)
      let reply = try workshop.post("service-schedules/\(id)/complete", #"{"completedDate":"\#(Self.day(500))"}"#)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(try Self.last(id, workshop)["date"] as? String == Self.day(100))
      #expect(try state() == "ok")
      #expect(try workshop.records("&status=scheduled").isEmpty)
      #expect(try workshop.records("&status=completed").count == 2)
      // A correction can make a record the newest, and can make it old again.
      func correct(_ days: Int) throws {
        let reply = try workshop.client.send(
          "PATCH", "/api/maintenance-records/\(old)", json: #"{"completedDate":"\#(Self.day(days))"}"#,
          headers: ["If-Match": "*"])
        #expect(reply.status == 200, "\(reply.text)")
      }
      try correct(50)
      #expect(try Self.last(id, workshop)["date"] as? String == Self.day(50))
      let date = CalendarDate(utc: WallClock.now)
      #expect(try Self.next(id, workshop)["dueDate"] as? String == date.adding(days: 315).text)
      try correct(600)
      #expect(try Self.last(id, workshop)["date"] as? String == Self.day(500))
      #expect(try state() == "overdue")
      #expect(try workshop.records("&status=scheduled").count == 1)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_service_by_distance_was_due_on_the_day_of_the_reading_that_reached_it(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let workshop = Workshop(client: try server.client(server.keys.admin), server: server)
        try workshop.read(10_000, hoursAgo: 60 * 24)
        _ = try workshop.made(
          "service-schedules",
          """
          {"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":5000,"months":24},\
          "lastService":{"date":"\(Self.day(60))","odometer":10000}}
          """)
        for (value, days) in [(14_600.0, 40), (16_000, 28), (16_500, 2)] {
          try workshop.read(value, hoursAgo: days * 24)
        }
        #expect(try workshop.records().map { $0["scheduledDate"] as? String } == [Self.day(28)])
        // When a schedule is added later, its limit may have been reached by an older reading.
        _ = try workshop.made(
          "service-schedules",
          """
          {"vehicleId":"VAN-1","serviceType":"inspection","every":{"kilometers":4500,"days":50},\
          "lastService":{"date":"\(Self.day(60))","odometer":10000}}
          """)
        let inspections = try workshop.records().filter { $0["serviceType"] as? String == "inspection" }
        #expect(inspections.map { $0["scheduledDate"] as? String } == [Self.day(40)])
      }
      let events = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<FleetEvent>(order: [.init("number")])).items.map(\.value)
      }
      // The due date of the oil change is two years after the last service, and no day of the event.
      #expect(events.filter { $0.event == .serviceDueSoon }.map(\.day) == [nil])
      #expect(events.filter { $0.event == .serviceOverdue }.map { $0.day?.text } == [Self.day(28), Self.day(40)])
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_old_service_leaves_the_work_order_open(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let id = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":30},"lastService":{"date":"\#(Self.day(100))"}}"#
      )
      let open = try workshop.records("&status=scheduled")
      // The work order has the day on which the service was due.
      #expect(open.count == 1 && open[0]["dueDate"] as? String ?? open[0]["scheduledDate"] as? String == Self.day(70))
      #expect(
        try workshop.post("service-schedules/\(id)/complete", #"{"completedDate":"\#(Self.day(200))"}"#).status == 200)
      #expect(try workshop.records("&status=scheduled").map { $0["id"] as? String } == [open[0]["id"] as? String])
      // If the work order itself has an old date, the service is still due, and another work order is opened.
      let record = try #require(open[0]["id"] as? String)
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      let late = try workshop.post("maintenance-records/\(record)/complete", #"{"completedDate":"\#(Self.day(150))"}"#)
      #expect(late.status == 200, "\(late.text)")
      #expect(try workshop.thing("service-schedules/\(id)")["state"] as? String == "overdue")
      let next = try workshop.records("&status=scheduled")
      #expect(next.count == 1 && next[0]["id"] as? String != record)
    }
  }

  /// The services that were completed decide when the next one is due, also after a time in which the schedule did not
  /// apply to the vehicle.
  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_that_comes_back_to_a_fleet_continues_its_services(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let fleet = try workshop.made("fleets", #"{"name":"Depot","vehicleIds":["VAN-1"]}"#)
      let other = try workshop.made("fleets", #"{"name":"Other"}"#)
      var schedules: [String] = []
      for (basis, interval, done) in [("fromCompletion", 300, [700, 400]), ("fixed", 30, [45, 12])] {
        schedules.append(
          try workshop.made(
            "service-schedules",
            #"{"fleetId":"\#(fleet)","serviceType":"inspection","every":{"days":\#(interval)},"basis":"\#(basis)"}"#))
        for days in done {
          let reply = try workshop.post(
            "service-schedules/\(schedules[schedules.count - 1])/complete",
            #"{"vehicleId":"VAN-1","completedDate":"\#(Self.day(days))"}"#)
          #expect(reply.status == 200, "\(reply.text)")
        }
      }
      func due() throws -> [String: [String]] {
        let services = try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list
        return Dictionary(
          uniqueKeysWithValues: services.map { service in
            let values = ["state", "dueDate"].map { service[$0] as? String ?? "" }
            return (service["scheduleId"] as? String ?? "", values)
          })
      }
      func state() throws -> String? { try workshop.thing("service-schedules/\(schedules[0])")["state"] as? String }
      func open() throws -> [String?] {
        try workshop.records("&status=scheduled").map { $0["scheduleId"] as? String }
      }
      func move(to fleet: String) throws {
        let reply = try workshop.client.send(
          "PATCH", "/api/vehicles/VAN-1", json: #"{"fleetId":"\#(fleet)"}"#, headers: ["If-Match": "*"])
        #expect(reply.status == 200, "\(reply.text)")
      }
      let before = try due()
      #expect(before[schedules[0]] == ["overdue", Self.day(100)])
      #expect(before[schedules[1]]?[0] == "ok")
      #expect(try open() == [schedules[0]])
      // The schedule does not apply to vehicles of another fleet, so no work is planned for them.
      try move(to: other)
      #expect(try due().isEmpty && open().isEmpty && state() == "ok")
      let cancelled = try workshop.records("&status=cancelled")
      #expect(cancelled.map { $0["cancelReason"] as? String } == ["the schedule no longer applies"])
      try move(to: fleet)
      #expect(try due() == before && open() == [schedules[0]] && state() == "overdue")
      // A vehicle that is made again with the same id continues the closed work.
      #expect(try workshop.client.send("DELETE", "/api/vehicles/VAN-1").status == 204)
      #expect(try state() == "ok")
      _ = try workshop.made("vehicles", #"{"id":"VAN-1","fleetId":"\#(fleet)"}"#)
      #expect(try due() == before && open() == [schedules[0]] && state() == "overdue")
    }
  }

  /// The work order of an overdue service was cancelled, because the vehicle was retired.
  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_that_is_reactivated_gets_its_work_order_again(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      try workshop.read(10_000, hoursAgo: 48)
      _ = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":4000},"lastService":{"odometer":5000}}"#)
      func open() throws -> Int { try workshop.records("&status=scheduled").count }
      #expect(try open() == 1)
      for _ in 0..<2 {
        #expect(try workshop.post("vehicles/VAN-1/retire").status == 200)
        #expect(try open() == 0)
        #expect(try workshop.post("vehicles/VAN-1/reactivate").status == 200)
        #expect(try open() == 1)
      }
      #expect(try workshop.records("&status=cancelled").count == 2)
      #expect(try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list[0]["state"] as? String == "overdue")
    }
  }

  /// A client that has lost the answer sends the command again.
  @Test(arguments: TestServer.Database.allCases)
  func a_completion_with_an_id_is_executed_once(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      func schedule() throws -> String {
        try workshop.made(
          "service-schedules",
          #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":30},"basis":"fixed","lastService":{"date":"\#(Self.day(31))"}}"#
        )
      }
      let cost = #""cost":{"amount":"10","currency":"EUR"}"#
      let (first, second) = (try schedule(), try schedule())
      let command = UUIDv7.random(at: WallClock.now).string
      for _ in 0..<3 {
        let reply = try workshop.post("service-schedules/\(first)/complete", #"{"id":"\#(command)",\#(cost)}"#)
        #expect(reply.status == 200, "\(reply.text)")
        #expect((try reply.json["next"] as? [String: Any])?["dueDate"] as? String == Self.day(-29))
      }
      #expect(try workshop.records("&status=completed&schedule=\(first)").count == 1)
      // The ID belongs to this service only.
      let other = try workshop.post("service-schedules/\(second)/complete", #"{"id":"\#(command)"}"#)
      #expect(other.status == 409, "\(other.text)")
      // Without a work order, the first command adds a record.
      let early = UUIDv7.random(at: WallClock.now).string
      for _ in 0..<2 {
        #expect(try workshop.post("service-schedules/\(first)/complete", #"{"id":"\#(early)"}"#).status == 200)
      }
      #expect(try workshop.records("&status=completed&schedule=\(first)").count == 2)
      // The same for a work order.
      let record = try #require(try workshop.records("&status=scheduled&schedule=\(second)").first?["id"] as? String)
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      let done = UUIDv7.random(at: WallClock.now).string
      for _ in 0..<2 {
        let reply = try workshop.post("maintenance-records/\(record)/complete", #"{"id":"\#(done)"}"#)
        #expect(try reply.status == 200 && reply.json["status"] as? String == "completed", "\(reply.text)")
      }
      let wrong = try workshop.post("maintenance-records/\(record)/complete")
      #expect(wrong.status == 409 && wrong.errorCode == "invalidState", "\(wrong.text)")
    }
  }

  /// Another command with the same ID must not be answered as if it had been executed.
  @Test(arguments: TestServer.Database.allCases)
  func a_completion_with_the_id_of_another_command_is_refused(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      func send(_ path: String, _ id: String, _ values: String) throws -> TestClient.Reply {
        try workshop.post("\(path)/complete", #"{"id":"\#(id)"\#(values)}"#)
      }
      let lines = #","lines":[{"text":"oil","cost":{"amount":"40","currency":"EUR"}}]"#
      let first = #","odometer":15300,"notes":"done"\#(lines)"#
      let others = [
        #","odometer":15301,"notes":"done"\#(lines)"#, #","odometer":15300\#(lines)"#, "",
        #","odometer":15300,"notes":"done""#, first + #","cost":{"amount":"50","currency":"EUR"}"#,
        first + #","completedDate":"\#(Self.day(3))""#, first + #","engineHours":7"#,
      ]
      // A work order, and a service without one.
      let record = try workshop.made(
        "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"repair","notes":"planned"}"#)
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      let schedule = try workshop.made(
        "service-schedules", #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":30}}"#)
      let (completion, service) = (UUIDv7.random(at: WallClock.now).string, UUIDv7.random(at: WallClock.now).string)
      for (path, id) in [("maintenance-records/\(record)", completion), ("service-schedules/\(schedule)", service)] {
        let done = try send(path, id, first)
        #expect(done.status == 200, "\(done.text)")
        for other in others {
          let reply = try send(path, id, other)
          #expect(reply.status == 409 && reply.errorCode == "conflict", "\(path) \(other): \(reply.text)")
        }
        #expect(try send(path, id, first).status == 200)
      }
      // A person corrects the record. The command stays the same command.
      let edit = try workshop.client.send(
        "PATCH", "/api/maintenance-records/\(record)", json: #"{"notes":"corrected","odometer":15290}"#,
        headers: ["If-Match": "*"])
      #expect(edit.status == 200, "\(edit.text)")
      let again = try send("maintenance-records/\(record)", completion, first)
      #expect(try again.status == 200 && again.json["notes"] as? String == "corrected", "\(again.text)")
      #expect(try workshop.records("&status=completed").count == 2)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_distance_per_day_does_not_come_from_old_readings(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      try workshop.read(10_000, hoursAgo: 900 * 24)
      try workshop.read(10_400, hoursAgo: 890 * 24)
      #expect(try workshop.thing("vehicles/VAN-1")["dailyKilometers"] == nil)
      try workshop.read(20_000, hoursAgo: 20 * 24)
      try workshop.read(20_400, hoursAgo: 10 * 24)
      let daily = try #require(try workshop.thing("vehicles/VAN-1")["dailyKilometers"] as? Double)
      #expect(abs(daily - 40) < 0.1)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_due_reading_is_known_before_the_first_meter_reading(_ database: TestServer.Database) async throws {
    try await MaintenanceRoutesTests.run(on: database) { workshop in
      let id = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":15000},"lastService":{"odometer":500}}"#)
      #expect(try Self.next(id, workshop)["dueOdometer"] as? Double == 15_500)
      try workshop.read(600, hoursAgo: 1)
      #expect(try Self.next(id, workshop)["dueOdometer"] as? Double == 15_500)
    }
  }
}
