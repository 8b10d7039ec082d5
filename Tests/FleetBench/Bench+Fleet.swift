import FleetDomain
import FleetFigures
import FleetStorage
import FleetWork
import Telemetry

extension Bench {
  private static let tenant = TenantID.standard
  private static let services = ["oilChange", "tireRotation", "brakeService", "inspection", "repair"]

  /// Measures a fleet of many vehicles: due dates after a burst of readings, pages of lists, positions, and reports.
  static func fleet(_ storage: StoredFleet, vehicles: Int) async throws {
    let clock = ContinuousClock()
    let made = try await clock.measure { try await makeFleet(storage, vehicles) }
    print("\(vehicles) vehicles with \(services.count) schedules each, made in \(seconds(made)) s")
    for round in 1...3 { try await burst(storage, vehicles, round) }
    try await lists(storage, vehicles)
    try await positions(storage, vehicles)
    try await reports(storage)
  }

  private static func change<Value: Sendable>(
    _ storage: StoredFleet, at time: Timestamp = now,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws -> Value {
    try await storage.change(tenant: tenant, by: Actor(.command), at: time, work)
  }

  private static func name(_ number: Int) -> String { "VAN-\(number)" }

  private static func makeFleet(_ storage: StoredFleet, _ vehicles: Int) async throws {
    let fleets = try await change(storage) { transaction throws(ThingError) in
      try transaction.addServiceTypes()
      var ids: [UUIDv7] = []
      for number in 0..<20 {
        var fleet = Fleet()
        (fleet.name, fleet.timeZone) = ("Depot \(number)", "Europe/Vienna")
        ids.append(try transaction.insert(fleet).id)
      }
      return ids
    }
    for start in stride(from: 0, to: vehicles, by: 200) {
      try await change(storage) { transaction throws(ThingError) in
        for number in start..<min(start + 200, vehicles) {
          var vehicle = Vehicle(id: name(number))
          vehicle.name = "\(["Blue", "Red", "Green"][number % 3]) van \(number)"
          vehicle.fleetID = fleets[number % fleets.count]
          try transaction.insert(vehicle)
          for (index, type) in services.enumerated() {
            var schedule = ServiceSchedule()
            (schedule.vehicle, schedule.serviceType) = (name(number), type)
            schedule.every.kilometers = Double(10_000 + index * 5_000)
            schedule.every.months = 12
            try transaction.follow(try transaction.insert(schedule))
          }
        }
      }
    }
  }

  // MARK: Due dates

  private static func burst(_ storage: StoredFleet, _ vehicles: Int, _ round: Int) async throws {
    let clock = ContinuousClock()
    let time = Timestamp(nanoseconds: now.nanoseconds + Int64(round) * 86_400_000_000_000)
    var (readings, dues, longest) = (Duration.zero, Duration.zero, Duration.zero)
    for start in stride(from: 0, to: vehicles, by: 500) {
      let numbers = start..<min(start + 500, vehicles)
      readings += try await clock.measure {
        try await change(storage, at: time) { transaction throws(ThingError) in
          for number in numbers {
            try transaction.addGatewayReading(
              of: .odometer, Double(number + round * 300), at: time, vehicle: name(number), record: .random(at: time))
          }
        }
      }
      let slice = try await clock.measure {
        try await change(storage, at: time) { transaction throws(ThingError) in
          try transaction.evaluateServices(ofVehicles: Set(numbers.map(name)))
        }
      }
      dues += slice
      longest = max(longest, slice)
    }
    print(
      "burst \(round): \(vehicles) readings stored in \(seconds(readings)) s; due dates after that in",
      "\(seconds(dues)) s, the longest transaction \(seconds(longest) * 1_000) ms")
  }

  // MARK: Lists

  private static func lists(_ storage: StoredFleet, _ vehicles: Int) async throws {
    func page<Value: Kind>(
      _ what: String, _ query: @escaping @Sendable (Int) -> ThingQuery<Value>
    ) async throws {
      let clock = ContinuousClock()
      var times: [Duration] = []
      var count = 0
      for number in 0..<200 {
        times.append(
          try await clock.measure {
            count += try await storage.view(tenant: tenant) { view throws(ThingError) in
              try view.list(query(number)).items.count
            }
          })
      }
      times.sort()
      print(
        "list of \(what): median \(seconds(times[100]) * 1_000) ms, p99 \(seconds(times[198]) * 1_000) ms,",
        "\(count / 200) rows")
    }
    try await page("vehicles with status, text and order by name") { number in
      var query = ThingQuery<Vehicle>(
        .oneOf(key: "status", [.text("available")]), order: [.init("name", isDescending: true)])
      query.text = "van \(number * 37 % vehicles)"
      return query
    }
    try await page("vehicles by odometer") { _ in
      ThingQuery<Vehicle>(.oneOf(key: "status", [.text("available")]), order: [.init("odometer", isDescending: true)])
    }
    try await page("schedules by expected date") { _ in
      ThingQuery<ServiceSchedule>(.oneOf(key: "state", [.text("ok")]), order: [.init("forecastDate")])
    }
    try await page("schedules with text, by state") { number in
      var query = ThingQuery<ServiceSchedule>(.oneOf(key: "serviceType", [.text("oilChange")]), order: [.init("state")])
      query.text = "nothing \(number)"
      return query
    }
    try await page("readings of a vehicle") { number in
      ThingQuery<MeterReading>(
        .oneOf(key: "vehicleId", [.text(name(number * 37 % vehicles))]), order: [.init("at", isDescending: true)])
    }
    try await page("newest readings") { _ in ThingQuery<MeterReading>(order: [.init("at", isDescending: true)]) }
  }

  // MARK: Positions

  private static func positions(_ storage: StoredFleet, _ vehicles: Int) async throws {
    for start in stride(from: 0, to: vehicles, by: 1_000) {
      let batch = (start..<min(start + 1_000, vehicles)).map { record(vehicle: $0, second: 1) }
      _ = try await storage.ingest(batch, from: .trusted, tenant: tenant, at: now)
    }
    let clock = ContinuousClock()
    var times: [Duration] = []
    for _ in 0..<20 {
      times.append(
        try await clock.measure {
          _ = try await storage.view(tenant: tenant) { view throws(ThingError) in
            try view.positions(fleets: nil, hidingPrivateExcept: []).count
          }
        })
    }
    times.sort()
    print("positions of \(vehicles): median \(seconds(times[10]) * 1_000) ms, longest \(seconds(times[19]) * 1_000) ms")
  }

  // MARK: Reports

  private static func reports(_ storage: StoredFleet) async throws {
    let clock = ContinuousClock()
    let first = CalendarDate(utc: first).adding(days: -365)
    let stored = try await clock.measure {
      for number in 0..<1_000 {
        guard let stale = try await storage.staleDays(of: name(number), tenant: tenant) else { continue }
        let days = (0..<365).map { offset -> (date: CalendarDate, figures: VehicleDay?) in
          let date = first.adding(days: offset)
          let start = Timestamp(nanoseconds: Int64(date.dayNumber) * 86_400_000_000_000)
          var day = VehicleDay(
            date: date, firstTime: start, lastTime: Timestamp(nanoseconds: start.nanoseconds + 36_000_000_000_000))
          (day.distance, day.fuelUsed, day.engineOn, day.idle) = (123.4, 9.8, 14_400_000, 900_000)
          (day.trips, day.driverEvents) = (4, 1)
          return (date, day)
        }
        _ = try await storage.storeDays(ComputedDays(stale, hours: 0...0, days: days), tenant: tenant)
      }
    }
    print("figures of 1,000 vehicles × 365 days stored in \(seconds(stored)) s")
    for grouping in [Report.Grouping.vehicle, .driver, .fleet, .day, .week, .month] {
      var report = Report()
      (report.from, report.to, report.groupBy) = (first, first.adding(days: 364), grouping)
      report.topic = grouping == .driver ? .drivers : .utilization
      let wanted = report
      var times: [Duration] = []
      var rows = 0
      for _ in 0..<3 {
        times.append(
          try await clock.measure {
            rows = try await storage.view(tenant: tenant) { view throws(ThingError) in
              try view.rows(of: wanted, at: now).count
            }
          })
      }
      print("report by \(grouping.rawValue): \(times.map { seconds($0) * 1_000 }) ms, \(rows) rows")
    }
  }
}
