import Foundation
import Geofencing
import Testing

/// A restart of the watch, and a change of its fences.
@Suite struct FenceMemoryTests {
  @Test func a_fence_visit_continues_after_a_restart() throws {
    let set = try Track.square(100, fence: Fence(id: "a", dwell: 100_000_000_000))
    let before = Track(set)
    before.drive(from: -200, to: 0, speed: 10)
    #expect(before.kinds == [.enter])
    let memory = before.watch.memory(at: Int64(before.seconds * 1e9))
    #expect(memory.visits == [.init(id: "a", duration: 10_000_000_000, hasDwelt: false)])

    // The machine was booted again, so the clock is another one.
    let after = Track(set, resuming: memory, at: 5)
    for _ in 0..<100 { after.fix(east: 0, speed: 0) }
    #expect(after.story == ["dwell 95.0"])
    after.drive(from: 0, to: 200, speed: 10)
    #expect(after.kinds == [.dwell, .exit])
  }

  @Test func a_dwell_is_not_reported_again_after_a_restart() throws {
    let set = try Track.square(100, fence: Fence(id: "a", dwell: 5_000_000_000))
    let before = Track(set)
    for _ in 0..<10 { before.fix(east: 0, speed: 0) }
    #expect(before.kinds == [.dwell])
    let after = Track(set, resuming: before.watch.memory(at: 10_000_000_000), at: 0)
    for _ in 0..<20 { after.fix(east: 0, speed: 0) }
    #expect(after.kinds.isEmpty)
  }

  @Test func crossings_during_an_outage_are_reported_at_the_first_fix() throws {
    let set = try Track.square(100)
    let inside = Track(set)
    inside.fix(east: 0, speed: 10)
    let left = Track(set, resuming: inside.watch.memory(at: 0), at: 0)
    left.fix(east: 3_000, speed: 50)
    #expect(left.kinds == [.exit])
    let outside = Track(set)
    outside.fix(east: 3_000, speed: 10)
    let came = Track(set, resuming: outside.watch.memory(at: 0), at: 0)
    came.fix(east: 0, speed: 10)
    #expect(came.kinds == [.enter])
  }

  @Test func a_vehicle_towed_without_power_has_left_after_a_minute() throws {
    let set = try Track.square(100)
    let before = Track(set)
    before.fix(east: 0, speed: 0)
    let after = Track(set, resuming: before.watch.memory(at: 0), at: 0)
    for _ in 0..<59 { after.fix(east: 500, speed: 0) }
    #expect(after.kinds.isEmpty)
    for _ in 0..<5 { after.fix(east: 500, speed: 0) }
    #expect(after.kinds == [.exit])
  }

  @Test func new_fences_after_a_restart_report_no_event() throws {
    let before = Track(try Track.square(100, fence: Fence(id: "old")))
    before.fix(east: 0, speed: 10)
    var builder = FenceSetBuilder()
    for id in ["new", "old"] { try builder.addCircle(Fence(id: id), around: Track.origin, radius: 100) }
    let after = Track(builder.build(), resuming: before.watch.memory(at: 0), at: 0)
    after.fix(east: 0, speed: 10)
    #expect(after.kinds.isEmpty)
    after.drive(from: 0, to: 200, speed: 10)
    #expect(after.kinds == [.exit, .exit])
  }

  @Test func replacing_the_fences_does_not_report_past_events_again() throws {
    let track = Track(try Track.square(100, fence: Fence(id: "kept", dwell: 30_000_000_000)))
    track.drive(from: -200, to: 0, speed: 10)
    var builder = FenceSetBuilder()
    try builder.addCircle(Fence(id: "new"), around: Track.origin, radius: 150)
    try builder.addCircle(Fence(id: "kept", dwell: 30_000_000_000), around: Track.origin, radius: 120)
    track.watch.reload(builder.build())
    for _ in 0..<40 { track.fix(east: 0, speed: 0) }
    // The visit began 10 s before.
    #expect(track.kinds == [.enter, .dwell])
    #expect(track.isInside(0) && track.isInside(1))
    track.drive(from: 0, to: 300, speed: 10)
    #expect(track.kinds == [.enter, .dwell, .exit, .exit])
  }

  @Test func a_removed_fence_reports_no_event() throws {
    let track = Track(try Track.square(100))
    track.drive(from: -200, to: 0, speed: 10)
    track.watch.reload(.none)
    track.drive(from: 0, to: 300, speed: 10)
    #expect(track.kinds == [.enter])
  }
}
