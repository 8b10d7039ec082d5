import GRDB

/// Statistics for SQLite's query planner.
///
/// Without statistics, the planner assumes that an index finds only a little less than the primary key, which begins
/// with the tenant. It then reads all rows of the tenant in the order of the primary key: for the newest meter reading
/// of one vehicle, for example, the readings of all vehicles. `ANALYZE` would measure a database that is still empty.
/// Therefore typical numbers are stored, as SQLite's documentation proposes ("Fixed Results Of ANALYZE",
/// https://www.sqlite.org/lang_analyze.html).
enum SQLiteStatistics {
  /// Assumed number of rows of a table.
  private static let rows = 100_000
  /// Assumed number of rows of a tenant that have the same value in a column with few values, such as a status.
  private static let rowsOfState = 5_000
  /// Assumed number of rows of a tenant that have the same value in another column, such as the ID of a vehicle.
  private static let rowsOfOther = 50
  private static let stateColumns: Set<String> = ["status", "state", "reason"]

  /// Stores statistics for the indexes of all tables whose primary key is (tenant, id).
  static func store(_ session: SQLiteSession) throws {
    // ANALYZE of the schema's own table only creates the table of statistics.
    try session.database.execute(sql: "ANALYZE sqlite_schema")
    try session.run("DELETE FROM sqlite_stat1", [])
    let tables = """
      SELECT name FROM pragma_table_list AS list WHERE type = 'table' AND wr = 1 AND (
        SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_table_info(list.name) WHERE pk > 0 ORDER BY pk)
      ) = 'tenant,id' ORDER BY name
      """
    for table in try session.rows(tables, []).map({ $0.text(0) }) {
      let indexes = try session.rows("SELECT name, \"unique\", origin FROM pragma_index_list($1)", [.text(table)])
      for index in indexes {
        let name = index.text(0)
        let columns = try session.rows("SELECT name FROM pragma_index_info($1) ORDER BY seqno", [.text(name)])
          .map { $0.text(0) }
        // SQLite names the primary key of a table without rowid like the table.
        let isPrimary = index.text(2) == "pk"
        try session.run(
          "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)",
          [
            .text(table), .text(isPrimary ? table : name),
            // A smaller number of rows of a tenant makes the planner prefer the primary key for lists of all things:
            // reading an index and then each of its rows takes longer.
            .text(isPrimary ? "\(rows) \(rows / 2) 1" : numbers(columns, isUnique: index.integer(1) == 1)),
          ])
      }
    }
    // The same statement makes this connection read the statistics.
    try session.database.execute(sql: "ANALYZE sqlite_schema")
  }

  /// Returns the numbers of an index as `sqlite_stat1` stores them. The first is the number of rows of the table. Then, for
  /// each column, the number of rows that have equal values in this column and all columns before it follows.
  private static func numbers(_ columns: [String], isUnique: Bool) -> String {
    var (numbers, last) = ([rows], rows)
    for (position, column) in columns.enumerated() {
      if isUnique, position == columns.count - 1 {
        last = 1
      } else if column != "tenant" {
        let typical = stateColumns.contains(column) ? rowsOfState : rowsOfOther
        last = typical < last ? typical : max(last / 2, 1)
      }
      numbers.append(last)
    }
    return numbers.map(String.init).joined(separator: " ")
  }
}
