import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetFigures

/// Forecasts of due services, compared with a vehicle that drives day by day.
@Suite struct ServiceForecastTests {
  /// The first day on which the service is due, if the vehicle continues as before; `nil` if that is not within 4,000
  /// days.
  private static func drive(
    _ due: ServicePlan.Point, from now: ServicePlan.Point, kilometers: Int?, hours: Int?
  ) -> CalendarDate? {
    guard var day = now.date else { return nil }
    var (odometer, meter) = (now.kilometers, now.engineHours)
    for _ in 0..<4_000 {
      if let date = due.date, date <= day { return due.date }
      if let wanted = due.kilometers, let odometer, odometer >= wanted { return day }
      if let wanted = due.engineHours, let meter, meter >= wanted { return day }
      day = day.next
      if let kilometers { odometer = odometer.map { $0 + Double(kilometers) } }
      if let hours { meter = meter.map { $0 + Double(hours) } }
    }
    return nil
  }

  @Test func a_forecast_needs_a_reading_of_the_last_90_days() {
    var vehicle = Vehicle(id: "VAN-1")
    (vehicle.odometer, vehicle.lifetimeKilometers, vehicle.dailyKilometers) = (10_000, 10_000, 100)
    var due = ServiceDue()
    due.dueKilometers = 12_000
    let today = CalendarDate("2026-05-01")!
    // 2,000 km are left, which are 20 days after the reading. If these days are over, the service is expected today.
    let cases: [(Int, CalendarDate?)] = [
      (0, today.adding(days: 20)), (10, today.adding(days: 10)), (20, today), (90, today), (91, nil),
    ]
    for (days, expected) in cases {
      let at = Timestamp(nanoseconds: Int64(today.adding(days: -days).dayNumber) * 86_400_000_000_000)
      vehicle.odometerAt = at
      let schedule = Stored(
        id: UUIDv7(milliseconds: 0, first: 0, rest: 0), version: 1, createdAt: at, updatedAt: at,
        value: ServiceSchedule())
      #expect(ServiceFigures(schedule, due, vehicle, on: today, in: .utc).forecastDate == expected, "\(days) days")
    }
  }

  @Test(arguments: 1...20) func the_forecast_is_the_day_on_which_a_driving_vehicle_is_due(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let start = CalendarDate("2026-05-01")!
    func some<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    for _ in 0..<200 {
      let now = ServicePlan.Point(
        date: start.adding(days: Int.random(in: 0...400, using: &random)),
        kilometers: some(Double(Int.random(in: 0...200_000, using: &random))),
        engineHours: some(Double(Int.random(in: 0...5_000, using: &random))))
      let due = ServicePlan.Point(
        date: some(start.adding(days: Int.random(in: 401...2_000, using: &random))),
        kilometers: some((now.kilometers ?? 0) + Double(Int.random(in: -500...30_000, using: &random))),
        engineHours: some((now.engineHours ?? 0) + Double(Int.random(in: -50...500, using: &random))))
      let (kilometers, hours) = (
        some(Int.random(in: 0...600, using: &random)), some(Int.random(in: 0...20, using: &random))
      )
      let today = try #require(now.date)
      // The vehicle drives since its last reading, and nobody has noticed that it is due.
      let readOn = today.adding(days: -Int.random(in: 0...60, using: &random))
      let forecast = ServicePlan.forecast(
        due, at: now, readOn: (kilometers: readOn, engineHours: readOn),
        daily: (kilometers: kilometers.map(Double.init), engineHours: hours.map(Double.init)))
      var (used, then) = (due, now)
      (used.date, then.date) = (nil, readOn)
      let reached = Self.drive(used, from: then, kilometers: kilometers, hours: hours).map { max($0, today) }
      let simulated = [due.date, reached].compactMap { $0 }.min()
      if let forecast, forecast.dayNumber - readOn.dayNumber >= 4_000 {
        #expect(simulated == nil)
      } else {
        #expect(forecast == simulated, "\(due) at \(now), \(kilometers ?? -1) km, \(hours ?? -1) h")
      }
    }
  }
}
