import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Meter readings, schedules and records of maintenance, and defects, on both databases.
@Suite struct MaintenanceRoutesTests {
  /// The administrator's client of a server.
  struct Workshop {
    let client: TestClient
    let server: TestServer

    func post(_ path: String, _ body: String = "{}") throws -> TestClient.Reply {
      try client.send("POST", "/api/\(path)", json: body)
    }

    func made(_ path: String, _ body: String) throws -> String {
      let reply = try post(path, body)
      #expect(reply.status == 201, "\(path): \(reply.text)")
      return try #require(try reply.json["id"] as? String)
    }

    func thing(_ path: String) throws -> [String: Any] { try client.send("GET", "/api/\(path)").json }

    /// - Parameter hours: before now.
    @discardableResult
    func read(_ odometer: Double, hoursAgo hours: Int, _ more: String = "") throws -> [String: Any] {
      let at = Timestamp(nanoseconds: WallClock.now.nanoseconds - Int64(hours) * 3_600_000_000_000).string
      let reply = try post(
        "meter-readings", #"{"vehicleId":"VAN-1","odometer":\#(odometer),"at":"\#(at)"\#(more)}"#)
      #expect(reply.status == 201, "\(reply.text)")
      return try reply.json
    }

    func odometer() throws -> Double? { try thing("vehicles/VAN-1")["odometer"] as? Double }
    func status() throws -> String? { try thing("vehicles/VAN-1")["status"] as? String }
    func records(_ filter: String = "") throws -> [[String: Any]] {
      try client.send("GET", "/api/maintenance-records?vehicle=VAN-1\(filter)").list
    }
  }

