import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The samples of apps on phones. The expected positions were written from their documentation: OwnTracks has km/h, OsmAnd
/// knots (1.852 km/h), and the others m/s (3.6 km/h).
@Suite struct PhoneFormatsTests {
  private static let now = Timestamp(nanoseconds: 1_790_000_000_000_000_000)

  private static func lines(_ format: PhoneFormat, _ file: String) throws -> [String] {
    lines(try format.report(json: try Sample.bytes("trackers/\(file)"), at: now))
  }

  private static func lines(_ report: PhoneReport) -> [String] {
    report.positions.map { "\($0.time.string) \(JSON.object($0.values).canonicalText)" }
      + report.ignored.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
  }

  @Test(arguments: [
    ("owntracks_traccar_02", #"2017-06-13T10:21:56.000Z {"latitude":48.85833,"longitude":2.29513}"#),
    (
      "owntracks_traccar_03",
      #"2017-06-13T10:21:56.000Z {"accuracy":5,"altitude":167,"gpsSpeed":61,"heading":271,"latitude":48.85833,"#
        + #""longitude":2.29513,"phoneBattery":67}"#
    ),
    (
      "owntracks_traccar_05",
      #"2025-01-06T10:59:29.000Z {"accuracy":5,"altitude":0,"latitude":37,"longitude":-122}"#
    ),
    (
      "owntracks_traccar_06",
      #"2025-01-10T14:26:07.000Z {"accuracy":10,"altitude":1113,"gpsSpeed":0,"heading":113,"latitude":47.420051,"#
        + #""longitude":13.654704}"#
    ),
    (
      "owntracks_schema_location-short",
      "2023-08-19T07:43:00.000Z "
        + #"{"latitude":44.221389,"longitude":6.64635,"phoneBattery":100}"#
    ),
    (
      "owntracks_schema_l2",
      #"2023-11-02T17:52:51.000Z {"altitude":142.4,"gpsSpeed":0,"heading":80,"latitude":53.026676,"longitude":9.543561,"#
        + #""phoneBattery":6}"#
    ),
    ("owntracks_schema_location-lat-missing", "1 × position that cannot be true"),
    ("owntracks_schema_transition", "1 × message of the type transition"),
    ("owntracks_schema_one", "1 × message of the type lwt"),
    ("owntracks_schema_object-empty", "1 × message without a type"),
  ])
  func a_message_of_owntracks_becomes_one_position_or_is_counted(_ file: String, _ expected: String) throws {
    #expect(try Self.lines(.ownTracks, file + ".json") == [expected])
  }

  @Test func an_empty_body_is_accepted_and_other_text_is_not() throws {
    #expect(try PhoneFormat.ownTracks.report(json: [], at: Self.now) == PhoneReport())
    for file in ["owntracks_schema_array-empty.json", "owntracks_schema_array-nothing.json"] {
      #expect(try Self.lines(.ownTracks, file) == [])
    }
    #expect(throws: PhoneReportError.self) {
      try Self.lines(.ownTracks, "owntracks_schema_cmd-setWaypoints-illegal.json")
    }
  }

