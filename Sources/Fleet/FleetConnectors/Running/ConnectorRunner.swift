import FleetAccess
import FleetDomain
import FleetProviders
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Pulls records from the connectors of all tenants.
///
/// Several servers can share one database. A server leases a connector before it pulls from it, and renews the lease
/// with each page. If the server stops, another server continues after the lease has expired.
///
/// Each page is stored before the next one is pulled: first its records, then its readings and the cursor in one
/// transaction. If the server stops between these two steps, the page is pulled again. Its records have the same IDs as
/// before, so each record is stored only once.
public final class ConnectorRunner: Service {
  /// Duration of a lease, s. Pulling and storing a page takes less time.
  static let lease = 300
  /// Maximum number of pages of a stream in one round. The next round continues after them.
  static let mostPages = 1_000
  /// The time after which a pull of one connector is interrupted at the end of its current page, s. It continues after
  /// the tenant's other due connectors were pulled.
  static let longestTurn: Int64 = 60

  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let client: @Sendable (ConnectorSession) -> any ConnectorClient
  private let transport: @Sendable () -> any ConnectorTransport
  private let rounds = DueRounds(most: 16, mostOfTenant: 4)

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - keys: the keys that encrypt the connectors' secrets.
  ///   - mayUsePrivate: whether connectors may use addresses of private networks and of this machine.
  ///   - now: returns the current time.
  public convenience init(
    storage: any FleetStorage, keys: SecretKeys, mayUsePrivate: Bool, logger: Logger,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.init(
      storage: storage, keys: keys, logger: logger, now: now,
      transport: { ConnectorCheck.transport(mayUsePrivate: mayUsePrivate) })
  }

  init(
    storage: any FleetStorage, keys: SecretKeys, logger: Logger, now: @escaping @Sendable () -> Timestamp,
    transport: @escaping @Sendable () -> any ConnectorTransport,
    client: @escaping @Sendable (ConnectorSession) -> any ConnectorClient = { $0.client }
  ) {
    (self.storage, self.keys, self.logger, self.now) = (storage, keys, logger, now)
    (self.transport, self.client) = (transport, client)
  }

  /// Runs until its task is cancelled or its service group stops it.
  ///
  /// Several connectors are pulled at the same time, so that a service that answers slowly does not delay the others.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.rounds.run(due: { try await self.due() }, serve: { _ = await self.serve($0) }) {
        self.logger.warning("connectors: \($0)")
      }
    }
  }

  /// Returns the tenants that have a due connector.
  private func due() async throws -> [TenantID] {
    try await storage.tenants(having: ConnectorProgress.due(at: now()))
  }

  /// For each tenant, pulls from one connector that is due.
  ///
  /// - Returns: the number of connectors that were due.
  func round() async throws -> Int {
    var count = 0
    for tenant in try await due() where !Task.isCancelled {
      if await serve(tenant) { count += 1 }
    }
    return count
  }

  /// Pulls from one of a tenant's connectors: the one that has been due for the longest time. A failure is logged.
  ///
  /// - Returns: whether a connector was due.
  private func serve(_ tenant: TenantID) async -> Bool {
    var wasDue = false
    await TenantRound.run(for: [tenant]) { tenant in
      wasDue = try await turn(of: tenant)
    } onFailure: { tenant, error in
      logger.warning("connectors of tenant \(tenant): \(error)")
    }
    return wasDue
  }

  private func turn(of tenant: TenantID) async throws -> Bool {
    // Use a new holder each time: if slow answers outlast the lease, this server may lease the same connector again.
    let holder = UUIDv7.random(at: now())
    let taken = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
      transaction throws(ThingError) in try transaction.lease(to: holder, seconds: Self.lease)
    }
    guard let taken else { return false }
    let run = ConnectorRun(
      connector: taken.connector, tenant: tenant, holder: holder, storage: storage, keys: keys, now: now,
      transport: transport(), makeClient: client)
    await run.pull(taken.progress)
    if let message = run.failure {
      logger.warning("connector \(taken.connector.value.name) of tenant \(tenant): \(message)")
    }
    return true
  }
}

/// One pull of one connector, by one server.
final class ConnectorRun: TokenStore {
  private let connector: Stored<Connector>
  private let tenant: TenantID
  /// The holder of the lease.
  private let holder: UUIDv7
  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let now: @Sendable () -> Timestamp
  private let transport: any ConnectorTransport
  private let makeClient: @Sendable (ConnectorSession) -> any ConnectorClient
  private let problem = Mutex<String?>(nil)

