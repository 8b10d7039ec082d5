import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import Telemetry
import Testing

@testable import FleetFollower

/// What changes in schedules when a new day begins, on both databases.
@Suite struct ServiceDateTests {
  /// A vehicle that sends no readings: it is assumed to be used as before since its last reading. When this day has
  /// passed, the service is expected today, until the last use of the vehicle is too old.
  @Test(arguments: Database.allCases)
  func a_forecast_counts_from_the_last_reading(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      for (day, odometer) in [(0.0, 10_000.0), (10.0, 11_000.0)] {
        try await fleet.change(at: day * 24) { transaction throws(ThingError) in
          var reading = MeterReading()
          (reading.vehicle, reading.odometer, reading.at) = ("VAN-1", odometer, FollowedFleet.time(day * 24))
          try transaction.judge(&reading)
          try transaction.follow(try transaction.insert(reading))
        }
      }
      try await fleet.change(at: 240) { transaction throws(ThingError) in
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "oilChange")
        schedule.every.kilometers = 5_000
        schedule.lastService = ServiceSchedule.Service()
        schedule.lastService?.odometer = 10_000
        try transaction.follow(try transaction.insert(schedule))
      }
      func forecast() async throws -> CalendarDate? {
        try await fleet.things(ThingQuery<ServiceSchedule>()).first?.value.forecastDate
      }
      let start = CalendarDate(utc: FollowedFleet.time(0))
      // 4,000 km are left at 100 km a day.
      #expect(try await forecast() == start.adding(days: 50))
      let days = [
        (11.0, 50), (17.5, 50), (50.5, 50), (51.0, 51), (52.0, 52), (100.0, 100), (101.0, nil), (150.0, nil),
      ]
      for (day, expected) in days {
        try await fleet.followDate(at: day * 24)
        #expect(try await forecast() == expected.map { start.adding(days: $0) }, "day \(day)")
      }
      // Afterwards, nothing is left to check.
      #expect(try await fleet.things(ThingQuery<ServiceDue>()).map(\.value.checkDate) == [nil])
    }
  }

  /// A person who cancels the work order of an overdue service decides so for as long as the service stays overdue. When
  /// it becomes overdue again, it gets another one.
  @Test(arguments: Database.allCases)
  func a_service_that_becomes_overdue_again_gets_another_work_order(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let start = CalendarDate(utc: FollowedFleet.time(0))
      let schedule = try await fleet.change { transaction throws(ThingError) in
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "inspection")
        schedule.every.days = 5
        schedule.lastService = ServiceSchedule.Service()
        schedule.lastService?.date = start.adding(days: -10)
        let stored = try transaction.insert(schedule)
        try transaction.follow(stored)
        return stored.id
      }
      func open() async throws -> [Stored<MaintenanceRecord>] {
        try await fleet.things(
          ThingQuery<MaintenanceRecord>(.oneOf(key: "status", MaintenanceRecord.Status.open.map(\.json))))
      }
      let first = try #require(try await open().first)
      try await fleet.change { transaction throws(ThingError) in
        _ = try transaction.cancel(
          try transaction.existing(first.id, MaintenanceRecord.self), reason: "no time")
        guard let vehicle = try transaction.vehicle(named: "VAN-1") else {
          throw .notFound(kind: "vehicle", id: "VAN-1")
        }
        try transaction.evaluateServices(of: vehicle)
      }
      #expect(try await open().isEmpty)
      try await fleet.change { transaction throws(ThingError) in
        var snooze = ServiceSnooze()
        snooze.until = start.adding(days: 3)
        _ = try transaction.snooze(try transaction.existing(schedule, ServiceSchedule.self), with: snooze)
      }
      try await fleet.followDate(at: 2 * 24)
      #expect(try await open().isEmpty)
      try await fleet.followDate(at: 3 * 24)
      let second = try await open()
      #expect(second.count == 1 && second.first?.id != first.id)
    }
  }

  /// A day begins at midnight in the zone of the vehicle's fleet, for the tenant's other fleets at other times.
  @Test(arguments: Database.allCases)
  func a_service_is_checked_when_its_fleet_has_midnight(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let start = CalendarDate(utc: FollowedFleet.time(0))
      for (vehicle, zone) in [("VAN-1", "Pacific/Kiritimati"), ("VAN-2", "Pacific/Midway"), ("VAN-3", "")] {
        if vehicle != "VAN-1" {
          try await fleet.storage.addVehicle(vehicle, tenant: .standard, at: FollowedFleet.time(0))
        }
        try await fleet.change { transaction throws(ThingError) in
          if !zone.isEmpty {
            var group = Fleet()
            (group.name, group.timeZone) = (zone, zone)
            let stored = try transaction.insert(group)
            guard let old = try transaction.vehicle(named: vehicle) else {
              throw .notFound(kind: "vehicle", id: vehicle)
            }
            var moved = old.value
            moved.fleetID = stored.id
            try transaction.update(old, to: moved, action: "change")
          }
          var schedule = ServiceSchedule()
          (schedule.vehicle, schedule.serviceType) = (vehicle, "inspection")
          schedule.every.days = 5
          schedule.lastService = ServiceSchedule.Service()
          schedule.lastService?.date = start
          try transaction.follow(try transaction.insert(schedule))
        }
      }
      func overdue() async throws -> [String] {
        let query = ThingQuery<ServiceSchedule>(.oneOf(key: "state", [ServiceSchedule.State.overdue.json]))
        return try await fleet.things(query).compactMap(\.value.vehicle).sorted()
      }
      // Due on the fifth day, and overdue from the sixth. Kiritimati is 14 hours ahead of UTC, and Midway 11 behind.
      let expected: [(hours: Double, vehicles: [String])] = [
        (6 * 24 - 14.1, []), (6 * 24 - 14, ["VAN-1"]), (6 * 24 - 0.1, ["VAN-1"]), (6 * 24, ["VAN-1", "VAN-3"]),
        (6 * 24 + 10.9, ["VAN-1", "VAN-3"]), (6 * 24 + 11, ["VAN-1", "VAN-2", "VAN-3"]),
      ]
      for (hours, vehicles) in expected {
        try await fleet.followDate(at: hours)
        #expect(try await overdue() == vehicles, "\(hours) h")
      }
    }
  }
}
