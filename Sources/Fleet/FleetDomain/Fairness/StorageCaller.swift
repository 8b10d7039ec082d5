/// The caller of a storage operation. Operations that wait for the database take turns between tenants, then between
/// the keys of each. Operations without a caller are the server's own, which takes turns like a tenant.
public struct StorageCaller: Hashable, Sendable {
  public let tenant: TenantID
  /// The key or token; `nil` for work without a key.
  public let key: SecretHash?

  public init(tenant: TenantID, key: SecretHash?) {
    self.tenant = tenant
    self.key = key
  }

  /// The caller of the current task; `nil` for the server itself.
  @TaskLocal public static var current: StorageCaller?
}
