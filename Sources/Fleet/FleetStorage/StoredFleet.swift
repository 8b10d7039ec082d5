import FleetDomain
import Telemetry

/// The fleet's storage in a database: an embedded SQLite file, or PostgreSQL with any number of servers.
///
///     let storage = try StoredFleet(sqlite: "fleet.db")
///     let storage = try await StoredFleet(postgreSQL: "postgres://fleet@db.example/fleet")
///
/// Constraints:
/// - **Answered means durable.** SQLite: WAL with `synchronous=FULL`; PostgreSQL: `synchronous_commit`, switched on where
///   it is off. Batches that come in together share one commit (at most 4,096 records of usual length), and a batch that
///   costs more has several (``IngestCost``); each caller is answered after its last.
/// - **Key**: (tenant, vehicle, class, id), where the class is the record's type, and one class for all types that are
///   not known. A gateway gives an id once, whatever the type. Keys begin with tenant and vehicle, so that a cluster can
///   distribute by them.
/// - **Order** is by time, then by `seq`, never by arrival; records without a time stand before all others. A time more
///   than a day ahead of the reception is not believed: such a record is ordered by its reception, and is never the
///   newest of anything.
/// - **Down-sampling** seeks: two steps in the index of (tenant, vehicle, time) for each span that has a record.
///   Spans that have none cost nothing.
/// - **Secrets** are kept as SHA-256 digests.
///
/// Tables, the same in both:
///
/// | table | a row is |
/// |---|---|
/// | `setting` | one value by its name: `cursorKey`; `store`, its identifier; `served` or `origin`, where it was served last |
/// | `tenant` | a tenant: its `id`; `position` of its feed; changes up to `forgotten` are kept no more; how many `gateways` and `tokens` it has |
/// | `vehicle` | a vehicle: what operators say of it; `registered_by` a gateway; its newest time |
/// | `newest` | which record of a vehicle is the newest of a class, of an ECU in it, and (class -1) the newest with a position |
/// | `record` | a record: `time` in ms (the least number there is: none), `seq`, `quality`, when it was `received`, `body` as it came |
/// | `telemetry_run` | telemetry of one vehicle that came in many records at once, packed: ``TelemetryRun`` |
/// | `removal` | a vehicle that was removed, and of whose records there may be some |
/// | `feed` | the keys that one transaction stored or improved for one tenant; `position` is behind them |
/// | `fences` | a tenant's GeoJSON |
/// | `gateway`, `token` | who may do what, by the digest of a secret |
/// | `gateway_vehicle` | a vehicle that a gateway may write as, in the order of its list; `active` while its key is good |
/// | `revocation` | a token that was revoked or removed, for the servers that have connections of it |
///
/// SQLite keeps `record` in the order of (tenant, vehicle, class, time, seq, id). PostgreSQL has it partitioned, first by
/// class, then by the month of the id (``FleetDomain/IdMonth``), made on demand; never by time, which may change. So
/// retention of one type drops whole tables and touches no other type. Ids of months that no right clock gives now share
/// one partition, `odd`, of each class, so that no sender can make tables without end; where such a month comes, its
/// rows move. The table `part` knows from when to when the times of each are, so that a question about a week reads the
/// partitions of that week, and those of ids that were made before a clock was right.
///
/// Several servers share one PostgreSQL: NOTIFY on the channel `obdgate_feed` (tenant's key, position) tells them what
/// the others have stored. A SQLite file belongs to one server (``SQLiteServerFile``); commands that add gateways and tokens may use it beside.
public final class StoredFleet: FleetStorage {
  let engine: any StoreEngine

  /// Whether a backup was found to have been restored when a server opened the store: positions of its feeds are of a new
  /// generation.
  public var wasRestored: Bool { engine.wasRestored }

  /// Opens a SQLite file.
  ///
  /// - Throws: `noDatabase`; `inUse`; `newerSchema` for a file of a later version; `damaged`; `full`; `unavailable`.
  public init(sqlite path: String, as access: StoreAccess = .makingCommand) throws(StorageError) {
    // Its one writer does one thing after the other: a second call waits there, no more.
    engine = FairEngine(
      try SQLiteEngine(path: path, steps: SQLiteSchema.steps, access: access), reads: FairPermits(SQLiteEngine.readers),
      writes: FairPermits(2))
  }

  /// Connects to PostgreSQL (14 or later) and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - address: where it is. A password is better kept in a password file.
  ///   - connections: how many there are for calls other than taking records in, which has two of its own.
  /// - Throws: `noDatabase`, `newerSchema`, `unavailable`, `system`.
  public init(
    postgreSQL address: PostgreSQLAddress, connections: Int = 4, as access: StoreAccess = .makingCommand
  ) async throws(StorageError) {
    let permits = FairPermits(max(connections, 1))
    engine = FairEngine(
      try await PostgreSQLEngine(
        address: address, connections: connections, steps: PostgreSQLSchema.steps, access: access),
      reads: permits, writes: permits)
  }

  /// The same with a connection URI.
  ///
  /// - Throws: also `invalidQuery` for a text that is no such URI; the message shows none of it.
  public convenience init(
    postgreSQL uri: String, connections: Int = 4, as access: StoreAccess = .makingCommand
  ) async throws(StorageError) {
    let address: PostgreSQLAddress
    do throws(PostgreSQLAddress.ParsingError) {
      address = try PostgreSQLAddress(parsing: uri)
    } catch {
      throw StorageError(.invalidQuery, "PostgreSQL", error.description)
    }
    try await self.init(postgreSQL: address, connections: connections, as: access)
  }

  init(engine: any StoreEngine) { self.engine = engine }

  public func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome] {
    // Nothing is no batch: no commit would answer it.
    if records.isEmpty { return [] }
    return try await engine.queue.ingest { answer in
      IngestJob(records: records, source: source, tenant: tenant, now: now, answer: answer)
    }.get()
  }

  @discardableResult
  public func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64 {
    let bounds = RetentionBounds(before: cutoff, at: now)
    let inRuns = recordClass == .known(.telemetry) ? try await engine.removeRuns(bounds) : 0
    return inRuns + (try await engine.removeRecords(recordClass, bounds))
  }

  public func witnessedTime() async throws(StorageError) -> Timestamp? { try await engine.witnessedTime() }

  public func prepare(at now: Timestamp) async throws(StorageError) { try await engine.prepare(at: now) }

  public func health() async throws(StorageError) -> StorageHealth {
    if let failure = engine.queue.failure {
      // A short write may go through on a disk that has no room for a batch: for a while the batch counts.
      guard .now - failure.at > Self.failureHolds else { throw failure.error }
      // Nobody may have sent anything since, least of all if this answer keeps them away.
      _ = try await engine.write { session throws(StoreFailure) in
        try session.run("UPDATE setting SET value = value WHERE name = 'cursorKey'", [])
      }
    }
    return StorageHealth(database: try await engine.databaseName(), schemaVersion: engine.schemaVersion)
  }

  /// For so long a batch that could not be stored counts as what the storage does.
  private static let failureHolds = Duration.seconds(10)

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
