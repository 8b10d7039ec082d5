import NMEAWire
import Testing

/// A checksum of eight bits accepts one damaged sentence in 256, so the values of the fields must also be possible.
@Suite struct ImpossibleValuesTests {
  @Test(arguments: [
    "GPRMC,250000,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,086036,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081860,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,9000.01,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,9100.00,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3760.00,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,18000.01,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,-22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,360.1,130926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,310626,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,290225,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,131326,,,A",
    "GPZDA,081836,32,09,2026,00,00",
    "GPVTG,309.6,T,361,M,22.40,N,41.48,K,D",
    "HEHDT,400.0,T",
  ])
  func a_value_that_cannot_be_refuses_the_sentence(_ body: String) {
    let stream = Stream.reading(body)
    #expect(stream.reasons == [.impossibleValue])
    #expect(stream.fixes.isEmpty && stream.accepted.isEmpty)
  }

  @Test(arguments: [
    "GPRMC,081836.000,A,5936.79K,D",
    "GPRMC,0818,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836-,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,B,3751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,751.65,S,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,E,14507.36,S,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,,14507.36,E,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,,,22.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,2.2.4,309.6,130926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,13926,,,A",
    "GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,130926,,,X",
    "GPGGA,081836.75,3751.65,S,14507.36,E,X,09,0.9,88.4,M,-3.2,M,2.0,0120",
    "GPGGA,081836.75,3751.65,S,14507.36,E,1,p9,0.9,88.4,M,-3.2,M,2.0,0120",
    "GPGGA,081836.75,3751.65,S,14507.36,E,1,09,0.9,88.4,F,-3.2,M,2.0,0120",
    "GPGGA,081836.75,3751.65,S,14507.36,E,1,09,0.9,.,M,-3.2,M,2.0,0120",
    "GPGSA,A,4,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5",
    "GPGSA,A,3,02,05,07,1q,15,18,20,29,30,,,,1.8,0.9,1.5",
    "GNGNS,081836.75,3751.65,S,14507.36,E,AX,14,0.7,88.4,-3.2,2.0,0120",
    "GPZDA,081836,13,,2026,00,00",
    "GPVTG,309.6,M,298.3,M,22.40,N,41.48,K,D",
  ])
  func a_field_that_cannot_be_read_refuses_the_sentence(_ body: String) {
    let stream = Stream.reading(body)
    #expect(stream.reasons == [.malformedField])
    #expect(stream.fixes.isEmpty && stream.accepted.isEmpty)
  }

  @Test(arguments: [
    "GPRMC", "GPRMC,081836,A,3751.65,S", "GPGGA,081836.75,3751.65,S,14507.36,E,1,09", "GPGSA,A,3,02,05",
    "GPZDA,081836,13,09", "GPVTG,309.6,T,298.3,M", "GPGST,081836.75,1.4", "HEHDT,311.4", "GPGLL,3751.65,S",
    "GNGNS,081836.75,3751.65,S,14507.36,E,DA,14,0.7",
  ])
  func a_sentence_without_its_last_fields_is_refused(_ body: String) {
    let stream = Stream.reading(body)
    #expect(stream.reasons == [.missingField])
    #expect(stream.fixes.isEmpty && stream.accepted.isEmpty)
  }

  @Test func the_poles_and_the_date_line_are_possible() throws {
    let fix = try #require(Stream.reading("GPGLL,9000.000,N,18000.000,W,081836,A,A").onlyFix)
    #expect(fix.latitude == 90 && fix.longitude == -180)
  }

  @Test func a_refused_sentence_takes_nothing_from_its_epoch_or_the_date() throws {
    let stream = Stream.reading(
      "GPRMC,181535.000,A,5936.7900,N,01052.0000,E,1.0,10.0,250820,,,A", "GPRMC,181536.000,A,5936.79K,D",
      "GPGGA,181537.000,5936.7900,N,01052.0000,E,1,07,1.2,32.6,M,47.4,M,,")
    #expect(stream.fixes.count == 2)
    #expect(stream.reasons == [.malformedField])
    #expect(stream.fixes.allSatisfy { $0.date == CalendarDate(year: 2020, month: 8, day: 25) })
  }

  @Test func decimals_are_rounded_once() throws {
    let fix = try #require(Stream.reading("GPGLL,4134.49821229,N,09345.03351845,W,081836,A,A").onlyFix)
    #expect(fix.latitude == 2494.49821229 / 60)
    #expect(fix.longitude == -(5625.03351845 / 60))
  }

  @Test func more_decimals_than_a_double_holds_are_cut_not_refused() throws {
    let fix = try #require(
      Stream.reading("GPGLL,4134.498212290000000000001,N,09345.0335,W,081836.1234567891,A,A").onlyFix)
    #expect(fix.latitude == 2494.49821229 / 60)
    #expect(fix.time?.nanosecond == 123_456_789)
  }
}
