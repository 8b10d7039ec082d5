import FleetDomain
import Telemetry
import TestKit
import Testing

@Suite struct WorkingHoursTests {
  @Test func clocks_that_change_shorten_and_lengthen_the_day() throws {
    let zone = try ZoneRulesTests.rules("Europe/Vienna")
    let night = [WorkingHours(WorkingHours.Weekday.allCases, from: "00:00", to: "06:00")]
    for (date, all, early) in [("2026-03-29", 23, 5), ("2026-10-25", 25, 7), ("2026-05-04", 24, 6)] {
      let day = try #require(CalendarDate(date))
      #expect(WorkingHours.seconds([], on: day, in: zone) == Int64(all) * 3_600)
      #expect(WorkingHours.seconds(night, on: day, in: zone) == Int64(early) * 3_600)
    }
  }

  /// Random hours, against a count of the minutes of the day.
  @Test(arguments: 1...10) func the_sum_is_the_number_of_minutes(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    func clock(_ minutes: Int) -> String {
      "\(minutes / 60 < 10 ? "0" : "")\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
    for _ in 0..<50 {
      var hours: [WorkingHours] = []
      var minutes = [Set<Int>](repeating: [], count: 7)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let from = Int.random(in: 0..<1_440, using: &random)
        let to = Int.random(in: (from + 1)...1_440, using: &random)
        let days = WorkingHours.Weekday.allCases.filter { _ in Bool.random(using: &random) }
        hours.append(WorkingHours(days, from: clock(from), to: clock(to)))
        for day in days { minutes[WorkingHours.Weekday.allCases.firstIndex(of: day)!].formUnion(from..<to) }
      }
      // 2026-05-04 was a Monday.
      for offset in 0..<7 {
        let day = CalendarDate("2026-05-04")!.adding(days: offset)
        #expect(WorkingHours.seconds(hours, on: day, in: .utc) == Int64(minutes[offset].count) * 60)
      }
    }
  }
}
