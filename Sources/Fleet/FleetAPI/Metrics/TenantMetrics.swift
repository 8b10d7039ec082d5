import FleetDomain
import Synchronization

/// Counts the records that each tenant has sent since the start, by result. Includes records from HTTP and from
/// brokers.
public final class TenantMetrics: Sendable {
  private let counts = Mutex<[TenantID: IngestCounts]>([:])

  public init() {}

  public func record(_ more: IngestCounts, _ tenant: TenantID) {
    counts.withLock { $0[tenant, default: IngestCounts()] += more }
  }

  /// The counts of a tenant; if `tenant` is `nil`, the counts of all tenants together.
  subscript(_ tenant: TenantID?) -> IngestCounts {
    counts.withLock { counts in
      if let tenant { return counts[tenant] ?? IngestCounts() }
      return counts.values.reduce(into: IngestCounts()) { $0 += $1 }
    }
  }
}
