import Dispatch
import FleetAccess
import FleetDomain
import FleetMessages
import Logging
import ServiceLifecycle
import Synchronization
import Telemetry

/// Sends the queued mails. One round sends at most one mail of each tenant, so that a tenant with many mails does not
/// delay other tenants.
///
/// A transaction reads a mail from the queue and stores the time of the next attempt. If the program ends before the
/// mail server has accepted the mail, the mail is sent again at that time, with the same `Message-ID`. Several servers
/// may use one database.
public final class MailSender: Service {
  /// The pause between two searches for mails that are due.
  private static let pause = Duration.seconds(1)

  private let server: MailServer
  private let keys: SecretKeys
  private let storage: any FleetStorage
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let isStopping = Atomic(false)
  private let counts = Mutex(MailCounts())
  private let queue = DispatchQueue(label: "mail")

  /// Creates a sender.
  ///
  /// - Parameters:
  ///   - keys: the keys with which the values in queued mails were encrypted.
  ///   - now: returns the time of day.
  public init(
    _ server: MailServer, keys: SecretKeys, storage: any FleetStorage, logger: Logger,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.server = server
    self.keys = keys
    self.storage = storage
    self.logger = logger
    self.now = now
  }

  /// The numbers of sent, failed and dropped mails since the start.
  public var current: MailCounts { counts.withLock { $0 } }

  /// Sends mails until its task is cancelled or its service group stops it. A mail that is being sent is then
  /// interrupted, and is sent again later.
  public func run() async throws {
    let work = Task { await self.repeatRounds() }
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        await work.value
      } onGracefulShutdown: {
        self.stop(work)
      }
    } onCancel: {
      stop(work)
    }
  }

  private func stop(_ work: Task<Void, Never>) {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    work.cancel()
  }

  private func repeatRounds() async {
    var client: SMTPClientBox?
    while !Task.isCancelled {
      do {
        let opened = try client ?? SMTPClientBox(server)
        client = opened
        if try await round(opened) > 0 { continue }
      } catch let failure as MailFailure {
        // Without libcurl, the server cannot send mails.
        logger.error("mail: \(failure)")
      } catch {
        if !Task.isCancelled { logger.warning("mail: cannot read the queue: \(error)") }
      }
      do {
        try await Task.sleep(for: Self.pause)
      } catch {
        return
      }
    }
  }

  /// Sends one mail of each tenant that has due mails: the next mail in the tenant's queue.
  ///
  /// - Returns: the number of mails that were sent.
  private func round(_ client: SMTPClientBox) async throws -> Int {
    var sent = 0
    let due = ThingQuery<QueuedMail>.Condition.atMost(key: "nextAttemptAt", now().json)
    for tenant in try await storage.tenants(having: [due]) where !Task.isCancelled {
      let (mail, expired): (Stored<QueuedMail>?, [Stored<QueuedMail>])
      do {
        (mail, expired) = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
          transaction throws(ThingError) in try transaction.nextMail()
        }
      } catch {
        if !Task.isCancelled { logger.warning("mail: cannot read the queue of tenant \(tenant): \(error)") }
        continue
      }
      for mail in expired { reportLoss(of: mail, tenant, "its time is over; \(mail.value.lastError ?? "never sent")") }
      guard let mail, await send(mail, of: tenant, client) else { continue }
      sent += 1
    }
    return sent
  }

  /// Sends one mail, and stores the result of the attempt.
  ///
  /// - Returns: whether the mail was sent.
  private func send(_ mail: Stored<QueuedMail>, of tenant: TenantID, _ client: SMTPClientBox) async -> Bool {
    guard let message = message(mail) else {
      reportLoss(of: mail, tenant, "it cannot be read; is its key missing in accounts.secretKeysFile?")
      await finish(mail, of: tenant, error: "unreadable")
      return false
    }
    do throws(MailFailure) {
      try await deliver(message, client)
    } catch {
      switch error.kind {
      case .stopped: return false
      case .mailRefused:
        reportLoss(of: mail, tenant, error.description)
        await finish(mail, of: tenant, error: error.description)
      default:
        counts.withLock { $0.failed += 1 }
        logger.warning(
          "mail: attempt \(mail.value.attempts) for \(mail.value.reason.rawValue) of tenant \(tenant) failed: \(error)")
        await record(error.description, mail, of: tenant)
      }
      return false
    }
    counts.withLock { $0.sent += 1 }
    await finish(mail, of: tenant, error: nil)
    return true
  }

  private func message(_ mail: Stored<QueuedMail>) -> MailMessage? {
    guard let details = MailDetails(mail, keys), let recipient = mail.value.recipient,
      let address = MailAddress(recipient, name: details.name) ?? MailAddress(recipient),
      let text = try? MailText(mail.value.reason, service: server.serviceName, details)
    else { return nil }
    return MailMessage(
      from: server.from, to: address, subject: text.subject, text: text.plain, html: text.html,
      attachment: details.attachment, date: now(),
      id: mail.id.json.textValue ?? "")
  }

  private func deliver(_ message: MailMessage, _ client: SMTPClientBox) async throws(MailFailure) {
    let result: Result<Void, MailFailure> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(
          returning: Result { () throws(MailFailure) in
            try client.client.send(message) { isStopping.load(ordering: .sequentiallyConsistent) }
          })
      }
    }
    try result.get()
  }

  private func finish(_ mail: Stored<QueuedMail>, of tenant: TenantID, error: String?) async {
    await update(mail, of: tenant) { mail, transaction throws(ThingError) in
      try transaction.finishMail(mail, error: error)
    }
  }

  private func record(_ error: String, _ mail: Stored<QueuedMail>, of tenant: TenantID) async {
    await update(mail, of: tenant) { mail, transaction throws(ThingError) in
      var failed = mail.value
      failed.lastError = error
      try transaction.update(mail, to: failed, action: "fail")
    }
  }

  private func update(
    _ mail: Stored<QueuedMail>, of tenant: TenantID,
    _ work: @escaping @Sendable (Stored<QueuedMail>, any FleetTransaction) throws(ThingError) -> Void
  ) async {
    do {
      try await storage.change(tenant: tenant, by: Actor(.server), at: now()) { transaction throws(ThingError) in
        // If the person was removed since the attempt began, the mail is no longer in the queue.
        guard let present = try transaction.find(mail.id, QueuedMail.self) else { return }
        try work(present, transaction)
      }
    } catch {
      logger.warning("mail: cannot store the result of an attempt, so that the mail is sent again: \(error)")
    }
  }

  private func reportLoss(of mail: Stored<QueuedMail>, _ tenant: TenantID, _ reason: String) {
    counts.withLock { $0.dropped += 1 }
    logger.warning("mail: \(mail.value.reason.rawValue) of tenant \(tenant) is dropped: \(reason)")
  }
}

/// Numbers of mails since the start.
public struct MailCounts: Equatable, Sendable {
  public var sent = 0
  /// Failed attempts. They include attempts that are repeated later.
  public var failed = 0
  public var dropped = 0
}

/// Passes a client to the sender's dispatch queue. Only this queue uses the client.
private final class SMTPClientBox: @unchecked Sendable {
  let client: SMTPClient

  init(_ server: MailServer) throws(MailFailure) { client = try SMTPClient(server) }
}
