import FleetAccess
import FleetDomain
import FleetProviders
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry

extension SecretPlace {
  /// The name of the place where the secret of a forward is stored.
  public static func forward(_ id: UUIDv7) -> String { "forward \(id.string)" }
}

extension FleetTransaction {
  /// Applies changed settings of a forward to its progress. A new forward starts with the next record.
  public func follow(_ forward: Stored<Forward>) throws(ThingError) {
    let stored = try find(forward.id, ForwardProgress.self)
    var progress = stored?.value ?? ForwardProgress()
    let isDue = forward.value.isActive || forward.value.removeBy != nil
    (progress.nextAt, progress.failures) = (isDue ? now : nil, 0)
    if let stored {
      try update(stored, to: progress, action: "follow")
    } else {
      try insert(progress, id: forward.id, action: "follow")
    }
  }

  /// Gives a server the lease of the forward that has been due for the longest time. Returns `nil` if none is due.
  fileprivate func lease(
    to holder: UUIDv7
  ) throws(ThingError) -> (forward: Stored<Forward>, progress: Stored<ForwardProgress>)? {
    guard let progress = try lease(ForwardProgress.self, to: holder, seconds: ConnectorRunner.lease),
      let forward = try find(progress.id, Forward.self)
    else { return nil }
    return (forward, progress)
  }
}

/// Sends each tenant's telemetry records to the programs that the tenant's forwards specify. Each record is sent at
/// least once, in the order of the feed.
///
/// The stored position advances after the other program has accepted the records. Records of private journeys are not sent.
public final class ForwardRunner: Service {
  /// The time between two reads of the feed for a forward, s.
  private static let period = 2
  /// Number of records in one read of the feed.
  private static let batch = 500
  /// Maximum number of reads of the feed for one forward in one round.
  private static let mostBatches = 20
  /// The reason that is counted in ``Forward/ignored`` if the feed no longer contains the records that would be sent
  /// next.
  private static let gone = "records that are not in the feed any more"
  /// The time after which a server looks again for vehicles of a forward that have become silent or were removed, s.
  private static let checkPeriod: Int64 = 60

  /// The failure that an ended forward shows if its messages could not be cleared until ``Forward/removeBy``.
  static let leftBehind = "messages stay on the broker; remove the forward again to leave them there"

  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let transport: @Sendable () -> any ConnectorTransport
  private let publisher: any RetainedPublisher
  private let published = PublishedMemory()
  private let rounds = DueRounds(most: 64, mostOfTenant: 4)

  public convenience init(
    storage: any FleetStorage, keys: SecretKeys, mayUsePrivate: Bool, logger: Logger,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.init(
      storage: storage, keys: keys, logger: logger, now: now,
      transport: { ConnectorCheck.transport(mayUsePrivate: mayUsePrivate) },
      publisher: MQTTPublisher(mayUsePrivate: mayUsePrivate))
  }

  init(
    storage: any FleetStorage, keys: SecretKeys, logger: Logger, now: @escaping @Sendable () -> Timestamp,
    transport: @escaping @Sendable () -> any ConnectorTransport,
    publisher: any RetainedPublisher = MQTTPublisher(mayUsePrivate: false)
  ) {
    (self.storage, self.keys, self.logger, self.now, self.transport) = (storage, keys, logger, now, transport)
    self.publisher = publisher
  }

