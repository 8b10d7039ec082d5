import Foundation
import TestKit
import Testing

/// `replay`: the same dialogue in the formats of other programs gives the same values; the format is detected.
@Suite struct ReplayFormatsTests {
  /// Keys that depend on the time, or on which vehicle was identified by then.
  private static let head: Set<String> = [
    "type", "id", "timestamp", "timeQuality", "elapsed", "gatewayId", "vehicleId", "epoch", "seq",
  ]
  private static let position: Set<String> = [
    "latitude", "longitude", "altitude", "heading", "gpsSpeed", "hdop", "satellites", "fixType",
  ]
  /// Keys that a `dtc` record has only while they are recent, which depends on the time.
  private static let ageing: Set<String> = ["mil", "distanceMIL"]
  /// Keys about the bus, which is identified by settings that not every log contains.
  private static let settings: Set<String> = ["protocol"]

  /// Types of records that depend on durations, which some logs do not contain.
  private static let timed: Set<String> = ["trip", "driving"]

  /// The result of a replay: the newest of each value, and the content of the other records.
  private struct Outcome: Equatable {
    var values: [String: PrintedJSON] = [:]
    var others: [PrintedJSON] = []

    init(_ content: [UInt8]) throws {
      let result = try obdgate(["replay", "--every", "86400", "-"], stdin: content)
      #expect(result.status == 0, "\(result.errors)")
      for record in try records(result) {
        if record["type"] == "telemetry" {
          values.merge(record.without(head.union(position)).members) { _, newer in newer }
        } else if !timed.contains(record["type"]?.text ?? "") {
          others.append(record.without(head.subtracting(["type"]).union(ageing).union(settings)))
        }
      }
      others.sort { $0.description < $1.description }
    }
  }

  private func rendering(_ name: String) throws -> CaptureRendering { try CaptureRendering(path: capture(name)) }

  private func expectSame(_ name: String, _ texts: [(String, String)]) throws {
    let content = try [UInt8](Data(contentsOf: URL(fileURLWithPath: capture(name))))
    let expected = try Outcome(content)
    #expect(!expected.values.isEmpty)
    for (format, text) in texts { #expect(try Outcome(bytes(text)) == expected, "\(name) as \(format)") }
  }

  @Test(arguments: captureNames) func logs_with_both_sides_give_the_same(name: String) throws {
    let rendering = try rendering(name)
    try expectSame(
      name,
      [
        ("python-OBD", rendering.pythonOBD), ("python-OBD with times", rendering.pythonOBDWithTimes),
        ("obd2raw", rendering.obd2raw), ("app log", rendering.appLog), ("socat -x", rendering.socatHexadecimal),
        ("raw with echo", rendering.rawWithEcho),
      ])
  }

  @Test(arguments: captureNames.filter { $0 != "clone-noise" })
  func line_ends_and_lost_control_characters_do_not_matter(name: String) throws {
    let rendering = try rendering(name)
    let lines = rendering.rawWithEcho.replacing("\r\n", with: "\r")
    try expectSame(
      name,
      [
        ("socat -v", rendering.socatText), ("raw with CR LF", lines.replacing("\r", with: "\r\n")),
        ("raw with LF", lines.replacing("\r", with: "\n")),
      ])
  }

  /// Only the echo shows that an answer belongs to another request.
  @Test(arguments: captureNames.filter { $0 != "damaged-answers" })
  func an_adapters_side_alone_gives_the_same(name: String) throws {
    try expectSame(name, [("raw without echo", try rendering(name).rawWithoutEcho)])
  }

  @Test(arguments: ["can11-headers", "can29-headers", "dtc-can", "freeze-frame", "monitors", "multi-pid", "obdonuds"])
  func the_frames_of_a_bus_give_the_same(name: String) throws {
    let expected = try Outcome([UInt8](Data(contentsOf: URL(fileURLWithPath: capture(name)))))
    var found = try Outcome(bytes(try rendering(name).candump))
    // No bus carries the voltage that the adapter itself measures.
    found.values["batteryVoltage"] = expected.values["batteryVoltage"]
    #expect(found == expected)
  }

  @Test func a_receivers_sentences_alone_are_a_capture() throws {
    let rendering = try rendering("obd-and-gps")
    let text = rendering.events.filter { $0.direction == "g" }.map(\.text).joined()
    let result = try obdgate("replay", "-", text: text)
    #expect(result.status == 0)
    let all = try records(result)
    let found = all.of("telemetry")
    // The vehicle drives at 46 km/h, which its positions alone show, too.
    let trips = all.of("trip")
    #expect(trips.map { $0["event"] } == ["start", "end"])
    #expect(trips.allSatisfy { $0["distanceSource"] == "gps" })
    #expect(found.count + trips.count == all.count)
    let fixes = try PrintedJSON.lines(try obdgate("nmea", text: text).output)
    #expect(
      found.compactMap { $0["latitude"]?.number } == fixes.compactMap { $0["latitude"]?.number })
    for record in found where record["latitude"] != nil {
      #expect(record["timeQuality"] == "gps")
      #expect(fixes.contains { $0["timestamp"] == record["timestamp"] && $0["latitude"] == record["latitude"] })
    }
  }

  @Test func a_named_format_is_not_guessed() throws {
    let raw = "010C\r41 0C 1A F8 \r\r>"
    let named = try obdgate("replay", "--format", "raw", "-", text: raw)
    #expect(named.stdout == (try obdgate("replay", "-", text: raw)).stdout)
    let wrong = try obdgate("replay", "--format", "candump", "-", text: raw)
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("line 1"))
    #expect(try obdgate("replay", "--format", "morse", "-", text: raw).status == 64)
  }
}
