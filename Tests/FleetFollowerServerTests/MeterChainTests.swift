import FleetDomain
import FleetFigures
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

/// Which meter readings are used after late, corrected, void and replaced ones, and what this costs, on both databases.
@Suite struct MeterChainTests {
  private static func reading(_ value: Double, at hours: Double, replaced: Bool = false) -> MeterReading {
    var reading = MeterReading()
    (reading.vehicle, reading.at, reading.odometer) = ("VAN-1", FollowedFleet.time(hours), value)
    reading.isReplaced = replaced
    return reading
  }

  private static func fill(_ odometer: Double?, at hours: Double) -> FuelEntry {
    var entry = FuelEntry()
    (entry.vehicle, entry.at, entry.odometer) = ("VAN-1", FollowedFleet.time(hours), odometer)
    (entry.energy, entry.quantity, entry.standardQuantity) = (.diesel, 40, 40)
    return entry
  }

  private static func setVoid(
    _ isVoid: Bool, _ id: UUIDv7, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    let stored = try transaction.existing(id, MeterReading.self)
    var changed = stored.value
    changed.isVoid = isVoid
    try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
  }

  /// Judges all pending readings.
  private static func settle(_ fleet: FollowedFleet, at hours: Double) async throws {
    var hasMore = true
    while hasMore {
      hasMore = try await fleet.change(at: hours) { transaction throws(ThingError) in
        try transaction.judgePendingMeter()
      }
    }
  }

  /// The decisions about all readings, each computed from all readings before it.
  private static func slowly(_ all: [Stored<MeterReading>], _ from: [UUIDv7: Timestamp]) -> [UUIDv7: [JSON]] {
    let sorted = all.sorted { left, right in
      func key(_ stored: Stored<MeterReading>) -> (Int64, Int64, Int, UInt64, UInt64) {
        (
          (from[stored.id] ?? stored.createdAt).milliseconds, stored.value.at.milliseconds,
          from[stored.id] == nil ? 1 : 0, stored.id.high, stored.id.low
        )
      }
      return key(left) < key(right)
    }
    var used: [Meter.Point] = []
    var decisions: [UUIDv7: [JSON]] = [:]
    for stored in sorted {
      let (reading, value) = (stored.value, stored.value.odometer ?? 0)
      let previous = reading.isReplaced ? nil : used.last { $0.at <= reading.at }
      let day = used.first { $0.at.milliseconds >= reading.at.milliseconds - 86_400_000 }
      var decision: [JSON] = [.null, .null, previous.map(\.value).json, previous.map { value - $0.value }.json]
      switch reading.isVoid ? .agrees : Meter.odometer.judge(reading, after: used.last, day: day) {
      case .used(let lifetime):
        used.append(Meter.Point(at: reading.at, value: value, lifetime: lifetime))
        decision[1] = lifetime.json
      case .flagged(let flag): decision[0] = flag.json
      case .agrees: break
      }
      decisions[stored.id] = decision
    }
    return decisions
  }

