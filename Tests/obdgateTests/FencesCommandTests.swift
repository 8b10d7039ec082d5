import Foundation
import Glibc
import TestKit
import Testing

/// `fences`: fixes are the input, events the output.
@Suite struct FencesCommandTests {
  /// A square around 48 N, 11 E: 0.002 degrees to each side.
  private static let square = """
    {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"yard","name":"Yard","dwellSeconds":5},
    "geometry":{"type":"Polygon","coordinates":[[[10.998,47.998],[11.002,47.998],[11.002,48.002],[10.998,48.002],
    [10.998,47.998]]]}}]}
    """

  /// A drive from west to east at 22 m/s, with a fix each second as `nmea` writes it.
  private static func drive(_ seconds: ClosedRange<Int> = 0...39) -> String {
    seconds.map { second in
      let clock = "10:00:\(second < 10 ? "0" : "")\(second).000Z"
      return
        #"{"timestamp":"2026-05-04T\#(clock)","fixType":"3d","latitude":48,"longitude":\#(10.994 + 0.0003 * Double(second)),"gpsSpeed":80,"hdop":0.9}"#
        + "\n"
    }.joined()
  }

  private func run(_ fences: String, _ fixes: String, _ options: [String] = []) throws -> Tool.Result {
    let scratch = try ScratchFolder()
    let path = try scratch.write("fences.geojson", fences)
    return try obdgate(["fences", path] + options, stdin: bytes(fixes))
  }

  @Test func a_drive_through_a_fence_is_enter_dwell_and_exit() throws {
    let result = try run(Self.square, Self.drive())
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let lines = try PrintedJSON.lines(result.output)
    #expect(lines.map { $0["event"] } == ["enter", "dwell", "exit"])
    let enter: PrintedJSON = [
      "type": "geofence", "timestamp": "2026-05-04T10:00:14.000Z", "fenceId": "yard", "fenceName": "Yard",
      "event": "enter", "latitude": 48, "longitude": 10.9982,
    ]
    #expect(lines.first?.isClose(to: enter) == true, "\(lines)")
  }

