import FleetDomain
import Telemetry

/// Constants of the mail queue: how many mails may be sent, when a mail is dropped, and which mails are sent first.
public enum MailLimits {
  /// The time after which a mail that could not be sent is dropped, s.
  public static let seconds = 3 * 86_400
  /// The length of the period for which the numbers of mails are limited, s.
  public static let period = 3_600
  /// Returns the maximum number of mails for one reason in each ``period``. The limit applies to each account, and also
  /// to each email address.
  public static func perRecipient(_ reason: QueuedMail.Reason) -> Int {
    switch reason {
    case .recovery, .invitation: 5
    case .emailCode: 10
    case .passwordChanged, .emailChanged, .factorAdded, .factorRemoved: 20
    case .notification, .report: 30
    }
  }
  /// Maximum number of invitations that one tenant sends per period.
  public static let invitationsPerTenant = 100

  /// Returns the priority of mails for a reason. Mails with lower numbers are sent first. Mails with a link or a code
  /// have the lowest numbers, because a person waits for them.
  static func priority(_ reason: QueuedMail.Reason) -> Int64 {
    switch reason {
    case .emailCode: 0
    case .recovery: 1
    case .passwordChanged, .emailChanged, .factorAdded, .factorRemoved: 2
    case .invitation: 3
    case .notification, .report: 4
    }
  }
}

extension FleetTransaction {
  /// Adds a mail to the queue. The mail is sent after the commit.
  ///
  /// - Parameters:
  ///   - recipient: the address; `nil` for the person's own address.
  ///   - keys: the keys that encrypt the values.
  /// - Returns: `false` if no mail is sent, because the person has no address or one of ``MailLimits`` is reached.
  @discardableResult
  public func enqueueMail(
    _ reason: QueuedMail.Reason, to person: Stored<Person>, at recipient: EmailAddress? = nil, _ details: MailDetails,
    _ keys: SecretKeys
  ) throws(ThingError) -> Bool {
    guard let recipient = recipient ?? person.value.email,
      try mayMail(reason, .oneOf(key: "recipient", [recipient.json]), MailLimits.perRecipient(reason)),
      try mayMail(reason, .oneOf(key: "personId", [person.id.json]), MailLimits.perRecipient(reason))
    else { return false }
    if reason == .invitation {
      guard try mayMail(reason, .oneOf(key: "reason", [reason.json]), MailLimits.invitationsPerTenant) else {
        return false
      }
    }
    let id = UUIDv7.random(at: now)
    var mail = QueuedMail()
    mail.reason = reason
    mail.personID = person.id
    mail.recipient = recipient
    mail.priority = MailLimits.priority(reason)
    mail.details = details.sealed(for: id, keys)
    mail.nextAttemptAt = now
    let latest = now.adding(seconds: MailLimits.seconds)
    mail.expiresAt = min(details.validUntil ?? latest, latest)
    try insert(mail, id: id, action: "create")
    return true
  }

  private func mayMail(
    _ reason: QueuedMail.Reason, _ condition: ThingQuery<QueuedMail>.Condition, _ most: Int
  ) throws(ThingError) -> Bool {
    let recent = ThingQuery<QueuedMail>(
      .oneOf(key: "reason", [reason.json]), condition,
      .atLeast(key: "createdAt", now.adding(seconds: -MailLimits.period).json), limit: most)
    return try list(recent).items.count < most
  }

  /// Returns the mail to send next, and counts the attempt. The mail becomes due again later unless
  /// ``finishMail(_:error:)`` is called.
  ///
  /// - Returns: the mail, and the mails that were dropped because they have expired.
  public func nextMail() throws(ThingError) -> (mail: Stored<QueuedMail>?, expired: [Stored<QueuedMail>]) {
    let over = ThingQuery<QueuedMail>(
      .oneOf(key: "nextAttemptAt", [.null]),
      .below(key: "createdAt", now.adding(seconds: -MailLimits.period).json), limit: 100)
    for old in try list(over).items { try remove(old, action: "remove") }
    var expired: [Stored<QueuedMail>] = []
    let due = ThingQuery<QueuedMail>(
      .below(key: "nextAttemptAt", now.adding(seconds: 1).json),
      order: [.init("priority"), .init("nextAttemptAt")], limit: 10)
    for mail in try list(due).items {
      guard mail.value.expiresAt > now else {
        try finishMail(mail, error: mail.value.lastError ?? "expired")
        expired.append(mail)
        continue
      }
      var taken = mail.value
      taken.attempts += 1
      taken.nextAttemptAt = now.adding(seconds: RetryDelay.mail.seconds(after: taken.attempts))
      return (try update(mail, to: taken, action: "attempt"), expired)
    }
    return (nil, expired)
  }

  /// Stores the result of a mail that was sent or dropped.
  ///
  /// - Parameter error: the reason why it was dropped; `nil` if it was sent.
  public func finishMail(_ mail: Stored<QueuedMail>, error: String?) throws(ThingError) {
    var finished = mail.value
    finished.nextAttemptAt = nil
    finished.details = nil
    finished.lastError = error
    try update(mail, to: finished, action: error == nil ? "send" : "drop")
  }
}
