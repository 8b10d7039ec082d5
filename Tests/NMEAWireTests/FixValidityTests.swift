import NMEAWire
import Testing

/// Presence of a position, and type of the fix. Both follow the receiver's own status; if two sentences differ, the
/// more cautious one counts.
@Suite struct FixValidityTests {
  fileprivate static let place = "3751.6512,S,14507.3604,E"
  fileprivate static func rmc(_ status: String, _ mode: String = "") -> String {
    "GPRMC,081836,\(status),\(place),22.40,309.6,130926,,,\(mode)"
  }
  fileprivate static func gga(_ quality: String, satellites: String = "09", altitude: String = "88.4") -> String {
    "GPGGA,081836,\(place),\(quality),\(satellites),0.9,\(altitude),M,-3.2,M,,"
  }
  fileprivate static func gll(_ status: String, _ mode: String = "A") -> String {
    "GPGLL,\(place),081836,\(status),\(mode)"
  }
  fileprivate static func gns(_ modes: String) -> String { "GNGNS,081836,\(place),\(modes),14,0.7,88.4,-3.2,," }
  fileprivate static func gsa(_ mode: Int) -> String { "GPGSA,A,\(mode),02,05,07,13,,,,,,,,,1.8,0.9,1.5" }

  @Test(arguments: [
    FixValidityTests.rmc("V"), FixValidityTests.rmc("V", "N"), FixValidityTests.rmc("V", "A"),
    FixValidityTests.rmc("A", "N"), FixValidityTests.gga("0"), FixValidityTests.gll("V", "N"),
    FixValidityTests.gll("A", "N"), FixValidityTests.gns("NN"), FixValidityTests.gns("N"),
    FixValidityTests.gga(""), FixValidityTests.gll("", ""),
  ])
  func no_position_when_the_receiver_says_that_there_is_no_fix(_ body: String) throws {
    let fix = try #require(Stream.reading(body).onlyFix)
    #expect(fix.type == .none)
    #expect(fix.latitude == nil && fix.longitude == nil && fix.altitude == nil && fix.hdop == nil)
    #expect(fix.time?.hour == 8)
  }

