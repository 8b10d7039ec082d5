import FleetDomain
import TestKit
import Testing

@testable import FleetFigures

@Suite struct DrivenDistanceTests {
  private static func day(_ number: Int) -> CalendarDate { CalendarDate(dayNumber: 20_000 + number) }

  private static func distance(
    _ dates: ClosedRange<Int>, _ telemetry: [Int: Double], _ readings: [Int: (Double, Double)]
  ) -> DrivenDistance {
    DrivenDistance(
      on: day(dates.lowerBound)...day(dates.upperBound),
      telemetry: Dictionary(uniqueKeysWithValues: telemetry.map { (day($0), $1) }),
      readings: Dictionary(uniqueKeysWithValues: readings.map { (day($0), .init(first: $1.0, last: $1.1)) }))
  }

  @Test func without_an_odometer_the_distances_of_telemetry_are_added() {
    let found = Self.distance(1...4, [1: 10, 3: 5, 9: 100], [:])
    #expect(found.kilometers == 15 && found.basis == .telemetry && found.days == (2, 0))
  }

  @Test func without_telemetry_the_odometer_determines_the_distance() {
    let found = Self.distance(1...9, [:], [2: (100, 120), 5: (300, 300), 7: (350, 360)])
    // Day 2 has only the distance between its own readings.
    #expect(found.kilometers == 20 + 180 + 60 && found.basis == .odometer && found.days == (0, 6))
    let before = Self.distance(3...9, [:], [2: (100, 120), 5: (300, 300)])
    #expect(before.kilometers == 180 && before.days == (0, 3))
    let nothing = Self.distance(1...9, [:], [4: (100, 100)])
    #expect(nothing.kilometers == nil && nothing.basis == nil)
  }

  @Test func the_odometer_fills_the_gaps_of_telemetry() {
    // Telemetry of the days 3 and 4 is missing. The vehicle was parked on day 6.
    let found = Self.distance(
      1...7, [1: 50, 2: 40, 5: 30, 7: 20], [2: (1_000, 1_040), 4: (1_100, 1_160), 5: (1_190, 1_190), 7: (1_210, 1_210)])
    #expect(found.kilometers == 50 + 40 + 120 + 30 + 20 && found.basis == .mixed && found.days == (4, 2))
  }

  /// Compares with the distance that was driven, for vehicles whose telemetry is missing on some days and whose odometer
  /// is read at the end of some days.
  @Test func gaps_between_readings_have_the_driven_distance() {
    var random = SplitMix(seed: 11)
    for _ in 0..<2_000 {
      let driven = (0..<20).map { _ in Double(Int.random(in: 0...300, using: &random)) }
      var (telemetry, readings, total): ([Int: Double], [Int: (Double, Double)], Double) = ([:], [:], 5_000)
      for day in 0..<20 {
        total += driven[day]
        if Bool.random(using: &random) { telemetry[day] = driven[day] }
        // The first and the last day have a reading, so that no gap is at the end.
        if day == 0 || day == 19 || Int.random(in: 0...3, using: &random) == 0 { readings[day] = (total, total) }
      }
      let found = Self.distance(1...19, telemetry, readings)
      #expect(found.kilometers ?? 0 == driven[1...].reduce(0, +))
    }
  }
}
