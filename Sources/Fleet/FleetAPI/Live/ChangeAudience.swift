import FleetAccess
import FleetDomain
import Synchronization
import Telemetry

/// The subscribers of a channel who have the same rights, and therefore receive the same changes of things.
struct ChangeAudience: Hashable, Sendable {
  let channel: LiveChannel
  let requester: Requester
  /// The id of the person or of the operator's token to which all subscribers of the audience belong. It determines
  /// which things are the subscribers' own.
  let author: UUIDv7?

  init(_ channel: LiveChannel, _ identity: Identity) {
    self.channel = channel
    requester = identity.requester
    author = identity.author
  }
}

/// The audiences of all live connections that have subscribed to changes of things.
final class ChangeAudiences: Sendable {
  private struct Entry {
    /// The identity of one of the audience's subscribers. All subscribers have the same channel, rights and author;
    /// their other properties may differ.
    let identity: Identity
    var count: Int
  }

  private let tenants = Mutex<[TenantID: [ChangeAudience: Entry]]>([:])

  /// Whether a tenant's changes have subscribers.
  func exist(for tenant: TenantID) -> Bool { tenants.withLock { $0[tenant] != nil } }

  /// Returns the audiences of a tenant, each with the identity of one of its subscribers.
  func all(of tenant: TenantID) -> [(audience: ChangeAudience, identity: Identity)] {
    // Make the array outside of the lock, so that other tenants do not wait for it.
    let audiences = tenants.withLock { $0[tenant] ?? [:] }
    return audiences.map { ($0.key, $0.value.identity) }
  }

  /// Adds a subscriber to an audience.
  func add(_ identity: Identity, to audience: ChangeAudience) {
    tenants.withLock {
      $0[audience.channel.tenant, default: [:]][audience, default: Entry(identity: identity, count: 0)].count += 1
    }
  }

  /// Removes a subscriber from an audience.
  func removeOne(from audience: ChangeAudience) {
    tenants.withLock { tenants in
      // Change the value in place. A copy would take time for each audience of the tenant, and every tenant would wait.
      let tenant = audience.channel.tenant
      tenants[tenant]?[audience]?.count -= 1
      if tenants[tenant]?[audience]?.count ?? 0 <= 0 { tenants[tenant]?[audience] = nil }
      if tenants[tenant]?.isEmpty ?? false { tenants[tenant] = nil }
    }
  }
}
