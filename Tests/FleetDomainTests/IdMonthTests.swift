import FleetDomain
import Telemetry
import Testing

@Suite struct IdMonthTests {
  private func id(_ year: Int, _ month: Int, _ day: Int, milliseconds: Int = 0) -> UUIDv7 {
    let days = Timestamp.days(year: year, month: month, day: day)
    return UUIDv7(milliseconds: UInt64(days * 86_400_000 + milliseconds), first: 1, rest: 1)
  }

  @Test func months_begin_and_end_at_midnight() {
    #expect(IdMonth(of: id(2026, 11, 1)).name == "202611")
    #expect(IdMonth(of: id(2026, 11, 1, milliseconds: -1)).name == "202610")
    #expect(IdMonth(of: id(2024, 2, 29, milliseconds: 86_399_999)).name == "202402")
    #expect(IdMonth(of: id(2020, 1, 1)).index == 1)
    #expect(IdMonth(of: id(2099, 12, 31)).index == 960)
  }

  @Test func clocks_that_were_wrong_have_two_of_their_own() {
    #expect(IdMonth(of: id(1970, 1, 1)).name == "early")
    #expect(IdMonth(of: id(2019, 12, 31)).name == "early")
    #expect(IdMonth(of: id(2100, 1, 1)).name == "late")
    #expect(IdMonth(of: UUIDv7(milliseconds: 0xFFFF_FFFF_FFFF, first: 0, rest: 0)).name == "late")
  }

  @Test func bounds_join_without_a_gap() throws {
    for index in 0..<961 {
      let (month, next) = (try #require(IdMonth(index: index)), try #require(IdMonth(index: index + 1)))
      #expect(month.bounds.to == next.bounds.from)
      let first = try #require(next.bounds.from)
      #expect(IdMonth(of: first) == next)
      #expect(IdMonth(of: UUIDv7(milliseconds: first.milliseconds - 1, first: 0, rest: 0)) == month)
    }
    #expect(IdMonth(index: 962) == nil && IdMonth(index: -1) == nil)
  }

  @Test func a_month_is_over_when_the_next_begins() throws {
    let month = IdMonth(of: id(2026, 10, 5))
    let end = try #require(Timestamp(year: 2026, month: 11, day: 1))
    #expect(month.isOver(by: end, at: end))
    #expect(!month.isOver(by: Timestamp(nanoseconds: end.nanoseconds - 1), at: end))
  }

  @Test func a_month_that_has_not_begun_is_one_of_a_wrong_clock() throws {
    let now = try #require(Timestamp(year: 2026, month: 10, day: 30, hour: 23))
    #expect(IdMonth(of: id(2026, 11, 1)).isOver(by: now, at: now))
    #expect(!IdMonth(of: id(2026, 11, 1)).isOver(by: now, at: try #require(Timestamp(year: 2026, month: 10, day: 31))))
  }

  @Test func two_years_up_to_a_day_ahead_are_usual() throws {
    let now = try #require(Timestamp(year: 2026, month: 10, day: 31))
    for (year, month) in [(2026, 11), (2026, 10), (2024, 11), (1970, 1), (2100, 1)] {
      #expect(IdMonth(of: id(year, month, 1)).isUsual(at: now), "\(year)-\(month)")
    }
    for (year, month) in [(2026, 12), (2024, 10), (2020, 1), (2099, 12)] {
      #expect(!IdMonth(of: id(year, month, 1)).isUsual(at: now), "\(year)-\(month)")
    }
  }
}
