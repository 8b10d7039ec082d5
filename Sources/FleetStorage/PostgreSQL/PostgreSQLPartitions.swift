import FleetDomain
import Synchronization
import Telemetry

/// What all connections of a server know of the database, so that they need not ask: keys of tenants, and which
/// partitions there are, from when to when the times of each may be: made on demand, before the transaction
/// that needs them.
///
/// The limits of times are whole days (UTC), so that the table that has them is seldom written to.
final class PostgreSQLPartitions: Sendable {
  /// A class and the month of an id.
  struct Name: Hashable {
    var recordClass: RecordClass
    var month: IdMonth

    var table: String { "\(PostgreSQLPartitions.table(recordClass))_\(month.name)" }
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

  /// What is known; it may be more than there is, and then a transaction fails and ``forget()`` is called.
  private let known = Mutex<[Name: Limits]>([:])
  /// Keys of tenants.
  let tenants = Mutex<[TenantID: Int32]>([:])

  static func table(_ recordClass: RecordClass) -> String { "record_\(recordClass.name)" }

  func forget() { known.withLock { $0 = [:] } }

  /// Makes what the jobs of a group need and is not there. Not inside a transaction.
  func make(for jobs: [IngestJob], _ connection: PostgreSQLConnection) throws(StoreFailure) {
    var needed: Set<Name> = []
    for job in jobs {
      for record in job.records {
        needed.insert(Name(recordClass: record.kind.recordClass, month: IdMonth(of: record.id)))
      }
    }
    let missing = known.withLock { known in needed.filter { known[$0] == nil } }
    guard !missing.isEmpty else { return }
    let session = PostgreSQLSession(connection: connection, partitions: self)
    for name in missing.sorted(by: { $0.table < $1.table }) {
      try session.inTransaction { () throws(StoreFailure) in
        // One at a time in the whole database.
        try connection.execute("SELECT pg_advisory_xact_lock(1329746759, 1)")
        if try session.limits(name) == nil { try create(name, connection, session) }
      }
      if let limits = try session.limits(name) { known.withLock { $0[name] = limits } }
    }
  }

  private func create(
    _ name: Name, _ connection: PostgreSQLConnection, _ session: PostgreSQLSession
  ) throws(StoreFailure) {
    let bounds = name.month.bounds
    let from = bounds.from.map { "'\($0.string)'" } ?? "MINVALUE"
    let to = bounds.to.map { "'\($0.string)'" } ?? "MAXVALUE"
    // Attached rather than created in its place: readers and writers of the other partitions go on.
    try connection.execute(
      """
      CREATE TABLE \(name.table) (LIKE record INCLUDING DEFAULTS);
      ALTER TABLE \(Self.table(name.recordClass)) ATTACH PARTITION \(name.table) FOR VALUES FROM (\(from)) TO (\(to))
      """)
    try session.run(
      "INSERT INTO part (class, month, min_time, max_time) VALUES ($1, $2, $3, $4)",
      [
        .integer(Int64(name.recordClass.number)), .integer(Int64(name.month.index)), .integer(.max), .integer(.min),
      ])
  }

  /// Widens limits, as a part of the transaction that needs it.
  ///
  /// - Returns: what is known once that has been committed: for ``learn(_:)``.
  func widen(_ wanted: [Name: Limits], _ session: PostgreSQLSession) throws(StoreFailure) -> [Name: Limits] {
    let narrow = known.withLock { known in wanted.filter { known[$0.key]?.contains($0.value) != true } }
    var learnt: [Name: Limits] = [:]
    for (name, limits) in narrow.sorted(by: { $0.key.table < $1.key.table }) {
      let row = try session.rows(
        """
        UPDATE part SET min_time = least(min_time, $3), max_time = greatest(max_time, $4)
        WHERE class = $1 AND month = $2 RETURNING min_time, max_time
        """,
        [
          .integer(Int64(name.recordClass.number)), .integer(Int64(name.month.index)), .integer(limits.least),
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
    known.withLock { known in known.merge(limits) { $1 } }
  }
}

extension PostgreSQLSession {
  func limits(_ name: PostgreSQLPartitions.Name) throws(StoreFailure) -> PostgreSQLPartitions.Limits? {
    try rows(
      "SELECT min_time, max_time FROM part WHERE class = $1 AND month = $2",
      [.integer(Int64(name.recordClass.number)), .integer(Int64(name.month.index))]
    ).first.map { PostgreSQLPartitions.Limits(stored: $0.integer(0), $0.integer(1)) }
  }

  /// The partitions of a class that may have records of these times, in the order of their latest times.
  func partitions(
    of recordClass: RecordClass, from least: Int64, through most: Int64
  ) throws(StoreFailure) -> [(table: String, limits: PostgreSQLPartitions.Limits)] {
    try rows(
      """
      SELECT month, min_time, max_time FROM part WHERE class = $1 AND max_time >= $2 AND min_time <= $3
      ORDER BY max_time, month
      """, [.integer(Int64(recordClass.number)), .integer(least), .integer(most)]
    ).compactMap { row in
      IdMonth(index: Int(row.integer(0))).map { month in
        (
          PostgreSQLPartitions.Name(recordClass: recordClass, month: month).table,
          PostgreSQLPartitions.Limits(stored: row.integer(1), row.integer(2))
        )
      }
    }
  }
}
