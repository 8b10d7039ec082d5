import FleetDomain
import Telemetry

extension PostgreSQLSession {
  /// Drops the partitions that are older than the cutoff as a whole; of those that are not, but whose month is over,
  /// removes the rows that are.
  ///
  /// - Returns: how many rows went; of dropped tables as many as the statistics say, or a count where they say nothing.
  func removeRecords(_ recordClass: RecordClass, before cutoff: Timestamp) throws(StoreFailure) -> Int64 {
    // As for making partitions: one at a time in the whole database.
    try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 1)")
    let bound = StoredTime.bound(cutoff)
    let number = SQLValue.integer(Int64(recordClass.number))
    var removed: Int64 = 0
    for row in try rows("SELECT month, min_time, max_time FROM part WHERE class = $1 ORDER BY month", [number]) {
      guard let month = IdMonth(index: Int(row.integer(0))), month.isOver(by: cutoff) else { continue }
      let name = PostgreSQLPartitions.Name(recordClass: recordClass, month: month)
      // Records without a time stay, and so does their partition.
      guard row.integer(2) < bound, row.integer(1) != StoredTime.undated else {
        removed += Int64(
          try run(
            "DELETE FROM \(name.table) WHERE time > $1 AND time < $2",
            [.integer(StoredTime.undated), .integer(bound)]))
        continue
      }
      let size = try rows("SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass($1)", [.text(name.table)])
      let known = size.first?.integer(0) ?? -1
      removed += known > 0 ? known : try rows("SELECT count(*) FROM \(name.table)", []).first?.integer(0) ?? 0
      try run("DELETE FROM part WHERE class = $1 AND month = $2", [number, row.values[0]])
      try connection.execute("DROP TABLE \(name.table)")
    }
    return removed
  }
}
