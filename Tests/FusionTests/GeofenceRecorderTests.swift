import Fusion
import Geofencing
import NMEAWire
import Testing

/// Geofence events among the records: their times, and how exactly they show the position.
@Suite struct GeofenceRecorderTests {
  /// Returns two circles of 60 m, at 0 m and at 2,000 m to the north.
  private static func fences() throws -> FenceSet {
    var builder = FenceSetBuilder()
    for (id, north) in [("home", 0.0), ("depot", 2_000)] {
      try builder.addCircle(Fence(id: id), around: GeoPosition(latitude: latitude(north), longitude: 11), radius: 60)
    }
    return builder.build()
  }

  private static func latitude(_ north: Double) -> Double { 48 + north / 111_190 }

  /// Drives to the north, from a distance in m to another one, at a speed in m/s.
  private func drive(
    from start: Double, to end: Double, speed: Double = 20, privacy: PrivacyRules = PrivacyRules()
  ) throws -> [Record] {
    var session = Session()
    var recorder = GeofenceRecorder(try Self.fences(), privacy: privacy)
    var second = 0.0
    while start + second * speed <= end {
      var fix = Fix()
      fix.type = .threeD
      (fix.latitude, fix.longitude, fix.hdop) = (Self.latitude(start + second * speed), 11, 0.9)
      (fix.altitude, fix.course, fix.speed) = (520, 0, speed * 3.6)
      let time = Session.nanoseconds(second)
      session.fusion.fix(fix, at: time, privacy: recorder.privacy(of: fix), into: &session.sink)
      recorder.fix(fix, at: time, vehicleSpeed: nil, fusion: &session.fusion, into: &session.sink)
      second += 1
    }
    return try session.finish(at: second)
  }

  @Test func a_new_position_is_stored_at_most_once_a_minute() throws {
    var session = Session()
    var recorder = GeofenceRecorder(try Self.fences())
    var kept: [Int] = []
    for second in 0..<200 {
      var fix = Fix()
      fix.type = .threeD
      // Far from any fence: 20 m/s at first, then parked.
      (fix.latitude, fix.longitude, fix.hdop) = (Self.latitude(9_000 + 20 * Double(min(second, 130))), 11, 0.9)
      let time = Session.nanoseconds(Double(second))
      recorder.fix(fix, at: time, vehicleSpeed: nil, fusion: &session.fusion, into: &session.sink)
      if recorder.hasChanges { kept.append(second) }
      recorder.hasChanges = false
    }
    #expect(kept == [60, 120, 180])
  }

  @Test func an_event_stands_between_the_records_of_its_time() throws {
    let records = try drive(from: 1_800, to: 2_200)
    let events = records.of("geofence")
    #expect(events.map { $0.text("event") } == ["enter", "exit"])
    #expect(records.map(\.sequence) == Array(1...records.count))
    // 140 m at 20 m/s, and the error radius of 5 m beyond the edge.
    #expect(events.first?.elapsed == 8)
  }

  @Test func a_fence_that_was_crossed_between_two_fixes_has_the_times_between() throws {
    let records = try drive(from: 1_850, to: 2_250, speed: 75)
    let events = records.of("geofence")
    #expect(events.map { $0.text("event") } == ["enter", "exit"])
    let times = events.compactMap(\.elapsed)
    #expect(times.allSatisfy { (0...6).contains($0) } && times == times.sorted())
  }

  @Test func a_position_is_hidden_in_and_around_a_private_zone() throws {
    let hidden = PrivacyRules(zones: [.init(fence: "home", privacy: .off)])
    let records = try drive(from: -300, to: 300, privacy: hidden)
    for record in records.of("telemetry") {
      let north = -300 + 20 * (record.elapsed ?? 0)
      // The record may have the fix of the previous second.
      if abs(north) < 80 {
        #expect(record.number("latitude") == nil && record.number("altitude") == nil && record.number("heading") == nil)
        #expect(record.text("fixType") == "3d" && record.number("gpsSpeed") == 72)
      } else if abs(north) > 140 {
        #expect(record.number("latitude") != nil)
      }
    }
    let events = records.of("geofence")
    #expect(events.map { $0.text("event") } == ["enter", "exit"])
    #expect(events.allSatisfy { $0.number("latitude") == nil && $0.number("longitude") == nil })
  }

  @Test func a_private_fence_crossed_between_fixes_is_reported_without_a_position() throws {
    let hidden = PrivacyRules(zones: [.init(fence: "home", privacy: .off)])
    let records = try drive(from: -375, to: 450, speed: 75, privacy: hidden)
    let events = records.of("geofence")
    #expect(!events.isEmpty && events.allSatisfy { $0.number("latitude") == nil })
  }

  @Test func a_coarse_place_is_rounded_and_has_no_direction() throws {
    let records = try drive(from: 500, to: 900, privacy: PrivacyRules(everywhere: .coarse(decimals: 2)))
    #expect(!records.of("telemetry").isEmpty)
    for record in records.of("telemetry") {
      #expect(record.number("latitude") == 48 || record.number("latitude") == 48.01)
      #expect(record.number("longitude") == 11 && record.number("heading") == nil && record.number("altitude") == nil)
    }
  }
}
