import FleetFigures
import Telemetry
import TestKit
import Testing

/// Fills compared with levels of the tank.
@Suite struct TankRiseTests {
  private struct Tank {
    let capacity: Double
    /// L before and after the fill.
    let before: Double
    let after: Double
    let levels: [TankRise.Level]

    /// - Parameter added: the part of the tank that is filled.
    init(added: ClosedRange<Double>, _ random: inout SplitMix) {
      capacity = Double(Int.random(in: 30...400, using: &random))
      let part = Double.random(in: added, using: &random)
      before = capacity * Double.random(in: 0.05...(0.95 - part), using: &random)
      after = before + part * capacity
      let (count, fill) = (Int.random(in: 30...120, using: &random), Int.random(in: 8...20, using: &random))
      var levels: [TankRise.Level] = []
      for number in 0..<count {
        let litres = (number < fill ? before : after) - 0.001 * capacity * Double(number)
        // Fuel moves: up to 2 % in either direction.
        let percent = litres / capacity * 100 + Double.random(in: -2...2, using: &random)
        let time = Timestamp(nanoseconds: Int64(number) * 60_000_000_000)
        levels.append(TankRise.Level(at: time, percent: min(max(percent, 0), 100)))
      }
      self.levels = levels.shuffled(using: &random)
    }
  }

  @Test(arguments: 1...20) func the_verdict_is_what_was_filled(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<200 {
      let tank = Tank(added: 0.3...0.85, &random)
      let added = tank.after - tank.before
      func verdict(_ quantity: Double) -> TankRise.Verdict {
        TankRise(quantity: quantity, capacity: tank.capacity, levels: tank.levels).verdict
      }
      #expect(verdict(added) == .agrees)
      #expect(verdict(added * 2) == .less)
      #expect(verdict(added * 0.4) == .more)
      let none = Tank(added: 0...0, &random)
      #expect(TankRise(quantity: none.capacity * 0.5, capacity: none.capacity, levels: none.levels).verdict == .none)
    }
  }

  /// The greatest difference of the medians of five levels after and before a place, computed directly.
  @Test(arguments: 1...20) func the_rise_is_the_greatest_difference_of_medians(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<50 {
      let values = (0..<Int.random(in: 10...30, using: &random)).map { _ in
        Double(Int.random(in: 0...100, using: &random))
      }
      var greatest = -Double.infinity
      for place in 5...(values.count - 5) {
        let (left, right) = (values[(place - 5)..<place].sorted()[2], values[place..<(place + 5)].sorted()[2])
        greatest = max(greatest, right - left)
      }
      let levels = values.enumerated().map {
        TankRise.Level(at: Timestamp(nanoseconds: Int64($0) * 1_000_000_000), percent: $1)
      }
      let rise = TankRise(quantity: 10, capacity: 200, levels: levels.shuffled(using: &random))
      #expect(rise.litres == greatest * 2)
    }
  }

  /// One level each 30 s until 07:00:00, then a stop without levels until 07:30:00.
  @Test(arguments: [[], [3], [18], [23]] as [[Int]]) func the_level_has_risen_at_the_first_high_level(outliers: [Int]) {
    func time(_ minutes: Double) -> Timestamp { Timestamp(nanoseconds: Int64(minutes * 60) * 1_000_000_000) }
    var levels = (0...20).map { TankRise.Level(at: time(410 + Double($0) / 2), percent: 20) }
    levels += (0...20).map { TankRise.Level(at: time(450 + Double($0) / 2), percent: 70) }
    // A single wrong level does not move the rise.
    for number in outliers {
      levels[number] = TankRise.Level(at: levels[number].at, percent: 90 - levels[number].percent)
    }
    let rise = TankRise(quantity: 30, capacity: 60, levels: levels.reversed())
    #expect(rise.litres == 30 && rise.verdict == .agrees)
    #expect(rise.lastLow == time(420) && rise.at == time(450))
  }

  @Test func without_levels_or_capacity_there_is_no_verdict() {
    var random = SplitMix(seed: 1)
    let tank = Tank(added: 0.5...0.5, &random)
    let cases: [(Double?, [TankRise.Level])] = [(nil, tank.levels), (60, []), (60, Array(tank.levels.prefix(9)))]
    for (capacity, levels) in cases {
      let rise = TankRise(quantity: 30, capacity: capacity, levels: levels)
      #expect(rise.verdict == .noData && rise.litres == nil && rise.at == nil)
    }
  }
}
