/// The caller of a storage operation. The storage shares its capacity fairly among tenants, and each tenant's share
/// among its keys. Operations without a caller are the server's own; they get the same share as one tenant.
public struct StorageCaller: Hashable, Sendable {
  public let tenant: TenantID
  /// Hash of the caller's key or token; `nil` for work without a key.
  public let key: SecretHash?

  public init(tenant: TenantID, key: SecretHash?) {
    self.tenant = tenant
    self.key = key
  }

  /// Returns the caller for a client without a valid key. All such clients together get the share of one tenant.
  ///
  /// - Parameter address: hash of the client's network address.
  public static func stranger(_ address: SecretHash) -> StorageCaller {
    StorageCaller(tenant: .strangers, key: address)
  }

  /// The caller of the current task; `nil` for the server itself.
  @TaskLocal public static var current: StorageCaller?
}