  /// The query of a request in a sample: after comments, `GET /?id=… HTTP/1.1`, or the form after an empty line.
  private static func query(_ file: String) throws -> [(name: String, value: String)] {
    let text = try TestData.lines("connectors/trackers/\(file)").filter { !$0.hasPrefix("#") }
    let line = try #require(text.first { $0.contains("id=") })
    let query = line.hasPrefix("GET") ? String(line.split(separator: " ")[1].dropFirst(2)) : String(line)
    return query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]).replacing("%3A", with: ":") : "")
    }
  }

  @Test(arguments: [
    ("osmand_query_traccar_01", "1 × message without a position"),
    (
      "osmand_query_traccar_03",
      #"2016-01-27T18:55:47.000Z {"altitude":224,"gpsSpeed":0,"hdop":6,"latitude":42.06288,"longitude":-88.23412}"#
    ),
    (
      "osmand_query_traccar_04",
      #"2015-09-12T14:38:06.579Z {"altitude":224,"gpsSpeed":0,"hdop":6,"latitude":42.06288,"longitude":-88.23412}"#
    ),
    (
      "osmand_query_traccar_06",
      #"2013-08-22T13:14:27.000Z {"altitude":0,"gpsSpeed":0,"heading":0,"latitude":60,"longitude":30}"#
    ),
    ("osmand_query_traccar_07", #"2013-08-22T13:14:27.000Z {"latitude":60,"longitude":30}"#),
    (
      "osmand_query_traccar_09",
      #"2026-09-21T14:13:20.000Z {"altitude":350.059479,"gpsSpeed":0,"latitude":41.666667,"longitude":-0.883333,"#
        + #""phoneBattery":87}"#
    ),
    ("osmand_query_traccar_10", #"2013-08-22T13:14:27.000Z {"latitude":60,"longitude":30}"#),
    ("osmand_query_alarm", #"2024-11-01T10:40:00.000Z {"alarm":"sos","latitude":52.37022,"longitude":4.89517}"#),
    (
      "osmand_query_form_body",
      #"2024-11-01T10:40:00.000Z {"accuracy":14,"altitude":0,"gpsSpeed":0,"heading":0,"latitude":52.37022,"#
        + #""longitude":4.89517,"phoneBattery":70}"#
    ),
  ])
  func the_parameters_of_osmand_become_one_position_or_are_counted(_ file: String, _ expected: String) throws {
    #expect(Self.lines(PhoneFormat.report(parameters: try Self.query(file + ".txt"), at: Self.now)) == [expected])
  }

  @Test func osm_and_speeds_are_knots_and_times_have_four_forms() {
    for time in ["1730457600", "1730457600000", "2024-11-01T10:40:00Z", "2024-11-01 10:40:00"] {
      let report = PhoneFormat.report(
        parameters: [("lat", "52.5"), ("lon", "13.4"), ("speed", "10"), ("timestamp", time)], at: Self.now)
      #expect(
        Self.lines(report)
          == [#"2024-11-01T10:40:00.000Z {"gpsSpeed":18.52,"latitude":52.5,"longitude":13.4}"#], "\(time)")
    }
    let unset = PhoneFormat.report(parameters: [("lat", "1"), ("lon", "1"), ("timestamp", "0")], at: Self.now)
    #expect(Self.lines(unset) == ["1 × position without a time"])
  }

  @Test(arguments: [
    (
      "osmand_json_alarm",
      #"2025-06-15T13:45:12.862Z {"accuracy":12.1,"alarm":"sos","altitude":2.2,"gpsSpeed":48.24,"heading":271,"#
        + #""latitude":52.37022,"longitude":4.89517,"phoneBattery":64}"#
    ),
    (
      "osmand_json_traccar_01",
      #"2025-06-15T13:45:12.862Z {"accuracy":5,"altitude":5,"gpsSpeed":0,"latitude":37.4219983,"longitude":-122.084,"#
        + #""phoneBattery":100}"#
    ),
    (
      "osmand_json_traccar_04",
      #"2021-07-21T08:06:34.444Z {"accuracy":3.8,"altitude":35.7,"gpsSpeed":67.212,"heading":63,"#
        + #""latitude":-6.1148096,"longitude":106.6837015,"phoneBattery":79}"#
    ),
  ])
  func the_json_of_traccar_becomes_one_position_or_is_counted(_ file: String, _ expected: String) throws {
    #expect(try Self.lines(.osmAnd, file + ".json") == [expected])
  }

  @Test func overland_ignores_trips_and_positions_that_cannot_be_true() throws {
    #expect(
      try Self.lines(.overland, "overland_batch_with_trip_and_missing_values.json") == [
        #"2024-05-01T08:00:00.000Z {"accuracy":65,"altitude":2,"latitude":52.37022,"longitude":4.89517,"phoneBattery":42}"#,
        "1 × feature of the type trip", "1 × position that cannot be true",
      ])
  }

  @Test func home_assistant_has_the_time_of_reception() throws {
    #expect(
      try Self.lines(.homeAssistant, "ha_companion_update_location_full.json") == [
        #"2026-09-21T14:13:20.000Z {"accuracy":12,"altitude":2,"gpsSpeed":46.8,"heading":271,"latitude":52.37022,"#
          + #""longitude":4.89517,"phoneBattery":45}"#
      ])
    #expect(
      try Self.lines(.homeAssistant, "ha_companion_docs_02.json")
        == [#"2026-09-21T14:13:20.000Z {"accuracy":120,"latitude":12.34,"longitude":56.78,"phoneBattery":45}"#])
    #expect(try Self.lines(.homeAssistant, "ha_companion_docs_01.json") == ["1 × message of the type encrypted"])
    #expect(try Self.lines(.homeAssistant, "ha_companion_docs_04.json") == ["1 × message of the type register_sensor"])
  }
}
