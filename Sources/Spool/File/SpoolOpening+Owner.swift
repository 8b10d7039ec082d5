import Telemetry

extension SpoolOpening {
  /// The note that says whose records are counted in the epoch; no caller's.
  static let owner = "spool.gatewayId"

  /// Sees to it that another gateway counts in an epoch of its own.
  ///
  /// Rows have no epoch: where records of the old one wait, its numbers go on, and the next start looks again.
  ///
  /// - Parameters:
  ///   - gatewayId: nil: whose they are does not matter.
  ///   - counts: of the records that wait.
  /// - Returns: the new epoch, in which no number is given yet; nil: there is none.
  static func handOver(
    _ connection: borrowing SQLiteConnection, to gatewayId: String?, _ counts: [Int64], newEpoch: () -> UUIDv7
  ) throws(SQLiteError) -> UUIDv7? {
    guard let gatewayId else { return nil }
    var find = try SQLiteStatement(connection, "SELECT value FROM note WHERE name = ?1", "read the notes")
    find.bind(owner, at: 1)
    let known = try find.next() ? find.text(0) : ""
    find.reset()
    let hasChanged = !known.isEmpty && known != gatewayId
    guard known != gatewayId, !hasChanged || counts.allSatisfy({ $0 == 0 }) else { return nil }
    try connection.execute("BEGIN IMMEDIATE", "begin an epoch")
    do throws(SQLiteError) {
      let epoch = hasChanged ? try begin(newEpoch(), connection) : nil
      try SpoolFile.keep([(owner, Array(gatewayId.utf8))], connection)
      try connection.execute("COMMIT", "begin an epoch")
      return epoch
    } catch {
      try? connection.execute("ROLLBACK", "roll back")
      throw error
    }
  }

  /// Nothing that counts in the old epoch is left but the losses that are owed, which say so.
  private static func begin(_ epoch: UUIDv7, _ connection: borrowing SQLiteConnection) throws(SQLiteError) -> UUIDv7 {
    try connection.execute(
      """
      UPDATE state SET epoch = '\(epoch.string)', last = 0, reserved = \(SpoolFile.smallestReserve);
      DELETE FROM acknowledged;
      DELETE FROM stamp;
      DELETE FROM base;
      DELETE FROM loss WHERE told IS NOT NULL;
      """, "begin an epoch")
    return epoch
  }
}
