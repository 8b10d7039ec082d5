import FleetDomain
import Telemetry

extension PostgreSQLSession {
  /// Number of database pages that one transaction reads: 4 MiB, or about 10,000 records.
  static let pages: Int64 = 512
  /// Number of records of a removed vehicle that one transaction deletes.
  private static let piece: Int64 = 5_000

  /// Drops a partition if all its records are older than the cutoff. If a record in the partition is the newest of its
  /// vehicle, the record is first moved to the partition `odd`.
  ///
  /// - Returns: the number of deleted rows, from PostgreSQL's statistics or, without statistics, from a count. `nil` if
  ///   the partition was not dropped because it contains newer records.
  func drop(_ name: PostgreSQLPartitions.Name, _ bounds: RetentionBounds) throws(StoreFailure) -> Int64? {
    // Only one transaction of the whole database creates or drops partitions at a time. The wait for locks is limited,
    // because readers wait while this statement waits.
    try connection.execute("SET LOCAL lock_timeout = '2s'; SELECT pg_advisory_xact_lock(1329746759, 1)")
    let key: [SQLValue] = [.integer(Int64(name.recordClass.number)), .integer(name.number)]
    let limits = try rows("SELECT min_time, max_time FROM part WHERE class = $1 AND month = $2 FOR UPDATE", key)
    // Records without a time are never removed, so a partition that contains such records is not dropped.
    guard let row = limits.first, row.integer(1) < bounds.time, row.integer(0) != StoredTime.undated else { return nil }
    let size = try rows("SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass($1)", [.text(name.table)])
    var removed = size.first?.integer(0) ?? 0
    if removed <= 0 { removed = try rows("SELECT count(*) FROM \(name.table)", []).first?.integer(0) ?? 0 }
    try run("DELETE FROM part WHERE class = $1 AND month = $2", key)
    let odd = PostgreSQLPartitions.Name(recordClass: name.recordClass, month: nil)
    let parts =
      [name.recordClass.number]
      + (name.recordClass == .known(.telemetry) ? [NewestRecord.Part.position.recordClass] : [])
    try connection.execute(
      """
      CREATE TEMPORARY TABLE kept ON COMMIT DROP AS
        SELECT DISTINCT ON (r.tenant, r.vehicle, r.id) r.* FROM newest AS n JOIN vehicle AS v ON v.key = n.vehicle
        JOIN \(name.table) AS r ON r.tenant = v.tenant AND r.vehicle = n.vehicle AND r.id = n.id
        WHERE n.class IN (\(parts.map { "\($0)" }.joined(separator: ", ")));
      DROP TABLE \(name.table);
      INSERT INTO \(odd.table) (\(Self.columns)) SELECT \(Self.columns) FROM kept;
      UPDATE part SET min_time = least(min_time, (SELECT min(time) FROM kept)),
        max_time = greatest(max_time, (SELECT max(time) FROM kept))
      WHERE class = \(name.recordClass.number) AND month = \(odd.number)
      """)
    let kept = try rows("SELECT tenant, count(*), sum(\(RecordBytes.ofRow))::bigint FROM kept GROUP BY tenant", [])
    try count(dropped: name, kept: kept.map { (Int32($0.integer(0)), $0.integer(2)) })
    return removed - kept.reduce(0) { $0 + $1.integer(1) }
  }

  /// Returns the number of database pages of a partition; 0 if the partition does not exist.
  func pages(of name: PostgreSQLPartitions.Name) throws(StoreFailure) -> Int64 {
    try rows(
      "SELECT coalesce(pg_relation_size(to_regclass($1)) / current_setting('block_size')::bigint, 0)",
      [.text(name.table)]
    ).first?.integer(0) ?? 0
  }

  /// A whole partition is read again only after the cutoff has advanced by this time, ms.
  private static let thinningStep: Int64 = 86_400_000

