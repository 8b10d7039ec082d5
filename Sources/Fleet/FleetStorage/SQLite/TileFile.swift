import FleetDomain
import GRDB

/// A file of map tiles in the format MBTiles 1.3: an SQLite database with the tables `metadata` and `tiles`.
public final class TileFile: Sendable {
  /// The values of the table `metadata`. The keys are the names in this table.
  public let metadata: [String: String]
  /// The lowest and the highest zoom level of the tiles, 0 to 24.
  public let zooms: ClosedRange<Int>

  private let file: DatabaseQueue

  /// Opens a file for reading.
  ///
  /// - Throws: ``StorageError`` if the file is missing, damaged or not in this format.
  public init(path: String) throws(StorageError) {
    do {
      var configuration = GRDB.Configuration()
      configuration.readonly = true
      file = try DatabaseQueue(path: path, configuration: configuration)
      let found = try file.read { database in
        let rows = try Row.fetchAll(database, sql: "SELECT name, value FROM metadata")
        let bounds = try Row.fetchOne(database, sql: "SELECT min(zoom_level), max(zoom_level) FROM tiles")
        return (
          metadata: Dictionary(
            rows.compactMap { row in (row[0] as String?).map { ($0, row[1] as String? ?? "") } },
            uniquingKeysWith: { $1 }),
          low: bounds?[0] as Int?, high: bounds?[1] as Int?
        )
      }
      guard let low = found.low, let high = found.high, (0...24).contains(low), (low...24).contains(high) else {
        throw StoreFailure(.damaged, path, "expected tiles of the zoom levels 0 to 24")
      }
      metadata = found.metadata
      zooms = low...high
    } catch {
      throw StoreFailure(sqlite: error).error(at: path)
    }
  }

  /// Returns the stored bytes of a tile; `nil` if the file does not contain the tile.
  ///
  /// - Parameter row: the number of the row, counted from the north. In the file, rows are counted from the south.
  public func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? {
    try await file.read { database in
      let query = try SQLiteQuery(
        database, "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
      query.bind(Int64(zoom), at: 1)
      query.bind(Int64(column), at: 2)
      query.bind(Int64((1 << zoom) - 1 - row), at: 3)
      return try query.next() ? query.bytes(0) : nil
    }
  }
}
