import FleetDomain
import Synchronization

/// Counts the results of each tenant's records since the start, over HTTP and from brokers.
public final class TenantMetrics: Sendable {
  private let counts = Mutex<[TenantID: IngestCounts]>([:])

  public init() {}

  public func record(_ more: IngestCounts, _ tenant: TenantID) {
    counts.withLock { $0[tenant, default: IngestCounts()] += more }
  }

  /// The counts of one tenant, or of all together if `tenant` is `nil`.
  subscript(_ tenant: TenantID?) -> IngestCounts {
    counts.withLock { counts in
      if let tenant { return counts[tenant] ?? IngestCounts() }
      return counts.values.reduce(into: IngestCounts()) { $0 += $1 }
    }
  }
}
