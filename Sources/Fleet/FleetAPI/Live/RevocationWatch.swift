import FleetDomain
import Logging
import Telemetry

/// Closes live connections whose token was revoked elsewhere: through another server, or by a command. What this server
/// revokes itself it closes at once (``LiveHub/close(_:of:)``).
///
/// It reads what was revoked since it last looked, of all tenants at once: a look costs as little as nothing was revoked.
struct RevocationWatch {
  /// From one look to the next.
  private static let period = Duration.seconds(1)
  /// How long a revoked token is looked for again: it may be remembered as good by ``Authenticator``, and a connection be
  /// opened with it, for so long.
  static let memory = Authenticator.memory * 5
  /// Tokens that are read at a time.
  private static let page = 1_000

  let storage: any FleetStorage
  let hub: LiveHub
  /// A look is one of the questions that the storage answers at a time.
  let questions: Budget
  let logger: Logger

  /// Looks until the task is cancelled.
  func run() async {
    var isFailing = false
    var position: RevocationPosition?
    var recent: [(time: ContinuousClock.Instant, tokens: [TenantID: Set<UUIDv7>])] = []
    repeat {
      do {
        let now = ContinuousClock.now
        recent.removeAll { $0.time.duration(to: now) > Self.memory }
        // The first look says where to begin: connections are younger than this server.
        var isLast = false
        while !isLast {
          let found = try await read(after: position)
          position = found.position
          isLast = found.isLast
          if !found.isComplete {
            logger.warning("more tokens were revoked than the store keeps: all live connections are closed")
            hub.closeForNewAuthentication()
          }
          if !found.tokens.isEmpty { recent.append((now, found.tokens)) }
        }
        for revoked in recent {
          for (tenant, tokens) in revoked.tokens { hub.close(tokens, of: tenant) }
        }
        isFailing = false
      } catch {
        if !isFailing, !Task.isCancelled {
          logger.warning("live connections of revoked tokens are not closed: \(error); trying again")
        }
        isFailing = true
      }
    } while (try? await Task.sleep(for: Self.period)) != nil
  }

  private func read(after position: RevocationPosition?) async throws -> Revocations {
    let permit = try await questions.take(1, for: .server)
    defer { permit.shrink(to: 0) }
    return try await storage.revocations(after: position, limit: Self.page)
  }
}
