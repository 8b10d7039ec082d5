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
  }
}
