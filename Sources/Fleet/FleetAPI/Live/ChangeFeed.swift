import FleetDomain
import Logging
import Synchronization

/// Sends the changes of things to the live connections that have subscribed to them. Each change of a thing adds an
/// entry to the tenant's audit in the same transaction. Therefore the audit is an ordered list of all changes,
/// including those of other servers and of commands.
///
/// Each server reads the number of the last entry periodically, in one read for all tenants with subscribers. It reads
/// the entries of a tenant only if this number has changed. A change is sent at least once to each connection that is
/// subscribed before the change. Clients recognise a repeated change by its version.
final class ChangeFeed: Sendable {
  private struct Follower {
    /// The number of the last entry whose change was sent.
    var position: Int64
    /// Whether a task sends changes of the tenant at present.
    var isSending = false
    var isFailing = false
  }

  /// The time between two reads.
  private static let period = Duration.seconds(1)
  /// The maximum number of entries that are read for one tenant at a time. If there are more, clients receive a message
  /// without a thing, and read their lists again. Therefore, an import with thousands of changes costs little.
  static let page: Int64 = 50
  /// The number of audiences whose rights are checked in one transaction.
  private static let audiencesOfView = 4
  /// The number of audiences to which one message is delivered in one step. Between two steps, the event loops can do
  /// other work.
  private static let audiencesOfDelivery = 64

  private let storage: any FleetStorage
  private let hub: LiveHub
  private let kinds: ChangedKinds
  /// The permits for queries. Each read needs one permit.
  private let queryPermits: Budget
  private let logger: Logger
  private let followers = Mutex<[TenantID: Follower]>([:])

  init(storage: any FleetStorage, hub: LiveHub, queryPermits: Budget, logger: Logger) {
    self.storage = storage
    self.hub = hub
    self.queryPermits = queryPermits
    self.logger = logger
    kinds = ChangedKinds(storage: storage)
  }

  /// Begins to send a tenant's changes. Every change that is committed after this call reaches the tenant's audiences.
  /// The caller's audience must be in ``LiveHub/audiences`` before the call.
  ///
  /// - Throws: an error of the storage if the position cannot be read. The next call tries again.
  func follow(_ tenant: TenantID) async throws {
    guard followers.withLock({ $0[tenant] == nil }) else { return }
    let caller = StorageCaller(tenant: tenant, key: nil)
    let position = try await StorageCaller.$current.withValue(caller) {
      try await storage.auditHead(tenant: tenant).number
    }
    followers.withLock { if $0[tenant] == nil { $0[tenant] = Follower(position: position) } }
  }

  /// Sends new changes periodically until the task is cancelled.
  func run() async {
    // A tenant with many changes or audiences must not delay others. Therefore each tenant has its own task.
    await withDiscardingTaskGroup { group in
      var isFailing = false
      repeat {
        do {
          for (tenant, number) in try await changedTenants() {
            guard let position = begin(tenant) else { continue }
            group.addTask { await self.send(tenant, from: position, to: number) }
          }
          isFailing = false
        } catch {
          if !isFailing, !Task.isCancelled {
            logger.warning("cannot send changes to live connections: \(error); trying again")
          }
          isFailing = true
        }
      } while (try? await Task.sleep(for: Self.period)) != nil
    }
  }

  /// Returns the tenants with new entries in the audit, each with the number of its last entry.
  private func changedTenants() async throws -> [TenantID: Int64] {
    let positions = followers.withLock { followers in
      // Without subscribers, nothing is read. The next subscriber reads the position again.
      followers = followers.filter { $0.value.isSending || hub.audiences.exist(for: $0.key) }
      return followers.filter { !$0.value.isSending }.mapValues(\.position)
    }
    guard !positions.isEmpty else { return [:] }
    let permit = try await queryPermits.acquire(1, for: .server)
    defer { permit.shrink(to: 0) }
    let numbers = try await storage.auditNumbers(of: Array(positions.keys))
    return numbers.filter { $0.value != positions[$0.key] }
  }

  /// Marks a tenant as one whose changes are being sent.
  ///
  /// - Returns: the position from which changes must be sent; `nil` if they are already being sent.
  private func begin(_ tenant: TenantID) -> Int64? {
    followers.withLock { followers in
      guard followers[tenant]?.isSending == false else { return nil }
      followers[tenant]?.isSending = true
      return followers[tenant]?.position
    }
  }

