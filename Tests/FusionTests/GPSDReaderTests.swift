import Fusion
import NMEAWire
import Testing

/// Reports of gpsd in the format of gpsd_json(5) of version 3.22.
@Suite struct GPSDReaderTests {
  private struct Found: GPSDHandler {
    var fixes: [Fix] = []
    var notices: [GPSDNotice] = []
    mutating func fix(_ fix: Fix) { fixes.append(fix) }
    mutating func handle(_ notice: GPSDNotice) { notices.append(notice) }
  }

  private func read(_ lines: String..., chunk: Int = .max) -> Found {
    var found = Found()
    var reader = GPSDReader()
    let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    var start = 0
    while start < bytes.count {
      let end = start + min(chunk, bytes.count - start)
      reader.receive(bytes.span.extracting(start..<end), into: &found)
      start = end
    }
    return found
  }

  private static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
  private static let sky =
    #"{"class":"SKY","device":"/dev/ttyACM0","xdop":0.54,"hdop":0.94,"nSat":14,"uSat":9,"satellites":[{"PRN":5,"el":3.0,"used":true}]}"#
  private static let position =
    #"{"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"2026-05-04T10:00:01.250Z","ept":0.005,"lat":53.361336667,"lon":-6.505620000,"altHAE":116.900,"altMSL":61.700,"track":31.6600,"speed":10.500,"climb":0.000,"eph":14.630}"#

  @Test(arguments: [Int.max, 1, 7])
  func a_gpsd_report_is_a_fix_with_the_data_of_the_last_sky_report(chunk: Int) throws {
    let found = read(Self.version, Self.sky, Self.position, chunk: chunk)
    #expect(found.notices == [.version("3.22")])
    let fix = try #require(found.fixes.first)
    #expect(found.fixes.count == 1)
    #expect(fix.type == .dgps && fix.latitude == 53.361336667 && fix.longitude == -6.50562)
    #expect(fix.altitude == 61.7 && fix.course == 31.66 && fix.hdop == 0.94 && fix.satellites == 9)
    #expect(abs((fix.speed ?? 0) - 37.8) < 1e-9)
    #expect(fix.date == CalendarDate(year: 2026, month: 5, day: 4))
    #expect(fix.time == TimeOfDay(hour: 10, minute: 0, second: 1, nanosecond: 250_000_000))
  }

  @Test(arguments: [
    (#""mode":0"#, FixType.none), (#""mode":1"#, .none), (#""mode":2"#, .twoD), (#""mode":3"#, .threeD),
    (#""mode":3,"status":1"#, .threeD), (#""mode":3,"status":3"#, .rtkFixed), (#""mode":3,"status":4"#, .rtkFloat),
    (#""mode":3,"status":5"#, .estimated), (#""mode":3,"status":6"#, .estimated), (#""mode":3,"status":8"#, .none),
  ])
  func mode_and_status_of_gpsd_determine_the_fix_type(_ words: String, _ type: FixType) throws {
    let fix = try #require(read(#"{"class":"TPV",\#(words),"lat":48.0,"lon":11.0}"#).fixes.first)
    #expect(fix.type == type)
    #expect((fix.latitude == nil) == (type == .none))
  }

  @Test func a_gpsd_report_without_a_position_gives_no_fix() throws {
    let fix = try #require(read(#"{"class":"TPV","mode":3,"lat":48.0}"#).fixes.first)
    #expect(fix.type == .none && fix.latitude == nil)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"class":"TPV","mode":"three"}"#, #"{"class":"TPV","mode":3,"lat":91,"lon":0}"#,
    #"{"class":"TPV","mode":3,"lat":1,"lon":0,"time":"2026-13-01T00:00:00Z"}"#,
    #"{"class":"TPV","mode":3,"lat":1,"lon":0,"time":"yesterday"}"#, "$GPRMC,081836,A,3751.65,S*00", #"{"mode":3}"#,
  ])
  func a_gpsd_report_that_violates_its_documentation_gives_no_fix(_ line: String) {
    let found = read(line, Self.position)
    #expect(found.fixes.count == 1)
    #expect(found.notices == (line.isEmpty ? [] : [.malformed]))
  }

  @Test func a_gpsd_line_without_an_end_is_limited() {
    var found = Found()
    var reader = GPSDReader()
    let bytes = [UInt8](repeating: 0x41, count: 1 << 16)
    for _ in 0..<100 { reader.receive(bytes.span, into: &found) }
    reader.receive(Array("\n\(Self.position)\n".utf8).span, into: &found)
    #expect(found.notices == [.malformed] && found.fixes.count == 1)
  }

  @Test func errors_of_gpsd_are_delivered() {
    #expect(
      read(#"{"class":"ERROR","message":"Unrecognized request '?WATH'"}"#).notices == [
        .error("Unrecognized request '?WATH'")
      ])
  }

  @Test func two_receivers_of_one_gpsd_do_not_alternate() {
    func report(_ device: Int, mode: Int) -> String {
      #"{"class":"TPV","device":"/dev/ttyACM\#(device)","mode":\#(mode),"lat":\#(device),"lon":11}"#
    }
    let both = read(report(0, mode: 3), report(1, mode: 3), report(0, mode: 3), report(1, mode: 3))
    #expect(both.fixes.map(\.latitude) == [0, 0])
    // A receiver without a fix is replaced, and so is one that sends nothing.
    let second = read(report(0, mode: 1), report(1, mode: 3), report(0, mode: 1), report(1, mode: 3))
    #expect(second.fixes.map(\.latitude) == [nil, 1, 1])
    var lines = [report(0, mode: 3)]
    for _ in 0..<6 { lines.append(report(1, mode: 3)) }
    var found = Found()
    var reader = GPSDReader()
    reader.receive(Array(lines.map { $0 + "\n" }.joined().utf8).span, into: &found)
    #expect(found.fixes.map(\.latitude) == [0, 1, 1])
  }
}
