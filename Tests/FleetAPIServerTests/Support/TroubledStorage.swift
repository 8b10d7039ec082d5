import FleetDomain
import FleetStorage
import Synchronization
import Telemetry

/// A storage in front of a real one. Its calls fail or wait as a test requires.
final class TroubledStorage: FleetStorage {
  /// The calls that can fail or wait.
  enum Call: Hashable, Sendable {
    case ingest, records, feedPosition, changes, view, change, principal, health, revocations, auditNumbers
  }

  /// Called before a call is passed to the real storage.
  typealias Trouble = @Sendable () async throws(StorageError) -> Void

  private let real: any FleetStorage
  /// Counts the calls of ``view(tenant:_:)``.
  let views = Tally()
  private let troubles = Mutex<[Call: Trouble]>([:])

  init(_ real: any FleetStorage) { self.real = real }

  /// Sets what happens before a call.
  ///
  /// - Parameter trouble: throws or waits; `nil` for a normal call.
  func set(_ call: Call, _ trouble: Trouble?) { troubles.withLock { $0[call] = trouble } }

  /// Makes the next calls fail.
  ///
  /// - Parameter times: the number of calls that fail.
  /// - Returns: a counter of the calls that have failed.
  func fail(_ call: Call, times: Int) -> Tally {
    let tally = Tally()
    set(call) { () throws(StorageError) in
      if tally.next() <= times { throw StorageError(.unavailable, "test", "does not answer") }
    }
    return tally
  }

  private func trouble(_ call: Call) async throws(StorageError) { try await troubles.withLock { $0[call] }?() }

  private func trouble(ofThings call: Call) async throws(ThingError) {
    do throws(StorageError) {
      try await trouble(call)
    } catch {
      throw .storage(error)
    }
  }

