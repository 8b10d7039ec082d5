import FleetAccess
import FleetDomain
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry

/// Adds notifications of events, and queues deliveries of events to webhooks. Also queues mails and push messages with
/// the notifications that are due.
///
/// It works in rounds. Each round processes a limited number of events and notifications of each tenant, so that a
/// tenant with many events does not delay other tenants. The recipients of an event are found without a write
/// transaction, and their notifications are added in short transactions. The transaction that adds the last
/// notification of an event removes the event. Until then, another server or a later round can add the missing
/// notifications.
public struct Notifier: Service {
  /// The pause between two rounds.
  private static let pause = Duration.seconds(1)
  /// The time between two searches for documents and licences that expire, in s. The search finds those for which a new
  /// day has begun.
  private static let reminderPeriod = 3_600
  /// The time between two searches for changed documents and drivers, in s.
  private static let changePeriod = 60
  /// The time by which two searches for changed documents and drivers overlap, in s. A change has the time at which its
  /// transaction began, on the clock of its server.
  private static let changeOverlap = 300
  /// The maximum number of a tenant's events in one round.
  private static let eventsOfRound = 20
  /// The maximum number of a tenant's notifications in one round.
  private static let notificationsOfRound = 500
  /// The maximum duration of a transaction that adds notifications. It is short, because all other writes wait for the
  /// transaction. The remaining notifications are added in further transactions.
  private static let patience = Duration.milliseconds(20)

  private let storage: any FleetStorage
  /// The keys that encrypt the values in queued mails; `nil` if the server sends no mails.
  private let keys: SecretKeys?
  /// The name of the server that people see.
  private let service: String
  private let logger: Logger
  private let now: @Sendable () -> Timestamp

  /// Creates a notifier.
  ///
  /// - Parameters:
  ///   - keys: the keys that encrypt the values in queued mails; `nil` if the server sends no mails.
  ///   - service: the name of the server that people see.
  ///   - now: returns the time of day.
  public init(
    storage: any FleetStorage, keys: SecretKeys?, service: String = "fleetstore", logger: Logger,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.storage = storage
    self.keys = keys
    self.service = service
    self.logger = logger
    self.now = now
  }

  /// The times at which the last searches for reminders began; `nil` if there was no search yet.
  struct Searches {
    /// The last search of all documents and drivers.
    var all: Timestamp?
    /// The last search of all or of the changed documents and drivers.
    var changed: Timestamp?
  }

