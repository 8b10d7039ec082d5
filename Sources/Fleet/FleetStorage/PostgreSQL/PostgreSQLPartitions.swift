import FleetDomain
import Synchronization
import Telemetry

/// A cache that all connections of a server share: the keys of tenants, the existing partitions, and the range of times
/// in each partition. Missing partitions are created before the transaction that needs them.
///
/// The limits of these ranges are whole days (UTC), so that the table with the ranges is rarely written.
final class PostgreSQLPartitions: Sendable {
  /// The name of a partition: its class and its month.
  struct Name: Hashable {
    /// The number of the partition `odd`, which contains unusual IDs: IDs from months that have no partition of their
    /// own. This number is higher than the numbers of all months.
    static let oddNumber: Int64 = 962

    var recordClass: RecordClass
    /// The month of the ids; `nil` for the partition `odd`.
    var month: IdMonth?

    init(recordClass: RecordClass, month: IdMonth?) {
      self.recordClass = recordClass
      self.month = month
    }

    /// Creates the name of the partition with a number (``number``); `nil` if no partition can have that number.
    init?(recordClass: RecordClass, number: Int64) {
      if number == Self.oddNumber {
        self.init(recordClass: recordClass, month: nil)
      } else {
        guard let month = IdMonth(index: Int(number)) else { return nil }
        self.init(recordClass: recordClass, month: month)
      }
    }

    var number: Int64 { month.map { Int64($0.index) } ?? Self.oddNumber }

    var table: String { "\(PostgreSQLPartitions.table(recordClass))_\(month?.name ?? "odd")" }
  }

  struct Limits: Equatable {
    var least: Int64
    var most: Int64

    /// Creates limits that include two times, ms since 1970, and are extended to whole days. Records without a time
    /// count as the lowest time.
    init(least: Int64, most: Int64) {
      let day: Int64 = 86_400_000
      self.least = least == StoredTime.undated ? least : least - (least % day + day) % day
      self.most = most == StoredTime.undated ? most : most - (most % day + day) % day + day - 1
    }

    init(stored least: Int64, _ most: Int64) {
      self.least = least
      self.most = most
    }

    func contains(_ other: Limits) -> Bool { least <= other.least && most >= other.most }
  }

  private struct Known {
    var limits: [Name: Limits] = [:]
    /// Months that have no partition of their own, so that their IDs belong to the partition `odd`.
    var odd: Set<Name> = []
  }

  /// The cached facts. They may be outdated. Rows are inserted into partitions by name, so a transaction that uses a
  /// wrong partition fails. In this case, ``forget()`` is called, and the transaction is repeated.
  private let known = Mutex(Known())
  /// For the ID of each tenant, the tenant's key in the database.
  let tenants = Mutex<[TenantID: Int32]>([:])

  static func table(_ recordClass: RecordClass) -> String { "record_\(recordClass.name)" }

  func forget() { known.withLock { $0 = Known() } }

  /// Returns the partition for the ids of a month; `nil` if it is not in the cache.
  func place(_ recordClass: RecordClass, _ month: IdMonth) -> Name? {
    let own = Name(recordClass: recordClass, month: month)
    return known.withLock { known in
      if known.limits[own] != nil { return own }
      return known.odd.contains(own) ? Name(recordClass: recordClass, month: nil) : nil
    }
  }

  /// Finds the partitions for the records of a group of batches, and creates missing partitions. The function uses its
  /// own transactions, so no transaction may be open.
  func make(for jobs: [IngestJob], _ connection: PostgreSQLConnection) throws(StoreFailure) {
    guard let now = jobs.map(\.now).max() else { return }
    var missing: Set<Name> = []
    // Most records have the same class and month as the record before them.
    var last: (recordClass: RecordClass, ids: Range<UInt64>)?
    for job in jobs {
      for record in job.records {
        let recordClass = record.kind.recordClass
        if let last, last.recordClass == recordClass, last.ids.contains(record.id.high) { continue }
        let month = IdMonth(of: record.id)
        last = (recordClass, Self.ids(of: month))
        // Until now, the IDs of this month belonged to `odd`. If the month is usual now, it gets its own partition.
        if let place = place(recordClass, month), place.month != nil || !month.isUsual(at: now) { continue }
        missing.insert(Name(recordClass: recordClass, month: month))
      }
    }
    try make(missing, at: now, connection)
  }

