import Foundation
import TestKit
import Testing

/// Files of sources have one theme, and names that tell them apart.
@Suite struct SourceFileTests {
  /// The maximum number of text lines of a file.
  static let mostLines = 400

  /// Files that may be longer: schemas, tables and lists.
  static let longer: Set = [
    "Sources/Fleet/FleetAccess/Factors/CommonPasswords+List.swift",
    "Sources/Fleet/FleetStorage/PostgreSQL/PostgreSQLSchema.swift",
    "Sources/Fleet/FleetStorage/SQLite/SQLiteSchema.swift",
    "Sources/Fleet/FleetWeb/Site/texts.js",
    "Sources/Wire/OBDWire/Tables/SAESignalTable.swift",
    "Tests/FleetAPIServerTests/PeopleMatrixTests+Rows.swift",
  ]

  /// Names that several files may have, because the compiler and the package manager require them.
  static let shared: Set = ["Package.swift", "main.swift"]

  private static func files(_ endings: [String], in folders: [String]) throws -> [String] {
    try ProjectTree.files().filter { file in
      folders.contains { file.hasPrefix($0 + "/") } && endings.contains { file.hasSuffix("." + $0) }
    }
  }

  @Test func only_schemas_tables_and_lists_are_longer_than_400_lines() throws {
    var long: Set<String> = []
    for file in try Self.files(
      ["swift", "c", "h", "js", "css", "py"], in: ["Sources", "Tests", "Fuzz", "Benchmarks", "scripts"])
    {
      let lines = try ProjectTree.text(file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
      if lines > Self.mostLines { long.insert(file) }
    }
    #expect(long.subtracting(Self.longer).sorted() == [], "split these files by their themes")
    #expect(Self.longer.subtracting(long).sorted() == [], "these files need no exception")
  }

  @Test func no_two_swift_files_have_the_same_name() throws {
    let files = try Self.files(["swift"], in: ["Sources", "Tests", "Fuzz", "Benchmarks"])
    let named = Dictionary(grouping: files) { $0.split(separator: "/").last.map(String.init) ?? "" }
    let same = named.filter { $1.count > 1 && !Self.shared.contains($0) }
    #expect(same.values.map { $0.sorted() }.sorted { $0[0] < $1[0] } == [])
  }
}
