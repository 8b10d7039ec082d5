import Fusion
import NMEAWire
import Telemetry
import Testing

/// The date that follows from a receiver's fixes, and dates that are rejected.
@Suite struct SatelliteTimeTests {
  private static func moment(_ text: String) -> Int64 {
    (try? Timestamp(parsing: text.utf8.span).nanoseconds) ?? .min
  }
  private static let built = moment("2026-11-01T00:00:00Z")
  private static let second: Int64 = 1_000_000_000

  private func fix(_ text: String, plus seconds: Int = 0, type: FixType = .threeD) -> Fix {
    let moment = Timestamp(nanoseconds: Self.moment(text) + Int64(seconds) * Self.second)
    let digits = moment.text.span
    func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + Int(digits[$1]) - 0x30 } }
    var fix = Fix()
    fix.type = type
    if type != .none { (fix.latitude, fix.longitude) = (48, 11) }
    fix.date = CalendarDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
    fix.time = TimeOfDay(hour: number(11..<13), minute: number(14..<16), second: number(17..<19))
    return fix
  }

  /// Evaluates one fix a second from a time on. Returns the events, and the date at which the boot clock was 0.
  private func run(
    _ text: String, count: Int = 5, machine: String? = nil, type: FixType = .threeD
  ) -> (news: [SatelliteTime.Event], zero: Int64?) {
    var time = SatelliteTime(notBefore: Self.built)
    var news: [SatelliteTime.Event] = []
    for step in 0..<count {
      let now = Int64(step + 100) * Self.second
      let machine = machine.map { Self.moment($0) + Int64(step) * Self.second }
      if let one = time.fix(fix(text, plus: step, type: type), at: now, machine: machine) { news.append(one) }
    }
    return (news, time.offset.map { $0 + 100 * Self.second })
  }

  @Test func a_date_after_the_build_counts_from_the_third_fix_on() {
    #expect(run("2026-12-24T12:00:00Z", count: 2).zero == nil)
    let found = run("2026-12-24T12:00:00Z", count: 3)
    #expect(found.zero == Self.moment("2026-12-24T12:00:00Z"))
    #expect(found.news == [.known])
  }

  @Test func a_satellite_date_without_a_fix_is_ignored() {
    #expect(run("2026-12-24T12:00:00Z", type: .none).zero == nil)
  }

  @Test(arguments: ["2006-01-01T00:00:00Z", "1980-01-06T00:00:00Z", "2015-04-13T20:26:41Z", "2026-10-30T00:00:00Z"])
  func an_impossible_date_is_reported_once_and_ignored(_ text: String) {
    let found = run(text, count: 30, machine: "2026-12-24T12:00:00Z")
    #expect(found.zero == nil)
    #expect(found.news == [.impossible])
  }

  @Test(arguments: [1, 1677, 1700, 2263, 9999]) func a_year_outside_the_range_of_the_clock_is_ignored(_ year: Int) {
    var time = SatelliteTime(notBefore: Self.built)
    var wrong = fix("2026-12-24T12:00:00Z")
    wrong.date = CalendarDate(year: year, month: 1, day: 1)
    let first = time.fix(wrong, at: 0, machine: nil)
    let second = time.fix(wrong, at: Self.second, machine: Self.built)
    #expect(first == .impossible && second == nil)
    #expect(time.offset == nil)
  }

  @Test func the_date_of_a_receiver_past_its_rollover_is_corrected() {
    // 1,024 weeks before 24 December 2026.
    let found = run("2007-05-10T12:00:00Z", machine: "2026-12-23T08:00:00Z")
    #expect(found.zero == Self.moment("2026-12-24T12:00:00Z"))
    #expect(found.news == [.rolledOver(count: 1)])
  }

  @Test func two_rollovers_are_corrected() {
    let found = run("1987-09-24T12:00:00Z", machine: "2026-12-23T08:00:00Z")
    #expect(found.zero == Self.moment("2026-12-24T12:00:00Z"))
    #expect(found.news == [.rolledOver(count: 2)])
  }

  @Test func a_machine_without_a_date_believes_the_rollover() {
    #expect(run("2007-05-10T12:00:00Z").zero == Self.moment("2026-12-24T12:00:00Z"))
  }

  @Test func a_clock_behind_after_months_of_sleep_still_detects_a_rollover() {
    #expect(run("2007-05-10T12:00:00Z", machine: "2026-11-02T00:00:00Z").zero != nil)
    #expect(run("2007-05-10T12:00:00Z", machine: "2027-02-02T00:00:00Z").zero == nil)
  }

  @Test func late_sentences_do_not_change_the_time() {
    var time = SatelliteTime(notBefore: Self.built)
    var greatest: Int64 = .min
    var least: Int64 = .max
    for step in 0..<600 {
      // The fix arrives 100 ms late at best, 800 ms at worst.
      let late = Int64(100 + step * 37 % 700) * 1_000_000
      let now = Int64(step) * Self.second + late
      _ = time.fix(fix("2026-12-24T12:00:00Z", plus: step), at: now, machine: nil)
      guard step > 60, let offset = time.offset else { continue }
      greatest = max(greatest, offset)
      least = min(least, offset)
    }
    let truth = Self.moment("2026-12-24T12:00:00Z")
    #expect(greatest <= truth - 99_000_000 && least >= truth - 180_000_000)
  }

  @Test func a_single_wrong_second_changes_nothing() {
    var time = SatelliteTime(notBefore: Self.built)
    for step in 0..<60 {
      let wrong = step == 30 ? 3_600 : 0
      let news = time.fix(
        fix("2026-12-24T12:00:00Z", plus: step + wrong), at: Int64(step) * Self.second, machine: nil)
      #expect(news == (step == 2 ? .known : nil))
    }
    #expect(time.offset == Self.moment("2026-12-24T12:00:00Z"))
  }

  @Test func leap_seconds_that_a_receiver_learns_late_are_followed_once() {
    var time = SatelliteTime(notBefore: Self.built)
    var news: [SatelliteTime.Event] = []
    for step in 0..<60 {
      let learned = step < 20 ? 2 : 0
      if let one = time.fix(
        fix("2026-12-24T12:00:00Z", plus: step + learned), at: Int64(step) * Self.second, machine: nil)
      {
        news.append(one)
      }
    }
    #expect(news == [.known, .stepped(by: -2 * Self.second)])
    #expect(time.offset == Self.moment("2026-12-24T12:00:00Z"))
  }
}
