import FleetDomain
import NIOCore
import Synchronization
import Telemetry

/// The live connections of one event loop, and their subscriptions. All calls must be on this event loop.
final class LoopConnections {
  /// A reference to the ``LoopConnections`` of an event loop. Any thread may keep the reference, but may use its
  /// ``value`` only on the event loop.
  final class Bound: Sendable {
    let loop: any EventLoop
    let count = Atomic(0)
    private let loopConnections: NIOLoopBoundBox<LoopConnections?>

    fileprivate init(loop: any EventLoop) {
      self.loop = loop
      loopConnections = .makeBoxSendingValue(nil, eventLoop: loop)
    }

    /// The object. It may be used only on the event loop.
    var value: LoopConnections {
      if let loopConnections = loopConnections.value { return loopConnections }
      let made = LoopConnections(owner: self)
      loopConnections.value = made
      return made
    }
  }

  private unowned let owner: Bound
  private var listeners: [LiveChannel: [ObjectIdentifier: LiveConnection]] = [:]
  private var audiences: [ChangeAudience: [ObjectIdentifier: LiveConnection]] = [:]
  private var connections: [ObjectIdentifier: LiveConnection] = [:]
  private var queue = DeliveryQueue()
  private var turns = MessageScheduler()
  private var hasRound = false
  private var isClosing = false

  private init(owner: Bound) { self.owner = owner }

  static func make(on loop: any EventLoop, pingSeconds: Int) -> Bound {
    let bound = Bound(loop: loop)
    loop.scheduleRepeatedTask(initialDelay: .seconds(Int64(pingSeconds)), delay: .seconds(Int64(pingSeconds))) { _ in
      bound.value.ping()
    }
    return bound
  }

  /// Adds a new connection. If the server is stopping, closes the connection immediately.
  func enter(_ connection: LiveConnection) {
    connections[ObjectIdentifier(connection)] = connection
    owner.count.store(connections.count, ordering: .relaxed)
    if isClosing { connection.close(.goingAway, LiveConnection.stopping, lingering: .milliseconds(500)) }
  }

  func leave(_ connection: LiveConnection) {
    connections[ObjectIdentifier(connection)] = nil
    owner.count.store(connections.count, ordering: .relaxed)
  }

  func listen(_ connection: LiveConnection, to channel: LiveChannel) {
    listeners[channel, default: [:]][ObjectIdentifier(connection)] = connection
  }

  func stopListening(_ connection: LiveConnection, to channel: LiveChannel) {
    listeners[channel]?[ObjectIdentifier(connection)] = nil
    if listeners[channel]?.isEmpty == true { listeners[channel] = nil }
  }

  func listen(_ connection: LiveConnection, as audience: ChangeAudience) {
    audiences[audience, default: [:]][ObjectIdentifier(connection)] = connection
  }

  func stopListening(_ connection: LiveConnection, as audience: ChangeAudience) {
    audiences[audience]?[ObjectIdentifier(connection)] = nil
    if audiences[audience]?.isEmpty == true { audiences[audience] = nil }
  }

  /// Delivers updates to their subscribers on this event loop.
  ///
  /// - Parameter then: is called when every subscriber has received the updates.
  func deliver(_ updates: [LiveDelivery], of tenant: TenantID, then: @escaping () -> Void) {
    guard !isClosing else {
      then()
      return
    }
    let isIdle = queue.isEmpty
    queue.add(updates.map { ($0, Array(subscribers(to: $0).values)) }, of: tenant, then: then)
    if isIdle { deliverSlices() }
  }

  private func subscribers(to delivery: LiveDelivery) -> [ObjectIdentifier: LiveConnection] {
    switch delivery {
    case .records(let update): listeners[update.channel] ?? [:]
    case .changes(let changes): audiences[changes.audience] ?? [:]
    }
  }

  /// Whether a connection may process a message now. If not, a later round calls
  /// ``LiveConnection/processWaitingFrame()``.
  func mayProcess(_ connection: LiveConnection) -> Bool {
    if !hasRound {
      hasRound = true
      owner.loop.execute { [owner] in owner.value.beginRound() }
    }
    return turns.mayProcess(connection)
  }

  private func beginRound() {
    let round = turns.nextRound()
    for connection in round { connection.processWaitingFrame() }
    // An empty round is the last one. Until then, messages that arrive wait for the next round.
    hasRound = !round.isEmpty
    if hasRound { owner.loop.execute { [owner] in owner.value.beginRound() } }
  }

  private func deliverSlices() {
    queue.deliverSlice()
    guard !queue.isEmpty else { return }
    // Let the event loop do other work before the next slice.
    owner.loop.execute { [owner] in owner.value.deliverSlices() }
  }

  func endSubscriptions(_ tenant: TenantID, _ error: APIError) {
    for (channel, connections) in listeners where channel.tenant == tenant {
      for connection in connections.values { connection.endSubscription(channel, error) }
    }
  }

  /// Sends a frame to the subscribers of a channel on this event loop.
  func send(_ frame: ByteBuffer, on channel: LiveChannel) {
    for connection in (listeners[channel] ?? [:]).values { connection.send(frame) }
  }

  /// Closes the connections that were authenticated with one of these tokens or sessions, because they have ended.
  func close(_ tokens: Set<UUIDv7>, of tenant: TenantID) {
    for connection in connections.values where connection.isOf(tokens, tenant) { connection.closeEnded() }
  }

  /// Lets the connections that were authenticated with one of these tokens check whether they may remain open
  /// (``LiveConnection/checkRights(since:)``).
  func checkRights(of tokens: Set<UUIDv7>, _ tenant: TenantID, since time: ContinuousClock.Instant) {
    for connection in connections.values where connection.isOf(tokens, tenant) { connection.checkRights(since: time) }
  }

  func closeForNewAuthentication() {
    for connection in connections.values {
      connection.close(.tryAgainLater, "many tokens were revoked; connect again")
    }
  }

  func closeAll() {
    isClosing = true
    queue.removeAll()
    for connection in connections.values {
      connection.close(.goingAway, LiveConnection.stopping, lingering: .milliseconds(500))
    }
  }

  private func ping() {
    for connection in connections.values { connection.tick() }
  }
}