  /// Creates the partitions in `missing` whose months are usual: neither too old nor in the future at the time `now`
  /// (``FleetDomain/IdMonth/isUsual(at:)``). The function uses its own transactions, so no transaction may be open.
  func make(
    _ missing: some Collection<Name>, at now: Timestamp, _ connection: PostgreSQLConnection
  ) throws(StoreFailure) {
    if missing.isEmpty { return }
    let session = PostgreSQLSession(connection: connection, partitions: self)
    for name in missing.sorted(by: { $0.table < $1.table }) {
      let limits = try session.inTransaction { () throws(StoreFailure) -> Limits? in
        // Only one transaction of the whole database creates or drops partitions at a time.
        try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 1)")
        if let limits = try session.limits(name) { return limits }
        guard let month = name.month, month.isUsual(at: now) else { return nil }
        try create(name, month, connection)
        return try session.limits(name)
      }
      known.withLock { known in
        if let limits { known.limits[name] = limits } else { known.odd.insert(name) }
      }
    }
  }

  /// Returns the range of the ids of a month. Only the upper 64 bits of the ids are compared.
  static func ids(of month: IdMonth) -> Range<UInt64> {
    let bounds = month.bounds
    return (bounds.from?.high ?? 0)..<(bounds.to?.high ?? .max)
  }

  private func create(_ name: Name, _ month: IdMonth, _ connection: PostgreSQLConnection) throws(StoreFailure) {
    let odd = Name(recordClass: name.recordClass, month: nil)
    let (from, to) = (month.bounds.from.map { "'\($0.string)'" }, month.bounds.to.map { "'\($0.string)'" })
    let ids = [from.map { "id >= \($0)" }, to.map { "id < \($0)" }].compactMap { $0 }.joined(separator: " AND ")
    let columns = PostgreSQLSession.columns
    // The table is created first and then attached as a partition, so that readers and writers of other partitions do
    // not wait. Readers and writers of `odd` wait, because rows of this month are moved out of it, and attaching checks
    // all of its rows. The wait for locks is limited. Without the limit, a long reader of `odd`, such as a backup,
    // would delay this statement and then also all readers of the parent table.
    try connection.execute(
      """
      SET LOCAL lock_timeout = '5s';
      LOCK TABLE \(odd.table) IN ACCESS EXCLUSIVE MODE;
      CREATE TABLE \(name.table) (LIKE record INCLUDING DEFAULTS);
      WITH moved AS (DELETE FROM \(odd.table) WHERE \(ids) RETURNING \(columns))
        INSERT INTO \(name.table) (\(columns)) SELECT \(columns) FROM moved;
      ALTER TABLE \(Self.table(name.recordClass)) ATTACH PARTITION \(name.table)
        FOR VALUES FROM (\(from ?? "MINVALUE")) TO (\(to ?? "MAXVALUE"));
      INSERT INTO part (class, month, min_time, max_time)
        SELECT \(name.recordClass.number), \(name.number), coalesce(min(time), \(Int64.max)),
          coalesce(max(time), '\(Int64.min)') FROM \(name.table)
      """)
  }

  /// Extends the stored ranges of times of partitions. Call this in the transaction that inserts the rows.
  ///
  /// - Returns: the new ranges. After the commit, pass them to ``learn(_:)``.
  func widen(_ wanted: [Name: Limits], _ session: PostgreSQLSession) throws(StoreFailure) -> [Name: Limits] {
    let narrow = known.withLock { known in wanted.filter { known.limits[$0.key]?.contains($0.value) != true } }
    var learnt: [Name: Limits] = [:]
    for (name, limits) in narrow.sorted(by: { $0.key.table < $1.key.table }) {
      let row = try session.rows(
        """
        UPDATE part SET min_time = least(min_time, $3), max_time = greatest(max_time, $4)
        WHERE class = $1 AND month = $2 RETURNING min_time, max_time
        """,
        [
          .integer(Int64(name.recordClass.number)), .integer(name.number), .integer(limits.least),
          .integer(limits.most),
        ]
      ).first
      guard let row else { throw StoreFailure(.unavailable, name.table, "dropped meanwhile", mayRetry: true) }
      learnt[name] = Limits(stored: row.integer(0), row.integer(1))
    }
    return learnt
  }

  func learn(_ limits: [Name: Limits]) {
    if limits.isEmpty { return }
    known.withLock { known in known.limits.merge(limits) { $1 } }
  }
}

extension PostgreSQLSession {
  func limits(_ name: PostgreSQLPartitions.Name) throws(StoreFailure) -> PostgreSQLPartitions.Limits? {
    try rows(
      "SELECT min_time, max_time FROM part WHERE class = $1 AND month = $2",
      [.integer(Int64(name.recordClass.number)), .integer(name.number)]
    ).first.map { PostgreSQLPartitions.Limits(stored: $0.integer(0), $0.integer(1)) }
  }

  /// Returns the partitions of a class that may contain records of these times, sorted by the latest time of each
  /// partition.
  func partitions(
    of recordClass: RecordClass, from least: Int64, through most: Int64
  ) throws(StoreFailure) -> [(name: PostgreSQLPartitions.Name, limits: PostgreSQLPartitions.Limits)] {
    try rows(
      """
      SELECT month, min_time, max_time FROM part WHERE class = $1 AND max_time >= $2 AND min_time <= $3
      ORDER BY max_time, month
      """, [.integer(Int64(recordClass.number)), .integer(least), .integer(most)]
    ).compactMap { row in
      PostgreSQLPartitions.Name(recordClass: recordClass, number: row.integer(0)).map { name in
        (name, PostgreSQLPartitions.Limits(stored: row.integer(1), row.integer(2)))
      }
    }
  }
}
