import Fusion
import Testing

/// Values of a trip other than its times: odometer, fuel, change of the vehicle, noise.
@Suite struct TripFiguresTests {
  /// Drives for a minute at 36 km/h with additional readings every second, and returns the report of the trip.
  private func report(
    _ change: (inout TripOptions) -> Void = { _ in }, seconds: Int = 61,
    _ more: (inout TripWatch, Int64) -> Void
  ) throws -> TripReport {
    var options = TripOptions()
    change(&options)
    var watch = TripWatch(options)
    for second in 0..<Int64(seconds) {
      let now = second * 1_000_000_000
      watch.engineSpeed(2_000, at: now)
      more(&watch, now)
      watch.speed(36, at: now)
      _ = watch.decide(at: now)
    }
    guard case .end(let report) = watch.finish(at: Int64(seconds) * 1_000_000_000) else {
      Issue.record("no trip")
      throw Missing()
    }
    return report
  }

  struct Missing: Error {}

  private func isNear(_ left: Double?, _ right: Double) -> Bool {
    left.map { abs($0 - right) <= right * 1e-9 } ?? false
  }

  // MARK: Fuel. The engine runs for 60 s in all of these.

  @Test func a_rate_by_volume_is_integrated_over_its_readings() throws {
    // 6 L/h for a minute are 0.1 L.
    let report = try report { watch, now in watch.fuelRate(6, at: now) }
    #expect(isNear(report.fuelUsed, 0.1))
    #expect(report.fuelUsedEstimated == nil)
  }

  @Test func a_rate_by_mass_needs_the_fuel() throws {
    // 1 g/s for a minute are 60 g, of gasoline 60/747.5 L.
    let rate = { (watch: inout TripWatch, now: Int64) in watch.fuelMassRate(1, at: now) }
    #expect(try report({ _ in }, rate).fuelUsed == nil)
    #expect(isNear(try report({ $0.fuel = .gasoline }, rate).fuelUsed, 60 / 747.5))
    #expect(isNear(try report({ $0.fuel = .diesel }, rate).fuelUsed, 60 / 832.5))
    #expect(try report({ $0.fuel = .other }, rate).fuelUsed == nil)
    let told = try report { watch, now in
      watch.fuelType(code: 4)
      watch.fuelMassRate(1, at: now)
    }
    #expect(isNear(told.fuelUsed, 60 / 832.5))
  }

  @Test func fuel_of_a_stroke_needs_the_number_of_cylinders() throws {
    // 12 mg × 4 cylinders × 2000/120 strokes a second: 0.8 g/s.
    let rate = { (watch: inout TripWatch, now: Int64) in watch.cylinderFuelRate(12, at: now) }
    #expect(try report({ $0.fuel = .gasoline }, rate).fuelUsed == nil)
    let known = try report(
      {
        $0.fuel = .gasoline
        $0.cylinders = 4
      }, rate)
    #expect(isNear(known.fuelUsed, 48 / 747.5))
  }

  @Test func a_rate_of_a_part_of_the_trip_is_not_the_trips() throws {
    let report = try report { watch, now in
      if now < 50_000_000_000 { watch.fuelRate(6, at: now) }
    }
    #expect(report.fuelUsed == nil)
  }

  @Test func air_over_commanded_lambda_estimates_a_spark_engines_fuel() throws {
    // 14.6 g/s at lambda 1 burn 1 g/s of gasoline.
    let air = { (watch: inout TripWatch, now: Int64) in
      watch.ignition(isSpark: true)
      watch.commandedLambda(1, at: now)
      watch.massAirFlow(14.6, at: now)
    }
    let report = try report({ _ in }, air)
    #expect(isNear(report.fuelUsedEstimated, 60 / 747.5))
    #expect(report.fuelUsed == nil)
    let rich = try self.report { watch, now in
      watch.ignition(isSpark: true)
      watch.commandedLambda(0.8, at: now)
      watch.massAirFlow(14.6, at: now)
    }
    #expect(isNear(rich.fuelUsedEstimated, 75 / 747.5))
    #expect(isNear(try self.report({ $0.fuel = .ethanol }, air).fuelUsedEstimated, 60 * 14.6 / 9 / 785))
  }

