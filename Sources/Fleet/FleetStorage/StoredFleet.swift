import FleetDomain
import Synchronization
import Telemetry

/// The fleet's storage in a database: an embedded SQLite file, or PostgreSQL, which several servers can share.
///
///     let storage = try StoredFleet(sqlite: "fleet.db")
///     let storage = try await StoredFleet(postgreSQL: "postgres://fleet@db.example/fleet")
///
/// Properties:
/// - **Durability**: when a call returns, its result is on disk. SQLite uses WAL with `synchronous=FULL`; PostgreSQL
///   uses `synchronous_commit`, which is switched on if it is off. Batches that arrive together share one commit (at
///   most 4,096 records of usual length). A batch that costs more is divided into several transactions
///   (``IngestCost``), and is answered after the last one.
/// - **Primary key**: (tenant, vehicle, class, ID). The class is the record's type; all unknown types share one class.
///   A gateway never uses an ID twice, even for different types. Keys begin with tenant and vehicle, so that a cluster
///   can distribute rows by them.
/// - **Order**: by time, then by `seq`, never by arrival. Records without a time come before all others. A time that is
///   more than a day later than the reception is not trusted. Such a record is sorted by the time of its reception, and
///   never counts as the newest one.
/// - **Down-sampling** (the newest record of each time span): two look-ups in the index of (tenant, vehicle, time) for
///   each span that has a record. Spans without records cost nothing.
/// - **Secrets**: only SHA-256 digests are stored.
///
/// Tables, the same in both databases:
///
/// | table | content of a row |
/// |---|---|
/// | `setting` | values by name: `cursorKey`, the key of cursors; `store`, the identifier of the store; `served` (SQLite) or `origin` (PostgreSQL), the place of the database at the last start; `generations KEY`, those of a tenant (``FeedGenerations``) |
/// | `tenant` | a tenant: its `id`; `position` of its feed; `forgotten`, the position up to which changes were deleted; the numbers of its `gateways` and `tokens`; `record_bytes`, the size of its records (``RecordBytes``) |
/// | `vehicle` | a vehicle: the properties that operators set; the gateway that registered it (`registered_by`); the latest time of its records; `place`, `motion` and `last_trip`: the values of its newest records (``LastKnownValue``); `is_incomplete` until an upgrade has set these |
/// | `newest` | the newest record of a vehicle and class, or, for classes with ECUs, of each ECU; class -1 is the newest telemetry with a position |
/// | `record` | a record: `time` in ms (the lowest number means none), `seq`, `quality`, time when it was `received`, `body` as sent |
/// | `vehicle_day` | the figures of a vehicle's day |
/// | `stale_hour` | an hour of a vehicle with records that are not yet in its day figures, and since when |
/// | `telemetry_run` | telemetry of one vehicle that arrived together, compressed: ``TelemetryRun`` |
/// | `removal` | a removed vehicle, some of whose records may still exist |
/// | `feed` | the keys of the records that one transaction stored for one tenant, or to which it gave a better time; `position` is the feed's position after them |
/// | `fences` | a tenant's GeoJSON |
/// | `gateway`, `token` | access rights, by the digest of a secret |
/// | `gateway_vehicle` | a vehicle in the list of a gateway, which may send records for it; `active` while the gateway's key is valid |
/// | `revocation` | a token that was revoked or removed; servers read it to close the connections that use the token |
///
/// SQLite stores `record` in the order of (tenant, vehicle, class, time, seq, ID). PostgreSQL partitions it by class,
/// then by the month of the ID (``FleetDomain/IdMonth``). Partitions are created when they are needed. The partition of
/// a record does not depend on its time, because the time may change. Retention of one class can therefore drop whole
/// partitions, without touching other classes. Records with unusual IDs, whose month no correct clock shows at present,
/// are in one partition of each class, `odd`. Otherwise, a sender could create any number of partitions. When such a
/// month becomes current, its rows are moved to their own partition. The table `part` contains the range of times in
/// each partition. A query for a week therefore reads only the partitions with records of that week.
///
/// Several servers can share one PostgreSQL database. Each commit sends a notification on the channel `obdgate_feed`
/// (tenant's key, position), so that all servers can read the changes. A SQLite file belongs to one server
/// (``SQLiteServerFile``); commands that add gateways and tokens may use it at the same time.
public final class StoredFleet: FleetStorage {
  let engine: any StoreEngine
  /// The limit of ``limitRecords(ofTenant:)``.
  private let tenantBytes = Mutex<Int64?>(nil)

  /// Whether a restored backup was detected when the store was opened. If `true`, feed positions belong to a new
  /// generation.
  public var wasRestored: Bool { engine.wasRestored }

  /// Opens a SQLite file.
  ///
  /// - Throws: `noDatabase`; `inUse`; `newerSchema` if a later version wrote the file; `damaged`; `full`;
  ///   `unavailable`.
  public init(sqlite path: String, as access: StoreAccess = .makingCommand) throws(StorageError) {
    // SQLite executes one write at a time. There are two permits, and a tenant gets at most one of them, so that a
    // write of another tenant is always next.
    engine = FairEngine(
      try SQLiteEngine(path: path, steps: SQLiteSchema.steps, access: access), reads: FairPermits(SQLiteEngine.readers),
      writes: FairPermits(2))
  }

