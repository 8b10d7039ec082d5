import FleetDomain
import Synchronization
import Telemetry

/// What all connections of a server know of the database, so that they need not ask: keys of tenants, and which
/// partitions there are, from when to when the times of each may be: made on demand, before the transaction
/// that needs them.
///
/// The limits of times are whole days (UTC), so that the table that has them is seldom written to.
final class PostgreSQLPartitions: Sendable {
  /// A partition of a class.
  struct Name: Hashable {
    /// The number of the partition of ids whose month has none of its own, behind those of all months.
    static let oddNumber: Int64 = 962

    var recordClass: RecordClass
    /// Nil: of ids whose month has none of its own.
    var month: IdMonth?

    init(recordClass: RecordClass, month: IdMonth?) {
      self.recordClass = recordClass
      self.month = month
    }

    /// Nil for a number that none has.
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

    /// The days that the times are in. Records without a time have one before all.
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
    /// Months that have no partition of their own.
    var odd: Set<Name> = []
  }

  /// What is known; it may not be so any more, and then a transaction fails and ``forget()`` is called: rows are put
  /// into partitions by name, and each takes only those that belong to it.
  private let known = Mutex(Known())
  /// Keys of tenants.
  let tenants = Mutex<[TenantID: Int32]>([:])

  static func table(_ recordClass: RecordClass) -> String { "record_\(recordClass.name)" }

  func forget() { known.withLock { $0 = Known() } }

  /// Where ids of a month go; nil: not known.
  func place(_ recordClass: RecordClass, _ month: IdMonth) -> Name? {
    let own = Name(recordClass: recordClass, month: month)
    return known.withLock { known in
      if known.limits[own] != nil { return own }
      return known.odd.contains(own) ? Name(recordClass: recordClass, month: nil) : nil
    }
  }

  /// Finds out where the records of a group go, and makes what is not there. Not inside a transaction.
  func make(for jobs: [IngestJob], _ connection: PostgreSQLConnection) throws(StoreFailure) {
    guard let now = jobs.map(\.now).max() else { return }
    var missing: Set<Name> = []
    // Most records are of the class and month of the one before.
    var last: (recordClass: RecordClass, ids: Range<UInt64>)?
    for job in jobs {
      for record in job.records {
        let recordClass = record.kind.recordClass
        if let last, last.recordClass == recordClass, last.ids.contains(record.id.high) { continue }
        let month = IdMonth(of: record.id)
        last = (recordClass, Self.ids(of: month))
        // A month without a partition gets one when it comes.
        if let place = place(recordClass, month), place.month != nil || !month.isUsual(at: now) { continue }
        missing.insert(Name(recordClass: recordClass, month: month))
      }
    }
    try make(missing, at: now, connection)
  }

  /// Makes partitions that are not there, where they are usual at a time. Not inside a transaction.
  func make(
    _ missing: some Collection<Name>, at now: Timestamp, _ connection: PostgreSQLConnection
  ) throws(StoreFailure) {
    if missing.isEmpty { return }
    let session = PostgreSQLSession(connection: connection, partitions: self)
    for name in missing.sorted(by: { $0.table < $1.table }) {
      let limits = try session.inTransaction { () throws(StoreFailure) -> Limits? in
        // One at a time in the whole database.
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

  /// The upper halves that ids of a month have.
  static func ids(of month: IdMonth) -> Range<UInt64> {
    let bounds = month.bounds
    return (bounds.from?.high ?? 0)..<(bounds.to?.high ?? .max)
  }

  private func create(_ name: Name, _ month: IdMonth, _ connection: PostgreSQLConnection) throws(StoreFailure) {
    let odd = Name(recordClass: name.recordClass, month: nil)
    let (from, to) = (month.bounds.from.map { "'\($0.string)'" }, month.bounds.to.map { "'\($0.string)'" })
    let ids = [from.map { "id >= \($0)" }, to.map { "id < \($0)" }].compactMap { $0 }.joined(separator: " AND ")
    let columns = PostgreSQLSession.columns
    // Attached rather than created in its place: readers and writers of the other partitions go on. Only those of the
    // odd ids wait, whose rows of this month come over: attaching reads them all. Who reads that table for long, as a
    // backup does, is not waited for without end: whoever reads all tables would wait behind us.
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

  /// Widens limits, as a part of the transaction that needs it.
  ///
  /// - Returns: what is known once that has been committed: for ``learn(_:)``.
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

  /// The partitions of a class that may have records of these times, in the order of their latest times.
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
