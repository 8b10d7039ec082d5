import FleetDomain

/// The holder of a part of a budget.
struct Holder: Hashable, Sendable {
  /// The holders that share the part of one group.
  enum Group: Hashable, Sendable {
    case tenant(TenantID)
    /// Clients at an address from which no valid key was received.
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
  /// The holder to which all requests with this key belong.
  var holder: Holder { Holder(group: .tenant(tenant), key: key) }
}