  @Test func a_line_that_is_neither_a_fix_nor_a_record_is_reported() throws {
    let result = try run(Self.square, #"{"a":1}"# + "\n" + Self.drive())
    #expect(result.status == 65)
    #expect(try PrintedJSON.lines(result.output).map { $0["event"] } == ["enter", "dwell", "exit"])
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 2 && errors.last == "obdgate fences: standard input: 1 of 41 lines were no fix")
    #expect(errors.first?.hasPrefix("obdgate fences: line 1: ") == true, "\(result.errors)")
    // A record without a position is none of them.
    let records = try run(Self.square, #"{"type":"vehicle","vin":"1D4GP00RX5B123456"}"# + "\n")
    #expect(records.status == 0 && records.errors.isEmpty)
  }

  /// One vehicle drives through the fence while another one is parked in it, and their fixes alternate.
  @Test func each_vehicle_is_evaluated_by_itself_and_named() throws {
    let driven = Self.drive().split(separator: "\n").map {
      $0.replacing("{", with: #"{"vehicleId":"V2","#, maxReplacements: 1)
    }
    let parked = driven.map { line in
      line.replacing("V2", with: "V1").replacing(/"longitude":[0-9.]+/, with: #""longitude":11"#)
        .replacing(#""gpsSpeed":80"#, with: #""gpsSpeed":0"#)
    }
    let alone = try run(Self.square, driven.joined(separator: "\n"))
    let both = try run(Self.square, zip(parked, driven).map { "\($0)\n\($1)\n" }.joined())
    #expect(both.status == 0 && both.errors.isEmpty)
    let events = try PrintedJSON.lines(both.output)
    #expect(events.filter { $0["vehicleId"] == "V1" }.map { $0["event"] } == ["dwell"])
    let ofDriven = events.filter { $0["vehicleId"] == "V2" }
    #expect(ofDriven.map { $0["event"] } == ["enter", "dwell", "exit"])
    #expect(ofDriven == (try PrintedJSON.lines(alone.output)))
    let announced = try run(Self.square, zip(parked, driven).map { "\($0)\n\($1)\n" }.joined(), ["--announce-first"])
    #expect(try PrintedJSON.lines(announced.output).first?["vehicleId"] == "V1")
  }

  @Test func nmea_gives_the_same_events_as_the_lines_made_of_it() throws {
    let sentences = (0...39).map { second in
      let longitude = 10.994 + 0.0003 * Double(second)
      let text = String(format: "%03.0f%07.4f", longitude.rounded(.down), (longitude - longitude.rounded(.down)) * 60)
      return NMEATests.sentence(
        "GPRMC,1000\(second < 10 ? "0" : "")\(second).00,A,4800.0000,N,\(text),E,043.2,090.0,040526,,,A")
    }.joined()
    let direct = try run(Self.square, sentences)
    #expect(direct.status == 0)
    #expect(try PrintedJSON.lines(direct.output).map { $0["event"] } == ["enter", "dwell", "exit"])
    let fixes = try obdgate("nmea", text: sentences).output
    #expect(try run(Self.square, fixes).output == direct.output)
  }

  @Test func a_file_of_fixes_is_read_as_standard_input_is() throws {
    let scratch = try ScratchFolder()
    let fences = try scratch.write("fences.geojson", Self.square)
    let fixes = try scratch.write("drive.jsonl", Self.drive())
    let named = try obdgate(["fences", fences, fixes])
    #expect(named.status == 0)
    #expect(named.stdout == (try run(Self.square, Self.drive())).stdout)
    #expect(try obdgate(["fences", "-", fixes], stdin: bytes(Self.square)).stdout == named.stdout)
  }

  @Test func the_first_fix_is_reported_only_on_request() throws {
    #expect(try run(Self.square, Self.drive(20...22)).output.isEmpty)
    let told = try PrintedJSON.lines(try run(Self.square, Self.drive(20...22), ["--announce-first"]).output)
    #expect(told.map { $0["event"] } == ["enter"])
  }

  @Test func the_speed_of_the_vehicle_says_that_it_stands() throws {
    let standing = Self.drive().replacing(#""gpsSpeed":80"#, with: #""gpsSpeed":80,"speed":0"#)
    #expect(try run(Self.square, standing).output.isEmpty)
  }

  @Test func a_fence_crossed_between_two_fixes_is_told_with_times_between() throws {
    let gate = Self.square.replacing("10.998", with: "10.9999").replacing("11.002", with: "11.0001")
    let fixes = Self.drive(18...18) + Self.drive(22...22)
    let lines = try PrintedJSON.lines(try run(gate, fixes).output)
    #expect(lines.map { $0["event"] } == ["enter", "exit"])
    #expect(lines.map { $0["timestamp"] } == ["2026-05-04T10:00:19.666Z", "2026-05-04T10:00:20.333Z"])
  }

  @Test func without_a_date_the_time_of_day_stands_for_the_timestamp() throws {
    let fixes = Self.drive().replacing("\"timestamp\":\"2026-05-04T", with: "\"timeOfDay\":\"")
    let lines = try PrintedJSON.lines(try run(Self.square, fixes).output)
    #expect(lines.map { $0["timeOfDay"] } == ["10:00:14.000Z", "10:00:19.000Z", "10:00:27.000Z"])
    #expect(lines.allSatisfy { $0["timestamp"] == nil })
  }

  @Test func midnight_without_a_date_is_one_second_like_others() throws {
    let fixes = Self.drive().replacing("\"timestamp\":\"2026-05-04T", with: "\"timeOfDay\":\"")
    let late = fixes.split(separator: "\n").enumerated().map { index, line in
      let second = (86_400 - 16 + index) % 86_400
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
      return line.replacing(/\d\d:\d\d:\d\d/, with: clock)
    }.joined(separator: "\n")
    let lines = try PrintedJSON.lines(try run(Self.square, late).output)
    #expect(lines.map { $0["timeOfDay"] } == ["23:59:58.000Z", "00:00:03.000Z", "00:00:11.000Z"])
  }

  @Test func lines_without_a_position_are_ignored() throws {
    let gaps = Self.drive().split(separator: "\n").flatMap { [String($0), #"{"fixType":"none"}"#] }
    let result = try run(Self.square, gaps.joined(separator: "\n"))
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).count == 3)
  }

  @Test func a_line_that_is_not_a_fix_is_reported_and_omitted() throws {
    for bad in [
      "{\"latitude\":91,\"longitude\":11}", "{\"latitude\":48}", "{", "[]", "{\"timestamp\":\"soon\"}",
      "{\"latitude\":\"48\",\"longitude\":11}",
    ] {
      let result = try run(Self.square, Self.drive(0...9) + bad + "\n" + Self.drive(10...39))
      #expect(result.status == 65)
      #expect(result.errors.contains("obdgate fences: line 11: "), "\(result.errors)")
      #expect(try PrintedJSON.lines(result.output).count == 3)
    }
  }

  @Test func bad_fences_are_one_line_that_names_the_feature() throws {
    let open = Self.square.replacing(",\n[10.998,47.998]]]", with: "]]")
    let result = try run(open, Self.drive())
    #expect(result.status == 65)
    #expect(result.stdout.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains("feature 0 \"yard\""), "\(result.errors)")
    #expect(result.errors.contains("first position again"), "\(result.errors)")
  }

  @Test func bad_input_has_its_exit_status() throws {
    let scratch = try ScratchFolder()
    let fences = try scratch.write("fences.geojson", Self.square)
    #expect(try obdgate(["fences", fences], stdin: []).status == 65)
    #expect(try obdgate(["fences", fences], stdin: bytes("hello\nworld\n")).status == 65)
    #expect(try obdgate(["fences", fences, scratch.file("none")]).status == 66)
    #expect(try obdgate(["fences", scratch.file("none"), fences]).status == 66)
    #expect(try obdgate(["fences", scratch.path, fences]).status == 66)
    #expect(try obdgate(["fences"]).status == 64)
    #expect(try obdgate(["fences", "-"]).status == 64)
    #expect(try obdgate(["fences", fences, "-", "more"]).status == 64)
    // As large as the daemon accepts, and one byte more. The file has no blocks on the disk.
    let large = try scratch.write("large.geojson", "")
    #expect(unsafe truncate(large, (512 << 20) + 1) == 0)
    let refused = try obdgate(["fences", large], stdin: [])
    #expect(refused.status == 65 && refused.errors.contains("larger than 536870912 bytes"), "\(refused.errors)")
  }

  /// Fences whose edges run through the position of a real receiver: its noise causes no repeated entries and exits.
  @Test func a_real_receiver_that_stands_on_an_edge_does_not_flap() throws {
    let folder = try TestData.path("nmea")
    let logs = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".log") }.sorted()
    var standing = 0
    for log in logs {
      let fixes = try PrintedJSON.lines(try obdgate(["nmea", folder + "/" + log]).output).filter {
        $0["latitude"] != nil
      }
      let speeds = fixes.compactMap { $0["gpsSpeed"]?.number }
      // The vehicle is parked: its receiver reports a speed in nearly every fix, but usually that it is stationary.
      guard fixes.count >= 20, speeds.count * 10 >= fixes.count * 9 else { continue }
      guard speeds.filter({ $0 >= 1.5 }).count * 20 < speeds.count else { continue }
      let middle = try #require(fixes[fixes.count / 2]["latitude"]?.number)
      let longitude = try #require(fixes[fixes.count / 2]["longitude"]?.number)
      // The southern edge runs through a fix in the middle of the log.
      let fences = """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Polygon",
        "coordinates":[[[\(longitude - 0.1),\(middle)],[\(longitude + 0.1),\(middle)],[\(longitude + 0.1),\(middle + 0.1)],
        [\(longitude - 0.1),\(middle + 0.1)],[\(longitude - 0.1),\(middle)]]]}}]}
        """
      let scratch = try ScratchFolder()
      let path = try scratch.write("fences.geojson", fences)
      let result = try obdgate(["fences", path, folder + "/" + log])
      #expect(result.status == 0, "\(log): \(result.errors)")
      #expect(result.output.isEmpty, "\(log): \(result.output)")
      standing += 1
    }
    #expect(standing >= 15, "\(standing) logs of parked receivers")
  }

  /// Neither a check nor the parsing of a fix allocates memory: a hundred times as many fixes need no more allocations.
  @Test func more_fixes_allocate_nothing_more() throws {
    let program = try Tool.releaseObdgate
    let scratch = try ScratchFolder()
    var features: [String] = []
    for index in 0..<1_000 {
      let east = 11 + Double(index % 40) * 0.01
      let north = 48 + Double(index / 40) * 0.01
      features.append(
        #"{"type":"Feature","properties":{"id":"\#(index)","radius":300,"notifyOnEntry":false,"notifyOnExit":false},"geometry":{"type":"Point","coordinates":[\#(east),\#(north)]}}"#
      )
    }
    let fences = try scratch.write(
      "fences.geojson", #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#)
    /// Drives back and forth through the fences for a number of hours, at 20 m/s.
    func log(_ hours: Int) throws -> String {
      var text = ""
      for second in 0..<(3_600 * hours) {
        let way = Double(abs(second % 3_600 - 1_800)) * 0.0002
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { String(format: "%02d", $0) }.joined()
        let position = String(format: "48%07.4f,N,011%07.4f,E", way * 30, way * 60)
        text += NMEATests.sentence("GPRMC,\(clock).00,A,\(position),038.9,090.0,040526,,,A")
      }
      return try scratch.write("\(hours).nmea", text)
    }
    let short = try MeasuredRun.of(program, ["fences", fences, try log(1)])
    let long = try MeasuredRun.of(program, ["fences", fences, try log(20)])
    #expect(short.result.status == 0 && long.result.status == 0, "\(long.result.errors)")
    #expect(long.allocations - short.allocations < 32, "\(short.allocations) → \(long.allocations)")
  }

  // MARK: replay --fences

  /// Returns a capture of the same drive, with the vehicle's own speed and a receiver.
  private static func capture(speed: Int) -> String {
    var lines = ["# obdgate-capture 1", "# recorded: 2026-05-04T10:00:00Z"]
    for second in 0...39 {
      let longitude = 10.994 + 0.0003 * Double(second)
      let text = String(format: "%03.0f%07.4f", longitude.rounded(.down), (longitude - longitude.rounded(.down)) * 60)
      let body = String(format: "GPRMC,1000%02d.00,A,4800.0000,N,%@,E,043.2,090.0,040526,,,A", second, text)
      let sentence = NMEATests.sentence(body).trimmingCharacters(in: .whitespacesAndNewlines)
      lines.append(String(format: "%d.100000 > 010D\\r", second))
      lines.append(String(format: "%d.150000 < 7E8 03 41 0D %02X \\r\\r>", second, speed))
      lines.append(String(format: "%d.200000 g %@\\r\\n", second, sentence))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func replay(_ capture: String, fences: String) throws -> Tool.Result {
    let scratch = try ScratchFolder()
    let file = try scratch.write("drive.capture", capture)
    return try obdgate(["replay", "--fences", try scratch.write("fences.geojson", fences), file])
  }

  @Test func a_replay_has_geofence_records() throws {
    let result = try replay(Self.capture(speed: 80), fences: Self.square)
    #expect(result.status == 0, "\(result.errors)")
    let lines = try PrintedJSON.lines(result.output)
    let events = lines.filter { $0["type"] == "geofence" }
    #expect(events.map { $0["event"] } == ["enter", "dwell", "exit"])
    #expect(events.first?["fenceId"] == "yard" && events.first?["gatewayId"] == "replay")
    #expect(lines.map { $0["seq"]?.number } == lines.indices.map { Double($0 + 1) })
  }

  @Test func a_vehicle_whose_wheels_stand_still_passes_no_fence() throws {
    let result = try replay(Self.capture(speed: 0), fences: Self.square)
    #expect(result.status == 0)
    #expect(try PrintedJSON.lines(result.output).allSatisfy { $0["type"] != "geofence" })
  }

  @Test func a_fences_limit_is_held_against_the_vehicles_speed() throws {
    let limited = Self.square.replacingOccurrences(of: #""dwellSeconds":5"#, with: #""dwellSeconds":5,"speedLimit":50"#)
    let lines = try PrintedJSON.lines(try replay(Self.capture(speed: 80), fences: limited).output)
    let overspeed = lines.filter { $0["event"] == "overspeed" }
    #expect(overspeed.count == 1, "\(lines)")
    #expect(overspeed.first?["limit"] == 50)
    let free = try PrintedJSON.lines(try replay(Self.capture(speed: 80), fences: Self.square).output)
    #expect(!free.contains { $0["event"] == "overspeed" })
  }

  @Test func a_replay_with_broken_fences_names_the_feature() throws {
    let broken = Self.square.replacingOccurrences(of: "[11.002,48.002]", with: "[11.002,91]")
    let result = try replay(Self.capture(speed: 80), fences: broken)
    #expect(result.status == 65)
    #expect(result.errors.contains("yard") && result.output.isEmpty, "\(result.errors)")
  }
}
