import FleetAccess
import FleetDomain
import FleetProviders
import FleetWork
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Sends the deliveries of events to webhooks and, by web push, to browsers. Each delivery is sent at least once.
/// Deliveries that concern the same thing are sent in order.
///
/// In one turn, deliveries are sent to one receiver, one request at a time. A receiver that does not answer delays no
/// other receiver. Receivers that fail have a separate limit of simultaneous turns, so that many of them together
/// cannot delay the others. Before a delivery is sent, the time of its next attempt is stored. If the program ends
/// during the request, the delivery is sent again at this time, with the same id.
public final class DeliverySender: Service {
  /// The maximum length of a receiver's answer in bytes.
  private static let longestAnswer = 64 << 10
  /// The time limit of a request in s.
  private static let requestSeconds = 15
  /// The maximum number of deliveries in a turn.
  private static let mostOfTurn = 50
  /// The time after which a turn ends.
  private static let longestTurn = Duration.seconds(20)

  private let storage: any FleetStorage
  private let keys: SecretKeys
  private let contact: String?
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let transport: @Sendable () -> ProviderClient
  private let working = DueRounds(most: 48, mostOfTenant: 6)
  private let failing = DueRounds(most: 16, mostOfTenant: 2)
  private let counts = Mutex(DeliveryCounts())

  /// Creates a sender.
  ///
  /// - Parameters:
  ///   - keys: the keys that encrypt secrets in the database.
  ///   - contact: an `https:` or `mailto:` URL for the operators of push services; `nil` if there is none.
  ///   - mayUsePrivate: whether receivers may have addresses of private networks and of this machine.
  ///   - authorities: the path of a PEM file with the certificate authorities to use; `nil` for those of the system.
  ///   - now: returns the time of day.
  public init(
    storage: any FleetStorage, keys: SecretKeys, contact: String? = nil, mayUsePrivate: Bool,
    authorities: String? = nil, logger: Logger, now: @escaping @Sendable () -> Timestamp
  ) {
    (self.storage, self.keys, self.contact, self.logger, self.now) = (storage, keys, contact, logger, now)
    transport = {
      ProviderClient(
        mayUseLoopback: mayUsePrivate, mayUsePrivate: mayUsePrivate, authorities: authorities,
        longest: Self.longestAnswer, seconds: Self.requestSeconds)
    }
  }

  /// The numbers of successful and failed attempts since the start.
  public var current: DeliveryCounts { counts.withLock { $0 } }

  /// Sends deliveries until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        for (rounds, isFailing) in [(self.working, false), (self.failing, true)] {
          group.addTask {
            await rounds.run(
              due: { try await self.due(isFailing: isFailing) }, serve: { await self.serve($0, isFailing: isFailing) }
            ) { self.logger.warning("webhooks and push messages: \($0)") }
          }
        }
      }
    }
  }

  private static func condition(isFailing: Bool) -> ThingQuery<DeliveryProgress>.Condition {
    isFailing ? .atLeast(key: "failures", .integer(1)) : .oneOf(key: "failures", [.integer(0)])
  }

  /// Returns the tenants that have a receiver whose next attempt is due.
  private func due(isFailing: Bool) async throws -> [TenantID] {
    try await storage.tenants(having: DeliveryProgress.due(at: now()) + [Self.condition(isFailing: isFailing)])
  }

  /// Sends deliveries to one due receiver of each tenant.
  ///
  /// - Returns: whether a receiver was due.
  @discardableResult
  func round() async throws -> Bool {
    var isAny = false
    for isFailing in [false, true] {
      for tenant in try await due(isFailing: isFailing) where !Task.isCancelled {
        await serve(tenant, isFailing: isFailing)
        isAny = true
      }
    }
    return isAny
  }

  private func serve(_ tenant: TenantID, isFailing: Bool) async {
    do {
      try await turn(of: tenant, isFailing: isFailing)
    } catch {
      if !Task.isCancelled { logger.warning("webhooks and push messages of tenant \(tenant): \(error)") }
    }
  }

  /// Sends deliveries to the receiver that has been due for the longest time; does nothing if no receiver is due.
  private func turn(of tenant: TenantID, isFailing: Bool) async throws {
    let holder = UUIDv7.random(at: now())
    let condition = Self.condition(isFailing: isFailing)
    let taken = try await change(tenant) { [keys] transaction throws(ThingError) -> (UUIDv7, DeliveryJob)? in
      guard
        let progress = try transaction.lease(
          DeliveryProgress.self, where: [condition], to: holder, seconds: DeliveryLimits.lease),
        let job = try transaction.nextJob(of: progress.id, holder: holder, after: nil, mayContinue: true, keys)
      else { return nil }
      return (progress.id, job)
    }
    guard let (receiver, first) = taken else { return }
    let (clock, transport) = (ContinuousClock(), transport())
    let start = clock.now
    var (job, count) = (first, 0)
    while true {
      let attempt = await send(job, of: tenant, transport)
      count += 1
      let mayContinue = count < Self.mostOfTurn && clock.now - start < Self.longestTurn && !Task.isCancelled
      let next = try await change(tenant) { [keys, job] transaction throws(ThingError) in
        try transaction.nextJob(
          of: receiver, holder: holder, after: (job, attempt), mayContinue: mayContinue, keys)
      }
      guard let next else { return }
      job = next
    }
  }

  private func send(
    _ job: DeliveryJob, of tenant: TenantID, _ transport: ProviderClient
  ) async -> DeliveryAttempt {
    let clock = ContinuousClock()
    let start = clock.now
    let answer: Result<ProviderClient.Answer, ProviderFailure>
    if let request = job.target.request(job.delivery, contact: contact, at: now()) {
      do throws(ProviderFailure) {
        answer = .success(try await transport.fetch(request))
      } catch {
        answer = .failure(error)
      }
    } else if case .unusable(let reason) = job.target {
      answer = .failure(ProviderFailure(description: reason))
    } else {
      answer = .failure(ProviderFailure(description: "the message cannot be encrypted"))
    }
    let (seconds, attoseconds) = (clock.now - start).components
    let attempt = DeliveryAnswer.attempt(
      answer, job.delivery.value, failures: job.failures,
      duration: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    counts.withLock { counts in
      if attempt.error == nil { counts.delivered += 1 } else { counts.failed += 1 }
    }
    if let error = attempt.error {
      logger.info(
        "\(job.delivery.value.channel.rawValue) \(job.delivery.value.receiverID.string) of tenant \(tenant): \(error)")
    }
    return attempt
  }

  private func change<Value: Sendable>(
    _ tenant: TenantID, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    try await storage.change(tenant: tenant, by: Actor(.server), at: now(), work)
  }
}

/// Numbers of attempts to send deliveries, since the start.
public struct DeliveryCounts: Equatable, Sendable {
  public var delivered = 0
  /// Failed attempts. They include attempts that are repeated later.
  public var failed = 0
}
