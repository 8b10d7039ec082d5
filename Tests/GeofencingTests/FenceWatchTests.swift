import Foundation
import Geofencing
import Testing

/// The conditions for enter, exit and dwell events.
@Suite struct FenceWatchTests {
  @Test func the_first_fix_sets_the_state_silently() throws {
    let track = Track(try Track.square(100))
    track.fix(east: 0, speed: 36)
    #expect(track.kinds.isEmpty)
    #expect(track.isInside(0))
    track.drive(from: 10, to: 200, speed: 10)
    #expect(track.kinds == [.exit])
  }

  @Test func the_first_fix_can_be_reported_as_an_enter() throws {
    let track = Track(try Track.square(100)) { $0.announcesFirstFix = true }
    track.fix(east: 0, speed: 0)
    #expect(track.kinds == [.enter])
    let outside = Track(try Track.square(100)) { $0.announcesFirstFix = true }
    outside.fix(east: 500, speed: 0)
    #expect(outside.kinds.isEmpty)
  }

  @Test(arguments: [2.8, 8, 14, 30]) func a_drive_through_is_one_enter_and_one_exit(speed: Double) throws {
    let track = Track(try Track.square(100))
    track.drive(from: -250, to: 250, speed: speed)
    #expect(track.kinds == [.enter, .exit])
    // The edge is crossed after 150 m, and reported within 3 s.
    let entered = Double(track.heard.events[0].time) / 1e9
    #expect(entered >= 150 / speed && entered <= 150 / speed + 3, "\(entered)")
    let left = Double(track.heard.events[1].time) / 1e9
    #expect(left >= 350 / speed && left <= 350 / speed + 3, "\(left)")
  }

  @Test func the_event_carries_the_fix_that_decided_it() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -120, speed: 36)
    track.fix(east: -90, speed: 108)
    #expect(
      track.heard.events == [.init(fence: 0, kind: .enter, time: 1_000_000_000, position: Track.place(east: -90))])
  }

  @Test func an_uncertain_fix_does_not_change_the_state() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -104, speed: 20)
    for _ in 0..<30 {
      track.fix(east: -96, speed: 20, step: 2)
      track.fix(east: -104, speed: 20, step: 2)
    }
    #expect(track.kinds.isEmpty)
  }

  @Test func a_doubtful_crossing_counts_after_ten_seconds() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -110, speed: 20)
    for _ in 0..<10 { track.fix(east: -96, speed: 20) }
    #expect(track.kinds.isEmpty)
    track.fix(east: -96, speed: 20)
    #expect(track.story == ["enter 11.0"])
  }

  @Test func a_poor_fix_must_be_farther_from_the_edge() throws {
    let track = Track(try Track.square(100))
    track.fix(east: -150, speed: 20)
    track.fix(east: -90, hdop: 3, speed: 20)
    #expect(track.kinds.isEmpty)
    track.fix(east: -84, hdop: 3, speed: 20)
    #expect(track.kinds == [.enter])
    let unknown = Track(try Track.square(100))
    unknown.fix(east: -150, hdop: nil, speed: 20)
    unknown.fix(east: -94, hdop: nil, speed: 20)
    #expect(unknown.kinds == [.enter])
  }

  @Test func notify_properties_suppress_events_but_not_the_state() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "a", notifyOnEntry: false)))
    track.drive(from: -200, to: 0, speed: 10)
    #expect(track.kinds.isEmpty && track.isInside(0))
    track.drive(from: 10, to: 200, speed: 10)
    #expect(track.kinds == [.exit])
    let mute = Track(try Track.square(100, fence: Fence(id: "a", notifyOnExit: false)))
    mute.drive(from: -200, to: 200, speed: 10)
    #expect(mute.kinds == [.enter])
  }

  @Test func a_dwell_is_reported_once_in_a_visit() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "a", dwell: 60_000_000_000)))
    track.drive(from: -200, to: 0, speed: 10)
    for _ in 0..<300 { track.fix(east: 0, speed: 0) }
    #expect(track.story == ["enter 11.0", "dwell 71.0"])
    track.drive(from: 0, to: 200, speed: 10)
    track.drive(from: 200, to: 0, speed: 10)
    for _ in 0..<100 { track.fix(east: 0, speed: 5) }
    #expect(track.kinds == [.enter, .dwell, .exit, .enter, .dwell])
  }

  @Test func a_visit_that_is_too_short_has_no_dwell() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "a", dwell: 60_000_000_000)))
    track.drive(from: -200, to: 200, speed: 10)
    #expect(track.kinds == [.enter, .exit])
  }

  @Test func a_visit_that_begins_with_the_first_fix_dwells_too() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "a", dwell: 10_000_000_000)))
    for _ in 0..<20 { track.fix(east: 0, speed: 0) }
    #expect(track.story == ["dwell 10.0"])
  }

  @Test func the_lowest_speed_limit_of_the_surrounding_fences_applies() throws {
    var builder = FenceSetBuilder()
    try builder.addCircle(Fence(id: "zone", speedLimit: 30), around: Track.origin, radius: 100)
    try builder.addCircle(Fence(id: "town", speedLimit: 50), around: Track.origin, radius: 1_000)
    try builder.addCircle(Fence(id: "state"), around: Track.origin, radius: 10_000)
    let track = Track(builder.build())
    track.fix(east: -5_000, speed: 50)
    #expect(track.speedLimit == nil)
    track.drive(from: -4_990, to: -500, speed: 30)
    #expect(track.speedLimit?.limit == 50)
    track.drive(from: -490, to: 0, speed: 30)
    #expect(track.speedLimit?.limit == 30)
    #expect(track.speedLimit?.fence == 0)
  }

  @Test func a_position_outside_the_valid_range_changes_nothing() throws {
    let track = Track(try Track.square(100))
    track.drive(from: -200, to: 0, speed: 10)
    let nowhere: [(Double, Double)] = [(.nan, 11), (91, 11), (48, 181), (.infinity, -.infinity)]
    for (latitude, longitude) in nowhere {
      track.watch.fix(
        FenceFix(time: Int64(track.seconds * 1e9), latitude: latitude, longitude: longitude), into: &track.heard)
    }
    #expect(track.kinds == [.enter])
  }

  @Test func fences_on_both_sides_of_the_antimeridian_are_followed() throws {
    let set = try FenceSet.area(
      [rectangle(west: 179.99, south: -18, east: 180, north: -16)],
      [rectangle(west: -180, south: -18, east: -179.99, north: -16)])
    var watch = FenceWatch(set)
    var heard = Heard()
    for step in 0..<400 {
      // 20 m/s to the east, over the antimeridian.
      let longitude = 179.96 + 0.0002 * Double(step)
      watch.fix(
        FenceFix(
          time: Int64(step) * 1_000_000_000, latitude: -17, longitude: longitude > 180 ? longitude - 360 : longitude,
          hdop: 1, vehicleSpeed: 76), into: &heard)
    }
    #expect(heard.events.map(\.kind) == [.enter, .exit])
  }

  @Test func a_clock_that_is_set_back_restarts_the_evaluation() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "a", dwell: 60_000_000_000)))
    track.drive(from: -200, to: 0, speed: 10)
    track.seconds = -10_000
    for _ in 0..<59 { track.fix(east: 0, speed: 1) }
    #expect(track.kinds == [.enter])
    for _ in 0..<5 { track.fix(east: 0, speed: 1) }
    #expect(track.kinds == [.enter, .dwell])
  }
}
