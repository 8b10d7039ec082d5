import NMEAWire
import Testing

/// Receivers that send the sentences without a time at the beginning of their cycle, and receivers that send them at
/// its end.
@Suite struct CycleOrderTests {
  private static func gsa(_ mode: Int, hdop: String) -> String { "GPGSA,A,\(mode),02,05,07,13,,,,,,,,,1.8,\(hdop),1.5" }

  private static func rmc(_ second: Int, knots: String, status: String = "A") -> String {
    let position = status == "A" ? "3751.6512,S,14507.3604,E" : ",,,"
    return "GPRMC,0818\(second),\(status),\(position),\(knots),309.6,130926,,,\(status == "A" ? "A" : "N")"
  }

  private static func gga(_ second: Int, hdop: String, quality: Int = 1) -> String {
    let position = quality > 0 ? "3751.6512,S,14507.3604,E" : ",,,"
    return "GPGGA,0818\(second),\(position),\(quality),09,\(hdop),88.4,M,-3.2,M,,"
  }

  @Test func trailing_gsa_belongs_to_the_epoch_before_it() {
    let stream = Stream.reading(
      Self.gga(10, hdop: "0.9"), Self.rmc(10, knots: "1.0"), Self.gsa(3, hdop: "0.9"),
      Self.gga(11, hdop: "4.1"), Self.rmc(11, knots: "1.0"), Self.gsa(2, hdop: "4.1"),
      Self.gga(12, hdop: "", quality: 0), Self.rmc(12, knots: "", status: "V"), Self.gsa(1, hdop: ""),
      Self.gga(13, hdop: "0.9"), Self.rmc(13, knots: "1.0"), Self.gsa(3, hdop: "0.9"))
    #expect(stream.fixes.map(\.type) == [.threeD, .twoD, .none, .threeD])
  }

  @Test func leading_gsa_belongs_to_the_epoch_behind_it_once_its_hdop_has_shown_so() {
    let stream = Stream.reading(
      Self.gsa(3, hdop: "0.9"), Self.rmc(10, knots: "1.0"), Self.gga(10, hdop: "0.9"),
      Self.gsa(3, hdop: "1.0"), Self.rmc(11, knots: "1.0"), Self.gga(11, hdop: "1.0"),
      Self.gsa(3, hdop: "1.1"), Self.rmc(12, knots: "1.0"), Self.gga(12, hdop: "1.1"),
      Self.gsa(2, hdop: "4.1"), Self.rmc(13, knots: "1.0"), Self.gga(13, hdop: "4.1"),
      Self.gsa(1, hdop: ""), Self.rmc(14, knots: "", status: "V"), Self.gga(14, hdop: "", quality: 0))
    #expect(stream.fixes.map(\.type) == [.threeD, .threeD, .threeD, .twoD, .none])
  }

  @Test func a_leading_vtg_is_detected_by_the_speed_it_shares_with_rmc() {
    func vtg(_ knots: String) -> String { "GPVTG,309.6,T,,M,\(knots),N,,K,A" }
    let stream = Stream.reading(
      vtg("1.0"), Self.rmc(10, knots: "1.0"), vtg("2.0"), Self.rmc(11, knots: "2.0"), vtg("3.0"),
      Self.rmc(12, knots: "3.0"), vtg("4.0"), "GPGLL,3751.6512,S,14507.3604,E,081813,A,A")
    #expect(stream.fixes.last?.speed == 7.408)
  }

  @Test func gsa_between_two_sentences_of_one_time_is_never_in_doubt() {
    let stream = Stream.reading(
      Self.gga(10, hdop: "0.9"), Self.gsa(3, hdop: "0.9"), Self.rmc(10, knots: "1.0"),
      Self.gga(11, hdop: "4.1"), Self.gsa(2, hdop: "4.1"), Self.rmc(11, knots: "1.0"))
    #expect(stream.fixes.map(\.type) == [.threeD, .twoD])
  }
}