  @Test(arguments: Database.allCases)
  func decisions_after_any_changes_are_those_of_a_full_computation(_ database: Database) async throws {
    for seed in UInt64(1)...8 {
      try await FollowedFleet.with(database) { fleet in
        var random = SplitMix(seed: seed)
        var from: [UUIDv7: Timestamp] = [:]
        var fills: [UUIDv7] = []
        for step in 0..<60 {
          // Some changes have the same time.
          let now = 2_000 + Double(step / 2 * 7)
          let time = now - Double(Int.random(in: 0...200, using: &random))
          let value = Double(Int(20_000 + time * 10) + Int.random(in: -300...300, using: &random))
          let odd = Int.random(in: 0..<12, using: &random)
          let odometer = odd == 0 ? value * 1_000 : odd == 1 ? value + 30_000 : value
          let known = try await fleet.things(ThingQuery<MeterReading>(limit: 1_000))
          let (choice, picked) = (Int.random(in: 0..<10, using: &random), known.randomElement(using: &random))
          let entry = fills.randomElement(using: &random)
          switch choice {
          case 0:
            let id = try await fleet.change(at: now) { transaction throws(ThingError) in
              try transaction.add(Self.reading(Double(odd), at: time, replaced: true)).id
            }
            from[id] = known.filter { $0.value.at >= FollowedFleet.time(time) }
              .map { from[$0.id] ?? $0.createdAt }.min()
          case 1...2:
            guard let picked else { continue }
            try await fleet.change(at: now) { transaction throws(ThingError) in
              try Self.setVoid(!picked.value.isVoid, picked.id, transaction)
            }
          case 3...4:
            guard let entry else { continue }
            try await fleet.change(at: now) { transaction throws(ThingError) in
              let stored = try transaction.existing(entry, FuelEntry.self)
              let changed = odd < 3 ? Self.fill(nil, at: time) : Self.fill(odometer, at: time)
              try transaction.followReadings(of: try transaction.update(stored, to: changed, action: "change"))
            }
          case 5...6:
            fills.append(
              try await fleet.change(at: now) { transaction throws(ThingError) in
                let stored = try transaction.insert(Self.fill(odometer, at: time))
                try transaction.followReadings(of: stored)
                return stored.id
              })
          default:
            try await fleet.change(at: now) { transaction throws(ThingError) in
              _ = try transaction.add(Self.reading(odometer, at: time))
            }
          }
          try await Self.settle(fleet, at: now)
          let all = try await fleet.things(ThingQuery<MeterReading>(limit: 1_000))
          let expected = Self.slowly(all, from)
          for stored in all {
            let comparison = stored.value.comparison
            let found: [JSON] = [
              stored.value.flag.map(\.json) ?? .null, stored.value.lifetime.json, comparison.map(\.previous).json,
              comparison.map(\.increase).json,
            ]
            // A void reading keeps its comparison.
            let length = stored.value.isVoid ? 2 : 4
            #expect(
              Array(found.prefix(length)) == expected[stored.id].map { Array($0.prefix(length)) },
              "seed \(seed), step \(step), reading \(stored.id.string)"
            )
          }
          let newest = all.compactMap { stored in
            stored.value.lifetime.map { (stored.value.at.milliseconds, $0, stored.value.odometer) }
          }.max { ($0.0, $0.1) < ($1.0, $1.1) }
          #expect(try await fleet.vehicle().odometer == newest?.2)
        }
      }
    }
  }

  /// Adds readings of one vehicle, one each 4 hours and 100 km, as if they had been judged one after another.
  ///
  /// - Parameter batch: the number of readings that are added at the same time.
  private static func addReadings(_ count: Int, by batch: Int, _ fleet: FollowedFleet) async throws -> [UUIDv7] {
    var ids: [UUIDv7] = []
    for start in stride(from: 0, to: count, by: batch) {
      ids += try await fleet.change(at: Double(start + batch - 1) * 4) { transaction throws(ThingError) in
        var added: [UUIDv7] = []
        for number in start..<min(start + batch, count) {
          var reading = Self.reading(10_000 + Double(number) * 100, at: Double(number) * 4)
          reading.lifetime = reading.odometer
          added.append(try transaction.insert(reading).id)
        }
        return added
      }
    }
    return ids
  }

  @Test(arguments: Database.allCases)
  func a_change_among_6000_readings_reads_and_writes_few(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let ids = try await Self.addReadings(6_000, by: 40, fleet)
      func cost(_ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Void) async throws -> [Int] {
        try await fleet.change(at: 30_000) { transaction throws(ThingError) in
          let counted = CountedTransaction(transaction)
          try work(counted)
          return [counted.read, counted.written]
        }
      }
      let costs = [
        try await cost { transaction throws(ThingError) in try Self.setVoid(true, ids[0], transaction) },
        try await cost { transaction throws(ThingError) in try Self.setVoid(false, ids[0], transaction) },
        try await cost { transaction throws(ThingError) in
          try transaction.followReadings(of: try transaction.insert(Self.fill(10_150, at: 6)))
        },
        try await cost { transaction throws(ThingError) in
          _ = try transaction.add(Self.reading(700_000, at: 29_000))
        },
      ]
      for cost in costs { #expect(cost[0] <= 150 && cost[1] <= 20, "\(costs)") }
      #expect(try await fleet.things(ThingQuery<FollowedFeed>()).isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func a_late_replacement_is_followed_in_small_transactions(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      _ = try await Self.addReadings(600, by: 4, fleet)
      let follower = ScheduleFollower(storage: fleet.storage, logger: Logger(label: "test")) {
        FollowedFleet.time(9_000)
      }
      func remaining() async throws -> Int {
        try await fleet.things(ThingQuery<MeterReading>(.isSet(key: "lifetime"), limit: 1_000))
          .count { $0.value.lifetime == $0.value.odometer && !$0.value.isReplaced }
      }
      // The second odometer was at 10,050 km when the first one had counted 10,000 km.
      try await fleet.change(at: 9_000) { transaction throws(ThingError) in
        let counted = CountedTransaction(transaction)
        _ = try counted.add(Self.reading(10_050, at: 2, replaced: true))
        #expect(counted.read < 600 && counted.written < 200)
      }
      #expect(try await remaining() > 400)
      var steps = 0
      while try await follower.round().hasMore { steps += 1 }
      // Each step judges about 128 of the 600 readings.
      #expect((4...6).contains(steps))
      // Only the reading before the replacement counts what the first odometer has counted.
      #expect(try await remaining() == 1)
      #expect(try await fleet.vehicle().odometer == 69_900)
      #expect(try await fleet.vehicle().lifetimeKilometers == 69_850)
      #expect(try await fleet.things(ThingQuery<FollowedFeed>()).isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func a_late_replacement_makes_newer_readings_valid(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let readings = [(101_000.0, 24.0), (500, 400), (1_500, 700), (3_400, 1_400)]
      for (value, hours) in readings {
        try await fleet.change(at: hours) { transaction throws(ThingError) in
          _ = try transaction.add(Self.reading(value, at: hours))
        }
      }
      #expect(try await fleet.vehicle().odometer == 101_000)
      let id = try await fleet.change(at: 1_500) { transaction throws(ThingError) in
        try transaction.add(Self.reading(500, at: 400, replaced: true)).id
      }
      func expectReplaced() async throws {
        let found = try await fleet.things(ThingQuery<MeterReading>(order: [.init("at")]))
        #expect(found.allSatisfy { $0.value.flag == nil })
        let vehicle = try await fleet.vehicle()
        #expect(vehicle.odometer == 3_400 && vehicle.odometerAt == FollowedFleet.time(1_400))
        #expect(vehicle.lifetimeKilometers == 103_900)
      }
      try await expectReplaced()
      try await fleet.change(at: 1_501) { transaction throws(ThingError) in
        try Self.setVoid(true, id, transaction)
      }
      #expect(try await fleet.vehicle().odometer == 101_000)
      try await fleet.change(at: 1_502) { transaction throws(ThingError) in
        try Self.setVoid(false, id, transaction)
      }
      try await expectReplaced()
    }
  }

  @Test(arguments: Database.allCases)
  func a_late_reading_keeps_the_trips_after_it(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.change { transaction throws(ThingError) in
        _ = try transaction.add(Self.reading(1_000, at: 0))
        var hours = MeterReading()
        (hours.vehicle, hours.at, hours.engineHours) = ("VAN-1", FollowedFleet.time(0), 100)
        _ = try transaction.add(hours)
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "oilChange")
        schedule.every.kilometers = 1_000
        var service = ServiceSchedule.Service()
        service.odometer = 1_000
        schedule.lastService = service
        try transaction.follow(try transaction.insert(schedule))
      }
      try await fleet.store([try FollowedFleet.trip(1, from: 500, to: 510, #","distance":1000"#)])
      try await fleet.follow()
      func expect(_ odometer: Double, _ engineHours: Double) async throws {
        let vehicle = try await fleet.vehicle()
        #expect(vehicle.odometer == odometer && vehicle.isOdometerEstimated == true)
        #expect(vehicle.engineHours == engineHours && vehicle.areEngineHoursEstimated == true)
        let states = try await fleet.things(ThingQuery<ServiceSchedule>()).map(\.value.state)
        #expect(states == [.overdue])
      }
      try await expect(2_000, 110)
      let entry = try await fleet.change(at: 900) { transaction throws(ThingError) in
        let stored = try transaction.insert(Self.fill(1_050, at: 300))
        try transaction.followReadings(of: stored)
        return stored.id
      }
      // The service does not change its state until the estimate is computed.
      try await expect(2_000, 110)
      try await fleet.follow()
      try await expect(2_050, 110)
      // A trip before the fill is part of its reading.
      try await fleet.store([try FollowedFleet.trip(2, from: 100, to: 101, #","distance":30"#)])
      try await fleet.follow()
      try await expect(2_050, 111)
      for (odometer, estimate) in [(1_060.0, 2_060.0), (nil, 2_030), (1_055, 2_055)] as [(Double?, Double)] {
        try await fleet.change(at: 901) { transaction throws(ThingError) in
          let stored = try transaction.existing(entry, FuelEntry.self)
          var changed = stored.value
          changed.odometer = odometer
          try transaction.followReadings(of: try transaction.update(stored, to: changed, action: "change"))
        }
        try await fleet.follow()
        try await expect(estimate, 111)
      }
    }
  }
}
