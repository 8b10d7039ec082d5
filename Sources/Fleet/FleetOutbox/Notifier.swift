import FleetAccess
import FleetDomain
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry

/// Makes notifications of events, and queues the mails of notifications that are due.
///
/// It works in rounds, with a limited number of events of each tenant in a round, so that many events of one tenant do
/// not delay those of another. Several servers may share one database: transactions of a tenant run one after another,
/// and an event is removed in the transaction that makes its notifications.
public struct Notifier: Service {
  /// The pause between two rounds.
  private static let pause = Duration.seconds(1)
  /// The time between two searches for documents and licences that expire, s.
  private static let reminderPeriod = 3_600
  /// The number of events of a tenant in a round.
  private static let eventsOfRound = 20

  private let storage: any FleetStorage
  /// The keys that encrypt the values of mails; `nil` if no mails can be sent.
  private let keys: SecretKeys?
  private let logger: Logger
  private let now: @Sendable () -> Timestamp

  /// Creates a notifier.
  ///
  /// - Parameters:
  ///   - keys: the keys that encrypt the values of mails; `nil` if the server sends no mails.
  ///   - now: returns the time of day.
  public init(
    storage: any FleetStorage, keys: SecretKeys?, logger: Logger, now: @escaping @Sendable () -> Timestamp
  ) {
    self.storage = storage
    self.keys = keys
    self.logger = logger
    self.now = now
  }

  /// Runs until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      var reminded: Timestamp?
      while !Task.isCancelled {
        do {
          if reminded.map({ now() >= $0.adding(seconds: Self.reminderPeriod) }) ?? true {
            try await remind()
            reminded = now()
          }
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

  /// Makes notifications of some events of each tenant, and queues some mails.
  ///
  /// - Returns: the number of processed events and queued mails.
  func round() async throws -> Int {
    var count = 0
    let next = now().adding(seconds: 1).json
    for tenant in try await storage.tenants(having: [ThingQuery<FleetEvent>.Condition.below(key: "createdAt", next)])
    where !Task.isCancelled {
      count += try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
        [hasMail = keys != nil] transaction throws(ThingError) in
        try transaction.notify(limit: Self.eventsOfRound, hasMail: hasMail)
      }
    }
    guard let keys else { return count }
    for tenant in try await storage.tenants(having: [ThingQuery<Notification>.Condition.below(key: "mailAt", next)])
    where !Task.isCancelled {
      let isQueued = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
        transaction throws(ThingError) in try transaction.queueNotificationMail(keys)
      }
      if isQueued { count += 1 }
    }
    return count
  }

  /// Adds events for documents and licences that expire, adds the rules of new tenants, and removes old notifications.
  func remind() async throws {
    for tenant in try await storage.tenants() where !Task.isCancelled {
      try await storage.change(tenant: tenant.id, by: Actor(.server), at: now()) { transaction throws(ThingError) in
        try transaction.addDefaultRules()
        try transaction.emitReminders()
        try transaction.removeOldNotifications()
      }
    }
  }
}
