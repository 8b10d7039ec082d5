import Telemetry

/// The storage of the fleet's records, vehicles and access rights.
///
/// The initializer opens the storage and updates its schema. After that, all calls may be made from any task at any
/// time. ``close(within:)`` waits for calls in progress; later calls fail with `unavailable`.
///
/// A tenant must exist before all other calls (`default` always does), a vehicle before its records are read, and a
/// gateway before its key is looked up. Otherwise, calls fail with `notFound`.
///
/// - When a call returns, its result is durable: it survives kill -9 and a power cut.
/// - Every call except the look-up of secrets is for one tenant, and has no access to data of another.
/// - No call reads a clock: the caller passes the time.
/// - A call that failed with `unavailable` may have been executed. Every call can be repeated without harm.
/// - Cancelling a task does not undo its calls.
public protocol FleetStorage: Sendable {
  // MARK: Records

  /// Stores a batch of records in one transaction, or in several if it is large or has many better times. Rejected
  /// records do not affect the others. A batch that failed may be stored in part; if it is sent again, each record is
  /// stored once.
  ///
  /// The first record of an unknown vehicle registers the vehicle, with its `vehicleId` as the ID. If the `vehicleId`
  /// is the VIN of a known vehicle, the record belongs to that vehicle. A later record with the same tenant, vehicle,
  /// class and ID is a duplicate. If its `timeQuality` is better (gps > ntp > system > unset), its `timestamp` and
  /// `timeQuality` replace the stored ones, also in the body.
  ///
  /// - Parameter now: the time of registrations and of the feed.
  /// - Returns: the result of each record, in order.
  func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome]

  /// Returns a page of records. A cursor is valid only for the query that returned it.
  ///
  /// A record that is stored between the requests for two pages appears only if its place is on a later page. A page of a
  /// selection (``RecordQuery/selection``) may be shorter than its limit although another one follows.
  ///
  /// - Throws: `notFound` if the vehicle does not exist, or the selection contains nothing of it; `invalidCursor`; `invalidQuery` for an invalid
  ///   ``RecordQuery``.
  func records(_ query: RecordQuery, tenant: TenantID) async throws(StorageError) -> Page<StoredRecord>

  /// Returns the newest records of a vehicle, by id or VIN. Those that the selection does not contain are absent.
  ///
  /// - Returns: `nil` if the vehicle does not exist, or the selection contains nothing of it.
  func latest(
    vehicle: String, within selection: VehicleSelection, tenant: TenantID
  ) async throws(StorageError) -> LatestRecords?

  /// Removes records of a class that are older than `cutoff`. A record is removed if both conditions hold: its time is
  /// before `cutoff`, and its ID was created in a month (UTC) that ended before `cutoff`, or that begins more than a
  /// day after `now`. Records without a time stay. Records that were made before a clock was set are removed by their
  /// time alone.
  ///
  /// It works in small transactions, so that batches do not wait. If the task is cancelled, it ends after one of them.
  ///
  /// - Returns: the number of removed records; for whole partitions, the database's estimate.
  @discardableResult
  func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64

  /// Returns a time of day to compare with this machine's clock: that of the PostgreSQL server, or the time of the
  /// newest change in a SQLite file; `nil` if there is none.
  func referenceTime() async throws(StorageError) -> Timestamp?

  /// Prepares the database for the next week, so that nothing must be created when a month begins. Fails if a reader of
  /// the whole database, such as a backup, has locked it; the caller must try again later.
  ///
  /// - Parameter now: the time of day.
  func prepare(at now: Timestamp) async throws(StorageError)

  // MARK: Feed

  /// Returns the position after the tenant's newest change.
  func feedPosition(tenant: TenantID) async throws(StorageError) -> FeedPosition

  /// Returns changes after a position, in the order of their commits. If there are fewer than `limit`, they are the
  /// last ones.
  ///
  /// Records that were removed in the meantime are left out.
  ///
  /// - Throws: `positionGone` if the changes are no longer stored.
  func changes(
    after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [FeedChange]

  /// Returns a stream with the feed's position, which is sent soon after each commit of any process. A slow reader
  /// receives only the newest position, and must read the changes with ``changes(after:limit:tenant:)``. The stream
  /// ends with ``close(within:)``.
  func announcements(tenant: TenantID) -> AsyncStream<FeedPosition>

  /// Removes changes of all tenants from the feeds; the records stay. Works in small transactions, as
  /// ``removeRecords(_:before:at:)`` does.
  ///
  /// - Parameters:
  ///   - cutoff: older changes are removed.
  ///   - most: the maximum number of changes of each tenant that stay. Transactions are kept or removed as a whole.
  /// - Returns: the number of removed changes.
  @discardableResult
  func removeChanges(before cutoff: Timestamp, keeping most: Int64) async throws(StorageError) -> Int64

  // MARK: Vehicles

  /// Deletes the records of removed vehicles, also after a server was killed meanwhile. It works in small transactions,
  /// as ``removeRecords(_:before:at:)`` does.
  ///
  /// - Returns: the number of deleted records.
  @discardableResult
  func finishRemovals() async throws(StorageError) -> Int64

  // MARK: Fences

  /// Returns the version of the fences without the document; `nil` if none were stored.
  func fencesVersion(tenant: TenantID) async throws(StorageError) -> FencesVersion?

  /// Returns the fences; `nil` if none were stored.
  func fences(tenant: TenantID) async throws(StorageError) -> FencesDocument?

  /// Replaces the fences, if the present ones are the expected ones.
  ///
  /// - Parameter expected: condition for the present fences.
  func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> FencesPut

  // MARK: Gateways

  /// Returns gateways in the order of their ids.
  func gateways(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<Gateway>

  func gateway(_ id: String, tenant: TenantID) async throws(StorageError) -> Gateway?

  /// - Throws: `exists`; `limitReached` (``TenantLimits``).
  func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// Replaces the vehicles that a gateway may write as.
  ///
  /// - Throws: `notFound`.
  func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID
  ) async throws(StorageError) -> Gateway

  /// Replaces a gateway's key at once. A revoked gateway becomes valid again.
  ///
  /// - Throws: `notFound`.
  func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// Revokes a gateway's key.
  ///
  /// - Throws: `notFound`.
  func revokeGateway(_ id: String, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Removes a gateway and its key. Its vehicles and records stay; a new gateway with the same id continues with
  /// them.
  ///
  /// - Throws: `notFound`.
  func removeGateway(_ id: String, tenant: TenantID) async throws(StorageError)

  /// Stores the state that gateways reported. Unknown IDs are ignored. A reported vehicle replaces the current one
  /// unless its time is earlier.
  func storeStatus(of gateways: [String: GatewayStatus], tenant: TenantID) async throws(StorageError)

  // MARK: Tokens, tenants

  /// Returns the owners of secrets, including revoked ones, which the caller must check. Unknown secrets are not in the
  /// result.
  func principals(_ secrets: [SecretHash]) async throws(StorageError) -> [SecretHash: Principal]

  /// Adds a token with a new id.
  ///
  /// - Throws: `exists`; `limitReached` (``TenantLimits``).
  func addToken(_ token: OperatorToken, secret: SecretHash, tenant: TenantID) async throws(StorageError)

  /// Returns tokens in the order of their ids, which is the order of their creation.
  func tokens(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<OperatorToken>

  /// Whether a tenant has a token of a role, revoked or not.
  func hasToken(_ role: Role, tenant: TenantID) async throws(StorageError) -> Bool

  /// Revokes a token.
  ///
  /// - Throws: `notFound`.
  func revokeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Removes a token. Its secret becomes unknown, and lists no longer contain it.
  ///
  /// - Throws: `notFound`.
  func removeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Returns tokens of all tenants that any process revoked or removed after a position. If there are fewer than
  /// `limit`, they are the last ones. The newest 10,000 are stored.
  ///
  /// - Parameter position: `nil` to get only the current position.
  func revocations(after position: RevocationPosition?, limit: Int) async throws(StorageError) -> Revocations

  /// Revokes all valid tokens that were created after a time.
  ///
  /// - Parameter tenant: `nil` for all tenants.
  /// - Returns: the number of revoked tokens.
  func revokeTokens(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp) async throws(StorageError) -> Int

  /// Revokes all gateways with a valid key that was created after a time.
  ///
  /// - Parameter tenant: `nil` for all tenants.
  /// - Returns: the number of revoked gateways.
  func revokeGateways(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp)
    async throws(StorageError) -> Int

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
  ///   - work: may run more than once.
  /// - Throws: errors of `work`; `storage`. Nothing is changed then.
  func change<Value: Sendable>(
    tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value

  /// Returns entries of a tenant's audit as they are stored, in order. If there are fewer than `limit`, they are the
  /// last ones.
  ///
  /// - Parameter number: number of the previous entry; 0 to begin with the first one.
  func auditEntries(after number: Int64, limit: Int, tenant: TenantID) async throws(StorageError) -> [AuditEntry]

  /// Returns the tenants that have mails to be sent by a time.
  func tenants(withMailDueAt time: Timestamp) async throws(StorageError) -> [TenantID]

  /// Returns the number and the hash of the last entry of a tenant's audit, as the storage keeps them separately.
  func auditHead(tenant: TenantID) async throws(StorageError) -> (number: Int64, hash: [UInt8])

  // MARK: The storage itself

  /// Begins a new generation of feed positions. Required after a backup was restored in a way that no server can
  /// detect. Earlier positions then fail with `positionGone`.
  func recordRestoration() async throws(StorageError)

  /// Checks that the database works.
  func health() async throws(StorageError) -> StorageHealth

  func counts() async throws(StorageError) -> StorageCounts

  /// Returns when the storage's own threads have completed a turn. A watchdog uses it to detect a stuck thread. An
  /// unreachable database, or another process that locks the file, does not delay it.
  func turn() async

  /// Closes the database: rejects new calls, and waits for those in progress.
  ///
  /// - Parameter limit: the maximum time to wait; `nil` for no limit. After it, calls are interrupted if the database
  ///   allows it, and fail with `unavailable`; it is unknown whether their batches were committed. Calls that cannot be
  ///   interrupted are abandoned a quarter of a second later.
  func close(within limit: Duration?) async
}

extension FleetStorage {
  /// Returns the newest records of a vehicle, by id or VIN; `nil` if the vehicle does not exist.
  public func latest(vehicle: String, tenant: TenantID) async throws(StorageError) -> LatestRecords? {
    try await latest(vehicle: vehicle, within: .all, tenant: tenant)
  }

  /// Returns the owner of a secret, including a revoked one; `nil` if it is unknown.
  public func principal(_ secret: SecretHash) async throws(StorageError) -> Principal? {
    try await principals([secret])[secret]
  }

  /// Waits for calls in progress and closes the database.
  public func close() async { await close(within: nil) }
}

/// Condition for the present fences (RFC 9110, 13.1: If-Match, If-None-Match).
public enum FencesExpectation: Equatable, Sendable {
  /// Any fences, or none.
  case anything
  /// No fences have been stored.
  case nothing
  /// Fences with one of these tags.
  case tags([String])
}
