/// Background work that the server does for one tenant after another.
///
///     let tenants = try await storage.tenants(having: due)
///     await TenantRound.run(for: tenants) { tenant in
///       try await makeReport(of: tenant)
///     } onFailure: { tenant, error in
///       logger.warning("tenant \(tenant): \(error)")
///     }
public enum TenantRound {
  /// Does the work for each tenant.
  ///
  /// The storage counts the work as the tenant's own, so that it can share its capacity fairly. If the work fails for
  /// one tenant, the other tenants are not affected. If the task is cancelled, no further tenant follows, and failures
  /// are not reported.
  ///
  /// - Parameters:
  ///   - work: the work for one tenant. It should be short, because the other tenants wait until it ends.
  ///   - onFailure: receives the errors of the work.
  public static func run(
    for tenants: [TenantID], _ work: (TenantID) async throws -> Void, onFailure: (TenantID, any Error) -> Void
  ) async {
    for tenant in tenants where !Task.isCancelled {
      do {
        try await StorageCaller.$current.withValue(StorageCaller(tenant: tenant, key: nil)) { try await work(tenant) }
      } catch {
        if !Task.isCancelled { onFailure(tenant, error) }
      }
    }
  }
}