  func ingest(
    _ records: [IncomingRecord], from source: IngestSource, tenant: TenantID, at now: Timestamp
  ) async throws(StorageError) -> [IngestOutcome] {
    try await trouble(.ingest)
    return try await real.ingest(records, from: source, tenant: tenant, at: now)
  }
  /// Limits the records of each tenant (``StoredFleet/limitRecords(ofTenant:)``).
  func limitRecords(ofTenant bytes: Int64?) { (real as? StoredFleet)?.limitRecords(ofTenant: bytes) }
  func recordBytes(tenant: TenantID) async throws(StorageError) -> RecordSize {
    try await real.recordBytes(tenant: tenant)
  }
  func records(_ query: RecordQuery, tenant: TenantID) async throws(StorageError) -> Page<StoredRecord> {
    try await trouble(.records)
    return try await real.records(query, tenant: tenant)
  }
  func gatewaysWithRecords(tenant: TenantID) async throws(StorageError) -> [String] {
    try await real.gatewaysWithRecords(tenant: tenant)
  }
  func removeRecords(
    ofGateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) {
    try await real.removeRecords(ofGateway: id, tenant: tenant, by: actor, at: now)
  }
  func latest(
    vehicle: String, within selection: VehicleSelection, tenant: TenantID
  ) async throws(StorageError) -> LatestRecords? {
    try await real.latest(vehicle: vehicle, within: selection, tenant: tenant)
  }
  func feedPosition(tenant: TenantID) async throws(StorageError) -> FeedPosition {
    try await trouble(.feedPosition)
    return try await real.feedPosition(tenant: tenant)
  }
  func changes(
    after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> [FeedChange] {
    try await trouble(.changes)
    return try await real.changes(after: position, limit: limit, tenant: tenant)
  }
  func changes(
    of classes: Set<RecordClass>, vehicle: String?, after position: FeedPosition, limit: Int, tenant: TenantID
  ) async throws(StorageError) -> (changes: [FeedChange], position: FeedPosition) {
    try await trouble(.changes)
    return try await real.changes(of: classes, vehicle: vehicle, after: position, limit: limit, tenant: tenant)
  }
  func staleVehicles(markedBefore time: Timestamp, limit: Int) async throws(StorageError) -> [VehicleName] {
    try await real.staleVehicles(markedBefore: time, limit: limit)
  }
  func zone(_ name: String?) -> ZoneRules { real.zone(name) }
  func staleDays(of vehicle: String, tenant: TenantID) async throws(StorageError) -> StaleDays? {
    try await real.staleDays(of: vehicle, tenant: tenant)
  }
  func storeDays(_ computed: ComputedDays, tenant: TenantID) async throws(StorageError) -> Bool {
    try await real.storeDays(computed, tenant: tenant)
  }
  func resetDays(_ stale: StaleDays, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await real.resetDays(stale, tenant: tenant, at: now)
  }
  func finishUpgrade() async throws(StorageError) -> Int64 { try await real.finishUpgrade() }
  func view<Value: Sendable>(
    tenant: TenantID, _ work: @escaping @Sendable (any FleetView) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    _ = views.next()
    try await trouble(ofThings: .view)
    return try await real.view(tenant: tenant, work)
  }
  func change<Value: Sendable>(
    tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    try await trouble(ofThings: .change)
    return try await real.change(tenant: tenant, by: actor, at: now, work)
  }
  func auditEntries(after number: Int64, limit: Int, tenant: TenantID) async throws(StorageError) -> [AuditEntry] {
    try await real.auditEntries(after: number, limit: limit, tenant: tenant)
  }
  func auditHead(tenant: TenantID) async throws(StorageError) -> (number: Int64, hash: [UInt8]) {
    try await real.auditHead(tenant: tenant)
  }
  func auditNumbers(of tenants: [TenantID]) async throws(StorageError) -> [TenantID: Int64] {
    try await trouble(.auditNumbers)
    return try await real.auditNumbers(of: tenants)
  }
  func exportRows(
    of tables: [ArchiveTable], tenant: TenantID,
    _ receive: @escaping @Sendable (ArchivedRow) throws(StorageError) -> Void
  ) async throws(StorageError) { try await real.exportRows(of: tables, tenant: tenant, receive) }
  func importRows(
    _ rows: [[JSON]], columns: [String], into table: ArchiveTable, of archive: UUIDv7, tenant: TenantID
  ) async throws(StorageError) {
    try await real.importRows(rows, columns: columns, into: table, of: archive, tenant: tenant)
  }
  func finishImport(
    of archive: UUIDv7, auditHead head: (number: Int64, hash: [UInt8]), tenant: TenantID
  ) async throws(StorageError) { try await real.finishImport(of: archive, auditHead: head, tenant: tenant) }
  func waitForRound() async { await real.waitForRound() }
  func referenceTime() async throws(StorageError) -> Timestamp? { try await real.referenceTime() }
  func prepare(at now: Timestamp) async throws(StorageError) { try await real.prepare(at: now) }
  func announcements(tenant: TenantID) -> AsyncStream<FeedPosition> { real.announcements(tenant: tenant) }
  func fencesVersion(tenant: TenantID) async throws(StorageError) -> FencesVersion? {
    try await real.fencesVersion(tenant: tenant)
  }
  func fences(tenant: TenantID) async throws(StorageError) -> FencesDocument? {
    try await real.fences(tenant: tenant)
  }
  func putFences(
    _ document: FencesDocument, expecting expected: FencesExpectation, tenant: TenantID, by actor: Actor,
    at now: Timestamp
  ) async throws(StorageError) -> FencesPut {
    try await real.putFences(document, expecting: expected, tenant: tenant, by: actor, at: now)
  }
  func gateways(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<Gateway> {
    try await real.gateways(cursor: cursor, limit: limit, tenant: tenant)
  }
  func gateway(_ id: String, tenant: TenantID) async throws(StorageError) -> Gateway? {
    try await real.gateway(id, tenant: tenant)
  }
  func addGateway(
    _ id: String, allowedVehicles: [String], key: SecretHash, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await real.addGateway(id, allowedVehicles: allowedVehicles, key: key, tenant: tenant, by: actor, at: now)
  }
  func setAllowedVehicles(
    _ vehicles: [String], gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await real.setAllowedVehicles(vehicles, gateway: id, tenant: tenant, by: actor, at: now)
  }
  func rotateKey(
    _ key: SecretHash, gateway id: String, tenant: TenantID, by actor: Actor, at now: Timestamp
  ) async throws(StorageError) -> Gateway {
    try await real.rotateKey(key, gateway: id, tenant: tenant, by: actor, at: now)
  }
  func revokeGateway(_ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError) {
    try await real.revokeGateway(id, tenant: tenant, by: actor, at: now)
  }
  func storeStatus(of gateways: [String: GatewayStatus], tenant: TenantID) async throws(StorageError) {
    try await real.storeStatus(of: gateways, tenant: tenant)
  }
  func principals(_ secrets: [SecretHash]) async throws(StorageError) -> [SecretHash: Principal] {
    try await trouble(.principal)
    return try await real.principals(secrets)
  }
  func addToken(
    _ token: OperatorToken, secret: SecretHash, tenant: TenantID, by actor: Actor
  ) async throws(StorageError) {
    try await real.addToken(token, secret: secret, tenant: tenant, by: actor)
  }
  func storeUse(of tokens: [UUIDv7: Timestamp], tenant: TenantID) async throws(StorageError) {
    try await real.storeUse(of: tokens, tenant: tenant)
  }
  func tokens(cursor: String?, limit: Int, tenant: TenantID) async throws(StorageError) -> Page<OperatorToken> {
    try await real.tokens(cursor: cursor, limit: limit, tenant: tenant)
  }
  func hasToken(_ role: Role, tenant: TenantID) async throws(StorageError) -> Bool {
    try await real.hasToken(role, tenant: tenant)
  }
  func removeToken(_ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError) {
    try await real.removeToken(id, tenant: tenant, by: actor, at: now)
  }
  func revocations(
    after position: RevocationPosition?, limit: Int
  ) async throws(StorageError) -> Revocations {
    try await trouble(.revocations)
    return try await real.revocations(after: position, limit: limit)
  }
  func removeGateway(_ id: String, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError) {
    try await real.removeGateway(id, tenant: tenant, by: actor, at: now)
  }
  func revokeToken(_ id: UUIDv7, tenant: TenantID, by actor: Actor, at now: Timestamp) async throws(StorageError) {
    try await real.revokeToken(id, tenant: tenant, by: actor, at: now)
  }
  func revokeTokens(
    madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp
  ) async throws(StorageError) -> Int { try await real.revokeTokens(madeAfter: moment, tenant: tenant, at: now) }
  func revokeGateways(
    madeAfter moment: Timestamp, tenant: TenantID?, at now: Timestamp
  ) async throws(StorageError) -> Int { try await real.revokeGateways(madeAfter: moment, tenant: tenant, at: now) }
  func recordRestoration() async throws(StorageError) { try await real.recordRestoration() }
  func addTenant(_ tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    try await real.addTenant(tenant, at: now)
  }
  func tenants() async throws(StorageError) -> [Tenant] { try await real.tenants() }
  func tenants<Value: Kind>(
    having conditions: [ThingQuery<Value>.Condition]
  ) async throws(StorageError) -> [TenantID] {
    try await real.tenants(having: conditions)
  }
  func removeRecords(
    _ recordClass: RecordClass, before cutoff: Timestamp, at now: Timestamp
  ) async throws(StorageError) -> Int64 {
    try await real.removeRecords(recordClass, before: cutoff, at: now)
  }
  // No request needs the rest of retention.
  func removeChanges(before cutoff: Timestamp, keeping most: Int64) async throws(StorageError) -> Int64 { 0 }
  func recordServerAddress(_ url: String) async throws(StorageError) { try await real.recordServerAddress(url) }
  func serverAddress() async throws(StorageError) -> String? { try await real.serverAddress() }
  func finishRemovals() async throws(StorageError) -> Int64 { 0 }
  func health() async throws(StorageError) -> StorageHealth {
    try await trouble(.health)
    return try await real.health()
  }
  func counts() async throws(StorageError) -> StorageCounts { try await real.counts() }
  func close(within limit: Duration?) async { await real.close(within: limit) }
}

/// Counts how often something happened.
final class Tally: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}

/// Blocks callers until it is opened, and counts them.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, answer: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, told) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
        if state.isOpen { return (true, []) }
        state.waiting.append(continuation)
        let told = state.watchers.filter { $0.count <= state.waiting.count }.map(\.answer)
        state.watchers.removeAll { $0.count <= state.waiting.count }
        return (false, told)
      }
      if isOpen { continuation.resume() }
      for watcher in told { watcher.resume() }
    }
  }

  /// Waits until this number of callers is blocked.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isSo = state.withLock { state in
        guard state.waiting.count < count else { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isSo { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }
}