  /// Whether the partition can be skipped now: it does not exist, or the cutoff has advanced by less than
  /// ``thinningStep`` since expired records were deleted from the partition.
  func isThin(_ name: PostgreSQLPartitions.Name, _ bounds: RetentionBounds) throws(StoreFailure) -> Bool {
    let key: [SQLValue] = [.integer(Int64(name.recordClass.number)), .integer(name.number)]
    let row = try rows("SELECT thinned FROM part WHERE class = $1 AND month = $2", key).first
    return row.map { row in
      let thinned = row.integer(0)
      return thinned != .min && bounds.time < thinned + Self.thinningStep
    } ?? true
  }

  func recordThinning(_ name: PostgreSQLPartitions.Name, _ bounds: RetentionBounds) throws(StoreFailure) {
    try run(
      "UPDATE part SET thinned = greatest(thinned, $3) WHERE class = $1 AND month = $2",
      [.integer(Int64(name.recordClass.number)), .integer(name.number), .integer(bounds.time)])
  }

  /// Deletes the expired records in ``pages`` database pages of a partition, and returns the number of deleted records.
  func thin(
    _ name: PostgreSQLPartitions.Name, _ bounds: RetentionBounds, from page: Int64
  ) throws(StoreFailure) -> Int64 {
    guard try limits(name) != nil else { return 0 }
    var parameters = PostgreSQLParameters([.integer(StoredTime.undated), .integer(bounds.time)])
    parameters.add(high: bounds.firstKept?.high ?? 0, low: bounds.firstKept?.low ?? 0)
    parameters.add(high: bounds.firstAhead?.high ?? .max, low: bounds.firstAhead?.low ?? .max)
    let removed = try connection.query(
      """
      DELETE FROM \(name.table)
      WHERE ctid >= '(\(page),0)' AND ctid < '(\(page + Self.pages),0)' AND time > $1 AND time < $2
        AND (id < $3 OR id >= $4) AND NOT EXISTS (
          SELECT 1 FROM newest WHERE newest.vehicle = \(name.table).vehicle AND newest.id = \(name.table).id)
      RETURNING tenant, id, \(RecordBytes.ofRow)
      """, parameters, keeps: false)
    count(removed: removed, of: name)
    return Int64(removed.count)
  }

  /// Deletes some of the records of a removed vehicle from a partition.
  ///
  /// - Parameter first: the id at which to begin.
  /// - Returns: the number of deleted records, and the id at which to continue (`next`), which is `nil` at the end.
  func removePiece(
    tenant: Int32, vehicle: Int32, _ name: PostgreSQLPartitions.Name, from first: UUIDv7?
  ) throws(StoreFailure) -> (removed: Int64, next: UUIDv7?) {
    guard try limits(name) != nil else { return (0, nil) }
    var parameters = PostgreSQLParameters([SQLValue(tenant), SQLValue(vehicle)])
    parameters.add(high: first?.high ?? 0, low: first?.low ?? 0)
    let of = "FROM \(name.table) WHERE tenant = $1 AND vehicle = $2 AND id >= $3"
    let behind = try connection.query("SELECT id \(of) ORDER BY id OFFSET \(Self.piece) LIMIT 1", parameters)
    let next = behind.count == 0 ? nil : behind.identifier(0, 0)
    parameters.add(high: next?.high ?? .max, low: next?.low ?? .max)
    let removed = try connection.query(
      "DELETE \(of) AND id < $4 RETURNING tenant, id, \(RecordBytes.ofRow)", parameters)
    count(removed: removed, of: name)
    return (Int64(removed.count), next)
  }

  /// Deletes the row that records a vehicle's removal if no records of the vehicle remain.
  func finishRemoval(tenant: Int32, vehicle: Int32) throws(StoreFailure) {
    // While this lock is held, no transaction moves rows between partitions.
    try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 1)")
    let rest = try rows(
      "SELECT 1 FROM record WHERE tenant = $1 AND vehicle = $2 LIMIT 1", [SQLValue(tenant), SQLValue(vehicle)])
    if rest.isEmpty { try run("DELETE FROM removal WHERE vehicle = $1", [SQLValue(vehicle)]) }
  }
}
