import FleetDomain
import Foundation
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
}
