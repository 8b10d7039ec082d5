import FleetDomain
import Telemetry

/// The fleet's storage in a database: an embedded SQLite file, or PostgreSQL with any number of servers.
///
///     let storage = try StoredFleet(sqlite: "fleet.db")
///     let storage = try await StoredFleet(postgreSQL: "postgres://fleet@db.example/fleet")
///
/// Constraints:
/// - **Answered means durable.** SQLite: WAL with `synchronous=FULL`; PostgreSQL: `synchronous_commit`, switched on where
///   it is off. Batches that come in together share one commit (at most 4,096 records); each caller is answered after
///   it.
/// - **Key**: (tenant, vehicle, class, id), where the class is the record's type, and one class for all types that are
///   not known. A gateway gives an id once, whatever the type. Keys begin with tenant and vehicle, so that a cluster can
///   distribute by them.
/// - **Order** is by time, never by arrival; records without a time stand before all others.
/// - **Down-sampling** seeks: two steps in the index of (tenant, vehicle, time) for each span that has a record.
///   Spans that have none cost nothing.
/// - **Secrets** are kept as SHA-256 digests.
///
/// Tables, the same in both:
///
/// | table | a row is |
/// |---|---|
/// | `setting` | one value by its name: `cursorKey` |
/// | `tenant` | a tenant: its `id`; `position` of its feed; changes up to `forgotten` are kept no more |
/// | `vehicle` | a vehicle: what operators say of it; `registered_by` a gateway; its newest time and position |
/// | `record` | a record: `time` in ms (the least number there is: none), `quality`, `body` as it came |
/// | `removal` | a vehicle that was removed, and of whose records there may be some |
/// | `feed` | the keys that one transaction stored or improved for one tenant; `position` is behind them |
/// | `fences` | a tenant's GeoJSON |
/// | `gateway`, `token` | who may do what, by the digest of a secret |
///
/// SQLite keeps `record` in the order of (tenant, vehicle, class, time, id). PostgreSQL has it partitioned, first by
/// class, then by the month of the id (``FleetDomain/IdMonth``), made on demand; never by time, which may change. So
/// retention of one type drops whole tables and touches no other type. Ids of months that no right clock gives now share
/// one partition, `odd`, of each class, so that no sender can make tables without end; where such a month comes, its
/// rows move. The table `part` knows from when to when the times of each are, so that a question about a week reads the
/// partitions of that week, and those of ids that were made before a clock was right.
///
/// Several servers share one PostgreSQL: NOTIFY on the channel `obdgate_feed` (tenant's key, position) tells them what
/// the others have stored. A SQLite file belongs to one server; commands that add gateways and tokens may use it beside.
public final class StoredFleet: FleetStorage {
  let engine: any StoreEngine

  /// Opens a SQLite file or makes it.
  ///
  /// - Throws: `newerSchema` for a file of a later version; `damaged`; `full`; `unavailable`.
  public init(sqlite path: String) throws(StorageError) {
    engine = try SQLiteEngine(path: path, steps: SQLiteSchema.steps)
  }

  /// Connects to PostgreSQL (14 or later) and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - address: a connection URI or string as libpq takes it. A password is better kept in a password file.
  ///   - connections: how many there are for calls other than taking records in, which has two of its own.
  /// - Throws: `newerSchema`, `unavailable`, `system`.
  public init(postgreSQL address: String, connections: Int = 4) async throws(StorageError) {
    engine = try await PostgreSQLEngine(
      address: address, connections: connections, steps: PostgreSQLSchema.steps)
  }

  init(engine: any StoreEngine) { self.engine = engine }

  public func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome] {
    // Nothing is no batch: no commit would answer it.
    guard !records.isEmpty else { return [] }
    return try await engine.queue.ingest { answer in
      IngestJob(records: records, source: source, tenant: tenant, now: now, answer: answer)
    }.get()
  }

  @discardableResult
  public func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64 {
    try await engine.removeRecords(recordClass, RetentionBounds(before: cutoff, at: now))
  }

  public func witnessedTime() async throws(StorageError) -> Timestamp? { try await engine.witnessedTime() }

  public func prepare(at now: Timestamp) async throws(StorageError) { try await engine.prepare(at: now) }

  public func health() async throws(StorageError) -> StorageHealth {
    StorageHealth(database: try await engine.databaseName(), schemaVersion: engine.schemaVersion)
  }

  public func turn() async { await engine.turn() }

  public func counts() async throws(StorageError) -> StorageCounts {
    var counts = engine.queue.counts
    (counts.recordsRemoved, counts.changesRemoved) = engine.tally.counts
    let rows = try await engine.read { session throws(StoreFailure) in
      try session.rows(
        """
        SELECT (SELECT count(*) FROM tenant), (SELECT count(*) FROM vehicle), (SELECT count(*) FROM gateway),
          (SELECT count(*) FROM removal)
        """, [])
    }
    guard let row = rows.first else { return counts }
    counts.tenants = row.integer(0)
    counts.vehicles = row.integer(1)
    counts.gateways = row.integer(2)
    counts.removals = row.integer(3)
    return counts
  }

  public func close(within limit: Duration?) async {
    let closing = PendingWork { [engine] in await engine.close() }
    guard let limit else { return await closing.wait() }
    if await closing.wait(limit) { return }
    engine.interrupt()
    // Whatever cannot be interrupted, as a disk that does not answer, ends with the process.
    _ = await closing.wait(Self.interruption)
  }

  /// How long what was interrupted may take to notice.
  private static let interruption = Duration.milliseconds(250)
}
