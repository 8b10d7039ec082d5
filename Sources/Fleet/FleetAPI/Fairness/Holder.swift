import FleetDomain

/// Who holds a part of a budget.
struct Holder: Hashable, Sendable {
  /// Whose members share one part of a budget.
  enum Group: Hashable, Sendable {
    case tenant(TenantID)
    /// An address that has not shown a valid key.
    case peer(String)
    /// The server itself, and requests that need no key.
    case server
  }

  let group: Group
  /// The key or token; `nil` for a group without keys.
  let key: SecretHash?

  /// Requests that need no key, and work of the server itself.
  static let server = Holder(group: .server, key: nil)
}

extension Identity {
  /// Holds what the requests of the key hold.
  var holder: Holder { Holder(group: .tenant(tenant), key: key) }
}
