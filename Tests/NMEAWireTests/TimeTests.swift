import NMEAWire
import Testing

/// Dates and times as receivers give them.
@Suite struct TimeTests {
  private static func date(_ ddmmyy: String) -> CalendarDate? {
    Stream.reading("GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,\(ddmmyy),,,A").onlyFix?.date
  }

  @Test func two_digit_years_from_80_are_of_the_last_century() {
    #expect(Self.date("060180") == CalendarDate(year: 1980, month: 1, day: 6))
    #expect(Self.date("311299") == CalendarDate(year: 1999, month: 12, day: 31))
    #expect(Self.date("290200") == CalendarDate(year: 2000, month: 2, day: 29))
    #expect(Self.date("311279") == CalendarDate(year: 2079, month: 12, day: 31))
  }

  @Test func zda_wins_over_rmc_wherever_it_stands() throws {
    let rmc = "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,290107,,,A"
    let zda = "GPZDA,081836.00,13,09,2026,00,00"
    for stream in [Stream.reading(rmc, zda), Stream.reading(zda, rmc)] {
      #expect(try #require(stream.onlyFix).date == CalendarDate(year: 2026, month: 9, day: 13))
    }
  }

  @Test func the_leap_second_is_a_time_of_its_own() {
    let stream = Stream.reading(
      bytes: """
        $GPRMC,235959.00,A,3751.6512,S,14507.3604,E,22.40,309.6,311226,,,A*49\r
        $GPRMC,235960.00,A,3751.6512,S,14507.3604,E,22.40,309.6,311226,,,A*43\r
        $GPRMC,000000.00,A,3751.6512,S,14507.3604,E,22.40,309.6,010127,,,A*48\r\n
        """)
    #expect(stream.refusals.isEmpty)
    #expect(stream.fixes.map { $0.time?.second } == [59, 60, 0])
    #expect(stream.fixes.map { $0.date?.day } == [31, 31, 1])
  }

  @Test func second_60_is_a_leap_second_only_at_the_end_of_the_day() {
    #expect(TimeOfDay(hour: 23, minute: 59, second: 60) != nil)
    #expect(TimeOfDay(hour: 22, minute: 59, second: 60) == nil)
    #expect(TimeOfDay(hour: 23, minute: 58, second: 60) == nil)
    #expect(TimeOfDay(hour: 23, minute: 59, second: 61) == nil)
    #expect(TimeOfDay(hour: 24, minute: 0, second: 0) == nil)
    #expect(TimeOfDay(hour: 0, minute: 0, second: 0, nanosecond: 1_000_000_000) == nil)
  }

  @Test func the_calendar_knows_its_months() {
    #expect(CalendarDate(year: 2024, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 2100, month: 2, day: 29) == nil)
    #expect(CalendarDate(year: 2026, month: 4, day: 31) == nil)
    #expect(CalendarDate(year: 2026, month: 0, day: 1) == nil)
    #expect(CalendarDate(year: 2026, month: 1, day: 0) == nil)
    #expect(CalendarDate(year: 0, month: 1, day: 1) == nil)
  }

  @Test func epochs_that_name_no_date_have_that_of_the_ones_before() {
    let stream = Stream.reading(
      "GPGGA,081835.9,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPRMC,081836.0,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
      "GPGGA,081836.1,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,")
    #expect(stream.fixes.map { $0.date?.day } == [nil, 13, 13])
  }

  @Test func the_date_is_forgotten_at_midnight_not_guessed() {
    let stream = Stream.reading(
      "GPRMC,235959.8,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
      "GPGGA,235959.9,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPGGA,000000.0,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPGGA,000000.1,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPRMC,000000.2,A,3751.65,S,14507.36,E,22.4,309.6,140926,,,A",
      "GPGGA,000000.3,3751.65,S,14507.36,E,1,09,0.9,88.4,M,-3.2,M,,")
    #expect(stream.fixes.map { $0.date?.day } == [13, 13, nil, nil, 14, 14])
  }
}