  /// Connects to PostgreSQL (14 or later) and updates its schema.
  ///
  /// - Parameters:
  ///   - address: the address of the database. Store passwords in a password file instead.
  ///   - connections: number of connections for all calls except ``ingest(_:from:tenant:at:)``, which uses two
  ///     additional connections.
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

  /// Connects to the PostgreSQL database with this connection URI.
  ///
  /// - Throws: the errors of ``init(postgreSQL:connections:as:)``; `invalidQuery` for an invalid URI, with a message
  ///   that contains no part of the URI.
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
    // An empty batch needs no transaction.
    if records.isEmpty { return [] }
    let tenantBytes = tenantBytes.withLock { $0 }
    return try await engine.queue.ingest { answer in
      IngestJob(records: records, source: source, tenant: tenant, now: now, tenantBytes: tenantBytes, answer: answer)
    }.get()
  }

  /// Limits the size of the records that each tenant may store. While the size of a tenant's records is at or above the
  /// limit, ``ingest(_:from:tenant:at:)`` stores nothing for this tenant and throws `tenantFull`. Other tenants are not
  /// affected.
  ///
  /// - Parameter bytes: the limit, bytes (``recordBytes(tenant:)``); `nil` for no limit.
  public func limitRecords(ofTenant bytes: Int64?) { tenantBytes.withLock { $0 = bytes } }

  public func recordBytes(tenant: TenantID) async throws(StorageError) -> RecordSize {
    let bytes = try await engine.read { session throws(StoreFailure) in
      try session.storedRecordBytes(tenant: try session.existing(tenant))
    }
    return RecordSize(bytes: bytes, limit: tenantBytes.withLock { $0 })
  }

  @discardableResult
  public func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64 {
    let bounds = RetentionBounds(before: cutoff, at: now)
    if StaleHour.classes.contains(recordClass.number) {
      _ = try await engine.write { session throws(StoreFailure) in try session.sealDays(before: cutoff.milliseconds) }
    }
    let inRuns = recordClass == .known(.telemetry) ? try await engine.removeRuns(bounds) : 0
    return inRuns + (try await engine.removeRecords(recordClass, bounds))
  }

  public func referenceTime() async throws(StorageError) -> Timestamp? { try await engine.referenceTime() }

  public func prepare(at now: Timestamp) async throws(StorageError) { try await engine.prepare(at: now) }

  public func health() async throws(StorageError) -> StorageHealth {
    if let failure = engine.queue.failure {
      // On a full disk, a small write may succeed although a batch does not fit. Therefore, a failed batch makes the
      // storage unhealthy for some time.
      guard .now - failure.at > Self.failureHolds else { throw failure.error }
      // The last batch may be old, because clients send nothing while the storage is unhealthy. Therefore, a write is
      // made as a test.
      _ = try await engine.write { session throws(StoreFailure) in
        try session.run("UPDATE setting SET value = value WHERE name = 'cursorKey'", [])
      }
    }
    return StorageHealth(database: try await engine.databaseName(), schemaVersion: engine.schemaVersion)
  }

  /// Time for which the storage counts as unhealthy after a batch could not be stored.
  private static let failureHolds = Duration.seconds(10)

  public func waitForRound() async { await engine.waitForRound() }

  public func counts() async throws(StorageError) -> StorageCounts {
    var counts = engine.queue.counts
    (counts.recordsRemoved, counts.changesRemoved) = engine.tally.counts
    counts.writes = engine.writeTally?.times ?? [:]
    let rows = try await engine.read { session throws(StoreFailure) in
      try session.rows(
        """
        SELECT (SELECT count(*) FROM tenant), (SELECT count(*) FROM vehicle WHERE is_gateway = 0), (SELECT count(*) FROM gateway),
          (SELECT count(*) FROM removal), (SELECT CAST(coalesce(sum(record_bytes), 0) AS BIGINT) FROM tenant)
        """, [])
    }
    guard let row = rows.first else { return counts }
    counts.tenants = row.integer(0)
    counts.vehicles = row.integer(1)
    counts.gateways = row.integer(2)
    counts.removals = row.integer(3)
    counts.recordBytes = row.integer(4)
    return counts
  }

  public func close(within limit: Duration?) async {
    let closing = PendingWork { [engine] in await engine.close() }
    guard let limit else { return await closing.wait() }
    if await closing.wait(limit) { return }
    engine.interrupt()
    // Do not wait longer for calls that cannot be interrupted, such as a write to a disk that does not respond.
    _ = await closing.wait(Self.interruption)
  }

  /// Time for which ``close(within:)`` waits after it has interrupted the calls in progress.
  private static let interruption = Duration.milliseconds(250)
}
