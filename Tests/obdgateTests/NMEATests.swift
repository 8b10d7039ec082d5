import Foundation
import TestKit
import Testing

/// `nmea`: sentences are the input, fixes the output.
@Suite struct NMEATests {
  static let gga = "GPGGA,100000.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,"
  static let rmc = "GPRMC,100000.00,A,4807.0380,N,01131.0000,E,022.4,084.4,040526,,,A"
  static let gsa = "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1"

  /// Returns a sentence with its checksum.
  static func sentence(_ body: String) -> String {
    let digits = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }

  /// Returns the fixes of sentences that are all valid.
  private func fixes(_ bodies: String...) throws -> [PrintedJSON] {
    let result = try obdgate("nmea", text: bodies.map(Self.sentence).joined())
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let fixes = try PrintedJSON.lines(result.output)
    #expect(fixes.allSatisfy { $0.holdsNoNull })
    return fixes
  }

  private func quality(_ quality: String) -> String { Self.gga.replacing(",E,1,", with: ",E,\(quality),") }
  private func mode(_ mode: String) -> String { Self.rmc.dropLast() + mode }

  @Test func an_epoch_is_one_line_with_all_that_its_sentences_say() throws {
    let found = try fixes(Self.rmc, Self.gga, Self.gsa)
    let expected: PrintedJSON = [
      "timestamp": "2026-05-04T10:00:00.000Z", "fixType": "3d", "latitude": 48.1173, "longitude": 11.516666667,
      "altitude": 545.4, "gpsSpeed": 41.4848, "heading": 84.4, "hdop": 0.9, "satellites": 8,
    ]
    #expect(found.count == 1)
    #expect(found.first?.isClose(to: expected) == true, "\(found)")
  }

