import FleetDomain
import Logging
import Telemetry

/// Closes live connections after another server or a command has revoked their token or changed their rights. Also
/// discards the cached keys of their tenant. If this server itself revokes a token, it does both immediately
/// (``LiveHub/close(_:of:)``, ``Authenticator/forget(_:)``).
///
/// The watch periodically reads the list of revocations of all tenants. A read without new revocations costs little.
struct RevocationWatch {
  /// The time between two reads.
  private static let period = Duration.seconds(1)
  /// For this time after a revocation, connections with the revoked token are checked repeatedly. A handshake that
  /// began before the revocation was read may still open such a connection.
  static let memory = Authenticator.memory * 5
  /// The maximum number of tokens in one read.
  private static let page = 1_000

  let storage: any FleetStorage
  let hub: LiveHub
  let authenticator: Authenticator
  /// The permits for queries. Each read needs one permit.
  let queryPermits: Budget
  let logger: Logger

  /// Reads new revocations periodically until the task is cancelled.
  func run() async {
    var position: RevocationPosition?
    var recent: [(time: ContinuousClock.Instant, tokens: [TenantID: Set<UUIDv7>])] = []
    await RepeatedWork.run(every: Self.period) {
      let now = ContinuousClock.now
      recent.removeAll { $0.time.duration(to: now) > Self.memory }
      // The first read only finds the current position. Earlier revocations do not matter, because all connections to
      // this server are newer.
      var isLast = false
      while !isLast {
        let found = try await read(after: position)
        position = found.position
        isLast = found.isLast
        if !found.isComplete {
          logger.warning("more tokens were revoked than the store remembers; closing all live connections")
          hub.closeForNewAuthentication()
        }
        // A request after the end of its connection must not find the old rights.
        for tenant in found.tokens.keys { authenticator.forget(tenant) }
        if !found.tokens.isEmpty { recent.append((.now, found.tokens)) }
      }
      for revoked in recent {
        for (tenant, tokens) in revoked.tokens { hub.checkRights(of: tokens, tenant, since: revoked.time) }
      }
    } onFailure: {
      logger.warning("cannot close live connections of revoked tokens: \($0); trying again")
    }
  }

  private func read(after position: RevocationPosition?) async throws -> Revocations {
    let permit = try await queryPermits.acquire(1, for: .server)
    defer { permit.shrink(to: 0) }
    return try await storage.revocations(after: position, limit: Self.page)
  }
}
