import Telemetry

extension SpoolOpening {
  /// Prefix of the names of notes that the spool itself stores.
  static let internalNotes = "spool."
  /// Name of the note that contains the gateway ID to which the epoch belongs.
  static let owner = internalNotes + "gatewayId"
  /// Name of the note that contains the boot ID of the process that used the file last.
  static let boot = internalNotes + "bootId"

  /// Reads a note that the spool itself has stored; `nil` if the file does not contain it.
  static func note(_ name: String, _ connection: borrowing SQLiteConnection) throws(SQLiteError) -> String? {
    var find = try SQLiteStatement(connection, "SELECT value FROM note WHERE name = ?1", "read the notes")
    find.bind(name, at: 1)
    return try find.next() ? find.text(0) : nil
  }

  /// Begins a new epoch if the gateway ID has changed and no records with the old gateway ID are waiting.
  ///
  /// Rows do not contain the epoch. Therefore, while records with the old gateway ID are waiting, the old epoch
  /// continues, and the next start checks again.
  ///
  /// - Parameters:
  ///   - gatewayId: the gateway's ID; `nil` to accept records of any gateway.
  ///   - counts: number of waiting records in each lane.
  /// - Returns: the new epoch, in which no sequence numbers are used yet; `nil` if the epoch does not change.
  static func beginEpoch(
    _ connection: borrowing SQLiteConnection, to gatewayId: String?, _ counts: [Int64], newEpoch: () -> UUIDv7
  ) throws(SQLiteError) -> UUIDv7? {
    guard let gatewayId else { return nil }
    let known = try note(owner, connection) ?? ""
    let hasChanged = !known.isEmpty && known != gatewayId
    guard known != gatewayId, !hasChanged || counts.allSatisfy({ $0 == 0 }) else { return nil }
    try connection.execute("BEGIN IMMEDIATE", "begin an epoch")
    do throws(SQLiteError) {
      let epoch = hasChanged ? try begin(newEpoch(), connection) : nil
      try SpoolFile.storeNotes([(owner, Array(gatewayId.utf8))], connection)
      try connection.execute("COMMIT", "begin an epoch")
      return epoch
    } catch {
      try? connection.execute("ROLLBACK", "roll back")
      throw error
    }
  }

  /// Starts the numbering again in a new epoch. Only the losses that are not reported yet remain from the old epoch;
  /// they contain its ID.
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
