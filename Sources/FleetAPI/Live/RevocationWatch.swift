import FleetDomain
import Logging

/// Closes live connections whose token was revoked elsewhere: through another server, or by a command. What this server
/// revokes itself it closes at once (``LiveHub/close(_:of:)``).
struct RevocationWatch {
  /// From one look to the next.
  private static let period = Duration.seconds(1)

  let storage: any FleetStorage
  let hub: LiveHub
  let logger: Logger

  /// Looks until the task is cancelled.
  func run() async {
    var isFailing = false
    while (try? await Task.sleep(for: Self.period)) != nil {
      do throws(StorageError) {
        for tenant in hub.tenants {
          let revoked = try await storage.tokens(tenant: tenant).filter { $0.revokedAt != nil }
          hub.close(Set(revoked.map(\.id)), of: tenant)
        }
        isFailing = false
      } catch {
        if !isFailing { logger.warning("live connections of revoked tokens are not closed: \(error); trying again") }
        isFailing = true
      }
    }
  }
}
