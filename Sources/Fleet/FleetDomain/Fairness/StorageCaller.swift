/// Who a call of the storage is for: calls that wait for the database are served in turn, first between tenants, then between
/// the keys of each. Calls without a caller are the server's own, which has its turn like a tenant.
public struct StorageCaller: Hashable, Sendable {
  public let tenant: TenantID
  /// The key or token; `nil` for work that no key asked for.
  public let key: SecretHash?

  public init(tenant: TenantID, key: SecretHash?) {
    self.tenant = tenant
    self.key = key
  }

  /// Who the current task works for; `nil`: the server itself.
  @TaskLocal public static var current: StorageCaller?
}
