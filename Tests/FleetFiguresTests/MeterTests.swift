import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetFigures

@Suite struct MeterTests {
  private static func reading(_ hours: Double, _ value: Double, _ meter: Meter = .odometer) -> MeterReading {
    var reading = MeterReading()
    reading.at = Timestamp(nanoseconds: Int64(hours * 3_600_000) * 1_000_000)
    if meter == .odometer { reading.odometer = value } else { reading.engineHours = value }
    return reading
  }

  private static func point(_ hours: Double, _ value: Double, lifetime: Double? = nil) -> Meter.Point {
    Meter.Point(at: reading(hours, 0).at, value: value, lifetime: lifetime ?? value)
  }

  private static func judge(
    _ reading: MeterReading, after last: Meter.Point?, day: Meter.Point? = nil, _ meter: Meter = .odometer
  ) -> Meter.Judgement { meter.judge(reading, after: last, day: day) }

  @Test func the_first_reading_is_used() {
    #expect(Self.judge(Self.reading(0, 43_210), after: nil) == .used(lifetime: 43_210))
  }

  @Test func readings_that_cannot_be_right_are_flagged() {
    let last = Self.point(100, 10_000)
    #expect(Self.judge(Self.reading(101, 10_050), after: last) == .used(lifetime: 10_050))
    #expect(Self.judge(Self.reading(99, 10_050), after: last) == .flagged(.outOfOrder))
    #expect(Self.judge(Self.reading(101, 9_999), after: last) == .flagged(.backward))
    // 2,000 km in a day are possible, and not one more; less than a day counts as one.
    #expect(Self.judge(Self.reading(101, 12_000), after: last) == .used(lifetime: 12_000))
    #expect(Self.judge(Self.reading(101, 12_000.1), after: last) == .flagged(.tooFast))
    #expect(Self.judge(Self.reading(148, 14_000), after: last) == .used(lifetime: 14_000))
    #expect(Self.judge(Self.reading(148, 14_001), after: last) == .flagged(.tooFast))
    // Many small steps are one large one.
    let start = Self.point(95, 8_100)
    #expect(Self.judge(Self.reading(101, 10_200), after: last, day: start) == .flagged(.tooFast))
    // Engine hours pass no faster than the day.
    let hours = Self.point(0, 500)
    #expect(Self.judge(Self.reading(48, 548, .engineHours), after: hours, .engineHours) == .used(lifetime: 548))
    #expect(Self.judge(Self.reading(48, 549, .engineHours), after: hours, .engineHours) == .flagged(.tooFast))
  }

  @Test func a_reading_that_a_person_rounded_down_is_no_step_back() {
    #expect(Self.judge(Self.reading(2, 10_000), after: Self.point(1, 10_000.7)) == .agrees)
  }

  @Test func metres_are_recognized() {
    let last = Self.point(100, 43_210)
    #expect(Self.judge(Self.reading(101, 43_250_000), after: last) == .flagged(.wrongUnit))
    // Without a reading before: no vehicle has driven 43 million kilometres.
    #expect(Self.judge(Self.reading(101, 43_250_000), after: nil) == .flagged(.wrongUnit))
    // The reading before was in metres, of a new vehicle.
    #expect(Self.judge(Self.reading(101, 1_510), after: Self.point(100, 1_500_000)) == .flagged(.wrongUnit))
  }

  @Test func a_replaced_instrument_continues_the_distance_of_all() {
    var first = Self.reading(101, 12)
    first.isReplaced = true
    let last = Self.point(100, 250_000)
    #expect(Self.judge(first, after: last) == .used(lifetime: 250_000))
    let next = Self.point(101, 12, lifetime: 250_000)
    #expect(Self.judge(Self.reading(125, 300), after: next) == .used(lifetime: 250_288))
  }

  /// The rules once more, by looking at every reading that is used.
  private static func slowly(_ readings: [MeterReading], _ meter: Meter) -> [Meter.Judgement] {
    var used: [(hour: Double, value: Double, lifetime: Double)] = []
    return readings.map { reading in
      let hour = Double(reading.at.milliseconds) / 3_600_000
      let value = meter == .odometer ? reading.odometer! : reading.engineHours!
      let most = meter == .odometer ? 2_000.0 : 24
      if value > (meter == .odometer ? 5_000_000 : 300_000) { return .flagged(.wrongUnit) }
      guard let newest = used.last else {
        used.append((hour, value, value))
        return .used(lifetime: value)
      }
      if used.contains(where: { $0.hour > hour }) { return .flagged(.outOfOrder) }
      if reading.isReplaced {
        used.append((hour, value, newest.lifetime))
        return .used(lifetime: newest.lifetime)
      }
      let earliest = used.first { $0.hour >= hour - 24 }
      func fits(_ value: Double, _ unit: Double = 1) -> Bool {
        let lifetime = value + newest.lifetime - newest.value
        if newest.value - value >= (meter == .odometer ? 1 : 0.1) * unit { return false }
        if lifetime - newest.lifetime > most * unit * max((hour - newest.hour) / 24, 1) { return false }
        return earliest.map { lifetime - $0.lifetime <= most * unit } ?? true
      }
      if fits(value) {
        if value < newest.value { return .agrees }
        let lifetime = newest.lifetime - newest.value + value
        used.append((hour, value, lifetime))
        return .used(lifetime: lifetime)
      }
      if meter == .odometer, fits(value / 1_000) || fits(value * 1_000, 1_000) { return .flagged(.wrongUnit) }
      return .flagged(value < newest.value ? .backward : .tooFast)
    }
  }

  @Test(arguments: Meter.allCases)
  func decisions_are_those_of_an_obvious_computation(_ meter: Meter) {
    var random = SplitMix(seed: 20_261_123)
    for _ in 0..<400 {
      var (hour, value) = (0.0, Double(Int.random(in: 0...90_000, using: &random)))
      let readings = (0..<40).map { _ in
        hour += Double(Int.random(in: -3...30, using: &random))
        value += Double(Int.random(in: -20...1_500, using: &random)) * (meter == .odometer ? 1 : 0.015)
        value = max(value, 0)
        let factor = Int.random(in: 0..<12, using: &random)
        var reading = Self.reading(hour, factor == 0 ? value * 1_000 : factor == 1 ? value / 1_000 : value, meter)
        if Int.random(in: 0..<15, using: &random) == 0 {
          reading.isReplaced = true
          value = 5
          reading.odometer = reading.odometer.map { _ in 5 }
          reading.engineHours = reading.engineHours.map { _ in 5 }
        }
        return reading
      }
      var used: [Meter.Point] = []
      var judgements: [Meter.Judgement] = []
      for reading in readings {
        let day = used.first { $0.at.milliseconds >= reading.at.milliseconds - 86_400_000 }
        let judgement = meter.judge(reading, after: used.last, day: day)
        if case .used(let lifetime) = judgement {
          used.append(Meter.Point(at: reading.at, value: meter.value(of: reading)!, lifetime: lifetime))
        }
        judgements.append(judgement)
      }
      #expect(judgements == Self.slowly(readings, meter))
    }
  }
}
