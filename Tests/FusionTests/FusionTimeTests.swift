import Fusion
import NMEAWire
import OBDWire
import Telemetry
import Testing

@Suite struct FusionTimeTests {
  @Test func without_a_date_records_have_the_elapsed_time() throws {
    var session = Session()
    session.read("rpm", 800, at: 0.125)
    let record = try #require(try session.finish(at: 0.2).first)
    #expect(record.elapsed == 0.125)
    #expect(record.text("timeQuality") == "unset")
    #expect(record.text("timestamp") == nil)
  }

  @Test func a_wall_time_applies_to_later_records() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.advance(to: 1)
    session.fusion.setWallTime(offset: 1_734_507_660_000_000_000, quality: .gps)
    session.read("rpm", 900, at: 6.25)
    let records = try session.finish(at: 6.3)
    #expect(records.map { $0.text("timeQuality") } == ["unset", "gps"])
    #expect(records[0].elapsed == 1)
    #expect(records[1].text("timestamp") == "2024-12-18T07:41:06.250Z")
  }

  @Test func record_times_are_passed_to_sinks_in_the_callers_clock() throws {
    var session = Session()
    session.fusion.setWallTime(offset: 5_000, quality: .ntp)
    session.read("rpm", 800, at: 3)
    session.advance(to: 10)
    #expect(session.sink.times == [4_000_000_000])
  }

  @Test func a_position_is_that_of_the_newest_fix_at_most_one_and_a_half_seconds_before() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.fix(47, 11, at: 0.2)
    session.fix(48, 11, at: 0.5)
    for step in 1...3 { session.read("rpm", 800, at: Double(step) + 0.5) }
    let records = try session.finish(at: 4)
    #expect(records.map(\.elapsed) == [1, 2, 3, 4])
    #expect(records.map { $0.number("latitude") } == [48, 48, nil, nil])
    #expect(records.map { $0.text("fixType") } == ["3d", "3d", nil, nil])
  }

  @Test func a_lost_fix_removes_the_position_from_the_next_record() throws {
    var session = Session()
    session.fix(48, 11, at: 0.2)
    session.fusion.fix(Fix(), at: Session.nanoseconds(0.9), into: &session.sink)
    session.read("rpm", 801, at: 1.1)
    let records = try session.finish(at: 1.1)
    #expect(records.allSatisfy { $0.number("latitude") == nil && $0.text("fixType") == "none" })
  }

  @Test func periods_count_from_the_given_start() throws {
    var session = Session()
    session.fusion.begin(at: Session.nanoseconds(0.25))
    session.read("rpm", 800, at: 1.2)
    session.read("rpm", 801, at: 1.3)
    let records = try session.finish(at: 1.4)
    #expect(records.map(\.elapsed) == [1.25, 1.3])
  }

  @Test func readings_at_boot_time_zero_are_recorded() throws {
    var session = Session()
    session.fusion.begin(at: 0)
    for second in 0..<3 { session.fix(48, Double(second), at: Double(second)) }
    let records = try session.finish(at: 2)
    #expect(records.map(\.elapsed) == [0, 1, 2])
    #expect(records.map { $0.number("longitude") } == [0, 1, 2])
  }

  @Test func fixes_alone_make_records() throws {
    var session = Session()
    for turn in 0..<3 { session.fix(48, Double(turn), at: Double(turn) * 1.1) }
    let records = try session.finish(at: 10)
    #expect(records.map { $0.number("longitude") } == [0, 1, 2])
    #expect(records.allSatisfy { $0.number("rpm") == nil })
  }

  @Test func an_old_fix_makes_no_record() throws {
    var session = Session()
    session.fix(48, 11, at: 0)
    session.advance(to: 1)
    session.advance(to: 2)
    #expect(try session.finish(at: 3).count == 1)
  }

  @Test func fixes_do_not_end_a_polling_cycle() throws {
    var session = Session(.cycle)
    session.read("rpm", 800, at: 0)
    for step in 1...5 { session.fix(48, Double(step), at: Double(step) / 10) }
    session.read("speed", 50, at: 0.6)
    session.read("rpm", 801, at: 0.7)
    let records = try session.finish(at: 1)
    #expect(records.map { $0.number("speed") } == [50, nil])
    #expect(records.map { $0.number("longitude") } == [5, 5])
  }

  @Test func a_stream_of_fixes_alone_has_a_record_for_each() throws {
    var session = Session(.cycle)
    for step in 1...5 { session.fix(48, Double(step), at: Double(step)) }
    #expect(try session.finish(at: 6).map { $0.number("longitude") } == [1, 2, 3, 4, 5])
  }

  @Test func a_fix_without_a_position_still_says_its_type() throws {
    var session = Session()
    var fix = Fix()
    fix.satellites = 2
    session.fusion.fix(fix, at: 0, into: &session.sink)
    #expect(try session.finish(at: 1).first?.body == #""satellites":2,"fixType":"none""#)
  }

  @Test func every_figure_of_a_fix_has_its_key() throws {
    var session = Session()
    var fix = Fix()
    fix.type = .rtkFixed
    (fix.latitude, fix.longitude, fix.altitude) = (53.361336666, -6.505620001, 61.7)
    (fix.course, fix.trueHeading, fix.speed) = (31.66, 30.5, 0.03704)
    (fix.hdop, fix.satellites) = (1.03, 8)
    session.fusion.fix(fix, at: 0, into: &session.sink)
    #expect(
      try session.finish(at: 1).first?.body
        == #""latitude":53.361336666,"longitude":-6.505620001,"altitude":61.7,"heading":31.66,"trueHeading":30.5,"#
        + #""gpsSpeed":0.03704,"hdop":1.03,"satellites":8,"fixType":"rtkFixed""#)
  }

  @Test func other_records_are_numbered_after_due_telemetry() throws {
    var session = Session { $0.firstSequence = 41 }
    session.read("rpm", 800, at: 0)
    let event = AdapterRecord(event: .lost, device: "/dev/ttyUSB0")
    session.fusion.record(event, at: Session.nanoseconds(2), into: &session.sink)
    let records = try session.finish(at: 3)
    #expect(records.map(\.type) == ["telemetry", "adapter"])
    #expect(records.map(\.sequence) == [41, 42])
    #expect(records.map(\.elapsed) == [1, 2])
  }
}
