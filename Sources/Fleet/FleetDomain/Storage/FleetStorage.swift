import Telemetry

/// Where the fleet's records, vehicles and rights are kept.
///
/// Call order: the storage is open once its initializer returns: its schema is then the newest. Every call may be made
/// from any task at any time, also beside others of the same kind, until ``close(within:)``, which waits for what is under way
/// and makes every later call fail with `unavailable`. A tenant exists before anything is asked of it (`default` always
/// does), a vehicle before its records are asked for, a gateway before its key is looked up: otherwise `notFound`.
///
/// - What a call has answered is durable: it is there after kill -9 and after a power cut.
/// - Every call but the look-up of secrets takes the tenant, and sees nothing of any other.
/// - No call reads a clock: the caller says what time it is.
/// - A call that failed with `unavailable` may have been done; each can be made again without harm.
/// - A task that is cancelled does not take back what it asked for.
public protocol FleetStorage: Sendable {
  // MARK: Records

  /// Takes a batch of records in: in one transaction, or one for each 4,096 records. A refused record does not lose the
  /// others. A batch that failed may have been stored in part; sent again, each record is stored once.
  ///
  /// A vehicle that nobody knows is registered by the first of its records: its id is `vehicleId`. A `vehicleId` that is
  /// the VIN of a known vehicle means that one. First stored wins: a later record of the same tenant, vehicle, class and
  /// id changes nothing, but where its `timeQuality` is better (gps > ntp > system > unset), its `timestamp` and
  /// `timeQuality` replace those that are there, in the body as well.
  ///
  /// - Parameter now: of registrations and of the feed.
  /// - Returns: what became of each record, in their order.
  func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome]

  /// A page of records. With the cursor of the page before, the same question must be asked.
  ///
  /// Records that come in meanwhile change nothing of the pages that are to come but to stand at their own place there.
  ///
  /// - Throws: `notFound` without such a vehicle; `invalidCursor`; `invalidQuery` for what ``RecordQuery`` does not allow.
  func records(_ query: RecordQuery, tenant: TenantID) async throws(StorageError) -> Page<StoredRecord>

  /// The newest of a vehicle, by id or VIN; nil without such a vehicle.
  func latest(vehicle: String, tenant: TenantID) async throws(StorageError) -> LatestRecords?

  /// Removes records of a class that are older than `cutoff`: those whose time is before it, and whose id was made in a
  /// month (UTC) that ended by then, or in one that has not begun a day from `now`. What was made before a clock was
  /// right goes by its time, not by its id; what has no time stays.
  ///
  /// Small pieces, each a transaction of its own: batches that come in meanwhile do not wait. A task that is cancelled
  /// ends after a piece.
  ///
  /// - Returns: how many records were removed; of partitions that are dropped whole, as many as the database thinks
  ///   they had.
  @discardableResult
  func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64

  /// A time of day that is not this machine's, to hold it against: PostgreSQL's own; of a SQLite file, which has none,
  /// when its newest change was stored; nil: none is kept.
  func witnessedTime() async throws(StorageError) -> Timestamp?

  /// Makes the room that is needed in a week, so that none need be made in the moment in which a month begins. Whoever
  /// reads everything, as a backup does, is not waited for: it fails then, and is to be tried again later.
  ///
  /// - Parameter now: the time of day.
  func prepare(at now: Timestamp) async throws(StorageError)

  // MARK: Feed

  /// The position behind the tenant's newest change.
  func feedPosition(tenant: TenantID) async throws(StorageError) -> FeedPosition

  /// Changes behind a position, in the order of their commits; fewer than `limit`: no more for now.
  ///
  /// A record that has been removed meanwhile is left out.
  ///
  /// - Throws: `positionGone` where they are not kept any more.
  func changes(
    after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [FeedChange]

  /// Gives the feed's position soon after each commit, whichever process made it. A reader that is slow is given the
  /// newest one alone: what happened is to be asked of ``changes(after:limit:tenant:)``. Ends with ``close(within:)``.
  func announcements(tenant: TenantID) -> AsyncStream<FeedPosition>

  /// Forgets changes of all tenants; the records stay. In small pieces, as
  /// ``removeRecords(_:before:at:)``.
  ///
  /// - Parameters:
  ///   - cutoff: what was changed before.
  ///   - most: how many changes of each tenant are kept at most; a transaction of which some are kept is kept whole.
  /// - Returns: how many were forgotten.
  @discardableResult
  func removeChanges(before cutoff: Timestamp, keeping most: Int64) async throws(StorageError) -> Int64

  // MARK: Vehicles

  /// A vehicle by its id or VIN; nil: none.
  func vehicle(_ id: String, tenant: TenantID) async throws(StorageError) -> Vehicle?

  /// Vehicles in the order of their ids (bytes of UTF-8).
  func vehicles(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<Vehicle>

  /// - Throws: `exists`, also where another vehicle has the VIN or has this id as its VIN.
  func addVehicle(
    _ id: String, _ details: VehicleDetails, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Vehicle

  /// Replaces what operators say of a vehicle. Its VIN, which records may have said, stays where the details have none:
  /// without it records that name the vehicle by its VIN would be another's.
  ///
  /// - Parameter removesVIN: whether it goes all the same.
  /// - Throws: `notFound`; `exists` where another vehicle has the VIN.
  func updateVehicle(
    _ id: String, _ details: VehicleDetails, removesVIN: Bool, tenant: TenantID
  ) async throws(StorageError) -> Vehicle

  /// Removes a vehicle. From then on neither it nor any of its records is found, and a record that comes with its id
  /// registers a new one; the rows of its records go with ``finishRemovals()``.
  ///
  /// - Returns: false: there was none.
  func removeVehicle(_ id: String, tenant: TenantID) async throws(StorageError) -> Bool

  /// Removes the records of vehicles that have been removed, also what a server that was killed has left. In small
  /// pieces, as ``removeRecords(_:before:at:)``.
  ///
  /// - Returns: how many records were removed.
  @discardableResult
  func finishRemovals() async throws(StorageError) -> Int64

  // MARK: Fences

  /// Which fences there are, read without the document; `nil` if no fences have been put.
  func fencesVersion(tenant: TenantID) async throws(StorageError) -> FencesVersion?

  /// Nil: no fences have been put.
  func fences(tenant: TenantID) async throws(StorageError) -> FencesDocument?

  /// Replaces the fences.
  ///
  /// - Parameter expected: what has to be there: the tag of what the caller has seen.
  func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> FencesPut

  // MARK: Gateways

  /// In the order of their ids.
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

  /// Gives a gateway a new key, in force at once in place of the old one; a revoked gateway is good again.
  ///
  /// - Throws: `notFound`.
  func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> Gateway

  /// - Throws: `notFound`.
  func revokeGateway(_ id: String, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Removes a gateway and its key. Its vehicles and records stay; a later gateway of the same id goes on with them.
  ///
  /// - Throws: `notFound`.
  func removeGateway(_ id: String, tenant: TenantID) async throws(StorageError)

  /// Stores what gateways said of themselves. Unknown ids are ignored. A vehicle replaces the current one unless its
  /// time is earlier.
  func gatewaysSeen(_ sightings: [String: GatewaySighting], tenant: TenantID) async throws(StorageError)

  // MARK: Tokens, tenants

  /// The gateways and tokens that secrets belong to, revoked ones too: the caller looks. Secrets of nobody are absent.
  func principals(_ secrets: [SecretHash]) async throws(StorageError) -> [SecretHash: Principal]

  /// Adds a token. Its id must be new.
  ///
  /// - Throws: `exists`; `limitReached` (``TenantLimits``).
  func addToken(_ token: OperatorToken, secret: SecretHash, tenant: TenantID) async throws(StorageError)

  /// Tokens in the order of their ids, which is the order in which they were made.
  func tokens(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<OperatorToken>

  /// Whether a tenant has a token of a role, revoked or not.
  func hasToken(_ role: Role, tenant: TenantID) async throws(StorageError) -> Bool

  /// - Throws: `notFound`.
  func revokeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Removes a token: its secret is nobody's from then on, and lists no longer show it.
  ///
  /// - Throws: `notFound`.
  func removeToken(_ id: UUIDv7, tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// Tokens of all tenants that were revoked or removed behind a position, whichever process did it; fewer than `limit`:
  /// no more for now. The newest 10,000 are known.
  ///
  /// - Parameter position: `nil`: none, but the position behind all of them.
  func revocations(after position: RevocationPosition?, limit: Int) async throws(StorageError) -> Revocations

  /// Revokes all good tokens that were added after a moment.
  ///
  /// - Parameter tenant: `nil`: of all tenants.
  /// - Returns: how many.
  func revokeTokens(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp) async throws(StorageError) -> Int

  /// Revokes all gateways whose key was made after a moment and is good.
  ///
  /// - Parameter tenant: `nil`: of all tenants.
  /// - Returns: how many.
  func revokeGateways(madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp)
    async throws(StorageError) -> Int

  /// - Throws: `exists`.
  func addTenant(_ tenant: TenantID, at now: Timestamp) async throws(StorageError)

  /// In the order of their ids.
  func tenants() async throws(StorageError) -> [Tenant]

  // MARK: Things

  /// Reads things in one transaction, which sees one state of the database.
  ///
  /// - Throws: what `work` throws; `storage`.
  func view<Value: Sendable>(
    tenant: TenantID, _ work: @escaping @Sendable (any FleetView) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value

  /// Changes things in one transaction, and writes the changes to the tenant's audit in the same transaction.
  ///
  /// - Parameters:
  ///   - actor: who does it, for the audit.
  ///   - now: the time of the changes.
  ///   - work: may be run more than once.
  /// - Throws: what `work` throws; `storage`. Nothing is changed then.
  func change<Value: Sendable>(
    tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value

  /// Entries of a tenant's audit as they are stored, in their order; fewer than `limit`: there are no more for now.
  ///
  /// - Parameter number: of the entry before them; 0: from the first one on.
  func auditEntries(after number: Int64, limit: Int, tenant: TenantID) async throws(StorageError) -> [AuditEntry]

  // MARK: The storage itself

  /// Begins a new generation of feed positions, after a backup was restored in a way that no server notices by itself.
  /// Positions of before are `positionGone` from then on.
  func noteRestored() async throws(StorageError)

  /// Asks the database something that it can only answer while it works.
  func health() async throws(StorageError) -> StorageHealth

  func counts() async throws(StorageError) -> StorageCounts

  /// Returns once the storage's own threads have made a turn: for a watchdog. A server that is away and another process
  /// that has the file hold nothing up here: whoever waits for those goes on.
  func turn() async

  /// Closes the database. Takes nothing more from now on, and waits for what is under way.
  ///
  /// - Parameter limit: how long that may take; nil: as long as it takes. What is not done by then is broken off, where
  ///   the database lets us, and fails with `unavailable`: of a batch nobody then knows whether it was committed. Calls
  ///   that cannot be broken off are left behind a quarter of a second later.
  func close(within limit: Duration?) async
}

extension FleetStorage {
  /// The gateway or token that a secret belongs to, revoked ones too; `nil` if it is nobody's.
  public func principal(_ secret: SecretHash) async throws(StorageError) -> Principal? {
    try await principals([secret])[secret]
  }

  /// Waits for what is under way and closes the database.
  public func close() async { await close(within: nil) }

  /// Replaces what operators say of a vehicle, but for a VIN that they do not say.
  public func updateVehicle(
    _ id: String, _ details: VehicleDetails, tenant: TenantID
  ) async throws(StorageError) -> Vehicle {
    try await updateVehicle(id, details, removesVIN: false, tenant: tenant)
  }
}

/// What fences must be there for others to take their place (RFC 9110, 13.1: If-Match, If-None-Match).
public enum FencesExpectation: Equatable, Sendable {
  /// Whatever is there.
  case anything
  /// None yet.
  case nothing
  /// Those with one of these tags.
  case tags([String])
}
