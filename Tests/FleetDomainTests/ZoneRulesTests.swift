import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

/// The rules of time zones agree with those of another implementation.
@Suite struct ZoneRulesTests {
  static func rules(_ name: String) throws -> ZoneRules {
    let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
    return try #require(ZoneRules(tzif: Array(data)))
  }

  private static let zones = [
    "UTC", "Europe/Vienna", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Kathmandu",
    "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Apia", "America/Havana", "America/St_Johns", "Europe/Dublin",
    "America/Argentina/Buenos_Aires", "Pacific/Kiritimati", "Etc/GMT+12",
  ]

  private static func timestamp(_ seconds: Int64) -> Timestamp { Timestamp(nanoseconds: seconds * 1_000_000_000) }

  @Test(arguments: zones) func offsets_agree(_ name: String) throws {
    let (rules, zone) = (try Self.rules(name), try #require(TimeZone(identifier: name)))
    var random = SplitMix(seed: 5)
    for _ in 0..<5_000 {
      // 1970 to 2050: before and after the last change that files contain.
      let seconds = Int64.random(in: 0...2_524_608_000, using: &random)
      let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
      #expect(rules.offset(at: seconds) == Int64(expected), "\(name) \(seconds)")
    }
  }

  @Test(arguments: zones) func a_day_begins_at_its_first_moment(_ name: String) throws {
    let rules = try Self.rules(name)
    func localDay(_ milliseconds: Int64) -> Int {
      let seconds = Int64((Double(milliseconds) / 1_000).rounded(.down))
      return Int((Double(seconds + rules.offset(at: seconds)) / 86_400).rounded(.down))
    }
    // 1971 to 2040.
    var start = rules.start(of: CalendarDate(dayNumber: 365))
    for day in 365..<25_900 {
      let date = CalendarDate(dayNumber: day)
      #expect(localDay(start) >= day && localDay(start - 1) < day, "\(name) \(date.text)")
      let next = rules.start(of: date.next)
      #expect(next >= start)
      if next > start {
        for time in [start, (start + next) / 2, next - 1] {
          #expect(rules.day(of: Timestamp(nanoseconds: time * 1_000_000)) == date)
        }
      }
      start = next
    }
  }

  @Test(arguments: zones) func a_time_of_day_is_the_first_moment_that_clocks_show_it(_ name: String) throws {
    let rules = try Self.rules(name)
    var random = SplitMix(seed: 6)
    for _ in 0..<2_000 {
      let date = CalendarDate(dayNumber: Int.random(in: 365..<25_900, using: &random))
      let seconds = Int64.random(in: 0..<86_400, using: &random)
      let local = Int64(date.dayNumber) * 86_400 + seconds
      let found = rules.time(seconds, on: date).milliseconds / 1_000
      #expect(found + rules.offset(at: found) >= local, "\(name) \(date.text) \(seconds)")
      #expect(found - 1 + rules.offset(at: found - 1) < local, "\(name) \(date.text) \(seconds)")
      let shown = (found + rules.offset(at: found)) % 86_400
      #expect(rules.secondsOfDay(at: Self.timestamp(found)) == shown)
    }
  }

  @Test func days_have_23_and_25_hours_when_clocks_change() throws {
    let vienna = try Self.rules("Europe/Vienna")
    func hours(_ text: String) throws -> Int64 {
      let date = try #require(CalendarDate(text))
      return (vienna.start(of: date.next) - vienna.start(of: date)) / 3_600_000
    }
    #expect(try hours("2026-03-28") == 24)
    #expect(try hours("2026-03-29") == 23)
    #expect(try hours("2026-10-25") == 25)
    #expect(try hours("2099-03-29") == 23)
    // Samoa moved across the date line.
    let apia = try Self.rules("Pacific/Apia")
    let skipped = try #require(CalendarDate("2011-12-30"))
    #expect(apia.start(of: skipped) == apia.start(of: skipped.next))
  }

  /// In Vienna, clocks went from 2:00 to 3:00 on 2026-03-29, and from 3:00 back to 2:00 on 2026-10-25.
  @Test(arguments: [
    ("2026-03-29", 1.5, "none"), ("2026-03-29", 2.0, "skipped"), ("2026-03-29", 2.5, "skipped"),
    ("2026-03-29", 3.0, "none"), ("2026-10-25", 1.5, "none"), ("2026-10-25", 2.0, "repeated"),
    ("2026-10-25", 2.5, "repeated"), ("2026-10-25", 3.0, "none"), ("2026-10-24", 2.5, "none"),
  ])
  func times_of_clock_changes_are_known(_ day: String, _ hour: Double, _ expected: String) throws {
    let rules = try Self.rules("Europe/Vienna")
    let (date, seconds) = (try #require(CalendarDate(day)), Int64(hour * 3_600))
    #expect("\(rules.clockChange(at: rules.time(seconds, on: date), secondsOfDay: seconds))" == expected)
  }

  @Test func invalid_files_are_rejected() throws {
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Vienna")))
    for count in stride(from: 0, to: whole.count, by: 7) { #expect(ZoneRules(tzif: Array(whole.prefix(count))) == nil) }
    #expect(ZoneRules(tzif: Array("TZif".utf8) + Array(repeating: 0xFF, count: 400)) == nil)
    #expect(ZoneRules(tzif: Array(repeating: 0x20, count: 100)) == nil)
  }
}
