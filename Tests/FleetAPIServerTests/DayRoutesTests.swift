import FleetDomain
import FleetFigures
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The figures of days, on both databases.
@Suite struct DayRoutesTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func updater(_ server: TestServer) -> DayUpdater {
    DayUpdater(storage: server.storage, logger: logger)
  }

  /// Makes Vienna the time zone of VAN-1; VAN-2 has none.
  private static func setZone(_ server: TestServer, _ zone: String?) async throws {
    _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      guard let vehicle = try transaction.vehicle(named: "VAN-1") else { return }
      if let id = vehicle.value.fleetID {
        let fleet = try transaction.existing(id, Fleet.self)
        var changed = fleet.value
        changed.timeZone = zone
        try transaction.update(fleet, to: changed, action: "change")
      } else {
        var fleet = Fleet()
        (fleet.name, fleet.timeZone) = (UUIDv7.random(at: WallClock.now).string, zone)
        let stored = try transaction.insert(fleet)
        try transaction.setVehicles(["VAN-1"], of: stored, seen: stored.version)
      }
    }
  }

  private static func days(_ server: TestServer, _ vehicle: String) async throws -> [VehicleDay] {
    try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.days(of: [vehicle], from: CalendarDate("2025-01-01")!, through: CalendarDate("2027-01-01")!).map(\.day)
    }
  }

  private static func store(_ server: TestServer, _ records: [SampleRecord]) async throws {
    var parsed: [IncomingRecord] = []
    for record in records { parsed.append(try IncomingRecord(parsing: Array(record.line.utf8).span)) }
    for outcome in try await server.storage.ingest(parsed, from: .trusted, tenant: .standard, at: WallClock.now) {
      if case .refused(let refusal) = outcome { Issue.record("\(refusal)") }
    }
  }

  /// Records of three days around a change of clocks, with the time that each has in the end.
  private static func records(_ random: inout SplitMix, day: Int) -> [(record: SampleRecord, second: Int)] {
    var second = day * 86_400
    return (1...350).map { number in
      second += [1, 5, 20, 110, 130, 900, 2_400].randomElement(using: &random) ?? 1
      let vehicle = number % 4 == 0 ? "VAN-2" : "VAN-1"
      var (type, rest) = ("telemetry", #""rpm":\#(number % 3 * 400),"speed":\#(number % 5 * 10)"#)
      switch number % 17 {
      case 3: (type, rest) = ("driving", #""event":"harshBraking""#)
      case 5, 11:
        type = "trip"
        rest =
          #""event":"\#(number % 17 == 5 ? "start" : "end")","tripId":"\#(SampleRecord(number / 17 + 1).id)","fuelUsed":1.5"#
      default: break
      }
      return (SampleRecord(number, type: type, vehicle: vehicle, second: second, rest: rest), second)
    }
  }

  /// The figures of all days, computed from all records at once.
  private static func fromScratch(
    _ records: [(record: SampleRecord, second: Int)], _ vehicle: String, _ zone: ZoneRules
  ) -> [VehicleDay] {
    func time(_ second: Int) -> Int64 { SampleRecord.start / 1_000_000 + Int64(second) * 1_000 }
    let own = records.filter { $0.record.vehicle == vehicle }.sorted { $0.second < $1.second }
    let (first, last) = (own.first?.second ?? 0, own.last?.second ?? 0)
    let days = stride(from: first - 86_400, through: last + 86_400, by: 86_400).map {
      zone.day(of: Timestamp(nanoseconds: time($0) * 1_000_000))
    }
    return Set(days).sorted().compactMap { date in
      let range = (zone.start(of: date) - 135_000)..<(zone.start(of: date.next) + 135_000)
      let near = own.filter { range.contains(time($0.second)) }
      var builder = DayBuilder(
        date, in: zone,
        trips: near.filter { $0.record.type == "trip" }.map {
          DayTrip(time: time($0.second), record: (try? JSON(parsing: Array($0.record.line.utf8))) ?? .null)
        },
        drivingEvents: near.filter { $0.record.type == "driving" }.map {
          DayEvent(time: time($0.second), isOfDriver: true)
        })
      for item in near where item.record.type == "telemetry" {
        builder.add(
          DaySample(time: time(item.second), values: TelemetryValues(record: Array(item.record.line.utf8))))
      }
      return builder.finish()
    }
  }

  /// Late, repeated and out-of-order records, better times, and computations in between.
  @Test(arguments: TestServer.Database.allCases, [(86, "2026-03-29"), (296, "2026-10-25")])
  func days_agree_with_a_computation_from_scratch(
    _ database: TestServer.Database, _ change: (day: Int, date: String)
  ) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setZone(server, "Europe/Vienna")
      let updater = Self.updater(server)
      for seed in 0..<(database == .sqlite ? 3 : 2) {
        var random = SplitMix(seed: UInt64(seed))
        // Other ids for each round: the records of the rounds are hours apart and add up.
        var wanted = Self.records(&random, day: change.day)
        for index in wanted.indices { wanted[index].record.number += seed * 1_000 }
        let all = wanted
        var copies: [SampleRecord] = []
        for (record, second) in all {
          var final = record
          final.quality = "gps"
          copies.append(final)
          if Bool.random(using: &random) { copies.append(final) }
          if Int.random(in: 0..<4, using: &random) == 0 {
            var wrong = record
            wrong.quality = ["system", "ntp"].randomElement(using: &random) ?? "system"
            wrong.second = second + Int.random(in: -90_000...90_000, using: &random)
            copies.append(wrong)
          }
        }
        copies.shuffle(using: &random)
        if seed > 0 {
          for vehicle in ["VAN-1", "VAN-2"] {
            _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
              transaction throws(ThingError) in
              if let found = try transaction.vehicle(named: vehicle) { try transaction.removeVehicle(found) }
              try transaction.insert(Vehicle(id: vehicle))
            }
          }
          try await Self.setZone(server, "Europe/Vienna")
        }
        var rest = copies[...]
        while !rest.isEmpty {
          let batch = rest.prefix(Int.random(in: 1...90, using: &random))
          rest = rest.dropFirst(batch.count)
          try await Self.store(server, Array(batch))
          if Bool.random(using: &random) { try await updater.update("VAN-1", tenant: .standard) }
          if Bool.random(using: &random) { try await updater.update("VAN-2", tenant: .standard, most: 1) }
        }
        for (vehicle, name) in [("VAN-1", "Europe/Vienna"), ("VAN-2", "UTC")] {
          let state = try await updater.update(vehicle, tenant: .standard)
          #expect(state.stale.isEmpty && state.zone == name)
          let expected = Self.fromScratch(all, vehicle, server.storage.zone(name))
          #expect(expected.count >= 2)
          #expect(try await Self.days(server, vehicle) == expected)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func another_time_zone_gives_other_days(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setZone(server, "Europe/Vienna")
      var random = SplitMix(seed: 9)
      let records = Self.records(&random, day: 86)
      try await Self.store(server, records.map(\.record))
      let updater = Self.updater(server)
      for name in ["Europe/Vienna", "America/New_York", "Asia/Kathmandu"] {
        try await Self.setZone(server, name)
        #expect(try await updater.update("VAN-1", tenant: .standard).zone == name)
        let expected = Self.fromScratch(records, "VAN-1", server.storage.zone(name))
        #expect(try await Self.days(server, "VAN-1") == expected, "\(name)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func figures_outlive_the_removal_of_records(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      var random = SplitMix(seed: 4)
      let records = Self.records(&random, day: 86)
      try await Self.store(server, records.map(\.record))
      let updater = Self.updater(server)
      try await updater.update("VAN-1", tenant: .standard)
      let before = try await Self.days(server, "VAN-1")
      let cutoff = Timestamp(nanoseconds: SampleRecord.start + 120 * 86_400_000_000_000)
      _ = try await server.storage.removeRecords(.known(.telemetry), before: cutoff, at: WallClock.now)
      // A late record of the time whose records were removed.
      try await Self.store(server, [SampleRecord(5_000, second: records[5].second + 1)])
      #expect(try await updater.update("VAN-1", tenant: .standard).stale.isEmpty)
      let after = try await Self.days(server, "VAN-1")
      #expect(after == before, "\(after) \(before)")
    }
  }

  /// The number of records of the backlog in random order: `FLEET_BACKLOG=1000000`.
  private static let backlog = ProcessInfo.processInfo.environment["FLEET_BACKLOG"].flatMap { Int($0) } ?? 10_000

  /// From noon on, the vehicles drive at 36 km/h all the time, with a record each minute. (Records beside midnight also
  /// mark the other day.) The figures are also computed once while the
  /// backlog arrives, as if it took longer than the updater waits.
  @Test(arguments: TestServer.Database.allCases)
  func days_of_a_backlog_are_right_and_computed_at_most_twice(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let (vehicles, count) = (100, Self.backlog)
      var random = SplitMix(seed: 21)
      let order = (0..<count).shuffled(using: &random)
      let updater = Self.updater(server)
      let later = Timestamp(nanoseconds: WallClock.now.nanoseconds + 86_400_000_000_000)
      func computeAll() async throws {
        while try await !server.storage.staleVehicles(markedBefore: later, limit: 1).isEmpty {
          try await updater.updateAll(markedBefore: later)
        }
      }
      for start in stride(from: 0, to: count, by: 1_000) {
        try await Self.store(
          server,
          order[start..<min(start + 1_000, count)].map { number in
            SampleRecord(
              number + 1, vehicle: "B\(number % vehicles)", second: 43_200 + number / vehicles * 60,
              rest: #""rpm":1500,"speed":36"#)
          })
        if start == count / 2 / 1_000 * 1_000 { try await computeAll() }
      }
      try await computeAll()
      let minutes = count / vehicles - 1
      var days = 0
      for vehicle in 0..<vehicles {
        let figures = try await Self.days(server, "B\(vehicle)")
        days += figures.count
        #expect(abs(figures.compactMap(\.distance).reduce(0, +) - Double(minutes) * 0.6) < 0.001)
        #expect(figures.reduce(0) { $0 + $1.engineOn } == Int64(minutes) * 60_000)
      }
      let perDay = Double(updater.computedDays.load(ordering: .relaxed)) / Double(days)
      print("backlog on \(database): \(count) records, \(days) days, each computed \(perDay) times")
      #expect(perDay <= 2)
    }
  }

  /// A backlog of many vehicles in random order is computed once, after it has arrived.
  @Test(arguments: TestServer.Database.allCases)
  func a_backlog_in_random_order_is_computed_once(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      var random = SplitMix(seed: 8)
      let records = (1...3_000).map { number in
        SampleRecord(number, vehicle: "V\(number % 10)", second: number * 200)
      }.shuffled(using: &random)
      for start in stride(from: 0, to: records.count, by: 250) {
        try await Self.store(server, Array(records[start..<(start + 250)]))
        // New marks wait.
        let before = Timestamp(nanoseconds: WallClock.now.nanoseconds - 300_000_000_000)
        #expect(try await server.storage.staleVehicles(markedBefore: before, limit: 100).isEmpty)
      }
      let later = Timestamp(nanoseconds: WallClock.now.nanoseconds + 1_000_000_000)
      // Reports say how many days of how many vehicles they lack.
      func pending(_ kind: String) async throws -> [String: Int]? {
        try await runBlocking {
          let reply = try server.client(server.keys.admin).send(
            "POST", "/api/reports", json: #"{"kind":"\#(kind)","from":"2026-01-01","to":"2026-01-07"}"#)
          #expect(reply.status == 201, "\(reply.text)")
          return try reply.json["pending"] as? [String: Int]
        }
      }
      #expect(try await pending("utilization") == ["vehicles": 10, "days": 70])
      #expect(try await pending("maintenance") == nil)
      #expect(try await server.storage.staleVehicles(markedBefore: later, limit: 100).count == 10)
      #expect(try await server.storage.staleVehicles(markedBefore: later, limit: 3).count == 3)
      try await Self.updater(server).updateAll(markedBefore: later)
      #expect(try await server.storage.staleVehicles(markedBefore: later, limit: 100).isEmpty)
      #expect(try await Self.days(server, "V3").count == 7)
      #expect(try await pending("utilization") == nil)
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func days_are_read_by_date_and_computed_when_they_are_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setZone(server, "Europe/Vienna")
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        // Two minutes of driving that end at midnight in Vienna, 22:00 UTC on 1 July, and a minute after it.
        let midnight = 181 * 86_400 + 22 * 3_600
        let records = (0...18).map { number in
          SampleRecord(
            number + 1, second: midnight - 120 + number * 10, rest: #""rpm":1500,"speed":36,"fuelRate":3.6"#)
        }
        #expect(try client.send("POST", "/api/telemetry", records.lines).status == 200)
        func days(_ query: String) throws -> TestClient.Reply {
          let reply = try client.send("GET", "/api/vehicles/VAN-1/days?\(query)")
          #expect(reply.status == 200, "\(reply.text)")
          return reply
        }
        let both = try days("from=2026-07-01&to=2026-07-02")
        #expect(try both.json["timeZone"] as? String == "Europe/Vienna")
        #expect(try both.json["pending"] == nil)
        #expect(both.list.map { $0["date"] as? String } == ["2026-07-01", "2026-07-02"])
        #expect(both.list.map { $0["distance"] as? Double } == [1.2, 0.6])
        #expect(both.list.map { $0["movingSeconds"] as? Double } == [120, 60])
        #expect(both.list.map { $0["engineOnSeconds"] as? Double } == [120, 60])
        #expect(both.list.map { $0["idleSeconds"] as? Double } == [0, 0])
        #expect(both.list.map { $0["fuelUsed"] as? Double } == [0.12, 0.06])
        #expect(both.list[0]["lastTime"] as? String == "2026-07-01T21:59:50.000Z")
        #expect(try days("from=2026-07-02&to=2026-07-02").list.count == 1)
        // Times select the days that they touch.
        #expect(try days("from=2026-07-01T22:00:00Z&to=2026-07-02T22:00:00Z").list.count == 1)
        #expect(try days("from=2026-07-01T21:59:59Z&to=2026-07-01T22:00:00.001Z").list.count == 2)
        #expect(try days("from=2026-07-03&to=2026-07-09").list.isEmpty)
        for wrong in ["from=2026-07-02&to=2026-07-01", "from=2020-01-01&to=2026-01-01", "from=2026-13-01", "to=x"] {
          #expect(try client.send("GET", "/api/vehicles/VAN-1/days?\(wrong)").status == 400, "\(wrong)")
        }
        #expect(try client.send("GET", "/api/vehicles/NONE/days").status == 404)
        #expect(
          try server.client(server.keys.foreignAdmin).send(
            "GET", "/api/vehicles/VAN-1/days?from=2026-07-01&to=2026-07-02"
          )
          .list.isEmpty)
      }
    }
  }
}
