import FleetDomain
import Synchronization

/// Counts the results of each tenant's records since the start.
final class TenantMetrics: Sendable {
  struct Counts: Sendable {
    var stored = 0
    var duplicates = 0
    /// The duplicates whose better time was stored.
    var improved = 0
    var refused = 0

    init() {}

    init(_ outcomes: [IngestOutcome]) {
      for outcome in outcomes {
        switch outcome {
        case .stored: stored += 1
        case .duplicate: duplicates += 1
        case .improved:
          duplicates += 1
          improved += 1
        case .refused: refused += 1
        }
      }
    }
  }

  private let counts = Mutex<[TenantID: Counts]>([:])

  func record(_ more: Counts, _ tenant: TenantID) {
    counts.withLock { counts in
      counts[tenant, default: Counts()].stored += more.stored
      counts[tenant, default: Counts()].duplicates += more.duplicates
      counts[tenant, default: Counts()].improved += more.improved
      counts[tenant, default: Counts()].refused += more.refused
    }
  }

  subscript(_ tenant: TenantID) -> Counts { counts.withLock { $0[tenant] ?? Counts() } }
}
