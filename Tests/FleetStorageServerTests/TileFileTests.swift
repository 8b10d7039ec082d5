import FleetDomain
import FleetStorage
import TestKit
import Testing

/// MBTiles files, made by the program of SQLite.
@Suite struct TileFileTests {
  private static func file(_ sql: String, in folder: borrowing ScratchFolder) throws -> String {
    let path = folder.file("map.mbtiles")
    let told = try Tool.run("sqlite3", [path, sql])
    try #require(told.status == 0, "\(told.errors)")
    return path
  }

  private static let tables =
    "CREATE TABLE metadata (name text, value text); CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);"

  @Test func rows_count_from_the_north() async throws {
    let folder = try ScratchFolder()
    // In the file, row 3 of zoom 2 is the northernmost.
    let path = try Self.file(
      Self.tables
        + "INSERT INTO metadata VALUES ('format', 'png'), ('name', NULL); INSERT INTO tiles VALUES (2, 1, 3, x'0102'), (4, 0, 0, x'03');",
      in: folder)
    let file = try TileFile(path: path)
    #expect(file.zooms == 2...4 && file.metadata == ["format": "png", "name": ""])
    #expect(try await file.tile(zoom: 2, column: 1, row: 0) == [1, 2])
    #expect(try await file.tile(zoom: 4, column: 0, row: 15) == [3])
    #expect(try await file.tile(zoom: 2, column: 1, row: 3) == nil)
  }

  @Test(arguments: ["", tables, tables + "INSERT INTO tiles VALUES (99, 0, 0, x'');"])
  func other_files_are_errors(sql: String) throws {
    let folder = try ScratchFolder()
    let path = try Self.file(sql.isEmpty ? "CREATE TABLE a (b);" : sql, in: folder)
    #expect(throws: StorageError.self) { try TileFile(path: path) }
    #expect(throws: StorageError.self) { try TileFile(path: folder.file("none.mbtiles")) }
  }
}
