import GRDB

/// Statistics for SQLite's query planner.
///
/// Without statistics, the planner assumes that an index finds only slightly fewer rows than the primary key, which
/// begins with the tenant. It then reads all rows of the tenant in the order of the primary key. For example, for the
/// newest meter reading of one vehicle, it would read the readings of all vehicles. `ANALYZE` would measure a database
/// that is still empty. Therefore, typical numbers are stored, as SQLite's documentation proposes ("Fixed Results Of
/// ANALYZE", https://www.sqlite.org/lang_analyze.html).
enum SQLiteStatistics {
  /// Assumed number of rows in a table.
  private static let rows = 100_000
  /// Assumed number of rows in an index that contains only some of the rows of its table.
  private static let partialRows = 10_000
  /// Assumed number of a tenant's rows that have the same value in a column with few different values, such as a
  /// status.
  private static let rowsOfState = 5_000
  /// Assumed number of a tenant's rows that have the same value in a column with many different values, such as the ID
  /// of a vehicle.
  private static let rowsOfOther = 50
  private static let stateColumns: Set<String> = ["status", "state", "reason"]

  /// Stores statistics for the indexes of all tables whose primary key is (tenant, id).
  static func store(_ session: SQLiteSession) throws {
    // If only the table `sqlite_schema` is analyzed, SQLite creates the table of statistics but measures no other
    // table.
    try session.database.execute(sql: "ANALYZE sqlite_schema")
    try session.run("DELETE FROM sqlite_stat1", [])
    let tables = """
      SELECT name FROM pragma_table_list AS list WHERE type = 'table' AND wr = 1 AND (
        SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_table_info(list.name) WHERE pk > 0 ORDER BY pk)
      ) = 'tenant,id' ORDER BY name
      """
    for table in try session.rows(tables, []).map({ $0.text(0) }) {
      let indexes = try session.rows(
        "SELECT name, \"unique\", origin, partial FROM pragma_index_list($1)", [.text(table)])
      for index in indexes {
        let name = index.text(0)
        let columns = try session.rows("SELECT name FROM pragma_index_info($1) ORDER BY seqno", [.text(name)])
          .map { $0.text(0) }
        // In a table without rowid, SQLite gives the primary key the name of the table.
        let isPrimary = index.text(2) == "pk"
        try session.run(
          "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)",
          [
            .text(table), .text(isPrimary ? table : name),
            // With half as many rows for each tenant, the planner prefers the primary key for lists of all things.
            // Reading an index and then each of its rows would take longer.
            .text(
              isPrimary
                ? "\(rows) \(rows / 2) 1"
                : numbers(
                  columns, of: index.integer(3) == 1 ? partialRows : rows, isUnique: index.integer(1) == 1)),
          ])
      }
    }
    // The same statement also makes this connection read the new statistics.
    try session.database.execute(sql: "ANALYZE sqlite_schema")
  }

  /// Returns the statistics of an index as `sqlite_stat1` stores them: the number of rows in the index, then for each
  /// column the number of rows that have equal values in this column and in all columns before it.
  private static func numbers(_ columns: [String], of rows: Int, isUnique: Bool) -> String {
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
