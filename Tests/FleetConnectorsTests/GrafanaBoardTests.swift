import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The dashboard for Grafana: its queries name series that the format `prometheus` sends, with their units.
@Suite struct GrafanaBoardTests {
  private static func board() throws -> JSON {
    try JSON(
      parsing: Array(try Data(contentsOf: URL(fileURLWithPath: TestData.projectRoot + "/docs/grafana-fleet.json"))))
  }

  /// The names of series that a text contains.
  private static func names(_ text: String) -> [String] {
    text.matches(of: /fleet_[a-z0-9_]+/).map { String($0.output) }
  }

  /// Returns the names of the series that a number with this key becomes.
  private static func series(_ key: String) throws -> Set<String> {
    var members: [String: JSON] = [key: .integer(1)]
    members["type"] = .text("telemetry")
    let stored = StoredRecord(
      vehicle: "V", recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
      time: try Sample.time("2026-03-01T12:00:00Z"), quality: .gps,
      body: JSON.object(members).canonicalBytes)
    let message = RemoteWrite.body([try #require(ForwardedRecord(stored))]) ?? []
    // The literals of Snappy contain the texts as they are. A text in protobuf is followed by a byte below 0x20.
    return Set(names(String(decoding: message, as: UTF8.self)))
  }

  @Test func each_panel_shows_a_series_that_is_sent_in_its_unit() throws {
    // Grafana's names of units.
    let units = [
      "km/h": "velocitykmh", "rpm": "rotrpm", "%": "percent", "°C": "celsius", "V": "volt", "km": "lengthkm",
    ]
    var sent: [String: String] = [:]
    for field in RecordField.contract + RecordField.otherSignals where field.types.contains(RecordTypes.telemetry) {
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
        #expect(panel["fieldConfig"]?["defaults"]?["unit"]?.textValue == units[unit], "\(name): \(unit)")
      }
    }
  }

  /// A machine may have no speed. It can be chosen nevertheless.
  @Test func the_variable_lists_the_vehicles_of_all_series() throws {
    let variables = try Self.board()["templating"]?["list"]?.elements ?? []
    let vehicle = try #require(variables.first { $0["name"] == .text("vehicle") })
    #expect(vehicle["query"]?["query"] == .text(#"label_values({__name__=~"fleet_.+"}, vehicle)"#))
  }
}
