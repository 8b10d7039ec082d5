import FleetDomain

/// What follows from a backup that was put back: numbers of the feed that were given out since must not come again.
///
/// Positions of a feed go on from a new beginning, higher than any that was given out before: milliseconds since 1970 ×
/// 1,024, more changes than can have been stored in that time. Whoever asks with a number of before is told `positionGone`,
/// as for changes that are kept no longer. The numbers stay below 2⁵³, which is what JSON readers take, until the year 2248.
extension StoreSession {
  /// Begins a new generation of feed positions in all tenants.
  ///
  /// - Parameter clock: the database's own time in ms, as an expression of SQL.
  func beginGeneration(clock: String) throws(StoreFailure) {
    let now = try rows("SELECT \(clock)", []).first?.integer(0) ?? 0
    let (start, overflow) = now.multipliedReportingOverflow(by: 1_024)
    guard !overflow, start > 0 else { throw StoreFailure(.system, "database", "its clock says \(now) ms") }
    try run(
      """
      UPDATE tenant SET position = CASE WHEN position < $1 THEN $1 ELSE position + 1 END,
        forgotten = CASE WHEN position < $1 THEN $1 ELSE position + 1 END
      """, [.integer(start)])
    try run("DELETE FROM feed", [])
    // No copy of an earlier generation has as many changes (``SQLiteServerFile``).
    if try setting("changes") != nil { try setChanges(max(try changes(), UInt64(start))) }
  }

  func setting(_ name: String) throws(StoreFailure) -> [UInt8]? {
    try rows("SELECT value FROM setting WHERE name = $1", [.text(name)]).first?.bytes(0)
  }

  /// The number of transactions that have changed something; modulo 2⁶⁴. Databases of earlier versions begin with the
  /// sum of their feed positions.
  func changes() throws(StoreFailure) -> UInt64 {
    if let changes = try setting("changes").flatMap({ UInt64(String(decoding: $0, as: UTF8.self)) }) { return changes }
    return try rows("SELECT position FROM tenant", []).reduce(0) { $0 &+ UInt64(bitPattern: $1.integer(0)) }
  }

  /// Counts the transaction.
  ///
  /// - Returns: the count with it.
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