  /// Runs until its task is cancelled or its service group stops it.
  ///
  /// Several forwards are served at the same time, so that a program that does not answer does not delay the others.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.rounds.run(due: { try await self.due() }, serve: { await self.serve($0) }) {
        self.logger.warning("forwards: \($0)")
      }
    }
  }

  /// Returns the tenants that have a due forward.
  private func due() async throws -> [TenantID] {
    try await storage.tenants(having: ForwardProgress.due(at: now()))
  }

  /// Serves one forward of each tenant that has a due forward.
  func round() async throws {
    for tenant in try await due() where !Task.isCancelled { await serve(tenant) }
  }

  /// Serves one due forward of a tenant. A failure is logged, and delays only this tenant.
  private func serve(_ tenant: TenantID) async {
    do {
      try await turn(of: tenant)
    } catch {
      if !Task.isCancelled { logger.warning("forwards of tenant \(tenant): \(error)") }
    }
  }

  /// Sends the records of the tenant's forward that has been due for the longest time. Does nothing if none is due.
  private func turn(of tenant: TenantID) async throws {
    // Use a new holder each time: if slow requests outlast the lease, this server may lease the same forward again.
    let holder = UUIDv7.random(at: now())
    let taken = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
      transaction throws(ThingError) in try transaction.lease(to: holder)
    }
    guard let taken else { return }
    var failure: ConnectorError?
    do throws(ConnectorError) {
      if taken.forward.value.removeBy != nil {
        return try await clear(taken.forward, holder, tenant)
      }
      try await send(taken.forward, taken.progress.value, holder, tenant)
    } catch {
      failure = error
      logger.warning("forward \(taken.forward.value.name) of tenant \(tenant): \(error)")
    }
    try await finish(taken.forward, failure, due: taken.progress.value.nextAt, holder, tenant)
  }

  /// Clears the messages of a forward that was ended, and removes the forward.
  private func clear(
    _ forward: Stored<Forward>, _ holder: UUIDv7, _ tenant: TenantID
  ) async throws(ConnectorError) {
    try await homeAssistant(forward, holder, tenant).clear()
    try await change(forward.id, holder, tenant) { transaction, _ throws(ThingError) in
      if let ended = try transaction.find(forward.id, Forward.self) { _ = try transaction.end(ended) }
    }
  }

  private func homeAssistant(
    _ forward: Stored<Forward>, _ holder: UUIDv7, _ tenant: TenantID
  ) throws(ConnectorError) -> HomeAssistantSender {
    let password: String? = if case .password(let text) = try key(forward) { text } else { nil }
    return try HomeAssistantSender(
      forward, password: password, tenant: tenant, storage: storage, publisher: publisher, memory: published, now: now
    ) { [self] work throws(ConnectorError) in
      try await change(forward.id, holder, tenant) { transaction, stored throws(ThingError) in
        var progress = stored.value
        progress.leaseUntil = transaction.now.adding(seconds: ConnectorRunner.lease)
        try transaction.update(stored, to: progress, action: "publish")
        try work(transaction)
      }
    }
  }

  private func send(
    _ forward: Stored<Forward>, _ progress: ForwardProgress, _ holder: UUIDv7, _ tenant: TenantID
  ) async throws(ConnectorError) {
    let key = try key(forward)
    let transport = transport()
    guard let start = progress.position else {
      let first = try await Self.stored { try await self.storage.feedPosition(tenant: tenant).rawValue }
      return try await commit(forward, first, 0, [:], holder, tenant)
    }
    guard forward.value.format != .homeAssistant else {
      return try await publish(forward, progress, after: start, holder, tenant)
    }
    var position = start
    for _ in 0..<Self.mostBatches {
      let (changes, next, isGone) = try await changes(after: position, tenant)
      var ignored: [String: Int] = isGone ? [Self.gone: 1] : [:]
      guard next != position else { return }
      let records = try await visible(changes.compactMap { ForwardedRecord($0.record) }, tenant)
      var sent = 0
      for first in stride(from: 0, to: records.count, by: forward.value.format.most) {
        let part = Array(records[first..<min(first + forward.value.format.most, records.count)])
        guard
          let request = forward.value.format.request(
            part, to: forward.value.address, key: key, at: now())
        else { continue }
        if let reason = try await deliver(request, forward.value.format, transport) {
          ignored[reason, default: 0] += part.count
        } else {
          sent += part.count
        }
      }
      try await commit(forward, next, sent, ignored, holder, tenant)
      position = next
    }
  }

  /// Sends a request.
  ///
  /// - Returns: the reason why the other program rejects these records for good; `nil` if it has accepted them.
  /// - Throws: an error if the same request must be sent again later.
  private func deliver(
    _ request: ProviderClient.Request, _ format: Forward.Format, _ transport: any ConnectorTransport
  ) async throws(ConnectorError) -> String? {
    let answer: ProviderClient.Answer
    do throws(ProviderFailure) {
      answer = try await transport.send(request)
    } catch {
      throw ConnectorError(.unavailable, error.description)
    }
    switch answer.status {
    case 200..<300: return nil
    case let status where format.isFinal(status): return "rejected with status \(answer.status)"
    default:
      try ConnectorSession.check(answer)
      return nil
    }
  }

  /// Publishes the newest values of the records in the feed, and then checks the vehicles if that is due.
  private func publish(
    _ forward: Stored<Forward>, _ progress: ForwardProgress, after start: Int64, _ holder: UUIDv7, _ tenant: TenantID
  ) async throws(ConnectorError) {
    let sender = try homeAssistant(forward, holder, tenant)
    var position = start
    for _ in 0..<Self.mostBatches {
      let (changes, next, isGone) = try await changes(after: position, tenant)
      guard next != position else { break }
      let records = try await visible(changes.compactMap { ForwardedRecord($0.record) }, tenant)
      var (sent, ignored) = try await sender.publish(records)
      if isGone { ignored[Self.gone] = 1 }
      try await commit(forward, next, sent, ignored, holder, tenant)
      position = next
    }
    let time = now()
    let passed = progress.checkedAt.map { abs(time.milliseconds - $0.milliseconds) } ?? .max
    guard passed >= Self.checkPeriod * 1_000 else { return }
    try await sender.checkVehicles(since: progress.checkedAt)
    try await change(forward.id, holder, tenant) { transaction, stored throws(ThingError) in
      var checked = stored.value
      checked.checkedAt = time
      try transaction.update(stored, to: checked, action: "check")
    }
  }

  private func key(_ forward: Stored<Forward>) throws(ConnectorError) -> ForwardKey {
    guard let sealed = forward.value.secret else {
      guard forward.value.format != .webhook else {
        throw ConnectorError(.settings, "secret: \(WebhookSignature.expectedSecret)")
      }
      return .none
    }
    let secret = try ConnectorCheck.open(sealed, for: SecretPlace.forward(forward.id), keys)
    guard RequestHeader.isValue(secret) else {
      throw ConnectorError(.settings, "secret: expected one line")
    }
    if forward.value.format == .homeAssistant { return .password(secret) }
    guard forward.value.format == .webhook else {
      return .header("\(forward.value.keyHeader ?? "Authorization"): \(secret)")
    }
    guard let signature = WebhookSignature(secret) else {
      throw ConnectorError(.settings, "secret: \(WebhookSignature.expectedSecret)")
    }
    return .signature(signature)
  }

  private func changes(
    after position: Int64, _ tenant: TenantID
  ) async throws(ConnectorError) -> (changes: [FeedChange], next: Int64, isGone: Bool) {
    do throws(StorageError) {
      let (changes, next) = try await storage.changes(
        of: [.known(.telemetry)], vehicle: nil, after: FeedPosition(rawValue: position), limit: Self.batch,
        tenant: tenant)
      return (changes, next.rawValue, false)
    } catch {
      guard error.kind == .positionGone else { throw ConnectorError(.unavailable, "\(error)") }
      return ([], try await Self.stored { try await self.storage.feedPosition(tenant: tenant).rawValue }, true)
    }
  }

  /// Returns the records that do not belong to private journeys.
  private func visible(
    _ records: [ForwardedRecord], _ tenant: TenantID
  ) async throws(ConnectorError) -> [ForwardedRecord] {
    guard let first = records.map(\.time).min(), let last = records.map(\.time).max() else { return [] }
    let vehicles = Set(records.map(\.vehicle))
    let hidden = try await Self.stored { [storage] in
      try await storage.view(tenant: tenant) { view throws(ThingError) in
        try view.hiddenTimes(of: vehicles, from: first, to: last.adding(seconds: 1), except: [])
      }
    }
    return records.filter { !hidden.contains($0.time, of: $0.vehicle) }
  }

  // MARK: Progress

  /// Executes work with the database. A failure is `unavailable`.
  static func stored<Value: Sendable>(
    _ work: @Sendable () async throws -> Value
  ) async throws(ConnectorError) -> Value {
    do {
      return try await work()
    } catch {
      throw ConnectorError(.unavailable, "the database: \(error)")
    }
  }

  private func commit(
    _ forward: Stored<Forward>, _ position: Int64, _ sent: Int, _ ignored: [String: Int], _ holder: UUIDv7,
    _ tenant: TenantID
  ) async throws(ConnectorError) {
    try await change(forward.id, holder, tenant) { transaction, stored throws(ThingError) in
      var progress = stored.value
      progress.position = position
      progress.leaseUntil = transaction.now.adding(seconds: ConnectorRunner.lease)
      try transaction.update(stored, to: progress, action: "send")
      guard sent > 0 || !ignored.isEmpty, let present = try transaction.find(forward.id, Forward.self) else { return }
      var changed = present.value
      (changed.sent, changed.lastSentAt) = (changed.sent + Int64(sent), transaction.now)
      changed.ignored = IgnoredCounts.adding(ignored, to: changed.ignored)
      try transaction.refresh(present, to: changed)
    }
  }

  private func finish(
    _ forward: Stored<Forward>, _ failure: ConnectorError?, due: Timestamp?, _ holder: UUIDv7, _ tenant: TenantID
  ) async throws {
    try await change(forward.id, holder, tenant) { transaction, stored throws(ThingError) in
      var progress = stored.value
      (progress.leaseHolder, progress.leaseUntil) = (nil, nil)
      progress.failures = failure == nil ? 0 : progress.failures + 1
      let present = try transaction.find(forward.id, Forward.self)
      // The time in which the messages of an ended forward are cleared is over.
      let isGivenUp = failure != nil && present?.value.removeBy.map { $0 <= transaction.now } ?? false
      if isGivenUp {
        progress.nextAt = nil
      } else if progress.nextAt == due {
        let wait = ConnectorPace.wait(after: failure, failures: progress.failures, period: Int64(Self.period))
        progress.nextAt = transaction.now.adding(nanoseconds: wait * 1_000_000)
      }
      try transaction.update(stored, to: progress, action: "finish")
      guard let present else { return }
      var changed = present.value
      if let failure {
        changed.state = failure.kind == .refused || failure.kind == .settings ? .refused : .failing
        let text = isGivenUp ? "\(Self.leftBehind): \(failure.description)" : failure.description
        changed.failures = RecentFailure.adding(text, at: transaction.now, to: changed.failures)
      } else {
        changed.state = .working
      }
      try transaction.refresh(present, to: changed)
    }
  }

  /// Executes `work` in a transaction if the holder still has the lease. Otherwise, throws an error.
  private func change(
    _ id: UUIDv7, _ holder: UUIDv7, _ tenant: TenantID,
    _ work: @escaping @Sendable (any FleetTransaction, Stored<ForwardProgress>) throws(ThingError) -> Void
  ) async throws(ConnectorError) {
    let hasLease = try await Self.stored { [storage, now] in
      try await storage.change(tenant: tenant, by: Actor(.server), at: now()) { transaction throws(ThingError) in
        guard let progress = try transaction.leased(id, ForwardProgress.self, to: holder) else { return false }
        try work(transaction, progress)
        return true
      }
    }
    if !hasLease { throw ConnectorError(.unavailable, "these records are being sent by others now") }
  }
}
