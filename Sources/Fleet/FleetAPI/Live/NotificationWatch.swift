import FleetDomain
import FleetWork
import Logging
import Telemetry

/// Sends new notifications to the live connections of the notified people, on the channel `me`.
///
/// Each server that uses the database reads new notifications periodically, including those that another server has
/// added. A notification is sent at least once to each connection that is subscribed at the time of the read. Clients
/// recognise repeated notifications by their id.
struct NotificationWatch {
  /// The time between two reads.
  private static let period = Duration.seconds(1)
  /// Each read also covers the previous `overlap` seconds, because a notification may be committed after its
  /// `createdAt`.
  private static let overlap = 30
  /// The maximum number of one tenant's notifications in one read.
  private static let page = 1_000

  let storage: any FleetStorage
  let hub: LiveHub
  /// The permits for queries. Each read needs one permit.
  let queryPermits: Budget
  let logger: Logger

  /// Reads new notifications periodically until the task is cancelled.
  func run() async {
    var sent: [UUIDv7: Timestamp] = [:]
    let start = WallClock.now
    await RepeatedWork.run(every: Self.period) {
      let since = max(WallClock.now.adding(seconds: -Self.overlap), start)
      sent = sent.filter { $0.value >= since }
      try await send(since: since, &sent)
    } onFailure: {
      logger.warning("cannot send notifications to live connections: \($0); trying again")
    }
  }

  private func send(since: Timestamp, _ sent: inout [UUIDv7: Timestamp]) async throws {
    let listeners = hub.listeningPeople
    guard !listeners.isEmpty else { return }
    let permit = try await queryPermits.acquire(1, for: .server)
    defer { permit.shrink(to: 0) }
    let recent = ThingQuery<Notification>.Condition.atLeast(key: "createdAt", since.json)
    for tenant in try await storage.tenants(having: [recent]) {
      guard let people = listeners[tenant], !Task.isCancelled else { continue }
      let wanted = ThingQuery<Notification>(
        recent, .oneOf(key: "personId", people.sorted { $0.string < $1.string }.map(\.json)),
        order: [.init("createdAt")], limit: Self.page)
      let found: [Stored<Notification>]
      do {
        found = try await storage.view(tenant: tenant) { view throws(ThingError) in
          var query = wanted
          query.leavesOutUnreadable = true
          return try view.list(query).items
        }
      } catch {
        if !Task.isCancelled {
          logger.warning("tenant \(tenant): cannot send notifications to live connections: \(error)")
        }
        continue
      }
      for notification in found where sent.updateValue(notification.createdAt, forKey: notification.id) == nil {
        hub.send(notification, of: tenant)
      }
    }
  }
}

extension LiveHub {
  /// Sends a notification to the connections of the notified person.
  fileprivate func send(_ notification: Stored<Notification>, of tenant: TenantID) {
    let viewer = LiveViewer(fleets: [], person: notification.value.personID)
    let channel = LiveChannel(tenant: tenant, topic: .me, viewer: viewer)
    let message = JSON.object([
      "event": .text("notification"), "channel": .text(channel.name), "notification": notification.json,
    ])
    send(message.canonicalBytes, on: channel)
  }
}
