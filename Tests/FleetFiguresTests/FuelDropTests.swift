import FleetFigures
import TestKit
import Testing

/// Falls of the fuel level while a vehicle is parked.
@Suite struct FuelDropTests {
  /// Levels around a true level. Fuel moves: up to 2 % in either direction.
  private static func levels(_ level: Double, _ random: inout SplitMix) -> [Double] {
    (0..<Int.random(in: 5...60, using: &random)).map { _ in
      min(max(level + Double.random(in: -2...2, using: &random), 0), 100)
    }
  }

  @Test(arguments: 1...20) func a_fall_above_the_error_of_the_sensor_is_found(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<200 {
      let then = Double.random(in: 30...95, using: &random)
      let fall = Double.random(in: 14...then, using: &random)
      let drop = try #require(
        FuelDrop(
          before: Self.levels(then, &random), after: Self.levels(then - fall, &random), capacity: 80))
      #expect(abs(drop.percent - fall) <= 4)
      #expect(drop.litres.map { abs($0 - drop.percent * 0.8) < 1e-9 } == true)
    }
  }

  @Test(arguments: 1...20) func a_level_that_stays_or_rises_is_no_fall(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<200 {
      let then = Double.random(in: 10...90, using: &random)
      let now = Double.random(in: (then - 6)...min(then + 50, 100), using: &random)
      let drop = FuelDrop(before: Self.levels(then, &random), after: Self.levels(now, &random), capacity: nil)
      #expect(drop == nil)
    }
  }

  @Test func too_few_levels_decide_nothing() {
    #expect(FuelDrop(before: [90, 90, 90, 90], after: [10, 10, 10, 10, 10], capacity: 50) == nil)
    #expect(FuelDrop(before: [90, 90, 90, 90, 90], after: [10, 10, 10, 10, 255], capacity: 50) == nil)
    #expect(FuelDrop(before: [90, 90, 90, 90, 90], after: [10, 10, 10, 10, 10], capacity: nil)?.text == "80 %")
  }
}