  static func run(
    on database: TestServer.Database, _ body: @escaping @Sendable (Workshop) throws -> Void
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking { try body(Workshop(client: try server.client(server.keys.admin), server: server)) }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func the_vehicle_shows_the_newest_reading_that_is_used(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      #expect(try workshop.read(10_000, hoursAgo: 240)["lifetime"] as? Double == 10_000)
      try workshop.read(11_000, hoursAgo: 120)
      for (value, hours, flag) in [
        (10_500, 200, "outOfOrder"), (10_900, 100, "backward"), (90_000, 100, "tooFast"),
        (11_100_000, 100, "wrongUnit"),
      ] {
        #expect(try workshop.read(Double(value), hoursAgo: hours)["flag"] as? String == flag)
      }
      #expect(try workshop.odometer() == 11_000)
      let vehicle = try workshop.thing("vehicles/VAN-1")
      #expect(vehicle["odometerEstimated"] as? Bool == false)
      // 1,000 km in 5 days, and the moment between the two requests.
      let daily = try #require(vehicle["dailyKilometers"] as? Double)
      #expect(abs(daily - 200) < 0.1)
      // Void: what was flagged because of it may be right.
      let wrong = try workshop.read(12_900, hoursAgo: 96)
      #expect(try workshop.read(11_400, hoursAgo: 48)["flag"] as? String == "backward")
      let id = try #require(wrong["id"] as? String)
      let void = try workshop.client.send(
        "PATCH", "/api/meter-readings/\(id)", json: #"{"void":true}"#, headers: ["If-Match": "*"])
      #expect(try void.status == 200 && (void.json["lifetime"]) == nil, "\(void.text)")
      #expect(try workshop.odometer() == 11_400)
      // Nothing else of a reading changes.
      let edit = try workshop.client.send(
        "PATCH", "/api/meter-readings/\(id)", json: #"{"odometer":5}"#, headers: ["If-Match": "*"])
      #expect(edit.status == 422)
      // Another instrument.
      #expect(try workshop.read(3, hoursAgo: 24, #","replaced":true"#)["lifetime"] as? Double == 11_400)
      try workshop.read(103, hoursAgo: 12)
      #expect(try workshop.odometer() == 103)
      #expect(try workshop.thing("vehicles/VAN-1")["lifetimeKilometers"] as? Double == 11_500)
      #expect(try workshop.client.send("GET", "/api/meter-readings?vehicle=VAN-1&flag=backward").list.count == 1)
      for wrong in [
        #"{"vehicleId":"VAN-1"}"#, #"{"vehicleId":"VAN-1","odometer":1,"engineHours":1}"#,
        #"{"vehicleId":"VAN-1","odometer":-1}"#, #"{"vehicleId":"NONE","odometer":1}"#,
        #"{"vehicleId":"VAN-1","odometer":200,"at":"2999-01-01T00:00:00Z"}"#,
      ] {
        #expect(try workshop.post("meter-readings", wrong).status == 422, "\(wrong)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_reading_past_the_threshold_opens_one_record(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      try workshop.read(10_000, hoursAgo: 480)
      let id = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"kilometers":10000,"months":120},"lastService":{"odometer":5000}}"#
      )
      func schedule() throws -> [String: Any] { try workshop.thing("service-schedules/\(id)") }
      #expect(try schedule()["state"] as? String == "ok")
      #expect((try schedule()["next"] as? [String: Any])?["dueOdometer"] as? Double == 15_000)
      try workshop.read(12_000, hoursAgo: 400)
      #expect(try schedule()["forecastDate"] != nil)
      try workshop.read(14_600, hoursAgo: 300)
      #expect(try schedule()["state"] as? String == "dueSoon")
      #expect(try workshop.records().isEmpty)
      for (value, hours) in [(15_000.0, 280), (15_100, 200), (15_200, 100)] {
        try workshop.read(value, hoursAgo: hours)
      }
      #expect(try workshop.client.send("GET", "/api/service-schedules?state=overdue").list.count == 1)
      let open = try workshop.records()
      #expect(open.count == 1 && open[0]["status"] as? String == "scheduled" && open[0]["scheduleId"] as? String == id)
      let due = try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list
      #expect(due.count == 1 && due[0]["remainingKilometers"] as? Double == -200)
      // No second open record by hand either.
      let second = try workshop.post(
        "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"oilChange","scheduleId":"\#(id)"}"#)
      #expect(second.status == 409 && second.errorCode == "openRecord", "\(second.text)")
      // Closing the record resets its schedule.
      let record = try #require(open[0]["id"] as? String)
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      let done = try workshop.post("maintenance-records/\(record)/complete", #"{"odometer":15300}"#)
      #expect(done.status == 200, "\(done.text)")
      #expect(try schedule()["state"] as? String == "ok")
      #expect((try schedule()["next"] as? [String: Any])?["dueOdometer"] as? Double == 25_300)
      #expect((try schedule()["lastService"] as? [String: Any])?["odometer"] as? Double == 15_300)
      #expect(try workshop.odometer() == 15_300)
      // Editing the odometer adds no reading, and corrects the last service.
      func count() throws -> Int { try workshop.client.send("GET", "/api/meter-readings?vehicle=VAN-1").list.count }
      let before = try count()
      let edit = try workshop.client.send(
        "PATCH", "/api/maintenance-records/\(record)", json: #"{"odometer":15299}"#, headers: ["If-Match": "*"])
      #expect(try edit.status == 200 && (count()) == before, "\(edit.text)")
      #expect((try schedule()["next"] as? [String: Any])?["dueOdometer"] as? Double == 25_299)
      // A service that is done early and stated with a reading past the threshold leaves nothing open.
      #expect(try workshop.post("service-schedules/\(id)/complete", #"{"odometer":16100}"#).status == 200)
      #expect((try schedule()["next"] as? [String: Any])?["dueOdometer"] as? Double == 26_100)
      #expect(try workshop.records("&status=scheduled,inProgress").isEmpty)
      #expect(try workshop.records("&status=completed").count == 2)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func correcting_the_last_record_corrects_its_schedule(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      let today = CalendarDate(utc: WallClock.now)
      try workshop.read(30_000, hoursAgo: 480)
      func schedule(_ rest: String) throws -> String {
        try workshop.made("service-schedules", #"{"vehicleId":"VAN-1","serviceType":"oilChange",\#(rest)}"#)
      }
      func due(_ schedule: String, _ key: String) throws -> Any? {
        (try workshop.thing("service-schedules/\(schedule)")["next"] as? [String: Any])?[key]
      }
      func last(_ schedule: String, _ key: String) throws -> Any? {
        (try workshop.thing("service-schedules/\(schedule)")["lastService"] as? [String: Any])?[key]
      }
      func complete(_ schedule: String, _ body: String) throws -> String {
        let reply = try workshop.post("service-schedules/\(schedule)/complete", body)
        #expect(reply.status == 200, "\(reply.text)")
        let records = try workshop.client.send(
          "GET", "/api/maintenance-records?schedule=\(schedule)&status=completed&sort=-createdAt"
        ).list
        return try #require(records.first?["id"] as? String)
      }
      func correct(_ record: String, _ body: String) throws {
        let reply = try workshop.client.send(
          "PATCH", "/api/maintenance-records/\(record)", json: body, headers: ["If-Match": "*"])
        #expect(reply.status == 200, "\(reply.text)")
      }
      let byDistance = try schedule(#""every":{"kilometers":10000,"days":100}"#)
      let record = try complete(byDistance, #"{"odometer":38000,"completedDate":"\#(today.text)"}"#)
      #expect(try due(byDistance, "dueOdometer") as? Double == 48_000)
      try correct(record, #"{"odometer":30800}"#)
      #expect(try due(byDistance, "dueOdometer") as? Double == 40_800)
      #expect(try last(byDistance, "odometer") as? Double == 30_800)
      let shown = try #require(try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list.first)
      #expect(shown["remainingKilometers"] as? Double == 10_000)
      try correct(record, #"{"completedDate":"\#(today.adding(days: -10).text)","notes":"x"}"#)
      #expect(try due(byDistance, "dueDate") as? String == today.adding(days: 90).text)
      #expect(try last(byDistance, "date") as? String == today.adding(days: -10).text)
      #expect(try due(byDistance, "dueOdometer") as? Double == 40_800)
      // A change of something else keeps the last service, and so does a change of an older record.
      try correct(record, #"{"notes":"y"}"#)
      #expect(try due(byDistance, "dueOdometer") as? Double == 40_800)
      _ = try complete(byDistance, #"{"odometer":31000}"#)
      try correct(record, #"{"odometer":30700}"#)
      #expect(try due(byDistance, "dueOdometer") as? Double == 41_000)
      // With fixed intervals, the next due date follows from the one before the service: it was due 7 days ago.
      let fixed = try schedule(
        #""every":{"days":5},"basis":"fixed","lastService":{"date":"\#(today.adding(days: -12).text)"}"#)
      let typed = try complete(fixed, #"{"completedDate":"\#(today.adding(days: -1).text)"}"#)
      #expect(try due(fixed, "dueDate") as? String == today.adding(days: 3).text)
      try correct(typed, #"{"completedDate":"\#(today.adding(days: -8).text)"}"#)
      #expect(try due(fixed, "dueDate") as? String == today.adding(days: -2).text)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func what_is_due_can_be_snoozed(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      let id = try workshop.made(
        "service-schedules",
        #"{"vehicleId":"VAN-1","serviceType":"inspection","every":{"days":30},"lastService":{"date":"2020-01-01"}}"#)
      #expect(try workshop.thing("service-schedules/\(id)")["state"] as? String == "overdue")
      #expect(try workshop.records().count == 1)
      let snoozed = try workshop.post("service-schedules/\(id)/snooze")
      #expect(try snoozed.status == 200 && (snoozed.json["state"]) as? String == "snoozed", "\(snoozed.text)")
      #expect(try workshop.post("service-schedules/\(id)/snooze", #"{"until":"2020-05-01"}"#).status == 422)
      #expect(try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list[0]["state"] as? String == "snoozed")
      #expect(try workshop.post("service-schedules/\(id)/complete").status == 200)
      let ok = try workshop.post("service-schedules/\(id)/snooze")
      #expect(ok.status == 409 && ok.text.contains(#""allowedFrom":["dueSoon","overdue","snoozed"]"#), "\(ok.text)")
      for wrong in [
        #"{"serviceType":"oilChange","every":{"days":30}}"#,
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{}}"#,
        #"{"vehicleId":"VAN-1","serviceType":"none","every":{"days":1}}"#,
        #"{"vehicleId":"VAN-1","serviceType":"oilChange","every":{"days":0}}"#,
      ] {
        #expect(try workshop.post("service-schedules", wrong).status == 422, "\(wrong)")
      }
      // A tenant's own type.
      _ = try workshop.made("service-types", #"{"code":"lift","name":"Tail lift"}"#)
      _ = try workshop.made(
        "service-schedules", #"{"vehicleId":"VAN-1","serviceType":"lift","every":{"months":6}}"#)
      #expect(try workshop.post("service-types", #"{"code":"lift","name":"Other"}"#).status == 409)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_schedule_of_a_fleet_counts_for_each_of_its_vehicles(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      let fleet = try workshop.made("fleets", #"{"name":"Depot","vehicleIds":["VAN-1"]}"#)
      let id = try workshop.made(
        "service-schedules", #"{"fleetId":"\#(fleet)","serviceType":"tireRotation","every":{"kilometers":1000}}"#)
      try workshop.read(500, hoursAgo: 100)
      #expect(try workshop.thing("service-schedules/\(id)")["state"] as? String == "ok")
      try workshop.read(1_500, hoursAgo: 50)
      #expect(try workshop.thing("service-schedules/\(id)")["state"] as? String == "overdue")
      #expect(try workshop.records().count == 1)
      #expect(try workshop.client.send("GET", "/api/vehicles/VAN-2/due").list.isEmpty)
      let moved = try workshop.client.send(
        "PATCH", "/api/vehicles/VAN-2", json: #"{"fleetId":"\#(fleet)"}"#, headers: ["If-Match": "*"])
      #expect(moved.status == 200, "\(moved.text)")
      #expect(try workshop.client.send("GET", "/api/vehicles/VAN-2/due").list.count == 1)
      #expect(try workshop.post("service-schedules/\(id)/complete").status == 422)
      #expect(try workshop.post("service-schedules/\(id)/complete", #"{"vehicleId":"VAN-1"}"#).status == 200)
      #expect(try workshop.thing("service-schedules/\(id)")["state"] as? String == "ok")
      #expect(try workshop.client.send("GET", "/api/vehicles/VAN-1/due").list[0]["dueOdometer"] as? Double == 2_500)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_is_in_service_from_start_to_end_of_the_work(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      let record = try workshop.made(
        "maintenance-records",
        #"{"vehicleId":"VAN-1","serviceType":"repair","lines":[{"kind":"labour","text":"Work","cost":{"amount":"80","currency":"EUR"}},{"kind":"part","text":"Pads","quantity":2,"cost":{"amount":"49.90","currency":"EUR"}}]}"#
      )
      func cost() throws -> [String: String]? {
        try workshop.thing("maintenance-records/\(record)")["cost"] as? [String: String]
      }
      #expect(try cost() == ["amount": "129.90", "currency": "EUR"])
      // Amounts of several currencies have no sum.
      let mixed = try workshop.client.send(
        "PATCH", "/api/maintenance-records/\(record)",
        json:
          #"{"lines":[{"text":"a","cost":{"amount":"1","currency":"EUR"}},{"text":"b","cost":{"amount":"1","currency":"CHF"}}]}"#,
        headers: ["If-Match": "*"])
      #expect(try mixed.status == 200 && (cost()) == nil, "\(mixed.text)")
      let faulty = try workshop.client.send(
        "PATCH", "/api/maintenance-records/\(record)", json: #"{"lines":[{"text":"a","cost":{"amount":"x"}}]}"#,
        headers: ["If-Match": "*"])
      #expect(faulty.status == 422 && faulty.text.contains(#""path":"lines.0.cost""#), "\(faulty.text)")

      let early = try workshop.post("maintenance-records/\(record)/complete")
      #expect(early.status == 409 && early.text.contains(#""allowedFrom":["inProgress"]"#), "\(early.text)")
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      #expect(try workshop.status() == "inService")
      let driver = try workshop.made("drivers", #"{"name":"Dora"}"#)
      let assignment = #"{"driverId":"\#(driver)","vehicleId":"VAN-1"}"#
      #expect(try workshop.post("assignments", assignment).errorCode == "vehicleUnavailable")
      #expect(try workshop.post("maintenance-records/\(record)/complete").status == 200)
      #expect(try workshop.status() == "available")
      let given = try workshop.made("assignments", assignment)
      // Work on an assigned vehicle: the assignment lasts.
      let other = try workshop.made("maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"other"}"#)
      #expect(try workshop.post("maintenance-records/\(other)/start").status == 200)
      #expect(try workshop.status() == "inService")
      #expect(try workshop.post("maintenance-records/\(other)/cancel", #"{"reason":"no parts"}"#).status == 200)
      #expect(try workshop.status() == "assigned")
      // Retired: everything ends.
      let third = try workshop.made("maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"other"}"#)
      #expect(try workshop.post("vehicles/VAN-1/deactivate").status == 409)
      #expect(try workshop.post("vehicles/VAN-1/retire").status == 200)
      #expect(try workshop.thing("assignments/\(given)")["status"] as? String == "completed")
      #expect(try workshop.thing("maintenance-records/\(third)")["status"] as? String == "cancelled")
      #expect(try workshop.post("assignments", assignment).errorCode == "vehicleUnavailable")
      #expect(try workshop.post("vehicles/VAN-1/activate").status == 409)
      #expect(try workshop.post("vehicles/VAN-1/reactivate").status == 200)
      #expect(try workshop.status() == "available")
      #expect(try workshop.post("vehicles/VAN-1/deactivate").status == 200)
      #expect(try workshop.status() == "inactive")
      let planned = try workshop.made("maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"other"}"#)
      #expect(try workshop.post("maintenance-records/\(planned)/start").errorCode == "vehicleUnavailable")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_unsafe_vehicle_cannot_be_assigned_until_it_is_repaired(_ database: TestServer.Database) async throws {
    try await Self.run(on: database) { workshop in
      let driver = try workshop.made("drivers", #"{"name":"Dora"}"#)
      let defect = try workshop.made(
        "defects", #"{"vehicleId":"VAN-1","severity":"unsafe","text":"Service brake leaks"}"#)
      func status() throws -> String? { try workshop.thing("defects/\(defect)")["status"] as? String }
      let assignment = #"{"driverId":"\#(driver)","vehicleId":"VAN-1"}"#
      #expect(try workshop.post("assignments", assignment).errorCode == "vehicleUnsafe")
      #expect(try workshop.post("defects/\(defect)/acknowledge").status == 200)
      #expect(try workshop.post("assignments", assignment).errorCode == "vehicleUnsafe")
      let record = try workshop.made(
        "maintenance-records", #"{"vehicleId":"VAN-1","serviceType":"brakeService","defectIds":["\#(defect)"]}"#)
      #expect(try workshop.thing("defects/\(defect)")["recordId"] as? String == record)
      #expect(try workshop.post("maintenance-records/\(record)/start").status == 200)
      #expect(try workshop.post("maintenance-records/\(record)/complete").status == 200)
      #expect(try status() == "repaired")
      #expect(try workshop.post("assignments", assignment).status == 201)
      #expect(try workshop.post("defects/\(defect)/verify").status == 200)
      #expect(try status() == "verified")
      let other = try workshop.made("defects", #"{"vehicleId":"VAN-1","text":"Rattle"}"#)
      #expect(try workshop.post("defects/\(other)/dismiss").status == 422)
      let dismissed = try workshop.post("defects/\(other)/dismiss", #"{"reason":"a loose bottle"}"#)
      #expect(try dismissed.status == 200 && (dismissed.json["dismissReason"]) as? String == "a loose bottle")
      let foreign = #"{"vehicleId":"VAN-2","serviceType":"other","defectIds":["\#(other)"]}"#
      #expect(try workshop.post("maintenance-records", foreign).text.contains("defectIds.0"))
    }
  }
}
