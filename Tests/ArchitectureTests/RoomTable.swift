import Foundation
import TestKit

/// The table of targets in docs/Architecture.md: the floor of each target, and the targets that it may import.
struct RoomTable {
  struct Room: Equatable {
    let floor: Int
    let target: String
    let mayImport: Set<String>
  }
  let rooms: [Room]

  struct Malformed: Error, CustomStringConvertible {
    let row: String
    var description: String { "docs/Architecture.md: not a row of the table of rooms: \(row)" }
  }

  /// Reads the rows of the first table whose heading begins with `| floor | target |`.
  init(markdown: String) throws {
    var rows = markdown.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard let heading = rows.firstIndex(where: { $0.hasPrefix("| floor | target |") }) else {
      throw Malformed(row: "(no heading)")
    }
    rows = rows[(heading + 2)...].prefix { $0.hasPrefix("|") }
    rooms = try rows.map { row in
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 6, let floor = Int(cells[1]), let target = Self.quoted(cells[2]).first else {
        throw Malformed(row: String(row))
      }
      let modules = Self.quoted(cells[4])
      guard cells[4] == "nothing" || !modules.isEmpty else { throw Malformed(row: String(row)) }
      return Room(floor: floor, target: target, mayImport: Set(modules))
    }
  }

  /// Returns the texts between backquotes.
  private static func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}

/// The modules that a source file imports.
enum ImportLines {
  /// Returns the module of every `import` that the compiler could act on, also inside `#if`, and with attributes,
  /// access levels and single declarations (`import struct Module.Name`).
  static func modules(in source: String) -> [String] {
    source.split(whereSeparator: { $0.isNewline || $0 == ";" }).compactMap { line in
      var words = line.split(whereSeparator: \.isWhitespace)[...]
      while let word = words.first, word.hasPrefix("@") || levels.contains(String(word)) { words = words.dropFirst() }
      guard words.first == "import" else { return nil }
      words = words.dropFirst()
      if let word = words.first, kinds.contains(String(word)) { words = words.dropFirst() }
      return words.first.map { String($0.prefix { $0 != "." && $0 != "/" }) }
    }
  }

  private static let levels: Set = ["public", "package", "internal", "fileprivate", "private"]
  private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
}

/// The package's own targets, from `swift package describe --type json`.
struct PackageDescription: Decodable {
  struct Target: Decodable {
    let name: String
    let path: String
    let type: String
    let targetDependencies: [String]?
    let productDependencies: [String]?
    var dependencies: Set<String> { Set((targetDependencies ?? []) + (productDependencies ?? [])) }
  }
  let targets: [Target]

  /// The targets under Sources.
  var rooms: [Target] { targets.filter { $0.path.hasPrefix("Sources/") } }

  /// Runs SwiftPM in a separate scratch folder, because that of the package is locked while its tests run.
  static func read() throws -> PackageDescription {
    let scratch = try ScratchFolder()
    let arguments = ["package", "--scratch-path", scratch.file("build"), "describe", "--type", "json"]
    let described = try Tool.run("swift", arguments, directory: TestData.projectRoot, limit: .seconds(600))
    guard described.status == 0 else { throw Tool.Failure.system("swift package describe", reason: described.errors) }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(PackageDescription.self, from: Data(described.stdout))
  }
}