  /// Sends the changes of one tenant. If this fails, the next round tries again.
  private func send(_ tenant: TenantID, from position: Int64, to number: Int64) async {
    do {
      let caller = StorageCaller(tenant: tenant, key: nil)
      try await StorageCaller.$current.withValue(caller) {
        // A lower number means that a backup was restored. Then clients must read everything again, too.
        if number < position || number - position > Self.page {
          await sendGap(of: tenant)
        } else {
          try await sendChanges(of: tenant, after: position, through: number)
        }
      }
      followers.withLock { $0[tenant] = Follower(position: number) }
    } catch {
      let isFirst = followers.withLock { followers in
        defer {
          followers[tenant]?.isSending = false
          followers[tenant]?.isFailing = true
        }
        return followers[tenant]?.isFailing == false
      }
      if isFirst, !Task.isCancelled {
        logger.warning("tenant \(tenant): cannot send changes to live connections: \(error); trying again")
      }
    }
  }

  private func sendChanges(of tenant: TenantID, after position: Int64, through number: Int64) async throws {
    let entries: [AuditEntry]
    do {
      entries = try await querying(tenant) {
        try await storage.auditEntries(after: position, limit: Int(number - position), tenant: tenant)
      }
    } catch let error as StorageError where error.kind == .damaged {
      // The next attempt would fail as well.
      logger.error("tenant \(tenant): live connections do not learn of some changes: \(error)")
      await sendGap(of: tenant)
      return
    }
    let changes = AuditedChanges(entries, kinds: kinds)
    let (found, unreadable) = try await querying(tenant) {
      try await storage.view(tenant: tenant) { view throws(ThingError) in try changes.find(view) }
    }
    for thing in unreadable {
      logger.error("tenant \(tenant): live connections do not learn of the change of a thing: \(thing)")
    }
    guard !found.isEmpty else { return }
    // A client that subscribes later reads the things after these changes. Most audiences are for channels of other
    // vehicles. Leave them out before their rights are checked.
    let names = found.reduce(into: Set<String>()) { $0.formUnion($1.vehicleNames ?? []) }
    let isComplete = found.allSatisfy { $0.vehicleNames != nil }
    var rest = hub.audiences.all(of: tenant).filter { !isComplete || $0.audience.channel.mayConcern(names) }[...]
    while !rest.isEmpty, !Task.isCancelled {
      let part = Array(rest.prefix(Self.audiencesOfView))
      rest = rest.dropFirst(Self.audiencesOfView)
      let (updates, faults) = try await querying(tenant) {
        try await storage.view(tenant: tenant) { view throws(ThingError) in
          var (updates, faults): ([LiveDelivery], [String]) = ([], [])
          for (audience, identity) in part {
            do throws(ThingError) {
              let messages = try found.messages(for: audience, identity, view)
              if !messages.isEmpty { updates.append(.changes(LiveChanges(audience, messages))) }
            } catch {
              guard error.isUnreadable else { throw error }
              updates.append(.changes(LiveChanges(missedBy: audience)))
              faults.append(error.reason)
            }
          }
          return (updates, faults)
        }
      }
      for fault in faults {
        logger.error("tenant \(tenant): a live connection does not learn of some changes: \(fault)")
      }
      await hub.deliver(updates, of: tenant)
    }
  }

  /// Informs all clients of a tenant that they must read their lists again.
  private func sendGap(of tenant: TenantID) async {
    var rest = hub.audiences.all(of: tenant)[...]
    while !rest.isEmpty, !Task.isCancelled {
      let part = rest.prefix(Self.audiencesOfDelivery)
      rest = rest.dropFirst(Self.audiencesOfDelivery)
      await hub.deliver(part.map { .changes(LiveChanges(missedBy: $0.audience)) }, of: tenant)
    }
  }

  /// Runs a query with a permit of the tenant.
  private func querying<Value: Sendable>(
    _ tenant: TenantID, _ query: () async throws -> Value
  ) async throws -> Value {
    let permit = try await queryPermits.acquire(1, for: Holder(group: .tenant(tenant), key: nil))
    defer { permit.shrink(to: 0) }
    return try await query()
  }
}
