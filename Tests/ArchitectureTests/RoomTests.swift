import Foundation
import TestKit
import Testing

/// docs/Architecture.md, the package manifest and the `import` lines agree.
///
/// The manifest alone is not sufficient: a target that imports a sibling without declaring it still builds.
@Suite struct RoomTests {
  let table: RoomTable
  let package: PackageDescription

  /// SwiftPM takes half a second, so it is run only once for all tests.
  private static let described = Result { try PackageDescription.read() }

  init() throws {
    table = try RoomTable(markdown: try ProjectTree.text("docs/Architecture.md"))
    package = try Self.described.get()
  }

  @Test func every_target_has_a_row_and_every_row_a_target() {
    #expect(table.rooms.map(\.target).sorted() == package.rooms.map(\.name).sorted())
  }

  @Test func a_target_depends_on_what_its_row_names_and_on_nothing_else() {
    let ours = Set(package.rooms.map(\.name)).union(package.rooms.flatMap(\.dependencies))
    for target in package.rooms {
      let named = table.rooms.first { $0.target == target.name }?.mayImport ?? []
      #expect(target.dependencies == named.intersection(ours), "\(target.name): row and Package.swift differ")
    }
  }

  @Test func a_source_file_imports_only_what_its_row_names() throws {
    for room in table.rooms {
      let folder = try #require(package.rooms.first { $0.name == room.target }?.path)
      for path in try ProjectTree.swiftFiles(under: folder) {
        // The standard library needs no import. Some files import it by name for parts that are not exported.
        let imported = Set(ImportLines.modules(in: try String(contentsOfFile: path, encoding: .utf8))).subtracting([
          "Swift"
        ])
        #expect(imported.isSubset(of: room.mayImport), "\(path): \(imported.subtracting(room.mayImport).sorted())")
      }
    }
  }

  @Test func a_target_depends_only_on_the_wings_that_its_own_may_import() throws {
    let rows = try ProjectTree.text("docs/Architecture.md").components(separatedBy: "\n").filter {
      $0.hasPrefix("| `Sources/")
    }
    let allowed = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let cells = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return (cells[1].trimmingCharacters(in: ["`"]), cells[3])
      })
    let wings = Dictionary(
      uniqueKeysWithValues: package.rooms.map { ($0.name, $0.path.components(separatedBy: "/").dropLast()) })
    #expect(Set(wings.values.map { $0.joined(separator: "/") }) == Set(allowed.keys))
    for target in package.rooms {
      let mayImport = try #require(allowed[wings[target.name, default: []].joined(separator: "/")])
      for wing in target.dependencies.compactMap({ wings[$0]?.last }) where mayImport != "all" {
        #expect(mayImport.contains("`\(wing)`"), "\(target.name) depends on \(wing)")
      }
    }
  }

  @Test func no_target_depends_on_a_higher_floor() {
    let floors = Dictionary(uniqueKeysWithValues: table.rooms.map { ($0.target, $0.floor) })
    for room in table.rooms {
      for below in room.mayImport { #expect(floors[below, default: 0] <= room.floor, "\(room.target) → \(below)") }
    }
  }

  @Test func walled_rooms_import_nothing() {
    for target in EmbeddedTests.walled {
      #expect(table.rooms.first { $0.target == target }?.mayImport == [], "\(target)")
    }
  }

  @Test func foundation_stays_above_the_third_floor_and_out_of_the_daemon() {
    let foundations: Set = [
      "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
      "Dispatch",
    ]
    for room in table.rooms where room.floor <= 3 || room.target == "obdgated" {
      #expect(room.mayImport.isDisjoint(with: foundations), "\(room.target)")
    }
  }
}

/// The checks above can fail: the table and the imports are parsed correctly.
@Suite struct RoomTableTests {
  @Test func import_lines_are_found_in_all_their_forms() {
    let source = """
      import A
      @_exported import B
      @_spi(Testing) @testable import C
      public import struct D.Thing
      #if canImport(E)
        internal import E.Sub // why
      #endif
      import F; import G
      // import H
      let important = "import I"
      /// import J
      import func K.call
      """
    #expect(ImportLines.modules(in: source) == ["A", "B", "C", "D", "E", "F", "G", "K"])
  }

  @Test func a_row_is_floor_target_and_what_it_may_import() throws {
    let table = try RoomTable(
      markdown: """
        # Rooms
        | floor | target | what it is for | may import |
        |---|---|---|---|
        | 1 | `Low` | below | nothing |
        | 2 | `High` | above | `Low`, `Glibc` |

        | 9 | `Other` | not in this table | nothing |
        """)
    #expect(
      table.rooms == [
        .init(floor: 1, target: "Low", mayImport: []), .init(floor: 2, target: "High", mayImport: ["Low", "Glibc"]),
      ])
  }

  @Test(arguments: ["| x | `Low` | below | nothing |", "| 1 | Low | below | nothing |", "| 1 | `Low` | below | all |"])
  func a_row_that_cannot_be_read_is_an_error(_ row: String) {
    #expect(throws: RoomTable.Malformed.self) {
      try RoomTable(markdown: "| floor | target | what it is for | may import |\n|---|---|---|---|\n\(row)\n")
    }
  }
}