  /// Works until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      var searches = Searches()
      while !Task.isCancelled {
        do {
          try await remindIfDue(&searches)
          if try await round() > 0 { continue }
        } catch {
          if !Task.isCancelled { logger.warning("notifications: \(error)") }
        }
        do {
          try await Task.sleep(for: Self.pause)
        } catch {
          return
        }
      }
    }
  }

  /// Adds notifications for some events of each tenant, and queues some of the due mails and push messages.
  ///
  /// - Returns: the number of processed events and of queued messages.
  func round() async throws -> Int {
    var count = 0
    let next = now().adding(seconds: 1).json
    for tenant in try await storage.tenants(having: [ThingQuery<FleetEvent>.Condition.below(key: "createdAt", next)])
    where !Task.isCancelled {
      do {
        count += try await notify(tenant)
      } catch {
        if !Task.isCancelled { logger.warning("notifications of tenant \(tenant): \(error)") }
      }
    }
    if let keys {
      count += try await queue("mails", "mailAt", before: next) { transaction throws(ThingError) in
        try transaction.queueNotificationMail(keys)
      }
    }
    count += try await queue("push messages", "pushAt", before: next) { [service] transaction throws(ThingError) in
      try transaction.queueNotificationPush(service: service)
    }
    return count
  }

  /// Queues the messages for due notifications, to one person of each tenant.
  ///
  /// - Returns: the number of people to whom messages were queued.
  private func queue(
    _ name: String, _ key: String, before next: JSON,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Bool
  ) async throws -> Int {
    var count = 0
    for tenant in try await storage.tenants(having: [ThingQuery<Notification>.Condition.below(key: key, next)])
    where !Task.isCancelled {
      do {
        if try await storage.change(tenant: tenant, by: Actor(.server), at: now(), work) { count += 1 }
      } catch {
        if !Task.isCancelled { logger.warning("\(name) of notifications of tenant \(tenant): \(error)") }
      }
    }
    return count
  }

  /// Adds notifications of a tenant's oldest events.
  ///
  /// - Returns: the number of processed events plus the number of notifications.
  private func notify(_ tenant: TenantID) async throws -> Int {
    let (time, hasMail) = (now(), keys != nil)
    let hasRules = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.first(ThingQuery<NotificationRule>()) != nil
    }
    if !hasRules {
      try await storage.change(tenant: tenant, by: Actor(.server), at: time) { transaction throws(ThingError) in
        try transaction.addDefaultRules()
      }
    }
    let found = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.pendingNotifications(
        events: Self.eventsOfRound, most: Self.notificationsOfRound, hasMail: hasMail, at: time)
    }
    for row in found.unreadable { logger.warning("tenant \(tenant): no notifications of a row: \(row)") }
    var pending = found.events
    while !pending.isEmpty {
      let present = pending
      pending = try await storage.change(tenant: tenant, by: Actor(.server), at: time) {
        transaction throws(ThingError) in try transaction.notify(present, for: Self.patience)
      }
    }
    return found.events.reduce(0) { $0 + 1 + $1.recipients.count }
  }

  /// Adds events for documents and licences that expire: each hour for all of them, and each minute for those that were
  /// added or changed.
  func remindIfDue(_ searches: inout Searches) async throws {
    let time = now()
    if searches.all.map({ time >= $0.adding(seconds: Self.reminderPeriod) }) ?? true {
      try await remind()
      searches = Searches(all: time, changed: time)
    } else if let last = searches.changed, time >= last.adding(seconds: Self.changePeriod) {
      try await remindOfChanges(since: last.adding(seconds: -Self.changeOverlap))
      searches.changed = time
    }
  }

  /// Adds events for documents and licences that expire, and that were added or changed at `start` or later.
  private func remindOfChanges(since start: Timestamp) async throws {
    for tenant in try await storage.tenants() where !Task.isCancelled {
      do {
        try await addReminders(changedSince: start, tenant: tenant.id)
      } catch {
        if !Task.isCancelled { logger.warning("reminders of tenant \(tenant.id): \(error)") }
      }
    }
  }

  /// Adds the events of a tenant's documents and licences that expire.
  ///
  /// - Parameter start: the time of the oldest changes that are considered; `nil` to consider all documents and drivers.
  private func addReminders(changedSince start: Timestamp? = nil, tenant: TenantID) async throws {
    let time = now()
    let found = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.pendingReminders(at: time, changedSince: start)
    }
    var pending = found.reminders
    while !pending.isEmpty, !Task.isCancelled {
      let present = pending
      pending = try await storage.change(tenant: tenant, by: Actor(.server), at: time) {
        transaction throws(ThingError) in
        let clock = ContinuousClock()
        let start = clock.now
        for (index, reminder) in present.enumerated() {
          if index > 0, clock.now - start >= Self.patience { return Array(present[index...]) }
          try transaction.add(reminder)
        }
        return []
      }
    }
    // Each search of all documents and drivers names the unreadable rows.
    guard start == nil else { return }
    for row in found.unreadable { logger.warning("tenant \(tenant): no reminders of a row: \(row)") }
  }

  /// Adds events for documents and licences that expire, adds default rules to new tenants, and removes old
  /// notifications.
  func remind() async throws {
    for tenant in try await storage.tenants() where !Task.isCancelled {
      do {
        try await storage.change(tenant: tenant.id, by: Actor(.server), at: now()) { transaction throws(ThingError) in
          try transaction.addDefaultRules()
        }
        try await addReminders(tenant: tenant.id)
        var hasMore = true
        while hasMore, !Task.isCancelled {
          hasMore = try await storage.change(tenant: tenant.id, by: Actor(.server), at: now()) {
            transaction throws(ThingError) in
            let hasMoreDeliveries = try transaction.removeOldDeliveries()
            return try transaction.removeOldNotifications() || hasMoreDeliveries
          }
        }
      } catch {
        if !Task.isCancelled { logger.warning("reminders of tenant \(tenant.id): \(error)") }
      }
    }
  }
}
