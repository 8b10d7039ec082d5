import FleetDomain

/// The holder of a part of a budget: a key, and the group to which it belongs.
struct Holder: Hashable, Sendable {
  /// A group of keys. The keys share the amount of a budget that the group may hold.
  enum Group: Hashable, Sendable {
    case tenant(TenantID)
    /// All clients at a network address, until they send a valid key.
    case peer(String)
    /// The server itself, and requests that need no key.
    case server
  }

  let group: Group
  /// The key or token; `nil` for a group without keys.
  let key: SecretHash?

  /// The holder of requests that need no key, and of the server's own work.
  static let server = Holder(group: .server, key: nil)

  /// Returns the holder of everything that clients at an address use before they send a valid key.
  static func address(_ address: String?) -> Holder { Holder(group: .peer(PeerAddress.group(address)), key: nil) }
}

extension Identity {
  /// The holder to which all requests with this key belong.
  var holder: Holder { Holder(group: .tenant(tenant), key: key) }
}
