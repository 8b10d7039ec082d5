import FleetDomain

/// The holder of a part of a budget.
struct Holder: Hashable, Sendable {
  /// The holders that share one part of a budget.
  enum Group: Hashable, Sendable {
    case tenant(TenantID)
    /// An address that has not yet sent a valid key.
    case peer(String)
    /// The server itself, and requests that need no key.
    case server
  }

  let group: Group
  /// The key or token; `nil` for a group without keys.
  let key: SecretHash?

  /// Requests that need no key, and the server's own work.
  static let server = Holder(group: .server, key: nil)
}

extension Identity {
  /// The holder of all amounts of the key's requests.
  var holder: Holder { Holder(group: .tenant(tenant), key: key) }
}
