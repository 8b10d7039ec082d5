import Foundation
import Geofencing
import Testing

/// Evaluation of fixes of vehicles that are stationary or transported, and of fixes that jump.
@Suite struct MotionTests {
  @Test func fence_states_do_not_change_while_the_wheels_stand() throws {
    let track = Track(try Track.square(100))
    track.drive(from: -200, to: -120, speed: 10)
    for index in 0..<3_600 { track.fix(east: index.isMultiple(of: 2) ? -60 : -120, speed: 0) }
    #expect(track.kinds.isEmpty)
    track.drive(from: -110, to: 0, speed: 5)
    #expect(track.kinds == [.enter])
  }

  @Test func a_towed_vehicle_leaves_its_fence_after_a_minute() throws {
    let track = Track(try Track.square(100))
    track.fix(east: 0, speed: 0)
    for second in 0..<58 { track.fix(east: 150 + Double(second), speed: 0, doppler: 4) }
    track.fix(east: 20, speed: 0)
    #expect(track.kinds.isEmpty)
    for second in 0...61 { track.fix(east: 150 + Double(second) * 10, speed: 0, doppler: 36) }
    #expect(track.kinds == [.exit])
  }

  @Test func a_vehicle_on_a_ferry_is_tracked() throws {
    let track = Track(try Track.square(100, east: 3_000))
    track.fix(east: 0, speed: 0)
    for second in 0..<600 { track.fix(east: Double(second) * 10, speed: 0) }
    #expect(track.kinds == [.enter, .exit])
    // The vehicle arrived at 6 km. Further movements there are noise again.
    for index in 0..<200 { track.fix(east: 6_000 + Double(index % 3) * 10, speed: 0) }
    track.fix(east: 5_950, speed: 0)
    #expect(track.kinds == [.enter, .exit])
  }

  @Test func without_wheel_speed_the_doppler_speed_shows_standstill() throws {
    let track = Track(try Track.square(100))
    for index in 0..<3_600 { track.fix(east: index.isMultiple(of: 2) ? -80 : -130, doppler: 1.2) }
    #expect(track.kinds.isEmpty)
  }

  @Test func a_few_doppler_speeds_of_noise_do_not_set_it_in_motion() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -130, doppler: 0)
    for index in 0..<3_600 {
      track.fix(east: index.isMultiple(of: 2) ? -80 : -130, doppler: index % 10 < 2 ? 6 : 0.5)
    }
    #expect(track.kinds.isEmpty)
  }

  @Test func driving_off_is_detected_without_wheel_speed() throws {
    let track = Track(try Track.square(100))
    for _ in 0..<60 { track.fix(east: 95, doppler: 0.3) }
    let start = track.seconds
    for second in 0..<10 { track.fix(east: 95 + 2.8 * Double(second), doppler: 10) }
    #expect(track.kinds == [.exit])
    // After 3.6 s it is clear of the edge by 5 m; after 10 m of motion that is believed.
    #expect(Double(track.heard.events[0].time) / 1e9 - start <= 5)
  }

  @Test func without_any_speed_the_position_decides() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -200)
    track.fix(east: -150)
    track.fix(east: -80)
    #expect(track.kinds == [.enter])
  }

  @Test func a_leap_past_eighty_metres_a_second_is_ignored() throws {
    let track = Track(try Track.square(100))
    track.drive(from: -400, to: -300, speed: 10)
    track.fix(east: 0, speed: 36)
    track.drive(from: -280, to: -200, speed: 10)
    #expect(track.kinds.isEmpty)
  }

  @Test func the_same_jump_over_a_longer_time_is_accepted() throws {
    let track = Track(try Track.square(100))
    track.drive(from: -400, to: -300, speed: 10)
    track.seconds += 9
    track.fix(east: 0, speed: 36)
    #expect(track.kinds == [.enter])
  }

  @Test func a_wrong_first_fix_is_given_up_after_a_minute() throws {
    let track = Track(try Track.square(100))
    track.fix(east: 900_000, speed: 36)
    for second in 0..<59 { track.fix(east: Double(second), speed: 3.6) }
    #expect(track.kinds.isEmpty)
    for second in 0..<5 { track.fix(east: Double(second), speed: 3.6) }
    #expect(track.kinds == [.enter])
  }

  /// A vehicle is parked near an edge for 24 hours. Its fixes have noise of 2 to 15 m that drifts, jumps of 100 m, gaps,
  /// and Doppler noise.
  @Test(arguments: [true, false], 1...3) func a_parked_vehicle_does_not_alternate_between_fence_states(
    hasWheels: Bool, seed: Int
  ) throws {
    var random = SplitMix(seed)
    let track = Track(try Track.square(100))
    // The vehicle arrives from the west, outside, and parks 20 m before the fence.
    track.drive(from: -400, to: -120, speed: 10)
    track.fix(east: -120, speed: hasWheels ? 0 : nil, doppler: 0)
    var wander = (east: 0.0, north: 0.0)
    let spread = [2.0, 8.0, 15.0][seed - 1]
    var leap = 0
    var stir = 0
    for _ in 0..<86_400 {
      wander.east = 0.98 * wander.east + 0.2 * spread * Double.random(in: -1...1, using: &random)
      wander.north = 0.98 * wander.north + 0.2 * spread * Double.random(in: -1...1, using: &random)
      if leap == 0, Int.random(in: 0..<2_000, using: &random) == 0 {
        leap = Int.random(in: 1...40, using: &random)
        stir = 3
      }
      leap = max(0, leap - 1)
      stir = max(0, stir - 1)
      if Int.random(in: 0..<3_000, using: &random) == 0 { track.seconds += Double.random(in: 2...120, using: &random) }
      let noise = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -0.5...0.5, using: &random) }
      track.fix(
        east: -120 + wander.east + (leap > 0 ? 100 : 0), north: wander.north,
        hdop: Double.random(in: 0.7...1.5, using: &random), speed: hasWheels ? 0 : nil,
        doppler: abs(noise) * 1.8 + (stir > 0 ? 10 : 0))
    }
    #expect(track.kinds.isEmpty)
    // Then the vehicle drives in: there is one enter event, within 3 s of the edge.
    let start = track.seconds
    track.drive(from: -120, to: 0, speed: 2.8)
    #expect(track.kinds == [.enter])
    let after = Double(track.heard.events.last?.time ?? 0) / 1e9 - start - 20 / 2.8
    #expect(after <= 3, "\(after)")
  }
}
