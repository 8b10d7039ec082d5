import NMEAWire
import Testing

/// Each sentence alone, with the samples in the documentation of its parser.
@Suite struct SentencesTests {
  @Test func rmc_gives_date_position_speed_and_course() throws {
    let stream = Stream.reading(
      bytes: "$GPRMC,081836.75,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,11.3,E,D*19\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.date == CalendarDate(year: 2026, month: 9, day: 13))
    #expect(fix.time == TimeOfDay(hour: 8, minute: 18, second: 36, nanosecond: 750_000_000))
    #expect(fix.type == .dgps)
    #expect(fix.latitude == -(37 + 51.6512 / 60))
    #expect(fix.longitude == 145 + 7.3604 / 60)
    #expect(fix.speed == 41.4848)
    #expect(fix.course == 309.6)
    #expect(fix.altitude == nil && fix.trueHeading == nil && fix.hdop == nil && fix.satellites == nil)
    #expect(stream.accepted == [.rmc])
  }

  @Test func gga_gives_position_altitude_hdop_and_satellites() throws {
    let stream = Stream.reading(
      bytes: "$GPGGA,081836.75,3751.65121,S,14507.36041,E,2,09,0.9,88.4,M,-3.2,M,2.0,0120*75\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.date == nil)
    #expect(fix.time == TimeOfDay(hour: 8, minute: 18, second: 36, nanosecond: 750_000_000))
    #expect(fix.type == .dgps)
    #expect(fix.latitude == -(37 + 51.65121 / 60))
    #expect(fix.longitude == 145 + 7.36041 / 60)
    #expect(fix.altitude == 88.4)
    #expect(fix.hdop == 0.9)
    #expect(fix.satellites == 9)
    #expect(fix.speed == nil && fix.course == nil)
  }

  @Test func gga_may_name_a_correction_service_for_a_station_or_end_before_it() {
    let fields = "081836.75,3751.65121,S,14507.36041,E,2,09,0.9,88.4,M,-3.2,M"
    for end in [",2.0,TSTR", ",,", ",", ""] {
      #expect(Stream.reading("GPGGA,\(fields)\(end)").onlyFix?.type == .dgps, "\(end)")
    }
  }

  @Test func gns_gives_what_gga_gives() throws {
    let stream = Stream.reading(
      bytes: "$GNGNS,081836.75,3751.65121,S,14507.36041,E,DA,14,0.7,88.4,-3.2,2.0,0120*45\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.type == .dgps)
    #expect(fix.latitude == -(37 + 51.65121 / 60))
    #expect(fix.altitude == 88.4)
    #expect(fix.hdop == 0.7)
    #expect(fix.satellites == 14)
  }

  @Test func gns_of_single_constellations_does_not_count_their_share_of_satellites() throws {
    let stream = Stream.reading(
      "GPGNS,081836.75,,,,,,6,,,,2.0,0120", "GNGNS,081836.75,3751.65121,S,14507.36041,E,RR,14,0.7,88.4,-3.2,,",
      "GLGNS,081836.75,,,,,,8,,,,2.0,0120")
    let fix = try #require(stream.onlyFix)
    #expect(fix.type == .rtkFixed)
    #expect(fix.satellites == 14)
  }

  @Test func gll_gives_position_and_time() throws {
    let stream = Stream.reading(bytes: "$GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D*71\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.type == .dgps)
    #expect(fix.latitude == -(37 + 51.6512 / 60))
    #expect(fix.time?.secondOfDay == 29_916)
  }

  @Test func gll_of_the_oldest_form_is_accepted_without_a_status() throws {
    let fix = try #require(Stream.reading("GPGLL,3751.65,S,14507.36,E").onlyFix)
    #expect(fix.type == .none && fix.latitude == nil && fix.time == nil)
  }

  @Test func vtg_gives_speed_and_course_without_rmc() throws {
    let stream = Stream.reading(
      bytes: "$GPVTG,309.6,T,298.3,M,22.40,N,41.48,K,D*27\r\n$GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D*71\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.speed == 41.4848)
    #expect(fix.course == 309.6)
  }

  @Test func vtg_without_knots_gives_its_kilometres() throws {
    let fix = try #require(
      Stream.reading("GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D", "GPVTG,,T,,M,,N,41.5,K,D").onlyFix)
    #expect(fix.speed == 41.5)
    #expect(fix.course == nil)
  }

  @Test(arguments: ["N", "S", "M"])
  func vtg_that_is_not_valid_gives_nothing(_ mode: String) throws {
    let fix = try #require(
      Stream.reading("GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D", "GPVTG,309.6,T,,M,22.40,N,41.48,K,\(mode)").onlyFix
    )
    #expect(fix.speed == nil && fix.course == nil)
  }

  @Test func zda_gives_time_and_date() throws {
    let stream = Stream.reading(bytes: "$GPZDA,081836.75,13,09,2026,00,00*6D\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.date == CalendarDate(year: 2026, month: 9, day: 13))
    #expect(fix.time?.hour == 8)
    #expect(fix.type == .none && fix.latitude == nil)
  }

  @Test func gst_gives_the_horizontal_error() throws {
    let stream = Stream.reading(
      bytes: """
        $GPGST,081836.75,1.4,2.1,1.6,31.0,3.0,4.0,3.7*61\r
        $GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D*71\r\n
        """)
    #expect(try #require(stream.onlyFix).horizontalError == 5)
  }

  @Test func gst_without_deviations_gives_the_ellipse() throws {
    let stream = Stream.reading(
      "GPGST,081836.75,1.4,3.0,4.0,31.0,,,", "GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D")
    #expect(try #require(stream.onlyFix).horizontalError == 5)
  }

  @Test func gsa_gives_the_dimensions_and_hdop() throws {
    let stream = Stream.reading(
      bytes: """
        $GPGSA,A,3,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5*33\r
        $GPGLL,3751.6512,S,14507.3604,E,081836.75,A,A*74\r\n
        """)
    let fix = try #require(stream.onlyFix)
    #expect(fix.type == .threeD)
    #expect(fix.hdop == 0.9)
  }

  @Test(arguments: [
    "GNGSA,A,2,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5,1",
    "GNGSA,A,2,02,05,07,13,15,18,20,29,30,,,,1.8,0.9,1.5,A",
    "GPGSA,A,2,23,13,07,25,,,,,,,,,,,,,,,,,,,,,1.8,0.9,1.5",
  ])
  func gsa_with_a_constellation_or_with_more_places_gives_the_same(_ body: String) throws {
    let fix = try #require(Stream.reading(body, "GPGLL,3751.6512,S,14507.3604,E,081836.75,A,A").onlyFix)
    #expect(fix.type == .twoD)
    #expect(fix.hdop == 0.9)
  }

  @Test func hdt_gives_the_true_heading() throws {
    let stream = Stream.reading(bytes: "$HEHDT,311.4,T*28\r\n$GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D*71\r\n")
    let fix = try #require(stream.onlyFix)
    #expect(fix.trueHeading == 311.4)
    #expect(fix.course == nil)
  }

  @Test func gsv_is_understood_and_gives_nothing() {
    let stream = Stream.reading("GPGSV,1,1,01,21,00,000,")
    #expect(stream.accepted == [.gsv])
    #expect(stream.fixes.isEmpty && stream.refusals.isEmpty)
  }

  @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "BD", "GQ", "II", "AI", "EC"])
  func sentences_of_any_talker_are_read(_ talker: String) throws {
    let fix = try #require(Stream.reading("\(talker)RMC,081836,A,3751.65,S,14507.36,E,,,130926,,,A").onlyFix)
    #expect(fix.latitude == -(37 + 51.65 / 60))
  }

  @Test(arguments: ["G,RMC", ",,RMC", "G RMC", "gpRMC", "P,GGA"])
  func address_that_a_comma_or_another_character_breaks_is_no_sentence_of_a_fix(_ address: String) {
    let stream = Stream.reading("\(address),202641.000,A,4404.1305,N,12118.8515,W,0.01,201.71,130415,,D")
    #expect(stream.accepted.allSatisfy { $0 == .other || $0 == .proprietary })
    #expect(stream.fixes.isEmpty && stream.refusals.isEmpty)
  }

  @Test func garmins_configuration_is_not_recommended_minimum_data() {
    let stream = Stream.reading("PGRMC,A,25.5,100,6378137.000,298.257223563,,,,,A,8,1,1,4,30")
    #expect(stream.accepted == [.proprietary])
    #expect(stream.fixes.isEmpty && stream.refusals.isEmpty)
  }

  @Test(arguments: [
    "081836,A,3751.65,S,14507.36,E,22.4,309.6,130926,,A", "081836,A,3751.65,S,14507.36,E,22.4,309.6,130926",
  ])
  func rmc_of_older_forms_is_read(_ fields: String) throws {
    let fix = try #require(Stream.reading("GPRMC,\(fields)").onlyFix)
    #expect(fix.latitude != nil && fix.type == .twoD)
  }

  @Test func rmc_that_ends_with_the_side_of_the_variation_is_not_an_estimate() throws {
    let fix = try #require(Stream.reading("GPRMC,081836,A,3751.65,S,14507.36,E,22.4,309.6,130926,11.3,E").onlyFix)
    #expect(fix.type == .twoD)
  }
}
