import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

@Suite struct RecordFollowerTests {
  @Test(arguments: Database.allCases)
  func a_vehicle_with_a_backlog_delays_no_other_vehicle(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.storage.addVehicle("VAN-2", tenant: .standard, at: FollowedFleet.time(0))
      let backlog = try (UInt64(1)...300).map { number in
        try FollowedFleet.trip(
          number, from: Double(number), to: Double(number) + 0.5, #","endOdometer":\#(10_000 + number)"#)
      }
      let other = try FollowedFleet.trip(301, from: 1, to: 2, #","endOdometer":500"#, vehicle: "VAN-2")
      try await fleet.store(backlog)
      try await fleet.store([other])
      while try await fleet.follower.readFeed(tenant: .standard) {}
      #expect(try await fleet.follower.serveVehicles(tenant: .standard))
      #expect(try await fleet.follower.serveVehicles(tenant: .standard))
      let readings = try await fleet.things(ThingQuery<MeterReading>(limit: 1_000))
      #expect(readings.filter { $0.value.vehicle == "VAN-2" }.map(\.value.odometer) == [500])
      #expect(readings.count < 100)
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<MeterReading>(limit: 1_000)).count == 301)
      #expect(try await fleet.vehicle().odometer == 10_300)
      #expect(try await fleet.things(ThingQuery<FollowedVehicle>(limit: 10)).isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func an_unreadable_service_delays_no_other_service(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let tenant = try #require(TenantID("aaa"))
      func id(_ number: UInt64) -> JSON { UUIDv7(milliseconds: 9, first: 9, rest: number).json }
      try await fleet.storage.addRows(
        [
          [
            "id": id(1), "schedule_id": id(2), "vehicle_id": .text("VAN-9"), "last_date": .text("0"),
            "check_date": .text("0"),
          ]
        ], of: ServiceDue.self, tenant: tenant, archive: UUIDv7(milliseconds: 9, first: 9, rest: 3))
      try await fleet.storage.addVehicle("VAN-1", tenant: tenant, at: FollowedFleet.time(0))
      try await fleet.storage.change(tenant: tenant, by: Actor(.command), at: FollowedFleet.time(0)) {
        transaction throws(ThingError) in
        try transaction.addServiceTypes()
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "oilChange")
        schedule.every.days = 1
        try transaction.follow(try transaction.insert(schedule))
      }
      func records() async throws -> Int {
        try await fleet.storage.view(tenant: tenant) { view throws(ThingError) in
          try view.list(ThingQuery<MaintenanceRecord>()).items.count
        }
      }
      #expect(try await records() == 0)
      try await fleet.follower.followDate(tenant: tenant)
      #expect(try await records() == 1)
      try await fleet.follower.followDate(tenant: tenant)
      #expect(try await records() == 1)
    }
  }

  @Test(arguments: Database.allCases)
  func ended_trips_become_readings_once(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let records = [
        try FollowedFleet.record(1, "telemetry", at: 1.9, #","odometer":10050.2,"totalEngineRunTime":3600000"#),
        try FollowedFleet.trip(2, from: 1, to: 2, #","distance":50,"startOdometer":10000,"endOdometer":10050.4"#),
      ]
      try await fleet.store(records)
      try await fleet.follow()
      var vehicle = try await fleet.vehicle()
      #expect(vehicle.odometer == 10_050.4 && vehicle.isOdometerEstimated == false)
      #expect(vehicle.odometerAt == FollowedFleet.time(2) && vehicle.engineHours == 1_000)
      // The same records again, and a better time, change nothing.
      try await fleet.store(records)
      try await fleet.follow()
      #expect(try await fleet.things(ThingQuery<MeterReading>(limit: 100)).count == 2)
      // Without an odometer the distance of trips is added. A late trip counts too.
      try await fleet.store([try FollowedFleet.trip(3, from: 5, to: 6, #","distance":30"#)])
      try await fleet.follow()
      vehicle = try await fleet.vehicle()
      #expect(vehicle.odometer == 10_080.4 && vehicle.isOdometerEstimated == true)
      #expect(vehicle.odometerAt == FollowedFleet.time(6) && vehicle.engineHours == 1_001)
      try await fleet.store([try FollowedFleet.trip(4, from: 3, to: 4, #","distance":12.5"#)])
      try await fleet.follow()
      vehicle = try await fleet.vehicle()
      #expect(vehicle.odometer == 10_092.9 && vehicle.engineHours == 1_002)
      // Another gateway of the vehicle reports the same trips.
      try await fleet.store([
        try FollowedFleet.trip(6, from: 3, to: 4, #","distance":12.5"#),
        try FollowedFleet.trip(7, from: 5, to: 6, #","distance":29.9"#),
      ])
      try await fleet.follow()
      vehicle = try await fleet.vehicle()
      #expect(vehicle.odometer == 10_092.9 && vehicle.engineHours == 1_002)
      // A reading ends the estimate.
      try await fleet.store([try FollowedFleet.trip(5, from: 7, to: 8, #","distance":9,"endOdometer":10104"#)])
      try await fleet.follow()
      vehicle = try await fleet.vehicle()
      #expect(vehicle.odometer == 10_104 && vehicle.isOdometerEstimated == false)
    }
  }

  /// A gateway sends records under its own id until it has read the VIN.
  @Test(arguments: Database.allCases)
  func own_records_of_a_gateway_are_attributed_when_a_trip_proves_the_vehicle(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      func trip(_ number: UInt64, _ event: String, _ vehicle: String, _ from: Double, _ to: Double, _ keys: String = "")
        throws -> IncomingRecord
      {
        let id = UUIDv7(milliseconds: number, first: 1, rest: 1).string
        let end = event == "end" ? #","endTime":"\#(FollowedFleet.time(to).string)""# : ""
        return try FollowedFleet.record(
          number * 10 + (event == "end" ? 1 : 0), "trip", at: event == "end" ? to : from + 0.001, vehicle: vehicle,
          #","tripId":"\#(id)","event":"\#(event)","startTime":"\#(FollowedFleet.time(from).string)"\#(end)\#(keys)"#)
      }
      func telemetry(_ number: UInt64, at hours: Double, _ vehicle: String) throws -> IncomingRecord {
        try FollowedFleet.record(number, "telemetry", at: hours, vehicle: vehicle, #","speed":36"#)
      }
      try await fleet.store([
        // Before the trip: of the gateway. During it, before the VIN: of the vehicle.
        try telemetry(1, at: 0.9, "gw-1"), try trip(100, "start", "gw-1", 1, 2), try telemetry(2, at: 1.01, "gw-1"),
        try FollowedFleet.record(3, "gap", at: 1.01, vehicle: "gw-1", ""), try telemetry(4, at: 1.02, "VAN-1"),
        try trip(100, "end", "VAN-1", 1, 2),
        // The vehicle of this trip never became known.
        try trip(200, "start", "gw-1", 3, 4), try telemetry(5, at: 3.1, "gw-1"), try trip(200, "end", "gw-1", 3, 4),
        // With several adapters, other records of the time may be of another vehicle.
        try trip(300, "start", "gw-1", 5, 6, #","device":"a""#), try telemetry(6, at: 5.1, "gw-1"),
        try trip(300, "end", "VAN-1", 5, 6, #","device":"a""#),
      ])
      try await fleet.follow()
      try await fleet.follow()
      let found = try await fleet.things(ThingQuery<Attribution>(limit: 100)).map(\.value)
      #expect(found.map(\.vehicle) == ["VAN-1"] && found.map(\.gatewayID) == ["gw-1"])
      let listed = try await fleet.storage.records(.telemetry(of: "VAN-1"), tenant: .standard).items
      #expect(listed.compactMap(\.time) == [FollowedFleet.time(1.01), FollowedFleet.time(1.02)])
      #expect(listed.map(\.attributedFrom) == ["gw-1", nil])
      let trips = RecordQuery(vehicle: "VAN-1", classes: RecordQuery.tripClasses, limit: 100)
      #expect(try await fleet.storage.records(trips, tenant: .standard).items.count == 3)
    }
  }

  @Test(arguments: Database.allCases)
  func a_schedule_of_a_large_fleet_is_computed_in_small_transactions(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let follower = ScheduleFollower(storage: fleet.storage, logger: Logger(label: "test")) { FollowedFleet.time(0) }
      func dues() async throws -> Int { try await fleet.things(ThingQuery<ServiceDue>(limit: 1_000)).count }
      func finish() async throws -> [Int] {
        var counts: [Int] = []
        while true {
          let (hasMore, failure) = try await follower.round()
          #expect(failure == nil)
          guard hasMore else { return counts }
          counts.append(try await dues())
        }
      }
      let (group, schedule) = try await fleet.change { transaction throws(ThingError) in
        var group = Fleet()
        group.name = "All"
        let stored = try transaction.insert(group)
        for number in 0..<50 {
          var vehicle = Vehicle()
          (vehicle.id, vehicle.fleetID) = ("EV-\(number)", stored.id)
          try transaction.insert(vehicle)
        }
        var schedule = ServiceSchedule()
        (schedule.fleet, schedule.serviceType) = (stored.id, "oilChange")
        schedule.every.days = 30
        let added = try transaction.insert(schedule)
        try transaction.follow(added)
        return (stored.id, added.id)
      }
      #expect(try await dues() == 16)
      #expect(try await finish() == [32, 48, 50, 50])
      // A change of the schedule reaches all vehicles, and those that leave the fleet lose it.
      try await fleet.change { transaction throws(ThingError) in
        let stored = try transaction.existing(schedule, ServiceSchedule.self)
        var changed = stored.value
        changed.every.days = 60
        try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
        var moved: [String] = []
        for number in 0..<20 {
          guard let vehicle = try transaction.vehicle(named: "EV-\(number)") else { continue }
          var free = vehicle.value
          free.fleetID = nil
          try transaction.update(vehicle, to: free, action: "change")
          moved.append(free.id)
        }
        try transaction.evaluateServices(ofMoved: moved, fleet: group)
      }
      _ = try await finish()
      let left = try await fleet.things(ThingQuery<ServiceDue>(limit: 1_000)).map(\.value)
      let present = try await fleet.things(ThingQuery<Vehicle>(.oneOf(key: "fleetId", [group.json]), limit: 1_000))
      #expect(Set(left.map(\.vehicle)) == Set(present.map(\.value.id)) && left.count == 30)
      #expect(Set(left.map(\.plan)).count == 1)
      #expect(try await fleet.things(ThingQuery<FollowedFeed>()).isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func a_vehicle_has_at_most_fifty_schedules(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      let schedule = {
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "oilChange")
        schedule.every.days = 30
        return schedule
      }()
      try await fleet.change { transaction throws(ThingError) in
        try transaction.addServiceTypes()
        for _ in 0..<50 {
          var new = schedule
          try transaction.check(&new, old: nil)
          try transaction.insert(new)
        }
      }
      let error = await #expect(throws: ThingError.self) {
        try await fleet.change { transaction throws(ThingError) in
          var new = schedule
          try transaction.check(&new, old: nil)
        }
      }
      guard case .rule(code: "limitReached", _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(arguments: Database.allCases)
  func due_services_follow_the_gateway(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.change { transaction throws(ThingError) in
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "oilChange")
        schedule.every.kilometers = 1_000
        var service = ServiceSchedule.Service()
        service.odometer = 9_500
        schedule.lastService = service
        try transaction.follow(try transaction.insert(schedule))
      }
      for number in 1...8 {
        let (start, odometer) = (Double(number * 4), 10_000 + number * 100)
        try await fleet.store([
          try FollowedFleet.trip(UInt64(number), from: start, to: start + 1, #","endOdometer":\#(odometer)"#)
        ])
        try await fleet.follow()
      }
      let records = try await fleet.things(ThingQuery<MaintenanceRecord>(limit: 100))
      #expect(records.count == 1 && records.first?.value.status == .scheduled)
    }
  }

  @Test(arguments: Database.allCases)
  func dates_pass_without_records(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.change { transaction throws(ThingError) in
        var schedule = ServiceSchedule()
        (schedule.vehicle, schedule.serviceType) = ("VAN-1", "inspection")
        schedule.every.days = 30
        try transaction.follow(try transaction.insert(schedule))
      }
      #expect(try await fleet.things(ThingQuery<ServiceSchedule>()).first?.value.state == .ok)
      // 1,000 hours later.
      try await fleet.followDate()
      try await fleet.followDate()
      #expect(try await fleet.things(ThingQuery<ServiceSchedule>()).first?.value.state == .overdue)
      #expect(try await fleet.things(ThingQuery<MaintenanceRecord>()).count == 1)
      #expect(
        try await fleet.things(ThingQuery<ServiceType>()).map(\.value.code).sorted()
          == ServiceType.builtIn.map(\.code).sorted())
    }
  }

  /// Two servers over one database: each record has its effect once.
  @Test func two_followers_apply_each_record_once() async throws {
    try await FollowedFleet.with(.postgreSQL) { fleet in
      var records: [IncomingRecord] = []
      for number in 1...60 {
        let start = Double(number)
        records.append(try FollowedFleet.trip(UInt64(number), from: start, to: start + 0.5, #","distance":1"#))
      }
      try await fleet.store([
        try FollowedFleet.codes(100, at: 0.1, ["P0301"]), try FollowedFleet.codes(101, at: 0.2, []),
      ])
      try await fleet.store(Array(records.prefix(2)))
      async let first: Void = fleet.follow()
      async let second: Void = fleet.follow()
      _ = try await (first, second)
      #expect(try await fleet.things(ThingQuery<Defect>()).map(\.value.tripsWithout) == [2])
      try await fleet.store(records)
      async let third: Void = fleet.follow()
      async let fourth: Void = fleet.follow()
      _ = try await (third, fourth)
      #expect(try await fleet.things(ThingQuery<Defect>()).map(\.value.status) == [.verified])
      #expect(try await fleet.things(ThingQuery<Defect>()).map(\.value.tripsWithout) == [3])
    }
  }

  /// An estimate equals the sum of what each minute of the trips adds.
  @Test func estimates_are_those_of_an_obvious_computation() {
    var random = SplitMix(seed: 3)
    for _ in 0..<300 {
      var trips: [EndedTrip] = []
      var minute: Int64 = 0
      for number in 0..<10 {
        minute += Int64.random(in: 0...50, using: &random)
        let end = minute + Int64.random(in: 1...60, using: &random)
        trips.append(
          EndedTrip(
            id: UUIDv7(milliseconds: 1, first: 0, rest: UInt64(number)),
            from: Timestamp(nanoseconds: minute * 60_000_000_000), to: Timestamp(nanoseconds: end * 60_000_000_000),
            distance: Double(end - minute) * 0.75))
        minute = end
      }
      let at = Int64.random(in: 0...minute, using: &random)
      let reading = Meter.Point(at: Timestamp(nanoseconds: at * 60_000_000_000), value: 100, lifetime: 500)
      let minutes = trips.reduce(0) { sum, trip in
        let from = trip.from.milliseconds / 60_000
        let to = trip.to.milliseconds / 60_000
        return sum + (from..<to).count { $0 >= at }
      }
      let shuffled = (trips + trips.prefix(3)).shuffled(using: &random)
      let estimate = Meter.odometer.estimate(after: reading, shuffled)
      let value = estimate?.value ?? 100
      #expect(abs(value - 100 - Double(minutes) * 0.75) < 0.001)
      #expect(abs((estimate?.lifetime ?? 500) - value - 400) < 0.001)
    }
  }
}
