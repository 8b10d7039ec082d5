import FleetDomain
import FleetFigures
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

/// Fills that are compared with telemetry, and fuel that disappears while a vehicle is parked, on both databases.
@Suite struct FuelFollowerTests {
  /// A drive with one level each 10 s.
  private static func drive(
    _ first: UInt64, from start: Double, minutes: Int, level: (Int) -> Double, speed: (Int) -> Double = { _ in 50 }
  ) throws -> [IncomingRecord] {
    try (0..<(minutes * 6)).map { step in
      try FollowedFleet.record(
        first + UInt64(step), "telemetry", at: start + Double(step) / 360,
        #","fuelLevel":\#(level(step)),"speed":\#(speed(step))"#)
    }
  }

  private static func follower(_ fleet: FollowedFleet) -> FuelFollower {
    FuelFollower(storage: fleet.storage, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
      FollowedFleet.time(1_000)
    }
  }

  private static func setTank(_ fleet: FollowedFleet, _ litres: Double) async throws {
    try await fleet.change { transaction throws(ThingError) in
      guard let vehicle = try transaction.vehicle(named: "VAN-1") else { return }
      var value = vehicle.value
      value.tankCapacity = litres
      try transaction.update(vehicle, to: value, action: "test")
    }
  }

  private static func addFill(_ fleet: FollowedFleet, at hours: Double, litres: Double) async throws -> UUIDv7 {
    try await fleet.change(at: hours) { transaction throws(ThingError) in
      var entry = FuelEntry()
      (entry.vehicle, entry.at, entry.energy) = ("VAN-1", FollowedFleet.time(hours), .diesel)
      entry.quantity = litres
      try entry.complete()
      let stored = try transaction.insert(entry)
      try transaction.requestCheck(of: stored)
      return stored.id
    }
  }

  @Test(arguments: Database.allCases)
  func a_fill_is_compared_when_its_telemetry_arrives(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await Self.setTank(fleet, 60)
      let fill = try await Self.addFill(fleet, at: 900, litres: 30)
      let checks = Self.follower(fleet)
      func check() async throws -> FuelEntry {
        while try await checks.round().hasMore {}
        return try #require(try await fleet.things(ThingQuery<FuelEntry>(limit: 10)).first { $0.id == fill }).value
      }
      let early = try await check()
      #expect(early.check?.tankRise == .noData && early.check?.positionAgrees == nil && early.checkAt == nil)
      // Before and after the stop, the level is 20 % and 70 % of 60 L.
      try await fleet.store(
        try Self.drive(1, from: 899.8, minutes: 10, level: { _ in 20 }, speed: { $0 > 55 ? 0 : 50 })
          + Self.drive(1_000, from: 900.05, minutes: 10, level: { _ in 70 }, speed: { $0 < 3 ? 0 : 50 })
          + [try FollowedFleet.trip(2_000, from: 899.8, to: 900.3, "")])
      try await fleet.follow()
      let late = try await check()
      #expect(late.check?.tankRise == .agrees && late.check?.risenLitres == 30 && late.check?.difference == 0)
      #expect(late.check?.positionAgrees == true && late.check?.levels == 120)
      // A version of the entry stands for what a person entered, so checks make none.
      let stored = try await fleet.things(ThingQuery<FuelEntry>(limit: 10))
      #expect(stored.map(\.version) == [1])
    }
  }

  @Test(arguments: Database.allCases)
  func a_rise_belongs_to_the_fill_that_is_nearest_in_time(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await Self.setTank(fleet, 100)
      let first = try await Self.addFill(fleet, at: 900, litres: 20)
      let second = try await Self.addFill(fleet, at: 901, litres: 40)
      // 20 % at first, 40 % after the first fill, 80 % after the second.
      try await fleet.store(
        try Self.drive(1, from: 899.8, minutes: 10, level: { _ in 20 })
          + Self.drive(1_000, from: 900.1, minutes: 10, level: { _ in 40 })
          + Self.drive(2_000, from: 900.6, minutes: 10, level: { _ in 40 })
          + Self.drive(3_000, from: 901.1, minutes: 10, level: { _ in 80 }))
      while try await Self.follower(fleet).round().hasMore {}
      let entries = try await fleet.things(ThingQuery<FuelEntry>(limit: 10))
      func check(_ id: UUIDv7) -> FuelEntry.Check? { entries.first { $0.id == id }?.value.check }
      #expect(check(first)?.tankRise == .agrees && check(first)?.risenLitres == 20)
      #expect(check(second)?.tankRise == .agrees && check(second)?.risenLitres == 40)
    }
  }

  enum Arrival: CaseIterable { case oneByOne, reversed, together }

  @Test(arguments: Database.allCases, Arrival.allCases)
  func fuel_that_disappears_while_a_vehicle_is_parked_causes_one_event(
    _ database: Database, _ arrival: Arrival
  ) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await Self.setTank(fleet, 80)
      let drives = try [
        (900.0, 60.0, UInt64(1)), (910.0, 60.0, 1_000), (920.0, 22.5, 2_000), (930.0, 20.0, 3_000),
      ].map { start, level, number in
        try Self.drive(number, from: start, minutes: 10, level: { _ in level })
          + [try FollowedFleet.trip(number + 500, from: start, to: start + 1.0 / 6, "")]
      }
      let batches: [[IncomingRecord]] =
        switch arrival {
        case .oneByOne: drives
        case .reversed: drives.reversed()
        case .together: [drives.flatMap { $0 }]
        }
      for drive in batches {
        try await fleet.store(drive)
        try await fleet.follow()
      }
      let events = try await fleet.things(ThingQuery<FleetEvent>(limit: 100)).map(\.value)
        .filter { $0.event == .fuelDrop }
      #expect(events.map(\.item) == ["30 L (38 %)"])
      #expect(events.map(\.vehicleID) == ["VAN-1"] && events.map(\.at) == [FollowedFleet.time(920)])
    }
  }

  @Test(arguments: Database.allCases)
  func an_old_fall_of_the_fuel_level_causes_no_event(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      for (start, level, number) in [(700.0, 60.0, UInt64(1)), (710.0, 20.0, 1_000)] {
        try await fleet.store(
          try Self.drive(number, from: start, minutes: 10, level: { _ in level })
            + [try FollowedFleet.trip(number + 500, from: start, to: start + 1.0 / 6, "")])
      }
      try await fleet.follow()
      let events = try await fleet.things(ThingQuery<FleetEvent>(limit: 100)).map(\.value.event)
      #expect(!events.contains(.fuelDrop))
    }
  }
}
