import FleetDomain
import NIOCore
import Synchronization
import Telemetry

/// Who listens to which channel, and what is stored on its way to them.
///
/// Each event loop has a room with the connections that run on it. What is published is turned into frames once for each
/// channel and handed to every loop; a loop then only writes the same bytes to each of its sockets.
final class LiveHub: Sendable {
  /// One for each event loop.
  private let rooms: [LiveRoom.Bound]
  /// How many subscribers each channel of a tenant has: what nobody listens to is not even encoded.
  private let listeners = Mutex<[TenantID: Listeners]>([:])

  private struct Listeners {
    var channels: [LiveChannel: Int] = [:]
    /// Of all channels.
    var count = 0
  }

  /// How many connections of each tenant have said who they are.
  private let members = Mutex<[TenantID: Int]>([:])
  let settings: LiveSettings
  /// What waits for slow readers is counted there.
  let memory: LiveMemory
  let connections: Connections
  /// Through which other threads give the loops work.
  let running: RunningLoops

  init(
    loops: some Sequence<any EventLoop>, settings: LiveSettings, memory: Budget, connections: Connections,
    running: RunningLoops = RunningLoops()
  ) {
    self.settings = settings
    self.connections = connections
    self.running = running
    self.memory = LiveMemory(memory)
    rooms = loops.map { LiveRoom.make(on: $0, pingSeconds: settings.pingSeconds) }
  }

  /// Connections that are open, and subscriptions.
  var counts: (connections: Int, subscriptions: Int) {
    (
      rooms.reduce(0) { $0 + $1.count.load(ordering: .relaxed) },
      listeners.withLock { $0.values.reduce(0) { $0 + $1.count } }
    )
  }

  /// Channels of a tenant that are listened to, each as often as it is.
  func subscriptions(of tenant: TenantID) -> Int {
    listeners.withLock { $0[tenant]?.count ?? 0 }
  }

  /// Sends records on that have been committed. Returns once every connection has them, so that no more is read than the
  /// connections can be given.
  ///
  /// - Parameter records: of one commit, by number.
  func publish(_ records: [LiveRecord], tenant: TenantID) async {
    guard !records.isEmpty else { return }
    let wanted = listeners.withLock { listeners in
      var wanted: Set<LiveChannel> = []
      guard let channels = listeners[tenant]?.channels else { return wanted }
      for name in Set(records.map(\.vehicle)).union(records.compactMap(\.vin)).map(Optional.some) + [nil] {
        let channel = LiveChannel(tenant: tenant, vehicle: name)
        if channels[channel] != nil { wanted.insert(channel) }
      }
      return wanted
    }
    let updates = wanted.map { channel in
      LiveUpdate(channel, records.filter { $0.isIn(channel) })
    }
    guard !updates.isEmpty else { return }
    let deliveries = Deliveries(rooms.count)
    for room in rooms {
      let isGiven = running.execute(on: room.loop) {
        room.value.deliver(updates, of: tenant) { deliveries.finish() }
      }
      if !isGiven { deliveries.finish() }
    }
    await deliveries.wait()
  }

  /// Whether anybody listens to anything of a tenant.
  func hasListeners(_ tenant: TenantID) -> Bool {
    listeners.withLock { $0[tenant] != nil }
  }

  /// Ends all subscriptions of a tenant, and says why: what they would miss cannot be had.
  func giveUp(_ tenant: TenantID, _ error: APIError) {
    for room in rooms {
      running.execute(on: room.loop) { room.value.giveUp(tenant, error) }
    }
  }

  /// The room of a connection. On its loop.
  func room(of loop: any EventLoop) -> LiveRoom? { rooms.first { $0.loop === loop }?.value }

  /// Counts a subscription in or out.
  func count(_ channel: LiveChannel, by step: Int) {
    listeners.withLock { listeners in
      let count = (listeners[channel.tenant]?.channels[channel] ?? 0) + step
      listeners[channel.tenant, default: Listeners()].channels[channel] = count > 0 ? count : nil
      listeners[channel.tenant]?.count += step
      if listeners[channel.tenant]?.channels.isEmpty ?? false { listeners[channel.tenant] = nil }
    }
  }

  /// Counts a connection of a tenant in or out.
  func count(_ tenant: TenantID, by step: Int) {
    members.withLock { members in
      let count = (members[tenant] ?? 0) + step
      members[tenant] = count > 0 ? count : nil
    }
  }

  /// Tenants that have connections.
  var tenants: [TenantID] { members.withLock { Array($0.keys) } }

  /// Closes the connections of tokens that were revoked.
  func close(_ tokens: Set<UUIDv7>, of tenant: TenantID) {
    guard !tokens.isEmpty else { return }
    for room in rooms {
      running.execute(on: room.loop) { room.value.close(tokens, of: tenant) }
    }
  }

  /// Closes every connection, so that each client authenticates again (1013: try again later).
  func closeForNewAuthentication() {
    for room in rooms {
      room.loop.execute { room.value.closeForNewAuthentication() }
    }
  }

  /// Closes every connection as a server that goes away does (RFC 6455, 7.4.1: 1001).
  func closeAll() {
    for room in rooms {
      running.execute(on: room.loop) { room.value.closeAll() }
    }
  }
}
