import FleetDomain
import Synchronization

/// Repeatedly searches for due things of all tenants, such as forwards and connectors, and serves them. Several things
/// are served at the same time, so that a receiver that does not answer delays no other receiver.
///
/// The number of things of one tenant that are served at the same time is limited. Therefore the receivers of one
/// tenant cannot delay those of other tenants.
public final class DueRounds: Sendable {
  private let most: Int
  private let mostOfTenant: Int
  private let pause: Duration
  /// For each tenant, the number of things that are being served.
  private let busy = Mutex<[TenantID: Int]>([:])

  /// Creates rounds that serve nothing yet.
  ///
  /// - Parameters:
  ///   - most: the maximum number of things that are served at the same time.
  ///   - mostOfTenant: the maximum number of things of one tenant that are served at the same time.
  ///   - pause: the time between two searches for things that are due.
  public init(most: Int, mostOfTenant: Int, pause: Duration = .seconds(1)) {
    (self.most, self.mostOfTenant, self.pause) = (most, mostOfTenant, pause)
  }

  /// Searches for due things and serves them, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - due: returns the tenants that have at least one due thing.
  ///   - serve: serves one due thing of a tenant, if the tenant still has one.
  ///   - report: is called with an error of `due`. The search is repeated later.
  public func run(
    due: @escaping @Sendable () async throws -> [TenantID], serve: @escaping @Sendable (TenantID) async -> Void,
    report: @escaping @Sendable (any Error) -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          for tenant in try await due() where self.enter(tenant) {
            group.addTask {
              defer { self.leave(tenant) }
              await serve(tenant)
            }
          }
        } catch {
          if !Task.isCancelled { report(error) }
        }
        do {
          try await Task.sleep(for: self.pause)
        } catch {
          return
        }
      }
    }
  }

  /// Counts one more thing of a tenant as being served, if the limits allow this.
  ///
  /// - Returns: `false` if the limit of the tenant, or the limit of all tenants together, is reached.
  private func enter(_ tenant: TenantID) -> Bool {
    busy.withLock { counts in
      guard counts[tenant, default: 0] < mostOfTenant, counts.values.reduce(0, +) < most else { return false }
      counts[tenant, default: 0] += 1
      return true
    }
  }

  private func leave(_ tenant: TenantID) {
    busy.withLock { counts in
      let left = counts[tenant, default: 1] - 1
      counts[tenant] = left > 0 ? left : nil
    }
  }
}
