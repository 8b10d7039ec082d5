import Telemetry

/// The storage of the fleet's records, vehicles and access rights.
///
/// The initializer opens the storage and updates its schema. After that, all calls may be made from any task at any
/// time. ``close(within:)`` waits for calls in progress; later calls fail with `unavailable`.
///
/// A tenant must exist before any call for it; `default` always exists. A vehicle must exist before its records are
/// read, and a gateway before its key is looked up. Otherwise, calls fail with `notFound`.
///
/// - When a call returns, its result is durable: it survives kill -9 and a power cut.
/// - A call for a tenant has no access to the data of other tenants.
/// - No call reads a clock: the caller passes the time.
/// - A call that failed with `unavailable` may have been executed. Every call can be repeated without harm.
/// - Cancelling a task does not undo its calls.
public protocol FleetStorage: AccessStorage {
  // MARK: Records

  /// Stores a batch of records in one transaction, or in several if it is large or improves the times of many stored
  /// records. Rejected records do not affect the others. If the call fails, a part of the batch may be stored. If the
  /// batch is sent again, no record is stored twice.
  ///
  /// The first record of an unknown vehicle registers the vehicle. The record's `vehicleId` becomes the vehicle's ID.
  /// If the `vehicleId` is the VIN of a known vehicle, the record belongs to that vehicle. A later record with the same
  /// tenant, vehicle, class and ID is a duplicate. If its `timeQuality` is better (gps > ntp > system > unset), its
  /// `timestamp` and `timeQuality` replace the stored ones, also in the body.
  ///
  /// - Parameter now: the time at which vehicles are registered and changes are added to the feed.
  /// - Returns: the result of each record, in order.
  /// - Throws: `tenantFull` if the tenant's records have reached their maximum size (``RecordSize``).
  func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome]

  /// Returns the size of a tenant's stored records, and its limit.
  ///
  /// - Throws: `notFound` if the tenant does not exist.
  func recordBytes(tenant: TenantID) async throws(StorageError) -> RecordSize

  /// Returns a page of records. A cursor is valid only for the query that returned it.
  ///
  /// A record that is stored while a client reads the pages appears only if it belongs on a later page. If the query
  /// has a selection (``RecordQuery/selection``), a page may be shorter than its limit although another page follows.
  ///
  /// - Throws: `notFound` if the vehicle does not exist, or if it is not selected for any time; `invalidCursor`;
  ///   `invalidQuery` for an invalid ``RecordQuery``.
  func records(_ query: RecordQuery, tenant: TenantID) async throws(StorageError) -> Page<StoredRecord>

  /// Returns the IDs of the gateways that have records without a vehicle, in the order of the IDs. A gateway sends such
  /// records until it knows its vehicle (``RecordQuery/gateway``).
  func gatewaysWithRecords(tenant: TenantID) async throws(StorageError) -> [String]

  /// Removes those records of a gateway that belong to no vehicle. Their rows are deleted later, by
  /// ``finishRemovals()``.
  ///
  /// - Throws: `notFound` if the gateway has no such records.
  func removeRecords(
    ofGateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError)

  /// Returns the newest records of a vehicle, which is named by its ID or VIN. The result contains the newest record of
  /// each class and each ECU among the records that the caller may see. To find a record that the caller may see, the
  /// call searches at most about 10,000 records of each class.
  ///
  /// - Parameter selection: the vehicles and times that the caller may see.
  /// - Returns: `nil` if the vehicle does not exist, or if the caller may not see it at any time.
  func latest(
    vehicle: String, within selection: VehicleSelection, tenant: TenantID
  ) async throws(StorageError) -> LatestRecords?

  /// Removes records of a class that are older than `cutoff`. A record is removed if both conditions hold:
  ///
  /// - Its time is before `cutoff`. Records without a time are never removed.
  /// - Its ID was created in a month (UTC) that ended before `cutoff`, or in a month that begins more than a day after
  ///   `now`. IDs from before 2020, which come from a clock that was not set, always meet this condition.
  ///
  /// The removal consists of small transactions, so that it does not delay batches of records. If the task is
  /// cancelled, the removal ends after the current transaction.
  ///
  /// - Returns: the number of removed records; if whole partitions were removed, the database's estimate.
  @discardableResult
  func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64

  /// Returns a time for comparison with this machine's clock: the time of the PostgreSQL server, or the time of the
  /// newest change in a SQLite file; `nil` if there is none.
  func referenceTime() async throws(StorageError) -> Timestamp?

  /// Prepares the database for the records of the next week, so that no partition must be created when a month begins.
  /// Fails if a reader of the whole database, such as a backup, has locked it; the caller must then try again later.
  ///
  /// - Parameter now: the current date and time.
  func prepare(at now: Timestamp) async throws(StorageError)

  // MARK: Feed

  /// Returns the position after the tenant's newest change.
  func feedPosition(tenant: TenantID) async throws(StorageError) -> FeedPosition

  /// Returns changes after a position, in the order of their commits. If the result has fewer than `limit` changes,
  /// there are no more.
  ///
  /// Changes of records that were removed in the meantime are left out.
  ///
  /// - Throws: `positionGone` if the changes after the position are no longer stored, or if a backup was restored since
  ///   the position was read.
  func changes(
    after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [FeedChange]

  /// Returns changes of some classes after a position, in the order of their commits, and the position from which the
  /// caller continues. If the returned position equals the given one, the feed has no later change.
  ///
  /// Only readers that store their position in the same database may use this function. After a backup was restored,
  /// such a reader continues with the position that was restored together with the feed.
  ///
  /// - Parameter vehicle: id of the vehicle whose changes are returned; `nil` for all.
  /// - Throws: `positionGone` if the changes after the position are no longer stored, `notFound` if there is no such
  ///   vehicle.
  func changes(
    of classes: Set<RecordClass>, vehicle: String?, after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> (changes: [FeedChange], position: FeedPosition)

  /// Returns a stream that sends the feed's newest position soon after each commit of any process. A slow reader may
  /// miss positions, but always receives the newest one; it must read the changes with
  /// ``changes(after:limit:tenant:)``. The stream ends with ``close(within:)``.
  func announcements(tenant: TenantID) -> AsyncStream<FeedPosition>

  /// Removes old changes of all tenants from the feeds; the records stay. Works in small transactions, as
  /// ``removeRecords(_:before:at:)`` does.
  ///
  /// - Parameters:
  ///   - cutoff: changes before this time are removed.
  ///   - most: the maximum number of changes that are kept for each tenant. The changes of a transaction are kept or
  ///     removed together.
  /// - Returns: the number of removed changes.
  @discardableResult
  func removeChanges(before cutoff: Timestamp, keeping most: Int64) async throws(StorageError) -> Int64

  // MARK: Address

  /// Stores the address at which a server listens, so that commands can print links. It replaces the previous address.
  func recordServerAddress(_ url: String) async throws(StorageError)

  /// Returns the address that ``recordServerAddress(_:)`` stored last; `nil` if no server has run.
  func serverAddress() async throws(StorageError) -> String?

  // MARK: Vehicles

  /// Deletes the records of removed vehicles. If a server was killed before it had deleted all of them, the next call
  /// deletes the rest. Works in small transactions, as ``removeRecords(_:before:at:)`` does.
  ///
  /// - Returns: the number of deleted records.
  @discardableResult
  func finishRemovals() async throws(StorageError) -> Int64

  /// Does the work that an upgrade of the database has postponed: finds the newest positions and computes the figures
  /// of days from records that an earlier version stored. Works in small transactions.
  ///
  /// - Returns: the number of vehicles for which this was done.
  @discardableResult
  func finishUpgrade() async throws(StorageError) -> Int64

  // MARK: Figures of days

  /// Returns vehicles with stale days: days whose figures lack records, or were computed for another time zone. The
  /// vehicle whose records have waited longest is first.
  ///
  /// - Parameter time: vehicles are left out if all their missing records were stored at this time or later.
  func staleVehicles(markedBefore time: Timestamp, limit: Int) async throws(StorageError) -> [VehicleName]

  /// Returns the rules of a time zone from the machine's IANA database.
  ///
  /// - Parameter name: for example `Europe/Vienna`; `nil` for UTC.
  /// - Returns: the rules; those of UTC if the database does not contain the name.
  func zone(_ name: String?) -> ZoneRules

  /// Returns the days on which the figures of a vehicle do not agree with its records; `nil` if there is no such
  /// vehicle.
  func staleDays(of vehicle: String, tenant: TenantID) async throws(StorageError) -> StaleDays?

  /// Stores figures of days, unless new records were stored or retention has run since their ``StaleDays`` were read.
  ///
  /// - Returns: whether they were stored.
  func storeDays(_ computed: ComputedDays, tenant: TenantID) async throws(StorageError) -> Bool

  /// Deletes the figures of a vehicle's days, because its days now begin at other times. The days become stale. Days
  /// before ``StaleDays/sealedBefore`` keep their figures.
  func resetDays(_ stale: StaleDays, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  // MARK: Fences

  /// Returns the version of the fences without the document; `nil` if no fences were ever stored.
  func fencesVersion(tenant: TenantID) async throws(StorageError) -> FencesVersion?

  /// Returns the fences; `nil` if no fences were ever stored.
  func fences(tenant: TenantID) async throws(StorageError) -> FencesDocument?

  /// Replaces the fences if the stored fences meet the condition `expected`. The change is written to the tenant's
  /// audit in the same transaction, with its actor.
  ///
  /// - Parameter expected: the condition for the stored fences.
  func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, by actor: Actor,
    at now: Timestamp
  ) async throws(StorageError) -> FencesPut

  // MARK: Tenants

  /// Adds a tenant.
  ///
  /// - Throws: `exists`.
  func addTenant(_ tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Returns all tenants in the order of their ids.
  func tenants() async throws(StorageError) -> [Tenant]

  // MARK: Things

  /// Reads things in one transaction, so that all results belong to the same state of the database.
  ///
  /// - Throws: errors of `work`; `storage`.
  func view<Value: Sendable>(
    tenant: TenantID, _ work: @escaping @Sendable (any FleetView) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value

  /// Changes things in one transaction, and writes the changes to the tenant's audit in the same transaction.
  ///
  /// - Parameters:
  ///   - actor: the author of the changes, for the audit.
  ///   - now: the time of the changes.
  ///   - work: makes the changes; it may be called more than once.
  /// - Throws: errors of `work`; `storage`. In both cases nothing is changed.
  func change<Value: Sendable>(
    tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value

  /// Returns entries of a tenant's audit as they are stored, in ascending order. If the result has fewer than `limit`
  /// entries, there are no more.
  ///
  /// - Parameter number: number of the entry before the first one that is returned; 0 to begin with the first entry.
  func auditEntries(after number: Int64, limit: Int, tenant: TenantID) async throws(StorageError) -> [AuditEntry]

  /// Returns the tenants that have at least one thing that satisfies all conditions, in the order of the tenants' IDs.
  /// This function is used to find due work of all tenants. The database therefore needs an index of the fields that
  /// does not begin with the tenant.
  ///
  /// - Throws: `invalidQuery`.
  func tenants<Value: Kind>(
    having conditions: [ThingQuery<Value>.Condition]
  ) async throws(StorageError) -> [TenantID]

  /// Returns the number and the hash of the last entry of a tenant's audit. They are stored separately from the
  /// entries, so that missing entries are detected.
  func auditHead(tenant: TenantID) async throws(StorageError) -> (number: Int64, hash: [UInt8])

  /// Returns, for each tenant, the number of the last entry of its audit. All tenants are read in one query. Tenants
  /// without entries are left out. All entries up to the number are committed.
  func auditNumbers(of tenants: [TenantID]) async throws(StorageError) -> [TenantID: Int64]

  // MARK: Archives

  /// Reads all rows of some tables. All rows show the same state of the database.
  ///
  /// - Parameter receive: receives ``ArchivedRow/start``, then each table followed by its rows. If
  ///   ``ArchivedRow/start`` comes again, everything before it must be discarded. The closure runs on a thread of the
  ///   database and must return soon.
  func exportRows(
    of tables: [ArchiveTable], tenant: TenantID,
    _ receive: @escaping @Sendable (ArchivedRow) throws(StorageError) -> Void
  ) async throws(StorageError)

  /// Inserts rows of an archive. Rows that an earlier call with the same archive has inserted are skipped.
  ///
  /// The tenant must be empty when its first rows are imported. Until ``finishImport(of:auditHead:tenant:)`` is called,
  /// no other caller may change things of the tenant.
  ///
  /// - Parameter columns: the columns of the values. A missing column gets its standard value in all rows.
  /// - Throws: `exists` if the tenant is not empty, or if another tenant has a secret that is in the rows;
  ///   `invalidQuery` for a column that the table does not have, or for an invalid value.
  func importRows(
    _ rows: [[JSON]], columns: [String], into table: ArchiveTable, of archive: UUIDv7, tenant: TenantID
  ) async throws(StorageError)

  /// Ends the import of an archive.
  ///
  /// - Parameter head: number and hash of the last entry of the archive's audit.
  /// - Throws: `damaged` if the imported audit has another number of entries.
  func finishImport(
    of archive: UUIDv7, auditHead head: (number: Int64, hash: [UInt8]), tenant: TenantID
  ) async throws(StorageError)

  // MARK: The storage itself

  /// Begins a new generation of feed positions. This is required after a backup was restored in a way that no server
  /// can detect. All earlier positions that readers outside the database have received then fail with `positionGone`.
  func recordRestoration() async throws(StorageError)

  /// Checks that the database works.
  func health() async throws(StorageError) -> StorageHealth

  func counts() async throws(StorageError) -> StorageCounts

  /// Waits until each of the storage's own threads has responded once. A watchdog uses it to detect a stuck thread. An
  /// unreachable database, or another process that locks the file, does not delay the response.
  func waitForRound() async

  /// Closes the database: rejects new calls, and waits for calls in progress.
  ///
  /// - Parameter limit: the maximum time to wait; `nil` for no limit. Afterwards, calls that the database can interrupt
  ///   fail with `unavailable`, and it is unknown whether their batches were committed. Calls that cannot be
  ///   interrupted get another quarter of a second.
  func close(within limit: Duration?) async
}

extension FleetStorage {
  /// Returns the newest records of a vehicle, by id or VIN; `nil` if the vehicle does not exist.
  public func latest(vehicle: String, tenant: TenantID) async throws(StorageError) -> LatestRecords? {
    try await latest(vehicle: vehicle, within: .all, tenant: tenant)
  }

  /// Returns the owner of a secret, even if the secret was revoked; `nil` if the secret is unknown.
  public func principal(_ secret: SecretHash) async throws(StorageError) -> Principal? {
    try await principals([secret])[secret]
  }

  /// Waits for calls in progress and closes the database.
  public func close() async { await close(within: nil) }
}

/// A condition on the stored fences (RFC 9110, section 13.1: If-Match, If-None-Match).
public enum FencesExpectation: Equatable, Sendable {
  /// No condition: fences may be stored or not.
  case anything
  /// No fences were ever stored.
  case nothing
  /// The tag of the stored fences is one of these.
  case tags([String])
}