  init(
    connector: Stored<Connector>, tenant: TenantID, holder: UUIDv7, storage: any FleetStorage, keys: SecretKeys,
    now: @escaping @Sendable () -> Timestamp, transport: any ConnectorTransport,
    makeClient: @escaping @Sendable (ConnectorSession) -> any ConnectorClient
  ) {
    (self.connector, self.tenant, self.holder) = (connector, tenant, holder)
    (self.storage, self.keys, self.now) = (storage, keys, now)
    (self.transport, self.makeClient) = (transport, makeClient)
  }

  /// The reason why the pull failed; `nil` if it succeeded.
  var failure: String? { problem.withLock { $0 } }

  /// Pulls all streams, and stores the result.
  func pull(_ progress: Stored<ConnectorProgress>) async {
    do {
      let session = try session()
      let client = makeClient(session)
      let start = now()
      let store = ConnectorStore(connector: connector, tenant: tenant, storage: storage, now: now) { [self] work in
        try await change { transaction, _ throws(ThingError) in try work(transaction) }
      }
      var cursors = progress.value.cursors.members
      var isComplete = true
      for stream in client.streams where isDue(stream, cursors) {
        isComplete = try await pull(stream, client, since: start, into: store, &cursors)
        guard isComplete else { break }
      }
      try await finish(nil, isComplete: isComplete, due: progress.value.nextPullAt)
    } catch let error as ConnectorError {
      problem.withLock { $0 = error.description }
      try? await finish(error, isComplete: false, due: progress.value.nextPullAt)
    } catch {
      problem.withLock { $0 = "\(error)" }
    }
  }

  private func session() throws(ConnectorError) -> ConnectorSession {
    ConnectorSession(
      settings: connector.value,
      secret: try connector.value.secret.map { sealed throws(ConnectorError) in
        try ConnectorCheck.open(sealed, for: SecretPlace.connector(connector.id), keys)
      }, transport: transport, store: self, now: now)
  }

  // MARK: Streams

  /// Returns the key in ``ConnectorProgress/cursors`` for the time at which a stream was last read to its end.
  private static func doneKey(_ stream: ConnectorStream) -> String { "\(stream.name) done" }

  private func isDue(_ stream: ConnectorStream, _ cursors: [String: JSON]) -> Bool {
    guard stream.pause > 0, cursors[stream.name] ?? .null == .null,
      let done = cursors[Self.doneKey(stream)]?.integerValue
    else { return true }
    let passed = now().milliseconds - done
    return passed < 0 || passed >= Int64(stream.pause) * 1_000
  }

  /// Pulls the pages of a stream.
  ///
  /// - Parameter start: the time at which the pull of the connector began.
  /// - Returns: whether the pull may continue with the next stream; `false` after ``longestTurn``.
  private func pull(
    _ stream: ConnectorStream, _ client: any ConnectorClient, since start: Timestamp, into store: ConnectorStore,
    _ cursors: inout [String: JSON]
  ) async throws -> Bool {
    var hasReset = false
    for _ in 0..<ConnectorRunner.mostPages {
      try Task.checkCancellation()
      let cursor = cursors[stream.name] ?? .null
      var page: PulledPage
      do throws(ConnectorError) {
        page = try await client.pull(stream, after: cursor)
      } catch {
        guard error.kind == .cursorExpired, cursor != .null, !hasReset else { throw error }
        // Begin again without a cursor. Values since the expired cursor may be missing; this is counted as an ignored
        // value.
        hasReset = true
        page = PulledPage()
        page.isLast = false
        page.ignore("cursor expired: values in between may be missing")
      }
      if !page.isLast, !hasReset, page.cursor == cursor {
        throw ConnectorError(.malformed, "\(stream.name): the next page has the same cursor as this one")
      }
      cursors[stream.name] = page.cursor == .null ? nil : page.cursor
      if page.isLast { cursors[Self.doneKey(stream)] = .integer(now().milliseconds) }
      let position = cursors
      try await store.store(page) { [id = connector.id, holder] transaction throws(ThingError) in
        guard let progress = try transaction.leased(id, ConnectorProgress.self, to: holder) else { return }
        var moved = progress.value
        moved.cursors = .object(position)
        moved.leaseUntil = transaction.now.adding(seconds: ConnectorRunner.lease)
        try transaction.update(progress, to: moved, action: "pull")
      }
      // If no page is left, the usual pause follows, however long the turn was.
      if page.isLast { return true }
      guard abs(now().nanoseconds - start.nanoseconds) < ConnectorRunner.longestTurn * 1_000_000_000 else {
        return false
      }
    }
    return true
  }

