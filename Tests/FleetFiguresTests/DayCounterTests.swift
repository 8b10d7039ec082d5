import FleetDomain
import FleetFigures
import Telemetry
import Testing

/// The figures of machines that report counters, but no speed, engine speed or trips.
@Suite struct DayCounterTests {
  private static let date = CalendarDate("2026-05-04")!
  private static let start = ZoneRules.utc.start(of: date)

  /// - Parameters:
  ///   - hour: hours since the start of the day.
  ///   - engine: h.
  private static func sample(
    _ hour: Double, engine: Double? = nil, idle: Double? = nil, odometer: Double? = nil, fuel: Double? = nil
  ) -> DaySample {
    var values = TelemetryValues()
    (values.engineRunTime, values.idleHours) = (engine.map { $0 * 3_600 }, idle)
    (values.odometer, values.totalFuelUsed) = (odometer, fuel)
    return DaySample(time: start + Int64(hour * 3_600_000), values: values)
  }

  /// Computes the day from its records, and from a record of the day before.
  private static func day(_ before: DaySample?, _ samples: [DaySample], trips: [DayTrip] = []) throws -> VehicleDay {
    var builder = DayBuilder(date, in: .utc, trips: trips, drivingEvents: [])
    for sample in samples { builder.add(sample) }
    for counter in builder.neededCounters {
      guard let before, let value = counter.value(in: before.values) else { continue }
      builder.setStart(of: counter, to: DayCounter.Reading(time: before.time, value: value))
    }
    return try #require(builder.finish())
  }

  @Test func counters_give_the_figures_since_the_last_values_of_the_day_before() throws {
    let before = Self.sample(-1, engine: 100, idle: 20, odometer: 1_000, fuel: 500)
    let day = try Self.day(
      before,
      [
        Self.sample(6, engine: 103.5), Self.sample(6, odometer: 1_004), Self.sample(7, fuel: 540),
        Self.sample(18, engine: 108, idle: 22.5, odometer: 1_012.5, fuel: 596),
      ])
    #expect(day.engineOn == 8 * 3_600_000 && day.idle == 9_000_000 && day.moving == 0)
    // It is not known whether the machine moved in the other 5.5 h. It stood still for the rest of the day.
    #expect(day.unknown == 5 * 3_600_000 + 1_800_000)
    #expect(day.distance == 12.5 && day.fuelUsed == 96)
    #expect(day.isEstimated(in: .utc) && day.firstTime.milliseconds == Self.start - 3_600_000)
    #expect(day.lastTime.milliseconds == Self.start + 18 * 3_600_000)
    let parked = try Self.day(before, [Self.sample(12, engine: 100, odometer: 1_000)])
    #expect(parked.engineOn == 0 && parked.unknown == 0 && parked.distance == 0 && parked.hasTimes)
    #expect(parked.fuelUsed == nil)
  }

  @Test func without_a_value_on_the_day_before_nothing_is_guessed() throws {
    let day = try Self.day(nil, [Self.sample(12, engine: 108, idle: 22.5, odometer: 1_012.5, fuel: 596)])
    #expect(day.engineOn == 0 && !day.hasTimes && day.unknown == 12 * 3_600_000)
    #expect(day.distance == nil && day.fuelUsed == nil && !day.isEstimated(in: .utc))
    // Each counter needs its own value.
    let partly = try Self.day(Self.sample(-2, odometer: 1_000), [Self.sample(12, engine: 108, odometer: 1_012.5)])
    #expect(partly.distance == 12.5 && !partly.hasTimes && partly.isEstimated(in: .utc))
  }

  @Test func a_counter_that_decreases_gives_no_figure() throws {
    let before = Self.sample(-1, engine: 100, odometer: 1_000, fuel: 500)
    let reset = try Self.day(
      before,
      [Self.sample(6, engine: 104, odometer: 3), Self.sample(9, engine: 2, fuel: 510), Self.sample(12, engine: 105)])
    #expect(reset.engineOn == 0 && !reset.hasTimes && reset.distance == nil && reset.fuelUsed == 10)
    // The records of one vehicle contain the values of two odometers.
    let two = try Self.day(
      before, [Self.sample(6, odometer: 1_004), Self.sample(7, odometer: 990), Self.sample(8, odometer: 1_005)])
    #expect(two.distance != 5 && !two.isEstimated(in: .utc))
  }

  @Test func an_increase_that_cannot_be_true_gives_no_figure() throws {
    func day(_ hours: Double, engine: Double = 0, odometer: Double = 0, fuel: Double = 0) throws -> VehicleDay {
      try Self.day(
        Self.sample(1 - hours, engine: 100, odometer: 1_000, fuel: 500),
        [Self.sample(1, engine: 100 + engine, odometer: 1_000 + odometer, fuel: 500 + fuel)])
    }
    // Two hours between the readings, and a counter that may be rounded to whole hours.
    let most = try day(2, engine: 3, odometer: 400, fuel: 4_000)
    #expect(most.engineOn == 3 * 3_600_000 && most.distance == 400 && most.fuelUsed == 4_000)
    let more = try day(2, engine: 3.25, odometer: 400.5, fuel: 4_000.5)
    #expect(more.engineOn == 0 && more.distance == nil && more.fuelUsed == nil && !more.isEstimated(in: .utc))
    // A day has no more engine hours than it is long, even if the last value of the day before is older.
    #expect(try Self.day(Self.sample(-23, engine: 100), [Self.sample(23, engine: 125)]).engineOn == 25 * 3_600_000)
    #expect(try Self.day(Self.sample(-23, engine: 100), [Self.sample(23, engine: 126)]).engineOn == 0)
  }

  @Test func records_that_show_the_state_and_trips_take_precedence() throws {
    let before = Self.sample(-1, engine: 100, odometer: 1_000, fuel: 500)
    func driven(_ second: Int64) -> DaySample {
      var values = Self.sample(0, engine: 108, odometer: 1_050, fuel: 540).values
      (values.rpm, values.speed, values.fuelRate) = (1_500, 36, 3.6)
      return DaySample(time: Self.start + 43_200_000 + second * 1_000, values: values)
    }
    let day = try Self.day(before, [driven(0), driven(100)])
    #expect(day.engineOn == 100_000 && abs((day.distance ?? 0) - 1) < 1e-9 && abs((day.fuelUsed ?? 0) - 0.1) < 1e-9)
    #expect(!day.isEstimated(in: .utc))
    var trip = DayTrip(time: Self.start + 7_200_000)
    (trip.id, trip.hasEnded, trip.startTime, trip.distance) = ("a", true, Self.start + 3_600_000, 30)
    let traveled = try Self.day(before, [Self.sample(12, odometer: 1_050)], trips: [trip])
    #expect(traveled.distance == 30 && !traveled.isEstimated(in: .utc))
  }
}
