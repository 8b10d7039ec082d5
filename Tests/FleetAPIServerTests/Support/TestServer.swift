import FleetAccess
import FleetDomain
import FleetStorage
import FleetStorageTestKit
import FleetWeb
import FleetstoreTestKit
import Glibc
import Logging
import ServiceLifecycle
import StoredFleetTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// A server on a free port with an empty database, and with keys of every kind in two tenants.
///
/// Clients block, so tests use them in `runBlocking`.
final class TestServer: Sendable {
  /// Keys of two tenants, which must not see each other's data.
  struct Keys: Sendable {
    /// Keys of the tenant `default`. It has the vehicles VAN-1 (gateway gw-1) and VAN-2 (gateway gw-2). The gateway
    /// gw-free has no list of vehicles.
    let admin, readOnly, gateway, otherGateway, freeGateway, revokedGateway, revokedToken: String
    /// Keys of the tenant `other`, which has a vehicle VAN-1, too.
    let foreignAdmin, foreignReadOnly, foreignGateway: String
  }

  let port: Int
  let keys: Keys
  let storage: TroubledStorage
  /// The origin of the server's own pages.
  let origin: String
  private let group: ServiceGroup
  private let task: Task<Void, any Error>

  private init(
    port: Int, keys: Keys, storage: TroubledStorage, origin: String, group: ServiceGroup,
    task: Task<Void, any Error>
  ) {
    self.port = port
    self.keys = keys
    self.storage = storage
    self.origin = origin
    self.group = group
    self.task = task
  }

  typealias Database = FleetstoreTestKit.Database

  /// Runs a test against a server and stops it. If the database is not installed, the test is skipped.
  static func run(
    _ options: ServerOptions = .test { _ in }, on database: Database = .sqlite, web: WebSite? = nil,
    clock: TestClock? = nil, _ test: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let scratch = try ScratchFolder()
    let storage = try await database.emptyStore(in: scratch)
    var options = options
    if options.files.folder == nil, options.files.s3 == nil { options.files.folder = scratch.file("files") }
    let server = try await start(options, storage, web: web, clock: clock)
    do {
      try await test(server)
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  /// Runs a test against two servers over one PostgreSQL database, with the same keys.
  ///
  /// - Parameter address: the address of an empty database.
  static func runTwo(
    _ options: ServerOptions = .test { _ in }, on address: String,
    _ test: @Sendable (TestServer, TestServer) async throws -> Void
  ) async throws {
    let first = try await start(options, StoredFleet(postgreSQL: address))
    do {
      let second = try await start(options, StoredFleet(postgreSQL: address), keys: first.keys)
      do {
        try await test(first, second)
      } catch {
        try await second.stop()
        throw error
      }
      try await second.stop()
    } catch {
      try await first.stop()
      throw error
    }
    try await first.stop()
  }

  private static func start(
    _ options: ServerOptions, _ stored: StoredFleet, web: WebSite? = nil, keys known: Keys? = nil,
    clock: TestClock? = nil
  ) async throws -> TestServer {
    let storage = TroubledStorage(stored)
    let made = known == nil ? try await makeKeys(storage) : nil
    guard let keys = known ?? made else { throw TestClient.Failure(description: "no keys") }
    let (ports, report) = AsyncStream<Int>.makeStream()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let now: @Sendable () -> Timestamp = { clock?.now ?? WallClock.now }
    let server = FleetServer(options, storage: storage, web: web, logger: logger, now: now) { report.yield($0) }
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(
          service: server, successTerminationBehavior: .gracefullyShutdownGroup,
          failureTerminationBehavior: .cancelGroup)
      ], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(300)
    let group = ServiceGroup(configuration: configuration)
    let task = Task {
      defer { report.finish() }
      try await group.run()
    }
    guard let port = await ports.first(where: { _ in true }) else {
      try await task.value
      throw TestClient.Failure(description: "the server ended before it listened")
    }
    return TestServer(
      port: port, keys: keys, storage: storage, origin: options.accounts.publicURL ?? "http://localhost",
      group: group, task: task)
  }

  /// Ends the server as SIGTERM does.
  func stop() async throws {
    await group.triggerGracefulShutdown()
    try await task.value
    await storage.close()
  }

  /// Starts a stop without waiting for it.
  func beginStop() async { await group.triggerGracefulShutdown() }

  func client(_ token: String? = nil, from host: UInt32 = 1) throws -> TestClient {
    try TestClient(port: port, token: token, from: host)
  }

  /// Returns a client whose kernel accepts little that the client does not read.
  func clientWithSmallBuffer() throws -> TestClient { try TestClient(port: port, receiveBuffer: 4_096) }

  /// Returns an authenticator without a cache over the server's storage.
  func newAuthenticator() -> Authenticator {
    Authenticator(
      storage: storage,
      sessions: SessionActivity(storage: storage, limits: SessionLimits(), logger: Logger(label: "test")),
      tokens: TokenActivity(storage: storage, logger: Logger(label: "test")))
  }

  private static func makeKeys(_ storage: some FleetStorage) async throws -> Keys {
    let now = WallClock.now
    let other = TenantID("other")!
    try await storage.addTenant(other, at: now)
    func token(_ role: Role, _ tenant: TenantID, revoked: Bool = false) async throws -> String {
      let secret = Secret(.operatorToken)
      let token = OperatorToken(id: .random(at: now), label: "test", role: role, addedAt: now)
      try await storage.addToken(token, secret: secret.hash, tenant: tenant)
      if revoked { try await storage.revokeToken(token.id, tenant: tenant, at: now) }
      return secret.text
    }
    func gateway(_ id: String, _ vehicles: [String], _ tenant: TenantID) async throws -> String {
      let key = Secret(.gatewayKey)
      _ = try await storage.addGateway(id, allowedVehicles: vehicles, key: key.hash, tenant: tenant, at: now)
      return key.text
    }
    for id in ["VAN-1", "VAN-2"] {
      _ = try await storage.addVehicle(id, tenant: .standard, at: now)
    }
    _ = try await storage.addVehicle("VAN-1", Vehicle(name: "foreign"), tenant: other, at: now)
    let revoked = try await gateway("gw-old", ["VAN-1"], .standard)
    try await storage.revokeGateway("gw-old", tenant: .standard, at: now)
    return Keys(
      admin: try await token(.admin, .standard), readOnly: try await token(.readOnly, .standard),
      gateway: try await gateway("gw-1", ["VAN-1"], .standard),
      otherGateway: try await gateway("gw-2", ["VAN-2"], .standard),
      freeGateway: try await gateway("gw-free", [], .standard), revokedGateway: revoked,
      revokedToken: try await token(.admin, .standard, revoked: true),
      foreignAdmin: try await token(.admin, other), foreignReadOnly: try await token(.readOnly, other),
      foreignGateway: try await gateway("gw-1", ["VAN-1"], other))
  }
}

extension ServerOptions {
  /// The default options, with a free port, without a rate limit, and with long time limits for slow machines.
  static func test(_ change: (inout ServerOptions) -> Void) -> ServerOptions {
    var options = ServerOptions()
    options.port = 0
    options.threads = 1
    options.rate.perSecond = 1_000_000
    options.rate.burst = 1_000_000
    options.strangerRate = options.rate
    options.limits.idleSeconds = 600
    options.limits.requestSeconds = 600
    options.accounts.use(SecretKeys(file: String(repeating: "7", count: 64))!)
    options.accounts.hashCost = .fast
    change(&options)
    return options
  }
}