  /// Executes `work` in a transaction if this server still has the lease.
  ///
  /// - Throws: `CancellationError` if this server no longer has the lease.
  private func change(
    _ work: @escaping @Sendable (any FleetTransaction, Stored<ConnectorProgress>) throws(ThingError) -> Void
  ) async throws {
    let hasLease = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
      [id = connector.id, holder] transaction throws(ThingError) in
      guard let progress = try transaction.leased(id, ConnectorProgress.self, to: holder) else { return false }
      try work(transaction, progress)
      return true
    }
    if !hasLease { throw CancellationError() }
  }

  /// Stores the result of the pull, and the time of the next pull.
  ///
  /// - Parameters:
  ///   - isComplete: whether all streams were pulled. If `false` and there is no error, the next pull is due
  ///     immediately.
  ///   - due: the time at which this pull was due. If the stored time differs from it, the settings were changed during
  ///     the pull.
  private func finish(_ error: ConnectorError?, isComplete: Bool, due: Timestamp?) async throws {
    let assets = try await storage.view(tenant: tenant) { [id = connector.id] view throws(ThingError) in
      try view.values(["assetId"], ThingQuery<ConnectedAsset>(.oneOf(key: "connectorId", [id.json]))).count
    }
    try await change { [connector] transaction, stored throws(ThingError) in
      var progress = stored.value
      (progress.leaseHolder, progress.leaseUntil) = (nil, nil)
      progress.failures = error == nil ? 0 : progress.failures + 1
      let period = isComplete || error != nil ? connector.value.period ?? connector.value.service.period : 0
      let wait = ConnectorPace.wait(after: error, failures: progress.failures, period: period)
      // If the settings were changed during the pull, the next pull is due at once.
      if progress.nextPullAt == due {
        progress.nextPullAt = transaction.now.adding(nanoseconds: wait * 1_000_000)
      }
      try transaction.update(stored, to: progress, action: "finish")
      guard let present = try transaction.find(connector.id, Connector.self) else { return }
      var changed = present.value
      (changed.lastPullAt, changed.assets) = (transaction.now, Int64(assets))
      if let error {
        changed.state = error.kind == .refused || error.kind == .settings ? .refused : .failing
        changed.failures = RecentFailure.adding(error.description, at: transaction.now, to: changed.failures)
      } else {
        (changed.state, changed.lastSuccessAt) = (.working, transaction.now)
      }
      try transaction.refresh(present, to: changed)
    }
  }

  // MARK: Tokens

  func tokens() async throws(ConnectorError) -> ConnectorTokens {
    let stored: Stored<ConnectorProgress>?
    do {
      stored = try await storage.view(tenant: tenant) { [id = connector.id] view throws(ThingError) in
        try view.progress(of: id)
      }
    } catch {
      throw ConnectorError(.unavailable, "cannot read the tokens")
    }
    guard let stored, let sealed = stored.value.tokens else { return ConnectorTokens() }
    let text = try ConnectorCheck.openBytes(sealed, for: SecretPlace.tokens(connector.id), keys)
    return ConnectorTokens(parsing: text)
  }

  func store(_ tokens: ConnectorTokens) async throws(ConnectorError) {
    let sealed = keys.seal(tokens.text, for: SecretPlace.tokens(connector.id))
    do {
      try await change { transaction, stored throws(ThingError) in
        var progress = stored.value
        progress.tokens = sealed
        try transaction.update(stored, to: progress, action: "signIn")
      }
    } catch {
      throw ConnectorError(.unavailable, "cannot store the tokens")
    }
  }
}

/// Computes when a connector is pulled again.
enum ConnectorPace {
  /// Returns the wait until the next pull, ms.
  ///
  /// - Parameters:
  ///   - failures: the number of failures since the last success, including this one.
  ///   - seconds: the wait after a success, s.
  static func wait(after error: ConnectorError?, failures: Int64, period seconds: Int64) -> Int64 {
    let period = seconds * 1_000
    guard let error else { return period }
    let doubled = Int64(RetryDelay.records.seconds(after: failures)) * 1_000
    switch error.kind {
    case .rateLimited(let seconds?) where seconds.isFinite && seconds >= 0:
      // At least the time that the service demands, but at most a day.
      return max(Int64(min(seconds, 86_400) * 1_000) + 1, min(period, doubled))
    case .refused, .settings: return Int64(RetryDelay.records.longest) * 1_000
    default: return doubled
    }
  }
}
