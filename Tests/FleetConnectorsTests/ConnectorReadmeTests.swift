import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The README of each connector: its settings are valid, and its table lists exactly the members of the records that
/// its sample gives.
@Suite struct ConnectorReadmeTests {
  private struct Readme {
    /// The texts of the code blocks.
    let blocks: [String]
    /// The names in the last column of the mapping table.
    let members: Set<String>

    init(_ folder: String) throws {
      let path = TestData.projectRoot + "/Sources/Fleet/FleetConnectors/\(folder)/README.md"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      blocks = text.split(separator: "```").enumerated().filter { $0.offset % 2 == 1 }.map { block in
        String(block.element.drop { $0 != "\n" })
      }
      let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
      members = Set(
        rows.flatMap { row in
          let column = row.split(separator: "|").last ?? ""
          // Names of values follow a colon.
          return column.prefix { $0 != ":" }.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
        })
    }
  }

  private static let folders: [(folder: String, page: @Sendable ([UInt8]) throws -> PulledPage)] = [
    ("Samsara", { try SamsaraMapping.feed(try JSON(parsing: $0)) }), ("AEMP", { try AEMPMapping.fleet($0).0 }),
    ("Tesla", { try TeslaMapping.data(try JSON(parsing: $0)) }),
    ("Ford", { try FordMapping.telemetry(try JSON(parsing: $0)) }),
  ]

  @Test(arguments: folders.map(\.folder))
  func the_table_lists_the_members_of_the_sample(_ folder: String) throws {
    let readme = try Readme(folder)
    try #require(readme.blocks.count == 2)
    let page = try #require(Self.folders.first { $0.folder == folder }).page(Array(readme.blocks[1].utf8))
    #expect(Set(page.records.flatMap(\.values.keys)) == readme.members)
    #expect(page.ignored.isEmpty && page.assets.count == 1)
  }

  @Test(arguments: folders.map(\.folder))
  func the_settings_are_those_of_the_service(_ folder: String) throws {
    let json = try JSON(parsing: Array(try Readme(folder).blocks[0].utf8))
    #expect(json["service"]?.textValue == folder.lowercased())
    let known = Set(Connector.fields.map(\.key)).union(["secretFile", "refreshTokenFile", "webhookSecretFile"])
    #expect(Set(json.members.keys).subtracting(known).isEmpty)
  }

  /// Every service has a folder with a README.
  @Test func every_service_has_a_readme() {
    #expect(Set(Self.folders.map { $0.folder.lowercased() }) == Set(Connector.Service.allCases.map(\.rawValue)))
  }

  // MARK: Phones and forwards

  private static func text(_ folder: String) throws -> String {
    let path = TestData.projectRoot + "/Sources/Fleet/FleetConnectors/\(folder)/README.md"
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// Returns the content of a code block of a README.
  private static func block(_ folder: String, after fence: String) throws -> String {
    let text = try text(folder)
    let start = try #require(text.firstRange(of: "```\(fence)\n")?.upperBound)
    let end = try #require(text[start...].firstRange(of: "\n```")?.lowerBound)
    return String(text[start..<end])
  }

  /// The members of records that the table assigns to a column, counted from 1.
  private static func members(_ column: Int) throws -> Set<String> {
    var found: Set<String> = []
    for row in try text("Phones").split(separator: "\n") where row.hasPrefix("| `") {
      let cells: [Substring] = row.split(separator: "|")
      if cells[column].contains("–") { continue }
      // Names are between grave accents.
      for (index, part) in cells[0].split(separator: "`").enumerated() where index % 2 == 1 {
        found.insert(String(part))
      }
    }
    return found
  }

  @Test(arguments: [(PhoneFormat.ownTracks, 1), (.osmAnd, 3), (.overland, 4), (.homeAssistant, 5)])
  func the_report_of_an_app_has_the_members_of_its_column(_ format: PhoneFormat, _ column: Int) throws {
    let now = try Sample.time("2026-03-01T12:00:00Z")
    let body = Array(try Self.block("Phones", after: "json \(format.rawValue)").utf8)
    let report = try format.report(json: body, at: now)
    let position = try #require(report.positions.first)
    #expect(report.positions.count == 1 && report.ignored.isEmpty && position.time == now)
    let members = try Self.members(column)
    #expect(Set(position.values.keys) == members)
    #expect(position.values["latitude"] == .number(48.2) && position.values["longitude"] == .number(16.37))
    // OwnTracks has km/h, and the others m/s.
    #expect(position.values["gpsSpeed"] == .integer(format == .ownTracks ? 61 : 36))
    #expect(position.values["phoneBattery"] == .integer(67) && position.values["heading"] == .integer(90))
  }

  @Test func the_parameters_of_an_app_have_the_members_of_their_column() throws {
    let parameters = try Self.block("Phones", after: "text").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=")
      return (name: String(parts[0]), value: String(parts[1]))
    }
    let now = try Sample.time("2026-03-01T12:00:00Z")
    let position = try #require(
      PhoneFormat.report(parameters: parameters, at: now.adding(seconds: 60)).positions.first)
    let members = try Self.members(2)
    #expect(position.time == now && Set(position.values.keys) == members)
    // 10 knots of 1.852 km/h.
    #expect(position.values["gpsSpeed"] == .number(18.52))
  }

  @Test func the_line_of_a_record_is_the_one_of_the_readme() throws {
    var record = try JSON(parsing: Array(try Self.block("Forwarding", after: "json").utf8)).members
    record["type"] = .text("telemetry")
    let stored = StoredRecord(
      vehicle: "VAN 1", recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
      time: try Sample.time("2024-11-01T10:40:00Z"), quality: .gps, body: JSON.object(record).canonicalBytes)
    let line = InfluxLine.text(try #require(ForwardedRecord(stored)))
    let expected = try Self.block("Forwarding", after: "text")
    #expect(line == expected)
  }

  @Test func every_format_of_forwards_is_in_the_table() throws {
    let rows = try Self.text("Forwarding").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let formats = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    #expect(Set(formats) == Set(Forward.Format.allCases.map(\.rawValue)))
  }
}
