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
/// transaction. If the server stops in between, the page is pulled again. The records then have the same IDs, so each
/// is stored once.
public final class ConnectorRunner: Service {
  /// The pause between two searches for connectors that are due.
  private static let pause = Duration.seconds(1)
  /// Maximum number of connectors from which one server pulls at the same time.
  private static let most = 4
  /// Duration of a lease, s. Pulling and storing a page takes less time.
  static let lease = 300
  /// Maximum number of pages of a stream in one round. The next round continues after them.
  static let mostPages = 1_000

  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let client: @Sendable (ConnectorSession) -> any ConnectorClient
  private let transport: @Sendable () -> any ConnectorTransport
  let server: UUIDv7

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
    server = .random(at: now())
  }

  /// Runs until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<Self.most { group.addTask { await self.repeatRounds() } }
      }
    }
  }

  private func repeatRounds() async {
    while !Task.isCancelled {
      do {
        if try await round() > 0 { continue }
      } catch {
        if !Task.isCancelled { logger.warning("connectors: \(error)") }
      }
      do {
        try await Task.sleep(for: Self.pause)
      } catch {
        return
      }
    }
  }

  /// For each tenant, pulls from one connector that is due.
  ///
  /// - Returns: the number of connectors that were due.
  func round() async throws -> Int {
    var count = 0
    for tenant in try await storage.tenants(having: ConnectorProgress.due(at: now())) where !Task.isCancelled {
      let taken: (connector: Stored<Connector>, progress: Stored<ConnectorProgress>)?
      do {
        taken = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
          [server] transaction throws(ThingError) in try transaction.lease(to: server, seconds: Self.lease)
        }
      } catch {
        if !Task.isCancelled { logger.warning("connectors of tenant \(tenant): \(error)") }
        continue
      }
      guard let taken else { continue }
      count += 1
      let run = ConnectorRun(
        connector: taken.connector, tenant: tenant, server: server, storage: storage, keys: keys, now: now,
        transport: transport(), makeClient: client)
      await run.pull(taken.progress)
      if let message = run.failure {
        logger.warning("connector \(taken.connector.value.name) of tenant \(tenant): \(message)")
      }
    }
    return count
  }
}

/// One pull of one connector, by one server.
final class ConnectorRun: TokenStore {
  private let connector: Stored<Connector>
  private let tenant: TenantID
  private let server: UUIDv7
  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let now: @Sendable () -> Timestamp
  private let transport: any ConnectorTransport
  private let makeClient: @Sendable (ConnectorSession) -> any ConnectorClient
  private let problem = Mutex<String?>(nil)

  init(
    connector: Stored<Connector>, tenant: TenantID, server: UUIDv7, storage: any FleetStorage, keys: SecretKeys,
    now: @escaping @Sendable () -> Timestamp, transport: any ConnectorTransport,
    makeClient: @escaping @Sendable (ConnectorSession) -> any ConnectorClient
  ) {
    (self.connector, self.tenant, self.server) = (connector, tenant, server)
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
      let store = ConnectorStore(connector: connector, tenant: tenant, storage: storage, now: now) { [self] work in
        try await change { transaction, _ throws(ThingError) in try work(transaction) }
      }
      var cursors = progress.value.cursors.members
      for stream in client.streams where isDue(stream, cursors) {
        try await pull(stream, client, into: store, &cursors)
      }
      try await finish(nil, due: progress.value.nextPullAt)
    } catch let error as ConnectorError {
      problem.withLock { $0 = error.message }
      try? await finish(error, due: progress.value.nextPullAt)
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

  /// Returns the key under which the stored cursors contain the time at which a stream was last read to its end.
  private static func doneKey(_ stream: ConnectorStream) -> String { "\(stream.name) done" }

  private func isDue(_ stream: ConnectorStream, _ cursors: [String: JSON]) -> Bool {
    guard stream.pause > 0, cursors[stream.name] ?? .null == .null,
      let done = cursors[Self.doneKey(stream)]?.integerValue
    else { return true }
    let passed = now().milliseconds - done
    return passed < 0 || passed >= Int64(stream.pause) * 1_000
  }

  private func pull(
    _ stream: ConnectorStream, _ client: any ConnectorClient, into store: ConnectorStore,
    _ cursors: inout [String: JSON]
  ) async throws {
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
      try await store.store(page) { [id = connector.id, server] transaction throws(ThingError) in
        guard let progress = try transaction.leased(id, ConnectorProgress.self, to: server) else { return }
        var moved = progress.value
        moved.cursors = .object(position)
        moved.leaseUntil = transaction.now.adding(seconds: ConnectorRunner.lease)
        try transaction.update(progress, to: moved, action: "pull")
      }
      if page.isLast { return }
    }
  }

  /// Executes `work` in a transaction if this server still has the lease.
  ///
  /// - Throws: `CancellationError` if this server no longer has the lease.
  private func change(
    _ work: @escaping @Sendable (any FleetTransaction, Stored<ConnectorProgress>) throws(ThingError) -> Void
  ) async throws {
    let hasLease = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
      [id = connector.id, server] transaction throws(ThingError) in
      guard let progress = try transaction.leased(id, ConnectorProgress.self, to: server) else { return false }
      try work(transaction, progress)
      return true
    }
    if !hasLease { throw CancellationError() }
  }

  /// Stores the result of the pull, and the time of the next pull.
  ///
  /// - Parameter due: the time at which this pull was due. If the stored time differs, the settings were changed since.
  private func finish(_ error: ConnectorError?, due: Timestamp?) async throws {
    let assets = try await storage.view(tenant: tenant) { [id = connector.id] view throws(ThingError) in
      try view.values(["assetId"], ThingQuery<ConnectedAsset>(.oneOf(key: "connectorId", [id.json]))).count
    }
    try await change { [connector] transaction, stored throws(ThingError) in
      var progress = stored.value
      (progress.leaseHolder, progress.leaseUntil) = (nil, nil)
      progress.failures = error == nil ? 0 : progress.failures + 1
      let wait = ConnectorPace.wait(
        after: error, failures: progress.failures, period: connector.value.period ?? connector.value.service.period)
      // If the settings were changed during the pull, the next pull is due immediately.
      if progress.nextPullAt == due {
        progress.nextPullAt = Timestamp(nanoseconds: transaction.now.nanoseconds + wait * 1_000_000)
      }
      try transaction.update(stored, to: progress, action: "finish")
      guard let present = try transaction.find(connector.id, Connector.self) else { return }
      var changed = present.value
      (changed.lastPullAt, changed.assets) = (transaction.now, Int64(assets))
      if let error {
        changed.state = error.kind == .refused || error.kind == .settings ? .refused : .failing
        changed.failures = RecentFailure.adding(error.message, at: transaction.now, to: changed.failures)
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