  @Test func each_second_is_an_epoch_of_its_own() throws {
    let found = try fixes(
      Self.rmc, Self.gga, Self.rmc.replacing("100000", with: "100001"), Self.gga.replacing("100000", with: "100001"),
      Self.rmc.replacing("100000", with: "100002"))
    #expect(
      found.map { $0["timestamp"] } == [
        "2026-05-04T10:00:00.000Z", "2026-05-04T10:00:01.000Z", "2026-05-04T10:00:02.000Z",
      ])
  }

  @Test func south_and_west_are_negative() throws {
    let fix = try #require(
      try fixes("GNRMC,133700.25,A,3355.1310,S,01825.3944,W,25.000,135.50,120326,,,A", "GNHDT,123.4,T").first)
    #expect(fix["latitude"]?.isClose(to: -33.91885) == true)
    #expect(fix["longitude"]?.isClose(to: -18.42324) == true)
    #expect(fix["gpsSpeed"]?.isClose(to: 46.3) == true)
    #expect(fix["timestamp"] == "2026-03-12T13:37:00.250Z")
    #expect(fix["heading"] == 135.5)
    #expect(fix["trueHeading"] == 123.4)
  }

  @Test(arguments: ["0", "7", "8"]) func qualities_that_are_no_fix_have_no_position(quality: String) throws {
    for bodies in [
      [self.quality(quality)], [self.quality(quality), Self.rmc, Self.gsa], [Self.rmc, self.quality(quality)],
    ] {
      let found = try PrintedJSON.lines(
        try obdgate("nmea", text: bodies.map(Self.sentence).joined()).output)
      #expect(found.map { $0["fixType"] } == ["none"])
      noPosition(found)
    }
  }

  @Test(arguments: ["S", "M", "N"]) func modes_that_are_no_fix_have_no_position(mode: String) throws {
    noPosition(try fixes(self.mode(mode), Self.gsa))
    noPosition(try fixes(Self.gga, self.mode(mode)))
    noPosition(try fixes("GPGLL,4807.0380,N,01131.0000,E,100000.00,A,\(mode)"))
    noPosition(try fixes("GNGNS,100000.00,4807.0380,N,01131.0000,E,\(mode)\(mode),12,0.5,545.4,46.9,,"))
  }

  @Test func a_sentence_that_calls_itself_invalid_has_no_position() throws {
    noPosition(try fixes(Self.rmc.replacing(",A,4807", with: ",V,4807").dropLast() + "N"))
    noPosition(try fixes("GPGLL,4807.0380,N,01131.0000,E,100000.00,V,N"))
    noPosition(try fixes("GPGGA,100000.00,,,,,0,00,99.99,,,,,,"))
  }

  private func noPosition(_ fixes: [PrintedJSON]) {
    #expect(fixes.count == 1)
    for fix in fixes {
      #expect(fix["fixType"] == "none")
      for key in ["latitude", "longitude", "altitude"] { #expect(fix[key] == nil) }
    }
  }

  @Test func dead_reckoning_is_estimated_with_its_position() throws {
    for found in [
      try fixes(quality("6"), Self.gsa), try fixes(mode("E"), Self.gsa),
      try fixes(quality("6"), mode("E"), Self.gsa.replacing(",A,3,", with: ",A,1,")),
    ] {
      #expect(found.map { $0["fixType"] } == ["estimated"])
      #expect(found.first?["latitude"]?.isClose(to: 48.1173) == true)
    }
  }

  @Test func the_strongest_claim_names_the_fix() throws {
    #expect(try fixes(quality("4"), mode("F"), Self.gsa).map { $0["fixType"] } == ["rtkFixed"])
    #expect(try fixes(quality("5"), mode("D"), Self.gsa).map { $0["fixType"] } == ["rtkFloat"])
    #expect(try fixes(quality("2"), mode("A"), Self.gsa).map { $0["fixType"] } == ["dgps"])
    #expect(try fixes(quality("1"), mode("A"), Self.gsa).map { $0["fixType"] } == ["3d"])
    #expect(try fixes(quality("1"), Self.gsa.replacing(",A,3,", with: ",A,2,")).map { $0["fixType"] } == ["2d"])
    #expect(
      try fixes("GNGNS,100000.00,4807.0380,N,01131.0000,E,RF,12,0.5,545.4,46.9,,").map { $0["fixType"] } == ["rtkFixed"]
    )
  }

  @Test func without_gsa_altitude_and_four_satellites_make_it_3d() throws {
    #expect(try fixes(Self.gga, Self.rmc).map { $0["fixType"] } == ["3d"])
    #expect(try fixes(Self.gga.replacing(",08,", with: ",04,"), Self.rmc).map { $0["fixType"] } == ["3d"])
    #expect(try fixes(Self.gga.replacing(",08,", with: ",03,"), Self.rmc).map { $0["fixType"] } == ["2d"])
    #expect(try fixes(Self.gga.replacing("545.4", with: ""), Self.rmc).map { $0["fixType"] } == ["2d"])
    #expect(try fixes(Self.rmc).map { $0["fixType"] } == ["2d"])
  }

  @Test func a_date_not_known_leaves_the_time_of_day() throws {
    let fix = try #require(try fixes(Self.gga, Self.gsa).first)
    #expect(fix["timestamp"] == nil)
    #expect(fix["timeOfDay"]?.text?.hasPrefix("10:00:00") == true)
    let none = try #require(try fixes("GPGGA,,,,,,0,00,99.99,,,,,,").first)
    #expect(none["timestamp"] == nil)
    #expect(none["timeOfDay"] == nil)
    #expect(none["fixType"] == "none")
  }

  @Test func dates_are_read_as_they_stand() throws {
    func date(_ text: String) throws -> String {
      try fixes(Self.rmc.replacing("040526", with: text)).first?["timestamp"]?.text ?? ""
    }
    #expect(try date("040599").hasPrefix("1999-05-04"))
    #expect(try date("040580").hasPrefix("1980-05-04"))
    #expect(try date("040579").hasPrefix("2079-05-04"))
    #expect(try date("290224").hasPrefix("2024-02-29"))
    let zda = "GPZDA,100000.00,05,05,2026,00,00"
    #expect(try fixes(Self.rmc, zda).first?["timestamp"] == "2026-05-05T10:00:00.000Z")
    #expect(try fixes(zda, Self.rmc).first?["timestamp"] == "2026-05-05T10:00:00.000Z")
  }

  @Test func a_leap_second_is_a_second() throws {
    let leap = Self.rmc.replacing("100000", with: "235960").replacing("040526", with: "311216")
    let after = Self.rmc.replacing("100000", with: "000000").replacing("040526", with: "010117")
    #expect(
      try fixes(leap, after).map { $0["timestamp"] } == ["2016-12-31T23:59:60.000Z", "2017-01-01T00:00:00.000Z"])
  }

  @Test func bytes_between_nmea_sentences_are_skipped() throws {
    let text =
      "\u{B5}\u{62}\u{01}\u{07}\u{00}boot v1.2\r\n!AIVDM,1,1,,A,15M67F,0*12\r\n" + Self.sentence(Self.gga)
      + "$PMTK001,0*2A\r\n$GPG"
      + Self.sentence(Self.rmc)
    let result = try obdgate("nmea", text: text)
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).map { $0["timestamp"] } == ["2026-05-04T10:00:00.000Z"])
  }

  @Test func rejected_sentences_are_counted_by_reason() throws {
    let wrong = "$" + Self.rmc + "*00\r\n"
    let result = try obdgate("nmea", text: Self.sentence(Self.gga) + wrong + wrong)
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).count == 1)
    #expect(result.errors.contains("checksumMismatch 2"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    "GPGGA,250000.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
    "GPGGA,100000.00,9107.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
    "GPGGA,100000.00,4860.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
    "GPRMC,100000.00,A,4807.0380,N,18131.0000,E,022.4,084.4,040526,,,A",
    "GPRMC,100000.00,A,4807.0380,N,01131.0000,E,022.4,084.4,300226,,,A",
    "GPRMC,100000.00,A,4807.0380,X,01131.0000,E,022.4,084.4,040526,,,A",
  ])
  func impossible_fields_are_refused_though_the_checksum_holds(body: String) throws {
    let result = try obdgate(
      "nmea", text: Self.sentence(Self.gga.replacing("100000", with: "095959")) + Self.sentence(body))
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).map { $0["timeOfDay"]?.text?.prefix(8) } == ["09:59:59"])
    #expect(!result.errors.isEmpty)
  }

  @Test func sentences_damaged_on_real_lines_are_refused() throws {
    let rows = try TestData.objects("nmea/corrupt.jsonl")
    #expect(rows.count == 14)
    for row in rows {
      let text = try #require(row["raw"] as? String)
      let result = try obdgate("nmea", text: text + "\r\n")
      let hasPosition = try PrintedJSON.lines(result.output).contains { $0["latitude"] != nil }
      let accepts = (row["expect"] as? String)?.hasPrefix("accept") == true
      #expect(hasPosition == accepts, "\(text)")
      if !accepts { #expect(!result.errors.isEmpty, "\(text)") }
    }
  }

  @Test func a_file_is_read_as_its_bytes_on_a_pipe_are() throws {
    let scratch = try ScratchFolder()
    let text = [Self.rmc, Self.gga, Self.gsa].map(Self.sentence).joined()
    let path = try scratch.write("drive.nmea", text)
    let piped = try obdgate("nmea", text: text)
    #expect(try obdgate(["nmea", path]).stdout == piped.stdout)
    #expect(try obdgate("nmea", "-", text: text).stdout == piped.stdout)
  }

  @Test func bad_input_has_its_exit_status() throws {
    let scratch = try ScratchFolder()
    for (text, status) in [
      ("", 65), ("hello\nworld\n", 65), (String(repeating: "\u{0}\u{FF}\u{7F}ELF", count: 99), 65),
    ] {
      let result = try obdgate("nmea", text: text)
      #expect(result.status == Int32(status))
      #expect(result.stdout.isEmpty)
      #expect(!result.errors.isEmpty)
    }
    #expect(try obdgate(["nmea", scratch.path]).status == 66)
    #expect(try obdgate(["nmea", scratch.file("none.nmea")]).status == 66)
    #expect(try obdgate(["nmea", "a", "b"]).status == 64)
  }
}
