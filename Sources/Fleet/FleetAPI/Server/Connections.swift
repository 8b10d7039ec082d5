import FleetDomain
import HTTPTypes
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// Counts the open connections of each client address, key and tenant. Until a connection sends its first valid key, it
/// counts for its client's address; after that, for the key and the key's tenant. No address, tenant or key can use all
/// connections.
///
/// Connections that never sent a valid key must not prevent connections with a key. If almost the maximum number of
/// connections is open, a new connection displaces the oldest connection without a valid key. Connections with a key
/// are never displaced. But they may not use all connections: ``reserve`` connections stay free, so that every new
/// connection has time to send its key.
final class Connections: Sendable {
  /// The answer (503) to a request if its tenant or key has too many connections. The connection is then closed.
  static let refusal = APIError(
    .serviceUnavailable, "tooManyConnections",
    "this key or its tenant has as many connections open as it may have (limits.connections); use fewer", retryAfter: 5)

  /// The answer (503) to a request without a key that comes through a proxy, if its client has too many connections.
  static let tooManyOfAddress = APIError(
    .serviceUnavailable, "tooManyConnections",
    "this address has as many connections open as it may have (limits.connections); use fewer", retryAfter: 5)

  /// A connection that has not sent a valid key.
  private struct Stranger {
    let number: Int
    let channel: any Channel
  }

  private struct State {
    var holders: [ObjectIdentifier: Holder] = [:]
    var strangers: [ObjectIdentifier: Stranger] = [:]
    /// Connections without a valid key in the order of their arrival. Entries of connections that have sent a key or
    /// were closed since then may remain. They are skipped.
    var order: [(number: Int, id: ObjectIdentifier)] = []
    /// The index in `order` of the oldest entry that may still be valid.
    var first = 0
    var next = 0
    /// Displaced connections that are still being closed.
    var leaving: Set<ObjectIdentifier> = []
    /// Whether the displacement of connections was already reported: set when a connection is displaced, and cleared
    /// when at least half of the connections are free again.
    var isFull = false

    mutating func add(_ channel: any Channel, _ holder: Holder) {
      let id = ObjectIdentifier(channel)
      holders[id] = holder
      strangers[id] = Stranger(number: next, channel: channel)
      order.append((next, id))
      next += 1
    }

    /// Displaces the oldest connections without a valid key, until the server has at most `most` connections of any
    /// kind. Never displaces the newest connection without a valid key.
    mutating func displace(downTo most: Int) -> [any Channel] {
      var displaced: [any Channel] = []
      while holders.count - leaving.count > most, first < order.count - 1 {
        let (number, id) = order[first]
        first += 1
        guard let stranger = strangers[id], stranger.number == number else { continue }
        strangers[id] = nil
        leaving.insert(id)
        displaced.append(stranger.channel)
      }
      // Remove skipped entries from time to time. They are the majority, because most connections soon send a key.
      if order.count - first > 2 * strangers.count + 64 || first > 1_024 {
        order = order[first...].filter { strangers[$0.id]?.number == $0.number }
        first = 0
      }
      return displaced
    }
  }

  private let budget: Budget
  private let strangers: Budget
  private let limit: Int
  private let proxies: TrustedProxies
  private let running: RunningLoops
  private let logger: Logger?
  private let state = Mutex(State())

  /// The number of connections that must stay free for clients without a key, even if clients with keys use all others.
  private var reserve: Int { max(limit / 8, 1) }
  /// The number of connections that normally stay free. The kernel may report several new connections together, and a
  /// displaced connection does not end immediately.
  private var margin: Int { max(limit / 64, 1) }

  /// Creates the counters of a server.
  ///
  /// - Parameter limit: the maximum number of all connections; above 0. ``ConnectionLimit`` enforces this number. It
  ///   may accept a new connection before the closed connection that it replaces is subtracted from these counters.
  /// - Parameter proxies: the trusted proxies. A connection from a proxy counts for no address until a request names
  ///   its client.
  init(
    _ limit: Int, proxies: TrustedProxies = TrustedProxies(), running: RunningLoops = RunningLoops(),
    logger: Logger? = nil
  ) {
    self.limit = limit
    self.proxies = proxies
    self.running = running
    self.logger = logger
    // Connections without a key do not reduce the number of connections that a tenant may have.
    budget = Budget(
      max(limit - max(limit / 8, 1), 1), patience: .zero, refusal: Self.refusal, isLimitedElsewhere: true)
    strangers = Budget(limit, patience: .zero, refusal: Self.refusal, isLimitedElsewhere: true)
  }