  @Test(arguments: [FixValidityTests.rmc("V"), FixValidityTests.gga("0"), FixValidityTests.gll("V", "N")])
  func speed_and_course_go_with_the_fix(_ denial: String) throws {
    let fix = try #require(
      Stream.reading(FixValidityTests.rmc("A", "A"), denial, "GPVTG,309.6,T,,M,22.40,N,41.48,K,A").onlyFix)
    #expect(fix.speed == nil && fix.course == nil)
  }

  @Test(arguments: [
    [FixValidityTests.rmc("V"), FixValidityTests.gga("1")],
    [FixValidityTests.gga("1"), FixValidityTests.rmc("V", "N")],
    [FixValidityTests.gga("0"), FixValidityTests.rmc("A", "A")],
    [FixValidityTests.gll("V", "N"), FixValidityTests.gga("2"), FixValidityTests.rmc("A", "D")],
    [FixValidityTests.rmc("A", "A"), FixValidityTests.gns("NN")],
    [FixValidityTests.gga("1"), FixValidityTests.rmc("A", "A"), FixValidityTests.gsa(1)],
    [FixValidityTests.gga("8"), FixValidityTests.rmc("A", "A")],
  ])
  func a_sentence_that_denies_the_fix_outweighs_those_that_affirm_it(_ bodies: [String]) throws {
    let fix = try #require(Stream.reading(bytes: bodies.map(Stream.sentence).joined()).onlyFix)
    #expect(fix.type == .none && fix.latitude == nil)
  }

  @Test(arguments: [
    FixValidityTests.gga("7"), FixValidityTests.gga("8"), FixValidityTests.rmc("A", "S"),
    FixValidityTests.rmc("A", "M"), FixValidityTests.rmc("V", "S"), FixValidityTests.gll("A", "S"),
    FixValidityTests.gll("A", "M"), FixValidityTests.gns("SS"), FixValidityTests.gns("M"),
  ])
  func simulator_and_manual_input_are_never_a_position(_ body: String) throws {
    let fix = try #require(Stream.reading(body, FixValidityTests.gsa(3)).onlyFix)
    #expect(fix.type == .none)
    #expect(fix.latitude == nil && fix.altitude == nil && fix.speed == nil && fix.course == nil)
  }

  @Test(arguments: [
    [FixValidityTests.gga("6")], [FixValidityTests.rmc("A", "E")], [FixValidityTests.gll("A", "E")],
    [FixValidityTests.gns("E")], [FixValidityTests.gga("6"), FixValidityTests.rmc("V", "E")],
    [FixValidityTests.gga("6"), FixValidityTests.gsa(1)],
    [FixValidityTests.gga("1"), FixValidityTests.rmc("A", "E")],
  ])
  func dead_reckoning_is_an_estimate_with_position(_ bodies: [String]) throws {
    let fix = try #require(Stream.reading(bytes: bodies.map(Stream.sentence).joined()).onlyFix)
    #expect(fix.type == .estimated)
    #expect(fix.latitude == -(37 + 51.6512 / 60))
  }

  @Test(
    arguments: [
      ([FixValidityTests.gga("4")], FixType.rtkFixed), ([FixValidityTests.gga("5")], .rtkFloat),
      ([FixValidityTests.gga("2")], .dgps), ([FixValidityTests.gga("9")], .dgps),
      ([FixValidityTests.rmc("A", "R")], .rtkFixed), ([FixValidityTests.rmc("A", "F")], .rtkFloat),
      ([FixValidityTests.rmc("A", "D")], .dgps),
      ([FixValidityTests.gns("RA")], .rtkFixed), ([FixValidityTests.gns("AF")], .rtkFloat),
      ([FixValidityTests.gns("NDN")], .dgps),
      ([FixValidityTests.gga("5"), FixValidityTests.rmc("A", "R")], .rtkFixed),
      ([FixValidityTests.gga("4"), FixValidityTests.rmc("A", "D")], .rtkFixed),
      ([FixValidityTests.gga("2"), FixValidityTests.rmc("A", "F")], .rtkFloat),
      ([FixValidityTests.gga("2"), FixValidityTests.gsa(2)], .dgps),
      ([FixValidityTests.gga("1"), FixValidityTests.gsa(2)], .twoD),
      ([FixValidityTests.gga("1"), FixValidityTests.gsa(3)], .threeD),
      ([FixValidityTests.gga("3"), FixValidityTests.gsa(3)], .threeD),
      ([FixValidityTests.rmc("A", "P"), FixValidityTests.gsa(3)], .threeD),
      ([FixValidityTests.rmc("A", "A"), FixValidityTests.gsa(2)], .twoD),
    ] as [([String], FixType)])
  func the_strongest_claim_determines_the_fix_type(_ bodies: [String], _ type: FixType) throws {
    #expect(try #require(Stream.reading(bytes: bodies.map(Stream.sentence).joined()).onlyFix).type == type)
  }

  @Test(
    arguments: [
      (FixValidityTests.gga("1", satellites: "04"), FixType.threeD),
      (FixValidityTests.gga("1", satellites: "03"), .twoD),
      (FixValidityTests.gga("1", altitude: ""), .twoD),
      (FixValidityTests.gga("1", satellites: ""), .twoD), (FixValidityTests.rmc("A", "A"), .twoD),
      (FixValidityTests.gll("A"), .twoD),
    ] as [(String, FixType)])
  func without_gsa_altitude_and_four_satellites_make_three_dimensions(_ body: String, _ type: FixType) throws {
    #expect(try #require(Stream.reading(body).onlyFix).type == type)
  }

  @Test func one_constellation_without_a_fix_does_not_affect_the_others() throws {
    let bodies = [FixValidityTests.gga("1"), FixValidityTests.gsa(3), "GLGSA,A,1,,,,,,,,,,,,,,,"]
    let fix = try #require(Stream.reading(bytes: bodies.map(Stream.sentence).joined()).onlyFix)
    #expect(fix.type == .threeD && fix.latitude != nil)
  }

  @Test func names_are_those_of_the_records() {
    let types: [FixType] = [.none, .twoD, .threeD, .dgps, .rtkFloat, .rtkFixed, .estimated]
    let names = types.map { "\($0.name)" }
    #expect(names == ["none", "2d", "3d", "dgps", "rtkFloat", "rtkFixed", "estimated"])
  }
}
