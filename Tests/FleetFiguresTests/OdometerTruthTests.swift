import FleetFigures
import Telemetry
import TestKit
import Testing

/// Odometer readings compared with trips.
@Suite struct OdometerTruthTests {
  private static func time(_ minutes: Int) -> Timestamp { Timestamp(nanoseconds: Int64(minutes) * 60_000_000_000) }

  private static func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: UInt64(number), first: 1, rest: 1) }

  private static func reading(_ number: Int, _ minutes: Int, _ value: Double) -> OdometerTruth.Reading {
    OdometerTruth.Reading(id: id(number), at: time(minutes), value: value)
  }

  /// The slow computation drives minute by minute.
  @Test(arguments: 1...20) func the_distance_between_two_readings_is_the_sum_of_its_minutes(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<30 {
      var trips: [EndedTrip] = []
      var perMinute: [Double?] = Array(repeating: nil, count: 2_000)
      var minute = Int.random(in: 0...50, using: &random)
      while minute < 1_800 {
        let length = Int.random(in: 1...120, using: &random)
        let distance = Double(Int.random(in: 1...200, using: &random))
        trips.append(
          EndedTrip(id: Self.id(minute), from: Self.time(minute), to: Self.time(minute + length), distance: distance))
        for part in minute..<(minute + length) { perMinute[part] = distance / Double(length) }
        minute += length + Int.random(in: 1...200, using: &random)
      }
      var value = 1_000.0
      let readings = (0..<Int.random(in: 2...20, using: &random)).map { number in
        value += Double(Int.random(in: 0...300, using: &random))
        return Self.reading(number, number * 90 + Int.random(in: 0...80, using: &random), value)
      }
      // Repeated trips count once, and the order does not matter.
      let truth = OdometerTruth(readings.shuffled(using: &random), (trips + trips.prefix(3)).shuffled(using: &random))
      #expect(truth.steps.count == readings.count - 1)
      var (increase, telemetry) = (0.0, 0.0)
      for (step, (first, second)) in zip(truth.steps, zip(readings, readings.dropFirst())) {
        let minutes = Int(first.at.milliseconds / 60_000)..<Int(second.at.milliseconds / 60_000)
        let driven = minutes.compactMap { perMinute[$0] }
        #expect(step.increase == second.value - first.value && step.previous == first)
        #expect((step.telemetry == nil) == driven.isEmpty)
        if let found = step.telemetry { #expect(abs(found - driven.reduce(0, +)) < 1e-6) }
        if !driven.isEmpty {
          increase += second.value - first.value
          telemetry += driven.reduce(0, +)
        }
      }
      #expect(abs(truth.increase - increase) < 1e-6 && abs(truth.telemetry - telemetry) < 1e-6)
      if telemetry > 0 {
        #expect(abs((truth.driftPercent ?? .nan) - (increase / telemetry - 1) * 100) < 1e-6)
      }
    }
  }

  @Test func a_rollback_is_shown_with_its_figures() {
    let trip = EndedTrip(id: Self.id(9), from: Self.time(10), to: Self.time(20), distance: 15)
    let truth = OdometerTruth([Self.reading(1, 0, 45_000), Self.reading(2, 30, 12_000)], [trip])
    #expect(truth.steps.map(\.increase) == [-33_000])
    #expect(truth.steps.map(\.telemetry) == [15] && truth.steps.map(\.difference) == [-33_015])
    #expect(truth.driftPercent == nil)
  }

  @Test func an_exchanged_odometer_counts_on_from_a_lower_reading() {
    let before = [Self.reading(1, 0, 45_000), Self.reading(2, 10, 45_100)]
    let exchanged = before + [Self.reading(3, 20, 5), Self.reading(4, 30, 80), Self.reading(5, 40, 150)]
    #expect(OdometerTruth(exchanged, []).possibleReplacements.map(\.value) == [5])
    // One wrong reading is a typing error.
    let wrong = before + [Self.reading(3, 20, 4_512), Self.reading(4, 30, 45_180), Self.reading(5, 40, 45_200)]
    #expect(OdometerTruth(wrong, []).possibleReplacements.isEmpty)
    // Too few readings to decide.
    #expect(OdometerTruth(Array(exchanged.prefix(4)), []).possibleReplacements.isEmpty)
  }
}
