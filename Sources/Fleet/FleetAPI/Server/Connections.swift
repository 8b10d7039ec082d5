import FleetDomain
import HTTPTypes
import NIOCore
import Synchronization

/// Counts the open connections of each owner. A connection belongs to its client's address until it sends its first
/// valid key, and then to that key and its tenant. No address, tenant or key can have all connections.
final class Connections: Sendable {
  /// The answer 503 if a tenant or key has too many connections. The connection is then closed.
  static let refusal = APIError(
    .serviceUnavailable, "tooManyConnections",
    "this key or its tenant has as many connections open as it may have (limits.connections); use fewer", retryAfter: 5)

  private let budget: Budget
  private let holders = Mutex<[ObjectIdentifier: Holder]>([:])

  /// Creates the counts.
  ///
  /// - Parameter limit: the maximum number of all connections; above 0. ``ConnectionLimit`` enforces this total. It may
  ///   accept a new connection before a closed one is subtracted here.
  init(_ limit: Int) {
    budget = Budget(limit, patience: .zero, refusal: Self.refusal, isLimitedElsewhere: true)
  }

  /// Counts a new connection for its client's address until it is closed.
  ///
  /// - Returns: `false` if the address has too many.
  func open(_ channel: any Channel) -> Bool {
    let holder = Holder(group: .peer(PeerAddress.group(channel.remoteAddress?.ipAddress)), key: nil)
    guard budget.acquireNow(1, for: holder) else { return false }
    holders.withLock { $0[ObjectIdentifier(channel)] = holder }
    channel.closeFuture.whenComplete { _ in self.close(channel) }
    return true
  }

  /// Counts a connection for a key instead of its address.
  ///
  /// - Returns: `false` if the key or its tenant has too many.
  func belongs(_ channel: any Channel, to holder: Holder) -> Bool {
    // A connection that was closed meanwhile is not counted.
    guard let present = holders.withLock({ $0[ObjectIdentifier(channel)] }), present != holder else { return true }
    guard budget.acquireNow(1, for: holder) else { return false }
    let left = holders.withLock { holders -> Holder? in
      guard let present = holders[ObjectIdentifier(channel)] else { return nil }
      holders[ObjectIdentifier(channel)] = holder
      return present
    }
    budget.release(1, from: left ?? holder)
    return true
  }

  private func close(_ channel: any Channel) {
    guard let holder = holders.withLock({ $0.removeValue(forKey: ObjectIdentifier(channel)) }) else { return }
    budget.release(1, from: holder)
  }
}
