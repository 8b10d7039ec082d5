import NMEAWire
import Testing

/// The sentences that form one epoch, and the values that it uses.
@Suite struct EpochTests {
  @Test func sentences_of_one_time_of_day_are_one_fix() throws {
    let stream = Stream.reading(
      "GPGGA,081836.000,3751.6512,S,14507.3604,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPGSA,A,3,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5",
      "GPGST,081836.00,1.4,2.1,1.6,31.0,3.0,4.0,3.7",
      "GPRMC,081836,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,,,A", "GPVTG,309.6,T,,M,22.40,N,41.48,K,A",
      "GPZDA,081836.0,13,09,2026,00,00", "HEHDT,311.4,T", "GPGLL,3751.6512,S,14507.3604,E,081836.000,A,A")
    let fix = try #require(stream.onlyFix)
    #expect(fix.date == CalendarDate(year: 2026, month: 9, day: 13))
    #expect(fix.type == .threeD)
    #expect(fix.latitude == -(37 + 51.6512 / 60))
    #expect(fix.altitude == 88.4)
    #expect(fix.speed == 41.4848)
    #expect(fix.course == 309.6)
    #expect(fix.trueHeading == 311.4)
    #expect(fix.hdop == 0.9)
    #expect(fix.satellites == 9)
    #expect(fix.horizontalError == 5)
  }

  @Test func another_time_of_day_ends_the_epoch() {
    let stream = Stream.reading(
      "GPGGA,081836.00,3751.6512,S,14507.3604,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPRMC,081836.20,A,3751.6513,S,14507.3604,E,22.40,309.6,130926,,,A",
      "GPGGA,081836.20,3751.6513,S,14507.3604,E,1,09,0.9,88.4,M,-3.2,M,,",
      "GPZDA,081838.00,13,09,2026,00,00", "GPRMC,081837.00,A,3751.6514,S,14507.3604,E,22.40,309.6,130926,,,A")
    #expect(stream.fixes.map { $0.time?.secondOfDay } == [29_916, 29_916, 29_918, 29_917])
    #expect(stream.fixes.map { $0.latitude != nil } == [true, true, false, true])
  }

  @Test func no_value_of_an_epoch_remains_in_the_next() throws {
    let stream = Stream.reading(
      "GPGGA,081836.00,3751.6512,S,14507.3604,E,1,09,0.9,88.4,M,-3.2,M,,", "GPVTG,309.6,T,,M,22.40,N,41.48,K,A",
      "HEHDT,311.4,T", "GPGLL,3751.6512,S,14507.3604,E,081837.00,A,A")
    let second = try #require(stream.fixes.last)
    #expect(second.altitude == nil && second.hdop == nil && second.satellites == nil)
    #expect(second.speed == nil && second.course == nil && second.trueHeading == nil)
  }

  @Test func epochs_without_a_time_are_separated_by_a_repeated_sentence() {
    let stream = Stream.reading(
      "GPRMC,,V,,,,,,,,,,N", "GPVTG,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,",
      "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
      "GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,",
      "GPRMC,081836,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,,,A")
    #expect(stream.fixes.map(\.type) == [.none, .none, .twoD])
    #expect(stream.fixes.map { $0.time != nil } == [false, false, true])
  }

  @Test func a_doubled_sentence_does_not_double_its_epoch() {
    let zda = "GPZDA,081836.00,13,09,2026,00,00"
    #expect(Stream.reading(zda, zda, zda).fixes.count == 1)
  }

  @Test func the_finer_of_two_positions_stands() throws {
    let gga = "GPGGA,081836,3751.65124,S,14507.36044,E,1,09,0.9,88.4,M,-3.2,M,,"
    let rmc = "GPRMC,081836,A,3751.651,S,14507.360,E,22.40,309.6,130926,,,A"
    for stream in [Stream.reading(gga, rmc), Stream.reading(rmc, gga)] {
      #expect(try #require(stream.onlyFix).latitude == -(37 + 51.65124 / 60))
    }
  }

  @Test func sentences_without_a_time_that_begin_the_stream_belong_to_its_first_epoch() throws {
    let fix = try #require(
      Stream.reading(
        "GPGSA,A,2,02,05,07,,,,,,,,,,3.8,3.1,1.5", "GPRMC,081836,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,,,A"
      ).onlyFix)
    #expect(fix.type == .twoD)
    #expect(fix.hdop == 3.1)
  }

  @Test func a_single_heading_is_delivered_by_flush() throws {
    let fix = try #require(Stream.reading("HEHDT,311.4,T").onlyFix)
    #expect(fix.trueHeading == 311.4)
    #expect(fix.time == nil && fix.type == .none)
    #expect(fix.position == 17)
  }
}
