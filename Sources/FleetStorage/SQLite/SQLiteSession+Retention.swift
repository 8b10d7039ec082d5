import FleetDomain
import Telemetry

extension SQLiteSession {
  /// Records that one transaction removes at most: some 20 ms, for which batches wait.
  private static let piece: Int64 = 2_000
  /// Vehicles that one transaction looks at.
  private static let vehicles = 500

  /// Removes some of the records that retention is for.
  ///
  /// - Parameter first: the key of the vehicle to begin with.
  /// - Returns: how many, and the vehicle to go on with; nil: there are no more.
  func removePiece(
    _ recordClass: RecordClass, _ bounds: RetentionBounds, from first: Int64
  ) throws(StoreFailure) -> (removed: Int64, next: Int64?) {
    let keys = try rows(
      "SELECT tenant, key FROM vehicle WHERE key >= $1 ORDER BY key LIMIT $2",
      [.integer(first), .integer(Int64(Self.vehicles))])
    var removed: Int64 = 0
    for key in keys {
      // No id is before an empty blob, and none behind one that is longer than all.
      let count = try run(
        """
        DELETE FROM record WHERE (tenant, vehicle, class, time, id) IN (
          SELECT tenant, vehicle, class, time, id FROM record
          WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND time > $4 AND time < $5
            AND (id < $6 OR id >= $7) LIMIT $8)
        """,
        [
          key.values[0], key.values[1], .integer(Int64(recordClass.number)), .integer(StoredTime.undated),
          .integer(bounds.time), bounds.firstKept.map { .identifier($0) } ?? .bytes([]),
          bounds.firstAhead.map { .identifier($0) } ?? .bytes(Array(repeating: 0xFF, count: 17)),
          .integer(Self.piece - removed),
        ])
      removed += Int64(count)
      if removed >= Self.piece { return (removed, key.integer(1)) }
    }
    return (removed, keys.count == Self.vehicles ? keys.last.map { $0.integer(1) + 1 } : nil)
  }

  /// Removes some of the records of a vehicle that has been removed, and with the last of them the note that it was.
  ///
  /// - Returns: how many; 0: there are no more.
  func removePiece(tenant: Int32, vehicle: Int32) throws(StoreFailure) -> Int64 {
    let removed = try run(
      """
      DELETE FROM record WHERE (tenant, vehicle, class, time, id) IN (
        SELECT tenant, vehicle, class, time, id FROM record WHERE tenant = $1 AND vehicle = $2 LIMIT $3)
      """, [SQLValue(tenant), SQLValue(vehicle), .integer(Self.piece)])
    if removed == 0 { try run("DELETE FROM removal WHERE vehicle = $1", [SQLValue(vehicle)]) }
    return Int64(removed)
  }
}
