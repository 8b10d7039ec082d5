import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@Suite struct CronTimesTests {
  private static func time(_ text: String) throws -> Timestamp { try Timestamp(json: .text(text)) }

  @Test(arguments: [
    "", "* 6 * * *", "0 * * * *", "0 6 * *", "0 6 * * * *", "60 6 * * *", "0 24 * * *", "0 6 0 * *", "0 6 32 * *",
    "0 6 * 13 *", "0 6 * * 8", "0 6 30 2 *", "0 6 5-1 * *", "0 6 */0 * *", "0 6 , * *", "0 6 a * *", "+0 6 * * *",
  ])
  func other_texts_are_rejected(_ text: String) { #expect(CronTimes(text) == nil, "\(text)") }

  @Test(arguments: [
    // Every day, Mondays, the first of the month, 29 February, the 13th or a Friday, every second month, a list.
    ("0 6 * * *", "2026-05-04T06:00:00Z", "2026-05-05T06:00:00Z"),
    ("0 6 * * *", "2026-05-04T05:59:59Z", "2026-05-04T06:00:00Z"),
    ("30 7 * * 1", "2026-05-04T08:00:00Z", "2026-05-11T07:30:00Z"),
    ("0 6 1 * *", "2026-05-04T08:00:00Z", "2026-06-01T06:00:00Z"),
    ("0 6 29 2 *", "2026-05-04T08:00:00Z", "2028-02-29T06:00:00Z"),
    ("0 6 13 * 5", "2026-05-04T08:00:00Z", "2026-05-08T06:00:00Z"),
    ("0 6 1 */2 *", "2026-05-04T08:00:00Z", "2026-07-01T06:00:00Z"),
    ("0 6 * * 0,7", "2026-05-04T08:00:00Z", "2026-05-10T06:00:00Z"),
    ("0 6 * * 1-5", "2026-05-08T08:00:00Z", "2026-05-11T06:00:00Z"),
  ])
  func the_next_time_follows_the_cron_expression(_ cron: String, _ after: String, _ expected: String) throws {
    let times = try #require(CronTimes(cron))
    #expect(times.next(after: try Self.time(after), in: .utc) == (try Self.time(expected)), "\(cron)")
  }

  @Test(arguments: ["Europe/Vienna", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu"], [0, 90, 150, 1_380])
  func each_day_has_one_time_also_when_clocks_change(_ name: String, _ minutes: Int) throws {
    let zone = try ZoneRules.machine(name)
    let times = try #require(CronTimes("\(minutes % 60) \(minutes / 60) * * *"))
    var time = try Self.time("2026-01-01T12:00:00Z")
    var day = zone.day(of: time)
    for _ in 0..<366 {
      let next = try #require(times.next(after: time, in: zone))
      let other = zone.day(of: next)
      // The first time may still be on the same day.
      #expect(other == day.next || time.string == "2026-01-01T12:00:00.000Z", "\(next.string)")
      let shown = zone.secondsOfDay(at: next)
      // Clocks that go forward skip an hour at most.
      #expect((Int64(minutes * 60)...Int64(minutes * 60 + 3_600)).contains(shown), "\(next.string)")
      (time, day) = (next, other)
    }
  }

  @Test(arguments: [
    ("0 6 * * *", nil, "2026-05-03", "2026-05-03"), ("0 6 * * 1", nil, "2026-04-27", "2026-05-03"),
    ("0 6 4 * *", nil, "2026-04-01", "2026-04-30"),
    ("0 6 * * *", Report.Schedule.Period.week, "2026-04-27", "2026-05-03"),
  ])
  func a_report_is_about_the_last_whole_period(
    _ cron: String, _ period: Report.Schedule.Period?, _ from: String, _ to: String
  ) throws {
    var schedule = Report.Schedule()
    (schedule.cron, schedule.period) = (cron, period)
    let range = schedule.range(on: try #require(CalendarDate("2026-05-04")))
    #expect(range.lowerBound.text == from && range.upperBound.text == to)
  }
}
