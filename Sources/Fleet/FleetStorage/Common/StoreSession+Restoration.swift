import FleetDomain

/// Functions for feed positions after a backup was restored. Readers have received positions since the backup was made.
/// These positions must not be used again for other changes.
///
/// A new generation of positions begins with a number that is higher than any earlier position: the number of
/// milliseconds since 1970, multiplied by 1,024. No server can store 1,024 changes in each millisecond. A client that
/// resumes with a position of an earlier generation receives `positionGone`, as if the changes had been removed.
/// Positions stay below 2⁵³, the limit of many JSON parsers, until the year 2248.
///
/// The feed keeps its changes, because the server's own readers have not yet processed all of them
/// (``FeedGenerations``).
extension StoreSession {
  /// Begins a new generation of feed positions for all tenants. Clients that resume with a position of an earlier
  /// generation then receive `positionGone`. Readers that store their positions in this database continue.
  ///
  /// - Parameter clock: SQL expression for the database's own time, ms since 1970.
  func beginGeneration(clock: String) throws(StoreFailure) {
    let now = try rows("SELECT \(clock)", []).first?.integer(0) ?? 0
    let (start, overflow) = now.multipliedReportingOverflow(by: 1_024)
    guard !overflow, start > 0 else { throw StoreFailure(.system, "database", "its clock says \(now) ms") }
    for row in try rows("SELECT key, position, forgotten FROM tenant ORDER BY key" + lockingRows, []) {
      let (tenant, position) = (Int32(row.integer(0)), row.integer(1))
      var generations = try generations(of: tenant)
      generations.begin(at: max(start, position + 1), after: position, forgotten: row.integer(2))
      try setGenerations(generations, of: tenant)
      try run(
        "UPDATE tenant SET position = $2 WHERE key = $1", [SQLValue(tenant), .integer(generations.start)])
    }
    // Also raise the number of changes (``SQLiteServerFile``) above that of any copy of an earlier generation.
    if try setting("changes") != nil { try setChanges(max(try changes(), UInt64(start))) }
  }

  func setting(_ name: String) throws(StoreFailure) -> [UInt8]? {
    try rows("SELECT value FROM setting WHERE name = $1", [.text(name)]).first?.bytes(0)
  }

  /// Returns the number of transactions that have changed something, modulo 2⁶⁴. In a database of an earlier version,
  /// counting begins with the sum of the feed positions.
  func changes() throws(StoreFailure) -> UInt64 {
    if let changes = try setting("changes").flatMap({ UInt64(String(decoding: $0, as: UTF8.self)) }) { return changes }
    return try rows("SELECT position FROM tenant", []).reduce(0) { $0 &+ UInt64(bitPattern: $1.integer(0)) }
  }

  /// Counts the current transaction.
  ///
  /// - Returns: the number of transactions, including this one.
  func countChange() throws(StoreFailure) -> UInt64 {
    let changes = try changes() &+ 1
    try setChanges(changes)
    return changes
  }

  private func setChanges(_ changes: UInt64) throws(StoreFailure) {
    try run(
      "INSERT INTO setting VALUES ('changes', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.bytes(Array("\(changes)".utf8))])
  }
}
