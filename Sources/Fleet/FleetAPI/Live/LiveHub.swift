import FleetDomain
import NIOCore
import Synchronization
import Telemetry

/// Counts the subscriptions of all connections, and publishes updates to them.
///
/// Each event loop has a ``LoopConnections`` with its connections. An update is encoded once for each channel and
/// passed to every loop, which writes the same bytes to each of its sockets.
final class LiveHub: Sendable {
  /// The connections of each event loop.
  private let connectionsOfLoops: [LoopConnections.Bound]
  /// The subscribers of each channel of a tenant. Updates without subscribers are not encoded.
  private let listeners = Mutex<[TenantID: Listeners]>([:])

  private struct Listeners {
    var channels: [LiveChannel: Int] = [:]
    /// The channels among ``channels`` whose records depend on fleets or assignments.
    var restricted: Set<LiveChannel> = []
    /// Number of subscriptions to all channels.
    var count = 0
  }

  /// The number of authenticated connections of each tenant.
  private let members = Mutex<[TenantID: Int]>([:])
  let settings: LiveSettings
  /// The budget for data of slow readers.
  let memory: LiveMemory
  let connections: Connections
  /// Runs work of other threads on the event loops.
  let running: RunningLoops

  init(
    loops: some Sequence<any EventLoop>, settings: LiveSettings, memory: Budget, connections: Connections,
    running: RunningLoops = RunningLoops()
  ) {
    self.settings = settings
    self.connections = connections
    self.running = running
    self.memory = LiveMemory(memory)
    connectionsOfLoops = loops.map { LoopConnections.make(on: $0, pingSeconds: settings.pingSeconds) }
  }

  /// The number of open connections and of subscriptions.
  var counts: (connections: Int, subscriptions: Int) {
    (
      connectionsOfLoops.reduce(0) { $0 + $1.count.load(ordering: .relaxed) },
      listeners.withLock { $0.values.reduce(0) { $0 + $1.count } }
    )
  }

  /// The number of subscriptions to a tenant's channels.
  func subscriptions(of tenant: TenantID) -> Int {
    listeners.withLock { $0[tenant]?.count ?? 0 }
  }

  /// Publishes committed records. Returns after they were written to the connections of all subscribers, so that the
  /// feed is not read faster than that.
  ///
  /// - Parameters:
  ///   - records: records of one commit, in ascending order of their numbers.
  ///   - visibility: determines the records that each restricted channel contains.
  func publish(_ records: [LiveRecord], as visibility: LiveVisibility, tenant: TenantID) async {
    guard !records.isEmpty else { return }
    let vehicles = Set(records.map(\.vehicle))
    let wanted = listeners.withLock { listeners in
      guard let found = listeners[tenant] else { return Set<LiveChannel>() }
      var wanted = found.restricted.filter { visibility.mayShow(vehicles, on: $0) }
      for topic in [.all] + vehicles.union(records.compactMap(\.vin)).map({ LiveChannel.Topic.vehicle($0) }) {
        let channel = LiveChannel(tenant: tenant, topic: topic)
        if found.channels[channel] != nil { wanted.insert(channel) }
      }
      return wanted
    }
    let updates = wanted.compactMap { channel in
      let shown = records.filter { visibility.shows($0, on: channel) }
      return shown.isEmpty ? nil : LiveUpdate(channel, shown)
    }
    guard !updates.isEmpty else { return }
    let deliveries = Deliveries(connectionsOfLoops.count)
    for bound in connectionsOfLoops {
      let isGiven = running.execute(on: bound.loop) {
        bound.value.deliver(updates, of: tenant) { deliveries.finish() }
      }
      if !isGiven { deliveries.finish() }
    }
    await deliveries.wait()
  }

  /// Returns the channels of a tenant that have subscribers and whose records depend on fleets or assignments.
  func restrictedChannels(of tenant: TenantID) -> Set<LiveChannel> {
    listeners.withLock { $0[tenant]?.restricted ?? [] }
  }

  /// The people of each tenant who subscribe to their channel `me`.
  var listeningPeople: [TenantID: Set<UUIDv7>] {
    listeners.withLock { listeners in
      listeners.compactMapValues { found in
        let people = found.restricted.compactMap { $0.topic == .me ? $0.viewer?.person : nil }
        return people.isEmpty ? nil : Set(people)
      }
    }
  }

  /// Sends a text message to the subscribers of a channel.
  func send(_ message: [UInt8], on channel: LiveChannel) {
    var frame = ByteBuffer()
    ServerFrame.append(.text, message, to: &frame)
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { [frame] in bound.value.send(frame, on: channel) }
    }
  }

  /// Whether a tenant has subscribers.
  func hasListeners(_ tenant: TenantID) -> Bool {
    listeners.withLock { $0[tenant] != nil }
  }

  /// Ends all subscriptions of a tenant with an error, because changes were missed.
  func endSubscriptions(_ tenant: TenantID, _ error: APIError) {
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.endSubscriptions(tenant, error) }
    }
  }

  /// Returns the connections of an event loop. Must be called on the loop.
  func loopConnections(of loop: any EventLoop) -> LoopConnections? {
    connectionsOfLoops.first { $0.loop === loop }?.value
  }

  /// Adds `step` to the number of a channel's subscriptions.
  func count(_ channel: LiveChannel, by step: Int) {
    listeners.withLock { listeners in
      let count = (listeners[channel.tenant]?.channels[channel] ?? 0) + step
      listeners[channel.tenant, default: Listeners()].channels[channel] = count > 0 ? count : nil
      if channel.isRestricted {
        if count > 0 {
          listeners[channel.tenant]?.restricted.insert(channel)
        } else {
          listeners[channel.tenant]?.restricted.remove(channel)
        }
      }
      listeners[channel.tenant]?.count += step
      if listeners[channel.tenant]?.channels.isEmpty ?? false { listeners[channel.tenant] = nil }
    }
  }

  /// Adds `step` to the number of a tenant's connections.
  func count(_ tenant: TenantID, by step: Int) {
    members.withLock { members in
      let count = (members[tenant] ?? 0) + step
      members[tenant] = count > 0 ? count : nil
    }
  }

  /// The tenants that have connections.
  var tenants: [TenantID] { members.withLock { Array($0.keys) } }

  /// Closes the connections of revoked tokens.
  func close(_ tokens: Set<UUIDv7>, of tenant: TenantID) {
    guard !tokens.isEmpty else { return }
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.close(tokens, of: tenant) }
    }
  }

  /// Closes every connection with code 1013 (try again later), so that each client connects and authenticates again.
  func closeForNewAuthentication() {
    for bound in connectionsOfLoops {
      bound.loop.execute { bound.value.closeForNewAuthentication() }
    }
  }

  /// Closes every connection with code 1001, because the server stops (RFC 6455, 7.4.1).
  func closeAll() {
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.closeAll() }
    }
  }
}
