import FleetDomain
import Telemetry

extension SQLiteSession {
  /// Removes some 10,000 of the records that retention is for.
  ///
  /// - Returns: how many; 0: there are no more.
  func removePiece(_ recordClass: RecordClass, before cutoff: Timestamp) throws(StoreFailure) -> Int64 {
    // The first id of the month that the cutoff is in, and the first beyond 2099: what is made between stays.
    guard let month = Self.month(of: cutoff), let late = IdMonth(index: 961)?.bounds.from else { return 0 }
    let bound = month.bounds.from
    let keys = try rows("SELECT tenant, key FROM vehicle ORDER BY key", [])
    var removed: Int64 = 0
    for key in keys {
      let count = try run(
        """
        DELETE FROM record WHERE (tenant, vehicle, class, time, id) IN (
          SELECT tenant, vehicle, class, time, id FROM record
          WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND time > $4 AND time < $5
            AND (id < $6 OR id >= $7) LIMIT $8)
        """,
        [
          .integer(key.integer(0)), .integer(key.integer(1)), .integer(Int64(recordClass.number)),
          .integer(StoredTime.undated), .integer(StoredTime.bound(cutoff)),
          bound.map { .identifier($0) } ?? .bytes([]), .identifier(late), .integer(10_000 - removed),
        ])
      removed += Int64(count)
      if removed >= 10_000 { break }
    }
    return removed
  }

  private static func month(of cutoff: Timestamp) -> IdMonth? {
    IdMonth(of: UUIDv7(milliseconds: UInt64(max(cutoff.milliseconds, 0)), first: 0, rest: 0))
  }
}
