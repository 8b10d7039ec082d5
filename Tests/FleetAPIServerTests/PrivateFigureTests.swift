import FleetDomain
import FleetFigures
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Figures show neither when nor how a vehicle was driven privately.
@Suite struct PrivateFigureTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func time(_ text: String) throws -> Timestamp { try Timestamp(json: .text(text)) }

  /// Stores the figures of days of a vehicle, as if they were computed from records.
  static func store(_ days: [VehicleDay], of vehicle: String, _ server: TestServer) async throws {
    let stale = try #require(try await server.storage.staleDays(of: vehicle, tenant: .standard))
    let computed = ComputedDays(stale, hours: 0...0, days: days.map { ($0.date, $0) })
    #expect(try await server.storage.storeDays(computed, tenant: .standard))
  }

  static func day(_ date: CalendarDate, in zone: ZoneRules, kilometers: Double) -> VehicleDay {
    let start = Timestamp(nanoseconds: zone.start(of: date) * 1_000_000)
    var day = VehicleDay(
      date: date, firstTime: start.adding(seconds: 28_800), lastTime: start.adding(seconds: 72_000))
    day.distance = kilometers
    return day
  }

  // MARK: Days that have ended

  /// 4 May is a business day of Dora. On 5 May, Dora also drives privately.
  private static func drive(_ server: TestServer, _ dora: UUIDv7) async throws -> String {
    let zone = server.storage.zone(nil)
    let dates = ["2026-05-04", "2026-05-05"].compactMap { CalendarDate($0) }
    var business = day(dates[0], in: zone, kilometers: 100)
    (business.engineOn, business.moving, business.idle) = (7_200_000, 6_000_000, 1_200_000)
    (business.fuelUsed, business.trips) = (8, 2)
    (business.drivingEvents, business.driverEvents) = (1, 1)
    var mixed = day(dates[1], in: zone, kilometers: 250)
    (mixed.engineOn, mixed.moving, mixed.idle, mixed.unknown) = (10_800_000, 7_200_000, 3_600_000, 60_000)
    (mixed.fuelUsed, mixed.trips) = (20, 3)
    (mixed.drivingEvents, mixed.driverEvents) = (9, 9)
    try await store([business, mixed], of: "VAN-1", server)
    return try await runBlocking {
      let client = try server.client(server.keys.admin)
      func made(_ path: String, _ body: String) throws -> String {
        let reply = try client.send("POST", "/api/\(path)", json: body)
        try #require(reply.status == 201, "\(path): \(reply.text)")
        return try #require(try reply.json["id"] as? String)
      }
      let driver = try made("drivers", #"{"name":"Dora","personId":"\#(dora.string)"}"#)
      let both = #""driverId":"\#(driver)","vehicleId":"VAN-1""#
      _ = try made("assignments", #"{\#(both),"from":"2026-05-01T00:00:00Z","to":"2026-06-01T00:00:00Z"}"#)
      for (purpose, start, end) in [("business", "04T08:00", "04T09:00"), ("private", "05T18:00", "05T20:00")] {
        _ = try made(
          "journeys",
          #"{\#(both),"purpose":"\#(purpose)","startTime":"2026-05-\#(start):00Z","endTime":"2026-05-\#(end):00Z"}"#)
      }
      _ = try made(
        "expenses",
        #"{"vehicleId":"VAN-1","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"100","currency":"EUR"}}"#
      )
      return driver
    }
  }

  private static func rows(
    _ client: TestClient, _ kind: String, by grouping: String, from: String, to: String
  ) throws -> [[String: Any]] {
    let reply = try client.send(
      "POST", "/api/reports", json: #"{"kind":"\#(kind)","groupBy":"\#(grouping)","from":"\#(from)","to":"\#(to)"}"#)
    try #require(reply.status == 201, "\(reply.text)")
    return try #require(try reply.json["rows"] as? [[String: Any]])
  }

  @Test(arguments: TestServer.Database.allCases)
  func reports_count_only_the_distance_of_private_days(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      let driver = try await Self.drive(server, dora.id)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func row(_ kind: String, from: String = "2026-05-04") throws -> [String: Any] {
          let rows = try Self.rows(client, kind, by: "vehicle", from: from, to: "2026-05-05")
          return try #require(rows.first { $0["group"] as? String == "VAN-1" }, "\(kind): \(rows)")
        }
        let used = try row("utilization")
        #expect(used["distance"] as? Int == 350 && used["usedDays"] as? Int == 2, "\(used)")
        #expect(used["engineOnSeconds"] as? Int == 7_200 && used["idleSeconds"] as? Int == 1_200, "\(used)")
        #expect(used["movingSeconds"] as? Int == 6_000 && used["unknownSeconds"] as? Int == 0, "\(used)")
        // 7,200 s of the 86,400 s of the day without private time.
        #expect(used["workingSeconds"] as? Int == 86_400 && used["utilization"] as? Double == 0.083, "\(used)")
        let trips = try row("trips")
        #expect(trips["trips"] as? Int == 2 && trips["distancePerTrip"] as? Int == 50, "\(trips)")
        let fuel = try row("fuel")
        #expect(fuel["fuelUsed"] as? Int == 8 && fuel["litresPer100km"] as? Int == 8, "\(fuel)")
        #expect(fuel["distance"] as? Int == 350, "\(fuel)")
        // The private day alone.
        let alone = try row("utilization", from: "2026-05-05")
        #expect(alone["distance"] as? Int == 250 && alone["unknownSeconds"] as? Int == 0, "\(alone)")
        for key in ["engineOnSeconds", "movingSeconds", "idleSeconds", "idleShare", "utilization"] {
          #expect(alone[key] == nil, "\(key): \(alone)")
        }
        let none = try row("trips", from: "2026-05-05")
        #expect(none["trips"] as? Int == 0 && none["movingSeconds"] == nil, "\(none)")
        #expect(try row("fuel", from: "2026-05-05")["fuelUsed"] == nil)
        // No driver: the distance of the private day is in the row without a driver.
        let drivers = try Self.rows(client, "drivers", by: "driver", from: "2026-05-04", to: "2026-05-05")
        #expect(drivers.map { $0["group"] as? String } == ["", driver], "\(drivers)")
        #expect(drivers.map { $0["distance"] as? Int } == [250, 100], "\(drivers)")
        #expect(drivers.map { $0["drivingEvents"] as? Int } == [0, 1], "\(drivers)")
        // 4 × 1 event in 100 km.
        #expect(drivers.map { $0["score"] as? Int } == [nil, 96], "\(drivers)")
        for grouping in ["day", "week", "month", "fleet"] {
          let rows = try Self.rows(client, "utilization", by: grouping, from: "2026-05-04", to: "2026-05-05")
          #expect(rows.compactMap { $0["engineOnSeconds"] as? Int } == [7_200], "\(grouping): \(rows)")
          #expect(rows.compactMap { $0["distance"] as? Int }.reduce(0, +) == 350, "\(grouping): \(rows)")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func private_time_counts_for_no_driver_and_no_engine_hour(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let dora = try await server.addPerson("dora@example.com", [.driver])
      let driver = try await Self.drive(server, dora.id)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let query = "from=2026-05-04&to=2026-05-05"
        let session = try server.signIn("dora@example.com")
        for reply in [
          try client.send("GET", "/api/drivers/\(driver)/figures?\(query)"),
          try server.asPage(session, "GET", "/api/drivers/\(driver)/figures?\(query)"),
        ] {
          let figures = try reply.json
          #expect(figures["distance"] as? Int == 100 && figures["drivingEvents"] as? Int == 1, "\(reply.text)")
          #expect(figures["score"] as? Int == 96 && figures["engineOnSeconds"] as? Int == 7_200, "\(reply.text)")
          #expect(figures["journeys"] as? Int == 1 && figures["journeySeconds"] as? Int == 3_600, "\(reply.text)")
        }
        func amounts(_ reply: TestClient.Reply, _ key: String) throws -> [String] {
          try #require(try reply.json[key] as? [[String: Any]], "\(reply.text)").compactMap { $0["amount"] as? String }
        }
        let business = try client.send("GET", "/api/vehicles/VAN-1/costs?from=2026-05-04&to=2026-05-04")
        #expect(try amounts(business, "perEngineHour") == ["50.00"], "\(business.text)")
        #expect(try business.json["hasPrivateTime"] == nil, "\(business.text)")
        let both = try client.send("GET", "/api/vehicles/VAN-1/costs?\(query)")
        #expect(try amounts(both, "perEngineHour").isEmpty, "\(both.text)")
        #expect(try both.json["hasPrivateTime"] as? Bool == true, "\(both.text)")
        #expect(try (both.json["distance"] as? [String: Any])?["kilometers"] as? Int == 350, "\(both.text)")
      }
    }
  }

  // MARK: The current day

  @Test(arguments: TestServer.Database.allCases)
  func the_distance_of_a_private_day_is_absent_until_the_day_has_ended(
    _ database: TestServer.Database
  ) async throws {
    try await TestServer.run(on: database) { server in
      let depots = try await FleetRoutesTests.depots(server)
      let zone = server.storage.zone(nil)
      let today = zone.day(of: WallClock.now)
      let yesterday = today.adding(days: -1)
      var days = [Self.day(yesterday, in: zone, kilometers: 70), Self.day(today, in: zone, kilometers: 30)]
      for index in days.indices { (days[index].engineOn, days[index].moving) = (3_600_000, 3_600_000) }
      try await Self.store(days, of: "VAN-1", server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let (first, last) = (yesterday.text, today.text)
        func utilization() throws -> Double? {
          let fleet = try client.send("GET", "/api/fleets/\(depots.ids.north)").json
          return try #require(fleet["metrics"] as? [String: Any], "\(fleet)")["utilization"] as? Double
        }
        func days() throws -> [[String: Any]] {
          try client.send("GET", "/api/vehicles/VAN-1/days?from=\(first)&to=\(last)").list
        }
        func costs(_ day: String) throws -> [String: Any] {
          try client.send("GET", "/api/vehicles/VAN-1/costs?from=\(day)&to=\(day)").json
        }
        func kilometers(_ costs: [String: Any]) -> Int? { (costs["distance"] as? [String: Any])?["kilometers"] as? Int }
        // Without a private journey, everything is shown. 3,600 s of 86,400 s.
        #expect(try utilization() == 0.042)
        #expect(try days().map { $0["distance"] as? Int } == [70, 30])
        #expect(try kilometers(costs(last)) == 30)
        let start = Timestamp(nanoseconds: zone.start(of: yesterday) * 1_000_000).adding(seconds: 43_200)
        let driver = try client.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#)
        let dora = try #require(try driver.json["id"] as? String, "\(driver.text)")
        let journey = try client.send(
          "POST", "/api/journeys",
          json: #"{"driverId":"\#(dora)","vehicleId":"VAN-1","purpose":"private","startTime":"\#(start.string)"}"#)
        try #require(journey.status == 201, "\(journey.text)")
        let id = try #require(try journey.json["id"] as? String)
        // While the journey lasts, and after it.
        for isOver in [false, true] {
          if isOver {
            let ended = try client.send("POST", "/api/journeys/\(id)/complete")
            try #require(ended.status == 200, "\(ended.text)")
          }
          let shown = try days()
          #expect(
            shown.map { Set($0.keys) } == [["date", "distance", "hasPrivateTime"], ["date", "hasPrivateTime"]],
            "\(shown)")
          #expect(try utilization() == nil)
          #expect(try kilometers(costs(first)) == 70)
          let hidden = try costs(last)
          #expect(hidden["distance"] == nil && hidden["hasPrivateTime"] as? Bool == true, "\(hidden)")
          for kind in ["utilization", "trips", "fuel", "costs"] {
            let rows = try Self.rows(client, kind, by: "day", from: first, to: last)
            #expect(rows.compactMap { $0["distance"] as? Int } == [70], "\(kind): \(rows)")
            #expect(rows.allSatisfy { $0["group"] as? String == first }, "\(kind): \(rows)")
          }
        }
      }
    }
  }

  // MARK: Which days have private time

  /// The database finds the private days of reports itself. They must be the days on which records are hidden.
  @Test(arguments: TestServer.Database.allCases)
  func private_days_agree_with_private_times(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let vienna = storage.zone("Europe/Vienna")
      let now = try Self.time("2026-04-05T22:30:00Z")
      // The clocks change on 29 March. Journeys begin and end at the starts of days, too.
      let dates = CalendarDate("2026-03-20")!...CalendarDate("2026-04-12")!
      let borders = (0..<26).flatMap { number in
        let start = vienna.start(of: dates.lowerBound.adding(days: number - 1))
        return [start - 1, start, start + 1, start + 3_600_000, start + 7_200_000, start + 50_000_000]
      }
      var random = SplitMix(seed: 46)
      func period() -> (from: Timestamp, to: Timestamp) {
        let from = borders.randomElement(using: &random) ?? 0
        let length: Int64 = [1, 3_600_000, 40_000_000, 86_400_000, 200_000_000].randomElement(using: &random) ?? 1
        return (Timestamp(nanoseconds: from * 1_000_000), Timestamp(nanoseconds: (from + length) * 1_000_000))
      }
      let drivers = (0..<2).map { _ in UUIDv7.random(at: WallClock.now) }
      var journeys: [Journey] = []
      var assignments: [Assignment] = []
      for number in 0..<18 {
        var journey = Journey()
        journey.vehicle = ["VAN-1", "VAN-2"][number % 2]
        journey.purpose = number % 6 == 5 ? .commute : .personal
        (journey.isConfirmed, journey.driverID) = (number % 3 == 0, drivers[number % 4 / 2])
        let (from, to) = period()
        (journey.startTime, journey.endTime, journey.status) = (from, to, number % 9 == 8 ? .cancelled : .completed)
        journeys.append(journey)
        var assignment = Assignment()
        (assignment.driver, assignment.vehicle) = (drivers[number % 3 % 2], journey.vehicle)
        let stay = period()
        (assignment.from, assignment.to) = (stay.from, stay.to)
        assignment.status = number % 7 == 6 ? .cancelled : .completed
        assignments.append(assignment)
      }
      var open = Journey()
      (open.vehicle, open.purpose, open.status, open.isConfirmed) = ("VAN-2", .personal, .inProgress, true)
      open.startTime = try Self.time("2026-04-04T10:00:00Z")
      // The night in which the clocks change.
      var night = Journey()
      (night.vehicle, night.purpose, night.status, night.isConfirmed) = ("VAN-1", .personal, .completed, true)
      (night.startTime, night.endTime) = (
        try Self.time("2026-03-28T22:30:00Z"), try Self.time("2026-03-29T01:30:00Z")
      )
      let (made, assigned) = (journeys + [open, night], assignments)
      _ = try await storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        var fleet = Fleet()
        (fleet.name, fleet.timeZone) = ("Vienna", "Europe/Vienna")
        let stored = try transaction.insert(fleet)
        try transaction.setVehicles(["VAN-1"], of: stored, seen: stored.version)
        for journey in made { try transaction.insert(journey) }
        for assignment in assigned { try transaction.insert(assignment) }
      }
      let updater = DayUpdater(storage: storage, logger: Self.logger)
      for vehicle in ["VAN-1", "VAN-2"] {
        let zone = vehicle == "VAN-1" ? vienna : storage.zone(nil)
        // This stores the time zone of the vehicle's days.
        _ = try await updater.update(vehicle, tenant: .standard)
        var days: [VehicleDay] = []
        for number in 0...(dates.upperBound.dayNumber - dates.lowerBound.dayNumber) {
          var day = Self.day(dates.lowerBound.adding(days: number), in: zone, kilometers: 1)
          (day.engineOn, day.moving) = (1_000, 1_000)
          days.append(day)
        }
        try await Self.store(days, of: vehicle, server)
        let stored = days
        let (sums, hidden) = try await storage.view(tenant: .standard) { view throws(ThingError) in
          (
            try view.daySums(by: .vehicle, fleet: nil, from: dates.lowerBound, through: dates.upperBound, at: now),
            try view.privateTimes(on: dates)
          )
        }
        let found = try #require(sums.first { $0.vehicle == vehicle }, "\(vehicle): \(sums)")
        let isPrivate = stored.map { hidden.overlaps($0.date, of: vehicle, in: zone) }
        let hasEnded = stored.map { zone.start(of: $0.date.next) <= now.milliseconds }
        let (shown, ended) = (isPrivate.count { !$0 }, zip(isPrivate, hasEnded).count { $0 && $1 })
        // The random periods give days of each kind.
        #expect(shown > 0 && ended > 0, "\(vehicle): \(isPrivate)")
        #expect(found.engineOn == Int64(shown) * 1_000, "\(vehicle): \(found), \(isPrivate)")
        #expect(found.distance == Double(shown + ended), "\(vehicle): \(found)")
        #expect(found.privateDistance == Double(ended), "\(vehicle): \(found)")
      }
    }
  }

  // MARK: Trips

  /// The driver ends the journey before the engine is off, so that the record of the trip is after the journey.
  @Test(arguments: TestServer.Database.allCases)
  func a_trip_that_ends_after_the_private_journey_is_hidden(_ database: TestServer.Database) async throws {
    try await JourneyRoutesTests.run(on: database) { dispatch in
      let server = dispatch.server
      let client = try server.client(server.keys.admin)
      let records = [
        SampleRecord(
          1, type: "trip", second: 3_600,
          rest:
            #""event":"end","tripId":"a","startTime":"2026-01-01T00:30:00Z","endTime":"2026-01-01T01:00:00Z","distance":4.25"#
        ),
        SampleRecord(
          2, type: "trip", second: 7_300,
          rest:
            #""event":"end","tripId":"b","startTime":"2026-01-01T01:17:23Z","endTime":"2026-01-01T02:01:30Z","distance":77.77"#
        ),
      ]
      #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
      let assigned = try client.send(
        "POST", "/api/assignments",
        json: #"{"driverId":"\#(dispatch.dora)","vehicleId":"VAN-1","from":"2026-01-01T00:00:00Z"}"#)
      #expect(assigned.status == 201, "\(assigned.text)")
      let range = "from=2026-01-01T02:00:00Z&to=2026-01-02T00:00:00Z"
      let paths = [
        "/api/trips", "/api/trips?\(range)", "/api/vehicles/VAN-1/trips", "/api/vehicles/VAN-1/trips?\(range)",
        "/api/vehicles/VAN-1/latest",
      ]
      for path in paths { #expect(try client.send("GET", path).text.contains("77.77"), "\(path)") }
      _ = try dispatch.add(
        #","purpose":"private","startTime":"2026-01-01T01:10:00Z","endTime":"2026-01-01T02:00:00Z""#)
      for path in paths {
        let reply = try client.send("GET", path)
        #expect(reply.status == 200 && !reply.text.contains("77.77"), "\(path): \(reply.text)")
        #expect(!reply.text.contains("01:17:23"), "\(path): \(reply.text)")
      }
      #expect(try client.send("GET", "/api/trips").text.contains("4.25"))
      let session = try server.signIn("dora@example.com")
      let own = try server.asPage(session, "GET", "/api/vehicles/VAN-1/trips?from=2026-01-01T00:00:00Z")
      #expect(own.text.contains("77.77"), "\(own.text)")
    }
  }

  @Test func live_channels_hide_a_trip_that_ends_after_the_private_journey() throws {
    var visibility = LiveVisibility()
    let window = VehicleWindow(
      "VAN-1", from: try Self.time("2026-01-01T01:10:00Z"), to: try Self.time("2026-01-01T02:00:00Z"))
    visibility.hidden = ["VAN-1": [PrivateTime(window: window, driver: nil)]]
    let channel = LiveChannel(tenant: .standard, topic: .all)
    func isShown(from start: String, to end: String, at time: String) throws -> Bool {
      let trip = EndedTrip(
        id: UUIDv7.random(at: WallClock.now), from: try Self.time(start), to: try Self.time(end))
      return visibility.shows(
        LiveRecord(number: 1, vehicle: "VAN-1", vin: nil, time: try Self.time(time), trip: trip, body: []), on: channel)
    }
    #expect(try !isShown(from: "2026-01-01T01:17:23Z", to: "2026-01-01T02:01:30Z", at: "2026-01-01T02:01:40Z"))
    #expect(try isShown(from: "2026-01-01T00:10:00Z", to: "2026-01-01T01:00:00Z", at: "2026-01-01T01:00:10Z"))
    #expect(try isShown(from: "2026-01-01T02:10:00Z", to: "2026-01-01T03:00:00Z", at: "2026-01-01T03:00:10Z"))
  }
}
