import FleetDomain
import Logging
import Synchronization
import Telemetry

/// Records the last use of each operator's token, and stores it at intervals.
final class TokenActivity: Sendable {
  /// The time between two writes to the storage.
  private static let period = Duration.seconds(5)
  /// The resolution of the stored time, in seconds. A token that is used constantly is therefore written only once a
  /// minute.
  private static let resolution = 60

  private let storage: any FleetStorage
  private let logger: Logger
  private let pending = Mutex<[TenantID: [UUIDv7: Timestamp]]>([:])

  init(storage: any FleetStorage, logger: Logger) {
    self.storage = storage
    self.logger = logger
  }

  func record(_ token: OperatorToken, _ tenant: TenantID) {
    let now = WallClock.now
    if let last = token.lastUsedAt, last.adding(seconds: Self.resolution) > now { return }
    pending.withLock { $0[tenant, default: [:]][token.id] = now }
  }

  /// Stores all uses that were recorded since the last write.
  func write() async {
    for tenant in pending.withLock({ Array($0.keys) }) { await write(tenant) }
  }

  /// Stores the uses that were recorded for a tenant's tokens since the last write.
  func write(_ tenant: TenantID) async {
    guard let uses = pending.withLock({ $0.removeValue(forKey: tenant) }) else { return }
    do {
      try await storage.storeUse(of: uses, tenant: tenant)
    } catch {
      // The times are lost. The next request with each token records a new time.
      logger.warning("cannot store when tokens of \(tenant) were used: \(error)")
    }
  }

  /// Writes recorded uses to the storage at intervals, until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.period)) != nil { await write() }
  }
}
