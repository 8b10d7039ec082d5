import Foundation
import Geofencing
import Testing

/// Fences that lie between two fixes.
@Suite struct PassageTests {
  @Test func a_fence_crossed_between_fixes_gives_both_events_with_times_between() throws {
    for set in [
      try Track.square(20), try FenceSet.circle(Track.origin, radius: 20),
      try FenceSet.corridor([Track.place(east: 0, north: -500), Track.place(east: 0, north: 500)], radius: 20),
    ] {
      let track = Track(set)
      track.fix(east: -110, speed: 108)
      track.fix(east: -50, speed: 108, step: 4)
      track.fix(east: 50, speed: 108)
      // The vehicle drives 100 m in 4 s: it enters after 30 m and leaves after 70 m.
      #expect(track.story == ["enter 2.2", "exit 3.8"])
      let entered = try #require(track.heard.events.first).position
      #expect(abs((entered.longitude - Track.origin.longitude) * Track.perDegree.longitude + 20) < 0.1)
    }
  }

  @Test func a_way_inside_that_is_shorter_than_the_error_radius_gives_nothing() throws {
    let set = try FenceSet.circle(Track.origin, radius: 10)
    for (north, hdop, isSeen) in [(0.0, 1.0, true), (9.9, 1.0, false), (0, 5.0, false), (9.5, 1.0, true)] {
      let track = Track(set)
      track.fix(east: -60, north: north, hdop: hdop, speed: 108)
      track.fix(east: 60, north: north, hdop: hdop, speed: 108, step: 2)
      track.seconds += 1
      track.fix(east: 150, north: north, hdop: hdop, speed: 108)
      #expect(track.kinds == (isSeen ? [.enter, .exit] : []), "\(north) \(hdop)")
    }
  }

  @Test func crossings_are_not_interpolated_over_more_than_ten_seconds() throws {
    for (gap, isSeen) in [(10.0, true), (10.5, false)] {
      let track = Track(try Track.square(20))
      track.fix(east: -100, speed: 72, step: gap)
      track.fix(east: 100, speed: 72)
      #expect(track.kinds == (isSeen ? [.enter, .exit] : []))
    }
  }

  @Test func an_uncertain_fix_does_not_hide_a_crossing() throws {
    for stop in [-18.0, 18, -16, 16] {
      let track = Track(try Track.square(20))
      track.fix(east: -80, speed: 108, step: 2)
      track.fix(east: stop, speed: 108, step: 2)
      track.fix(east: 80, speed: 108)
      #expect(track.kinds == [.enter, .exit], "\(stop)")
    }
  }

  @Test func a_hole_on_the_way_does_not_end_the_longest_piece_twice() throws {
    let set = try FenceSet.area([Track.ring(60), Track.ring(10)])
    let track = Track(set)
    track.fix(east: -100, speed: 108, step: 5)
    track.fix(east: 100, speed: 108)
    #expect(track.kinds == [.enter, .exit])
  }

  @Test func crossings_of_several_fences_are_reported_in_time_order() throws {
    var builder = FenceSetBuilder()
    for (index, east) in [60.0, -60, 0].enumerated() {
      try builder.addCircle(Fence(id: "\(index)"), around: Track.place(east: east), radius: 15)
    }
    let track = Track(builder.build())
    track.fix(east: -100, speed: 108, step: 5)
    track.fix(east: 100, speed: 108)
    #expect(track.heard.events.map(\.fence) == [1, 1, 2, 2, 0, 0])
    #expect(track.heard.events.map(\.time) == track.heard.events.map(\.time).sorted())
  }

  @Test func a_crossing_of_the_antimeridian_uses_the_short_way() throws {
    let set = try FenceSet.circle(at(-17, 180), radius: 30)
    let far = try FenceSet.circle(at(-17, 0), radius: 300_000)
    for (set, expected) in [(set, [FenceEvent.Kind.enter, .exit]), (far, [])] {
      var watch = FenceWatch(set)
      var heard = Heard()
      watch.fix(FenceFix(time: 0, latitude: -17, longitude: 179.999, vehicleSpeed: 80), into: &heard)
      watch.fix(FenceFix(time: 9_000_000_000, latitude: -17, longitude: -179.999, vehicleSpeed: 80), into: &heard)
      #expect(heard.events.map(\.kind) == expected)
      for event in heard.events { #expect(abs(event.position.longitude) > 179.9) }
    }
  }
}
