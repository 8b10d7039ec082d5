import Failures
import FleetDomain
import FleetFiles
import FleetWeb
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Telemetry

/// The server of the fleet store. It offers HTTP and WebSocket on one port, for one storage. Metrics may have a
/// separate address.
///
///     let server = FleetServer(options, storage: storage, logger: logger)
///     try await server.run()
///
/// The server ends when its task is cancelled. When its service group stops it, it rejects new connections, answers the
/// requests in progress, and closes live connections with code 1001.
public struct FleetServer: Service {
  /// The version of the server.
  public static let version = "0.1.0"

  let options: ServerOptions
  private let storage: any FleetStorage
  private let web: WebSite?
  let logger: Logger
  private let tenantMetrics: TenantMetrics
  private let moreMetrics: @Sendable () -> [ServerMetric]
  private let now: TimeSource
  let onListening: @Sendable (_ port: Int) -> Void
  private let loops = RunningLoops()

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - storage: an open storage. The caller must close it after the server has ended.
  ///   - web: the web app; `nil` to serve only the API.
  ///   - tenantMetrics: the counts of each tenant's records. Other components may also add to them.
  ///   - now: returns the time that decides whether sessions, tokens and links have ended.
  ///   - moreMetrics: returns the metrics of other components.
  ///   - onListening: is called with the port when the server accepts requests on all its addresses.
  public init(
    _ options: ServerOptions, storage: any FleetStorage, web: WebSite? = nil, logger: Logger,
    tenantMetrics: TenantMetrics = TenantMetrics(), now: @escaping TimeSource = { WallClock.now },
    onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in },
    moreMetrics: @escaping @Sendable () -> [ServerMetric] = { [] }
  ) {
    self.options = options
    self.storage = storage
    self.web = web
    self.logger = logger
    self.tenantMetrics = tenantMetrics
    self.now = now
    self.moreMetrics = moreMetrics
    self.onListening = onListening
  }

  /// Waits until every event loop has executed the work that was submitted before the call. Returns immediately if the
  /// server does not run. A watchdog uses this function to detect a blocked event loop.
  public func waitForRound() async { await loops.waitForRound() }

  /// Runs the server until it is stopped.
  ///
  /// - Throws: ``Failure`` if the server cannot listen on its addresses, or cannot use its folder of files.
  public func run() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: options.threads)
    do {
      try await serve(group, options.tls?.configuration)
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  private func serve(_ group: MultiThreadedEventLoopGroup, _ tls: TLSConfiguration?) async throws {
    let loops = Array(group.makeIterator())
    self.loops.begin(loops)
    defer { self.loops.end() }
    let memory = Budget.memory(options.limits.memoryBytes)
    let limiter = RateLimiter<SecretHash>(options.rate)
    let queryPermits = Budget.queryPermits(options.limits.queries, within: options.limits.querySeconds)
    let connections = Connections(
      options.limits.connections, proxies: options.proxies, running: self.loops, logger: logger)
    let heavyWork = HeavyWork(processors: System.coreCount, within: options.limits.requestSeconds)
    let hub = LiveHub(
      loops: loops, settings: options.live, memory: memory, connections: connections, running: self.loops)
    let sessions = SessionActivity(storage: storage, limits: options.accounts.limits, logger: logger, now: now)
    let authenticator = Authenticator(
      storage: storage, sessions: sessions, tokens: TokenActivity(storage: storage, logger: logger), now: now)
    let hasher = PasswordHasher(options.accounts.hashCost, processors: System.coreCount, memory: memory)
    hasher.start()
    let accounts = AccountService(
      storage: storage, settings: options.accounts, hasher: hasher, authenticator: authenticator, hub: hub,
      logger: logger, now: now)
    let visibility = LiveVisibilityStore(storage: storage)
    let feed = LiveFeed(storage: storage, hub: hub, visibility: visibility, logger: logger)
    let changes = ChangeFeed(storage: storage, hub: hub, queryPermits: queryPermits, logger: logger)
    let lastSeen = LastSeenStore(storage: storage, logger: logger)
    let metrics = MetricsRoute(
      storage: storage, requests: RequestMetrics(), tenants: tenantMetrics, hub: hub, more: moreMetrics)
    let accessLog = AccessLog(logger: options.accessLog ? logger : nil)
    let days = DayUpdater(storage: storage, logger: logger)
    let files = FileService(options.files, try options.files.open(), storage: storage, logger: logger)
    let handler = RequestHandler(
      table: FleetRoutes.table(
        storage: storage, authenticator: authenticator, accounts: accounts, lastSeen: lastSeen, metrics: metrics,
        hub: hub, days: days, connectorsMayUsePrivate: options.connectorsMayUsePrivate, files: files,
        limits: options.limits),
      web: web.map { WebAnswers($0) },
      authenticator: authenticator, limiter: limiter, strangers: RateLimiter(options.strangerRate),
      signIns: RateLimiter(options.signInRate), lastSeen: lastSeen,
      metrics: metrics.requests, serverToken: options.serverToken, limits: options.limits, memory: memory,
      strangerMemory: .memory(max(options.limits.memoryBytes / 8, 1)),
      queryPermits: queryPermits, heavyWork: heavyWork, connections: connections,
      crossOrigin: CrossOrigin(origins: options.live.origins),
      ownPages: AllowedOrigins(ownURL: options.accounts.publicURL),
      exports: try ExportColumns.described.get(), proxies: options.proxies, isTLS: tls != nil,
      accessLog: accessLog, logger: logger)
    let channel = FleetChannel(
      responder: handler.responder, limits: options.limits, connections: connections, isSecure: tls != nil,
      proxies: options.proxies, ownURL: options.accounts.publicURL, hub: hub,
      live: LiveService(
        storage: storage, authenticator: authenticator, feed: feed, changes: changes, visibility: visibility,
        limiter: limiter, memory: hub.memory, queryPermits: queryPermits), accessLog: accessLog)
    var metricsHandler = handler
    metricsHandler.web = nil
    metricsHandler.table = RouteTable(routes: [metrics.openRoute])
    let watch = RevocationWatch(
      storage: storage, hub: hub, authenticator: authenticator, queryPermits: queryPermits, logger: logger)
    let beside = [
      Task { await lastSeen.run() }, Task { await watch.run() }, Task { await sessions.run() },
      Task { await authenticator.tokens.run() },
      Task { await AssignmentWatch(storage: storage, logger: logger).run() },
      Task { await SlowWrites(storage: storage, logger: logger).run() },
      Task {
        await NotificationWatch(storage: storage, hub: hub, queryPermits: queryPermits, logger: logger).run()
      },
      Task { await changes.run() }, Task { await days.run() },
      Task { await files.run() },
      Task {
        await ReportScheduler(
          storage: storage, keys: options.accounts.sendsMail ? options.accounts.secretKeys : nil,
          heavyWork: heavyWork, logger: logger
        ).run()
      },
    ]
    do {
      try await listen(
        channel, tls, MetricsChannel(responder: metricsHandler.responder, limits: options.limits), group, hub)
    } catch {
      for task in beside { task.cancel() }
      feed.stop()
      try await hasher.stop()
      throw error
    }
    for task in beside { task.cancel() }
    feed.stop()
    await lastSeen.write()
    await sessions.write()
    await authenticator.tokens.write()
    try await hasher.stop()
  }

}

extension RequestHandler {
  /// The function that handles the requests of all connections.
  var responder: @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void {
    { request, writer, channel in try await respond(request, from: channel, writer) }
  }
}
