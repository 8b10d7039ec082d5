import FleetDomain
import Synchronization

/// Counts the requests to each route by their status, and sums their durations.
final class RequestMetrics: Sendable {
  struct Key: Hashable, Comparable {
    let method: String
    /// The path as in the route table: with the names of parameters instead of their values. With values, each vehicle
    /// would have its own time series.
    let route: String
    let status: Int

    static func < (left: Key, right: Key) -> Bool {
      (left.route, left.method, left.status) < (right.route, right.method, right.status)
    }
  }

  struct Sum {
    var count = 0
    var seconds = 0.0
  }

  /// The sums of each tenant. The key `nil` contains requests without a key and requests with the server's own token.
  private let sums = Mutex<[TenantID?: [Key: Sum]]>([:])

  func record(_ key: Key, _ tenant: TenantID?, _ duration: Duration) {
    sums.withLock { sums in
      sums[tenant, default: [:]][key, default: Sum()].count += 1
      sums[tenant, default: [:]][key, default: Sum()].seconds += duration / .seconds(1)
    }
  }

  /// Returns the sums of a tenant.
  ///
  /// - Parameter tenant: the tenant; `nil` for the sums of all requests to the server.
  func sums(of tenant: TenantID?) -> [(Key, Sum)] {
    let found = sums.withLock { sums in
      guard tenant == nil else { return sums[tenant] ?? [:] }
      return sums.values.reduce(into: [:]) { all, some in
        all.merge(some) { Sum(count: $0.count + $1.count, seconds: $0.seconds + $1.seconds) }
      }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