  /// Counts a new connection for its client's address, until the connection is closed. A connection from a trusted
  /// proxy is counted for its client when the first request names the client (``belongs(_:toAddress:)``).
  ///
  /// - Returns: `false` if the address has too many connections.
  func open(_ channel: any Channel) -> Bool {
    let peer = channel.remoteAddress?.ipAddress
    let isProxy = peer.map { proxies.isTrusted($0) } ?? false
    let holder = isProxy ? Holder.server : .address(peer)
    guard pool(of: holder)?.acquireNow(1, for: holder) ?? true else { return false }
    let (displaced, isNews) = state.withLock { state in
      state.add(channel, holder)
      let displaced = state.displace(downTo: limit - margin)
      defer { if !displaced.isEmpty { state.isFull = true } }
      return (displaced, !displaced.isEmpty && !state.isFull)
    }
    if isNews {
      logger?.warning(
        "almost all connections are in use: new ones displace the oldest that never sent a valid key (limits.connections)"
      )
    }
    channel.closeFuture.whenComplete { _ in self.close(channel) }
    for other in displaced { running.execute(on: other.eventLoop) { other.closeAtOnce() } }
    return true
  }

  /// Whether a connection has not sent a valid key while almost the maximum number of connections is open. If so, the
  /// time limit for its next request is short.
  func isHurried(_ channel: any Channel) -> Bool {
    state.withLock { state in
      state.strangers[ObjectIdentifier(channel)] != nil && state.holders.count > limit - reserve
    }
  }

  /// Counts a connection for its key instead of its address.
  ///
  /// - Returns: `false` if the key or its tenant has too many connections.
  func belongs(_ channel: any Channel, to holder: Holder) -> Bool {
    let id = ObjectIdentifier(channel)
    // If the connection was closed since the request arrived, do not count it.
    guard let present = state.withLock({ $0.holders[id] }), present != holder else { return true }
    guard budget.acquireNow(1, for: holder) else { return false }
    let left = state.withLock { state -> Holder? in
      guard let present = state.holders[id] else { return nil }
      state.holders[id] = holder
      state.strangers[id] = nil
      return present
    }
    release(left ?? holder)
    return true
  }

  /// Counts a trusted proxy's connection as a connection of the client's address, which a request on this connection
  /// names. If a valid key was sent on the connection, the connection still counts for the key.
  ///
  /// - Parameter address: the client's address.
  /// - Returns: `false` if the address has too many connections.
  func belongs(_ channel: any Channel, toAddress address: String?) -> Bool {
    let (id, holder) = (ObjectIdentifier(channel), Holder.address(address))
    guard let present = state.withLock({ $0.strangers[id] == nil ? nil : $0.holders[id] }), present != holder,
      present.group == .server || channel.remoteAddress?.ipAddress.map({ proxies.isTrusted($0) }) ?? false
    else { return true }
    guard strangers.acquireNow(1, for: holder) else { return false }
    let left = state.withLock { state -> Holder? in
      guard state.strangers[id] != nil, let present = state.holders[id] else { return nil }
      state.holders[id] = holder
      return present
    }
    release(left ?? holder)
    return true
  }

  private func close(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let holder = state.withLock { state in
      state.strangers[id] = nil
      state.leaving.remove(id)
      let holder = state.holders.removeValue(forKey: id)
      if state.holders.count <= limit / 2 { state.isFull = false }
      return holder
    }
    if let holder { release(holder) }
  }

  private func release(_ holder: Holder) { pool(of: holder)?.release(1, from: holder) }

  /// The budget that limits the connections of a holder; `nil` for a proxy whose requests have not named a client yet.
  private func pool(of holder: Holder) -> Budget? {
    switch holder.group {
    case .peer: strangers
    case .tenant: budget
    case .server: nil
    }
  }
}

extension Channel {
  /// Closes the connection without a final TLS message, because a client could delay this message. Must be called on
  /// the connection's event loop.
  fileprivate func closeAtOnce() {
    do {
      // This call starts at the TLS handler, so that only the handlers between it and the network see the call.
      try pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
    } catch {
      // The connection does not use TLS.
      close(promise: nil)
    }
  }
}
