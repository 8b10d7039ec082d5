import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The dashboards for Grafana: their queries name what the formats `prometheus` and `influx` send, with the units.
@Suite struct GrafanaBoardTests {
  private static func board(_ name: String = "grafana-fleet") throws -> JSON {
    try JSON(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/docs/\(name).json"))))
  }

  /// Grafana's names of units.
  private static let units = [
    "km/h": "velocitykmh", "rpm": "rotrpm", "%": "percent", "°C": "celsius", "V": "volt", "km": "lengthkm",
  ]

  /// The names of series that a text contains.
  private static func names(_ text: String) -> [String] {
    text.matches(of: /fleet_[a-z0-9_]+/).map { String($0.output) }
  }

  /// The fields of telemetry.
  private static let fields = (RecordField.contract + RecordField.otherSignals).filter {
    $0.types.contains(RecordTypes.telemetry)
  }

  /// Returns a record of the vehicle V with a number.
  private static func record(_ key: String) throws -> ForwardedRecord? {
    var members: [String: JSON] = [key: .integer(1)]
    members["type"] = .text("telemetry")
    return ForwardedRecord(
      StoredRecord(
        vehicle: "V", recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
        time: try Sample.time("2026-03-01T12:00:00Z"), quality: .gps, body: JSON.object(members).canonicalBytes))
  }

  /// Returns the names of the series that a number with this key becomes.
  private static func series(_ key: String) throws -> Set<String> {
    let message = RemoteWrite.body([try #require(try record(key))]) ?? []
    // The literals of Snappy contain the texts as they are. A text in protobuf is followed by a byte below 0x20.
    return Set(names(String(decoding: message, as: UTF8.self)))
  }

  @Test func each_panel_shows_a_series_that_is_sent_in_its_unit() throws {
    var sent: [String: String] = [:]
    for field in Self.fields {
      for name in try Self.series(field.name) { sent[name] = field.unit }
    }
    #expect(sent["fleet_coolant_temp"] == "°C" && sent["fleet_speed"] == "km/h", "\(sent)")
    let panels = try Self.board()["panels"]?.elements ?? []
    #expect(panels.count >= 6)
    for panel in panels {
      let expressions = (panel["targets"]?.elements ?? []).compactMap { $0["expr"]?.textValue }
      let names = expressions.flatMap(Self.names)
      #expect(!names.isEmpty && expressions.allSatisfy { $0.contains(#"{vehicle=~"$vehicle"}"#) }, "\(panel)")
      for name in names {
        let unit = try #require(sent[name], "\(name) is not sent")
        #expect(panel["fieldConfig"]?["defaults"]?["unit"]?.textValue == Self.units[unit], "\(name): \(unit)")
      }
    }
  }

  /// A machine may have no speed. It can be chosen nevertheless.
  @Test func the_variable_lists_the_vehicles_of_all_series() throws {
    let variables = try Self.board()["templating"]?["list"]?.elements ?? []
    let vehicle = try #require(variables.first { $0["name"] == .text("vehicle") })
    #expect(vehicle["query"]?["query"] == .text(#"label_values({__name__=~"fleet_.+"}, vehicle)"#))
  }

  // MARK: InfluxDB

  /// Names in double quotes are identifiers in InfluxQL.
  private static func identifiers(_ query: String) -> [String] {
    query.matches(of: /"([^"]*)"/).map { String($0.output.1) }
  }

  @Test func each_query_for_influxdb_names_what_is_sent() throws {
    var sent: [String: String] = [:]
    for field in Self.fields {
      // telemetry,vehicle=V speed=1.0 1772366400000000000. A key of all records, such as `seq`, is not sent.
      guard let line = try Self.record(field.name).flatMap(InfluxLine.text) else { continue }
      let parts = line.split(separator: " ")
      #expect(parts.count == 3 && parts[0] == "telemetry,vehicle=V", "\(line)")
      sent[String(parts[1].prefix { $0 != "=" })] = field.unit
    }
    #expect(sent["coolantTemp"] == "°C" && sent["speed"] == "km/h", "\(sent)")
    let board = try Self.board("grafana-influx")
    let panels = board["panels"]?.elements ?? []
    #expect(panels.count >= 6)
    for panel in panels {
      let targets = panel["targets"]?.elements ?? []
      #expect(!targets.isEmpty)
      for target in targets {
        let query = try #require(target["query"]?.textValue)
        let names = Set(Self.identifiers(query))
        let fields = names.subtracting(["telemetry", "vehicle"])
        #expect(names.isSuperset(of: ["telemetry", "vehicle"]) && fields.count == 1, "\(query)")
        #expect(query.contains(#"FROM "telemetry" WHERE "vehicle" =~ /^$vehicle$/ AND "#), "\(query)")
        for name in fields {
          let unit = try #require(sent[name], "\(name) is not sent")
          #expect(panel["fieldConfig"]?["defaults"]?["unit"]?.textValue == Self.units[unit], "\(name): \(unit)")
        }
      }
    }
    let variables = board["templating"]?["list"]?.elements ?? []
    let vehicle = try #require(variables.first { $0["name"] == .text("vehicle") })
    #expect(vehicle["query"] == .text(#"SHOW TAG VALUES FROM "telemetry" WITH KEY = "vehicle""#))
    #expect(Set(variables.compactMap { $0["name"]?.textValue }) == ["source", "vehicle"])
  }
}