  @Test func full_scale_lambda_is_a_fuel_cut() throws {
    let report = try report { watch, now in
      watch.ignition(isSpark: true)
      watch.commandedLambda(now <= 30_000_000_000 ? 1 : 1.99997, at: now)
      watch.massAirFlow(14.6, at: now)
    }
    // 1 g/s for 30 s, and half a second in which the rate decreases to 0.
    #expect(isNear(report.fuelUsedEstimated, 30.5 / 747.5))
  }

  @Test func nothing_is_estimated_without_lambda_or_of_an_unknown_engine() throws {
    #expect(
      try report({ $0.fuel = .gasoline }, { watch, now in watch.massAirFlow(14.6, at: now) }).fuelUsedEstimated == nil)
    let unknown = try report { watch, now in
      watch.commandedLambda(1, at: now)
      watch.massAirFlow(14.6, at: now)
    }
    #expect(unknown.fuelUsedEstimated == nil)
  }

  @Test func a_diesels_air_counts_only_with_a_measured_lambda() throws {
    let commanded = try report(
      { $0.fuel = .diesel },
      { watch, now in
        watch.commandedLambda(1.2, at: now)
        watch.massAirFlow(29, at: now)
      })
    #expect(commanded.fuelUsedEstimated == nil)
    let measured = try report(
      { $0.fuel = .diesel },
      { watch, now in
        watch.measuredLambda(1.6, at: now)
        watch.massAirFlow(14.5 * 1.6, at: now)
      })
    #expect(isNear(measured.fuelUsedEstimated, 60 / 832.5))
    // At the end of its scale, a sensor only shows that there is at least this much air.
    let overrun = try report(
      { $0.fuel = .diesel },
      { watch, now in
        watch.measuredLambda(now < 30_000_000_000 ? 1.6 : 1.99997, at: now)
        watch.massAirFlow(14.5 * 1.6, at: now)
      })
    #expect(overrun.fuelUsedEstimated == nil)
  }

  @Test func speed_density_needs_displacement_and_volumetric_efficiency() throws {
    let air = { (watch: inout TripWatch, now: Int64) in
      watch.commandedLambda(1, at: now)
      watch.intakeTemperature(20, at: now)
      watch.manifoldPressure(50, at: now)
    }
    #expect(try report({ $0.fuel = .gasoline }, air).fuelUsedEstimated == nil)
    let known = try report(
      {
        $0.fuel = .gasoline
        $0.displacement = 1.6
        $0.volumetricEfficiency = 0.85
      }, air)
    // A filling has 50 kPa × 1.36 L / (287.05 × 293.15) = 0.80810 g, and there are 16.667 fillings a second.
    let flow = 50 * 1.36 / (287.05 * 293.15) * 1_000 * 2_000 / 120
    #expect(abs(flow - 13.468) < 0.001)
    #expect(isNear(known.fuelUsedEstimated, 60 * flow / 14.6 / 747.5))
  }

  @Test func two_fuels_on_one_trip_have_no_common_density() throws {
    let mixed = try report { watch, now in
      watch.fuelType(code: now < 30_000_000_000 ? 9 : 14)
      watch.fuelMassRate(1, at: now)
      watch.fuelRate(now == 0 ? .nan : 6, at: now)
    }
    // Values in litres need no conversion.
    #expect(isNear(mixed.fuelUsed, 0.1 * 59 / 60))
  }

  // MARK: Odometer

  @Test func the_odometer_is_read_at_both_ends() throws {
    let report = try report { watch, now in watch.odometer(12_345.6 + Double(now / 10_000_000_000) / 10, at: now) }
    #expect(report.startOdometer == 12_345.6)
    #expect(abs((report.endOdometer ?? 0) - 12_346.2) < 1e-6)
    #expect(report.distanceSource == .speed)
    #expect(isNear(report.distance, 0.6))
  }

  @Test func a_missing_odometer_is_not_recorded() throws {
    #expect(try report { watch, now in watch.odometer(429_496_729.5, at: now) }.startOdometer == nil)
  }

  @Test func the_odometer_provides_the_distance_across_a_gap() {
    var road = Road()
    let odometer = { (watch: inout TripWatch, now: Int64) in
      watch.odometer(1_000 + Double(now / 10_000_000_000) / 10, at: now)
    }
    road.go(60, .drive(36), odometer)
    road.go(60, .silent)
    road.go(61, .drive(36), odometer)
    let trip = road.park()
    #expect(trip.map(\.source) == ["odometer"])
    #expect(trip.map(\.metres) == [1_800])
  }

  // MARK: The vehicle

  @Test func another_vehicle_ends_the_trip_where_the_old_one_was_lost() {
    var road = Road()
    road.go(60, .drive(36))
    road.watch.vehicleLost(at: road.now)
    road.wait(30)
    // The new vehicle sends values before its VIN is read.
    road.go(3, .idle)
    road.watch.vehicleChanged(at: road.now)
    road.go(60, .drive(36))
    let trips = road.park()
    #expect(trips == [.init(0, 59, metres: 590, idle: 0, max: 36), .init(93, 152, metres: 590, idle: 0, max: 36)])
  }

  @Test func readings_of_a_new_vehicle_do_not_count_for_the_previous_vehicles_trip() {
    var road = Road()
    road.go(60, .drive(36))
    road.watch.vehicleLost(at: road.now)
    road.wait(200)
    road.go(3, .idle)
    road.watch.vehicleChanged(at: road.now)
    road.go(60, .drive(36))
    let trips = road.park()
    #expect(trips == [.init(0, 59, metres: 590, idle: 0, max: 36), .init(260, 322, metres: 595, idle: 2, max: 36)])
  }

  @Test func the_trip_continues_with_the_same_vehicle() {
    var road = Road()
    road.go(60, .drive(36))
    road.watch.vehicleLost(at: road.now)
    road.wait(30)
    road.go(3, .drive(36))
    road.watch.vehicleReturned()
    road.go(57, .drive(36))
    #expect(road.park() == [.init(0, 149, metres: 1_180, idle: 0, max: 36)])
  }

  // MARK: Readings as they come

  @Test func readings_that_come_irregularly_are_integrated_on_their_times() throws {
    var watch = TripWatch()
    var seconds = 0.0
    var distance = 0.0
    var random = Lehmer(state: 7)
    // From 0 to 100 km/h and back, with times that jitter by about 0.1 s: the distance is the integral of the true
    // speed.
    while seconds < 100 {
      let speed = seconds < 50 ? 2 * seconds : 2 * (100 - seconds)
      watch.speed(speed, at: Int64(seconds * 1e9))
      let step = Double.random(in: 0.02...0.3, using: &random)
      seconds += step
    }
    distance = 50 * 100 / 3.6 / 1_000
    guard case .start? = watch.decide(at: 100_000_000_000), case .end(let report)? = watch.finish(at: 101_000_000_000)
    else {
      Issue.record("no trip")
      return
    }
    #expect(abs(report.distance - distance) < 0.0005)
    #expect(report.maxSpeed > 99)
  }

  @Test func invalid_values_do_not_change_the_trip() {
    var road = Road()
    road.go(60, .drive(36)) { watch, now in
      for value in [Double.nan, -Double.infinity, -1] {
        watch.speed(value, at: now)
        watch.engineSpeed(value, at: now)
        watch.fuelRate(value, at: now)
        watch.massAirFlow(value, at: now)
        watch.odometer(value, at: now)
        watch.batteryVoltage(value, at: now)
        watch.controlModuleVoltage(value, at: now)
      }
    }
    #expect(road.park() == [.init(0, 59, metres: 590, idle: 0, max: 36)])
  }

  @Test func the_deadline_is_the_next_time_to_evaluate() {
    var road = Road()
    #expect(road.deadline == .max)
    road.go(60, .drive(36))
    #expect(road.deadline == 59_000_000_000 + 180_000_000_000)
    _ = road.park()
    #expect(road.deadline == .max)
  }
}
