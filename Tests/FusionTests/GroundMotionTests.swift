import Geofencing
import Testing

@testable import Fusion

@Suite struct GroundMotionTests {
  private static let second: Int64 = 1_000_000_000

  /// Drives east along 48° N at 20 m/s, with a fix each second.
  private func drive(_ motion: inout GroundMotion, _ seconds: Range<Int>, doppler: Double? = 72) -> Double {
    var metres = 0.0
    for number in seconds {
      let place = GeoPosition(latitude: 48, longitude: 11 + Double(number) * 20 / 74_600)
      metres +=
        motion.step(place, speed: doppler, at: Int64(number) * Self.second, longestGap: 10 * Self.second).metres
    }
    return metres
  }

  @Test func the_distance_of_a_drive_is_correct() {
    var motion = GroundMotion()
    #expect(abs(drive(&motion, 0..<101) - 2_000) < 5)
  }

  @Test func a_first_fix_that_is_far_off_costs_ten_seconds_and_no_trip() {
    var motion = GroundMotion()
    // The receiver was switched off a hundred kilometres away.
    _ = motion.step(GeoPosition(latitude: 49, longitude: 11), speed: 0, at: 0, longestGap: 10 * Self.second)
    let metres = drive(&motion, 1..<101)
    #expect(metres > 1_700 && metres < 1_800)
  }

  @Test func a_short_position_jump_adds_no_distance() {
    var motion = GroundMotion()
    var metres = drive(&motion, 0..<50)
    for number in 50..<55 {
      let step = motion.step(
        GeoPosition(latitude: 48.5, longitude: 11), speed: 72, at: Int64(number) * Self.second,
        longestGap: 10 * Self.second)
      metres += step.metres
    }
    metres += drive(&motion, 55..<101)
    #expect(abs(metres - 2_000) < 5)
  }
}
