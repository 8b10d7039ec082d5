import FleetDomain
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// The fleet store's server: HTTP and WebSocket on one port, over one storage.
///
///     let server = FleetServer(options, storage: storage, logger: logger)
///     try await server.run()
///
/// It ends when its task is cancelled, or gracefully when its service group is told to: no new connections, requests
/// under way are answered, live connections are closed with 1001.
public struct FleetServer: Service {
  /// What this is, and since when.
  public static let version = "0.1.0"

  private let options: ServerOptions
  private let storage: any FleetStorage
  private let logger: Logger
  private let moreMetrics: @Sendable () -> [ServerMetric]
  private let onListening: @Sendable (_ port: Int) -> Void

  /// - Parameters:
  ///   - storage: open; whoever opened it closes it.
  ///   - moreMetrics: figures of what runs beside the server, asked whenever the whole server's are.
  ///   - onListening: called once requests are taken, with the port.
  public init(
    _ options: ServerOptions, storage: any FleetStorage, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in },
    moreMetrics: @escaping @Sendable () -> [ServerMetric] = { [] }
  ) {
    self.options = options
    self.storage = storage
    self.logger = logger
    self.moreMetrics = moreMetrics
    self.onListening = onListening
  }

  /// - Throws: ``ServerStartError`` where the port or the certificate cannot be used.
  public func run() async throws {
    let tls = try options.tls.map { files throws(ServerStartError) in try files.configuration() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: options.threads)
    do {
      try await serve(group, tls)
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  private func serve(_ group: MultiThreadedEventLoopGroup, _ tls: TLSConfiguration?) async throws {
    let memory = Budget.memory(options.limits.memoryBytes)
    let limiter = RateLimiter<SecretHash>(options.rate)
    let questions = Budget.questions(options.limits.questions)
    let hub = LiveHub(loops: Array(group.makeIterator()), settings: options.live, memory: memory)
    let authenticator = Authenticator(storage: storage)
    let feed = LiveFeed(storage: storage, hub: hub, logger: logger)
    let sightings = SightingBook(storage: storage, logger: logger)
    let metrics = RequestMetrics()
    let desk = RequestDesk(
      table: FleetRoutes.table(
        storage: storage, authenticator: authenticator, sightings: sightings, metrics: metrics,
        tenants: TenantMetrics(), hub: hub, moreMetrics: moreMetrics),
      authenticator: authenticator, limiter: limiter, sightings: sightings, metrics: metrics,
      serverToken: options.serverToken, limits: options.limits, memory: memory,
      keyMemory: KeyBudgets(options.limits.memoryBytes), questions: questions, logger: logger)
    let channel = FleetChannel(
      responder: { request, writer, channel in
        try await desk.respond(request, from: channel.remoteAddress?.ipAddress, writer)
      }, limits: options.limits,
      isSecure: tls != nil, hub: hub,
      live: LiveService(
        storage: storage, authenticator: authenticator, feed: feed, limiter: limiter, memory: memory,
        questions: questions))
    let notes = Task { await sightings.run() }
    do {
      if let tls {
        try await listen(TLSChannel(channel, tlsConfiguration: tls), group, hub)
      } else {
        try await listen(channel, group, hub)
      }
    } catch {
      notes.cancel()
      feed.stop()
      throw error
    }
    notes.cancel()
    feed.stop()
    await sightings.write()
  }

  private func listen(
    _ channel: some ServerChildChannel, _ group: MultiThreadedEventLoopGroup, _ hub: LiveHub
  ) async throws {
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .warning)
    let server = Server(
      childChannelSetup: channel,
      configuration: ServerConfiguration(
        address: .hostname(options.host, port: options.port), backlog: 1_024,
        availableConnectionsDelegate: ConnectionLimit(options.limits.connections, logger: logger)),
      onServerRunning: { [onListening, logger, options] channel in
        let port = channel.localAddress?.port ?? options.port
        logger.info("listening on \(options.tls == nil ? "http" : "https")://\(options.host):\(port)")
        onListening(port)
      }, eventLoopGroup: group, logger: quiet)
    do {
      try await withGracefulShutdownHandler {
        try await server.run()
      } onGracefulShutdown: {
        hub.closeAll()
      }
    } catch let error as IOError {
      throw ServerStartError(
        .unavailable, "listen \(options.host):\(options.port): \(error.description)")
    }
  }
}
