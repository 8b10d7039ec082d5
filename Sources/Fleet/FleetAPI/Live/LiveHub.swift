import FleetDomain
import NIOCore
import Synchronization
import Telemetry

/// Counts the subscriptions of all live connections, and publishes updates to their subscribers.
///
/// Each event loop has a ``LoopConnections`` with its connections. An update is encoded only once for each channel.
/// Each event loop then writes the same bytes to all its connections that are subscribed to this channel.
final class LiveHub: Sendable {
  /// The connections of each event loop.
  private let connectionsOfLoops: [LoopConnections.Bound]
  /// For each channel of a tenant, the number of subscriptions that receive records. An update for a channel without
  /// such subscriptions is not encoded.
  private let listeners = Mutex<[TenantID: Listeners]>([:])

  private struct Listeners {
    var channels: [LiveChannel: Int] = [:]
    /// The channels in ``channels`` whose records depend on the assignment of vehicles to fleets or people.
    var restricted: Set<LiveChannel> = []
    /// The number of all subscriptions, including those that receive only changes of things.
    var count = 0

    mutating func add(_ channel: LiveChannel, hasRecords: Bool, _ step: Int) {
      count += step
      guard hasRecords else { return }
      let sum = channels[channel, default: 0] + step
      channels[channel] = sum > 0 ? sum : nil
      if sum <= 0 {
        restricted.remove(channel)
      } else if channel.isRestricted {
        restricted.insert(channel)
      }
    }
  }

  /// The subscribers to changes of things.
  let audiences = ChangeAudiences()

  /// The number of authenticated connections of each tenant.
  private let members = Mutex<[TenantID: Int]>([:])
  let settings: LiveSettings
  /// The budget for data that wait to be sent to slow readers, and for older records.
  let memory: LiveMemory
  let connections: Connections
  /// Passes closures from other threads to the event loops.
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

  /// The number of open connections, and the number of subscriptions.
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
  /// caller does not read the feed faster than records can be written.
  ///
  /// - Parameters:
  ///   - records: records of one commit, in ascending order of their numbers.
  ///   - visibility: determines which records the restricted channels contain.
  func publish(_ records: [LiveRecord], as visibility: LiveVisibility, tenant: TenantID) async {
    guard !records.isEmpty else { return }
    let vehicles = Set(records.map(\.vehicle))
    let wanted = listeners.withLock { listeners in
      guard let found = listeners[tenant] else { return Set<LiveChannel>() }
      let names = vehicles.union(records.compactMap(\.vin))
      var wanted = found.restricted.filter { $0.mayConcern(names) && visibility.mayShow(vehicles, on: $0) }
      for topic in [.all] + names.map({ LiveChannel.Topic.vehicle($0) }) {
        let channel = LiveChannel(tenant: tenant, topic: topic)
        if found.channels[channel] != nil { wanted.insert(channel) }
      }
      return wanted
    }
    let updates = wanted.compactMap { channel in
      let shown = records.filter { visibility.shows($0, on: channel) }
      return shown.isEmpty ? nil : LiveDelivery.records(LiveUpdate(channel, shown))
    }
    await deliver(updates, of: tenant)
  }

  /// Delivers data to their subscribers. Returns after the data were written to the connections of all subscribers.
  func deliver(_ updates: [LiveDelivery], of tenant: TenantID) async {
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

  /// Returns a tenant's channels that have subscribers and whose records depend on the assignment of vehicles to fleets
  /// or people.
  func restrictedChannels(of tenant: TenantID) -> Set<LiveChannel> {
    listeners.withLock { $0[tenant]?.restricted ?? [] }
  }

  /// For each tenant, the people who subscribe to the channel `me`.
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

  /// Whether a tenant's records have subscribers.
  func hasListeners(_ tenant: TenantID) -> Bool {
    listeners.withLock { $0[tenant]?.channels.isEmpty == false }
  }

  /// Ends all subscriptions of a tenant with an error, because changes in the feed were missed.
  func endSubscriptions(_ tenant: TenantID, _ error: APIError) {
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.endSubscriptions(tenant, error) }
    }
  }

  /// Returns the object with the connections of an event loop; `nil` if the hub does not use the event loop. Must be
  /// called on this event loop.
  func loopConnections(of loop: any EventLoop) -> LoopConnections? {
    connectionsOfLoops.first { $0.loop === loop }?.value
  }

  /// Adds `step`, which is 1 or -1, to the number of subscriptions to a channel.
  func count(_ channel: LiveChannel, hasRecords: Bool, by step: Int) {
    listeners.withLock { listeners in
      // Change the value in place. A copy would take time for each channel of the tenant, and every tenant would wait.
      listeners[channel.tenant, default: Listeners()].add(channel, hasRecords: hasRecords, step)
      if listeners[channel.tenant]?.count == 0 { listeners[channel.tenant] = nil }
    }
  }

  /// Adds `step`, which is 1 or -1, to the number of a tenant's authenticated connections.
  func count(_ tenant: TenantID, by step: Int) {
    members.withLock { members in
      let count = (members[tenant] ?? 0) + step
      members[tenant] = count > 0 ? count : nil
    }
  }

  /// The tenants that have authenticated connections.
  var tenants: [TenantID] { members.withLock { Array($0.keys) } }

  /// Closes the connections of tokens that were revoked and of sessions that have ended.
  func close(_ tokens: Set<UUIDv7>, of tenant: TenantID) {
    guard !tokens.isEmpty else { return }
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.close(tokens, of: tenant) }
    }
  }

  /// Checks the connections of some tokens and sessions. Closes a connection if its token was revoked, if its session
  /// has ended, or if its owner no longer has the rights with which it was authenticated.
  ///
  /// - Parameter time: a time after the change of the tokens and sessions.
  func checkRights(of tokens: Set<UUIDv7>, _ tenant: TenantID, since time: ContinuousClock.Instant) {
    guard !tokens.isEmpty else { return }
    for bound in connectionsOfLoops {
      running.execute(on: bound.loop) { bound.value.checkRights(of: tokens, tenant, since: time) }
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
