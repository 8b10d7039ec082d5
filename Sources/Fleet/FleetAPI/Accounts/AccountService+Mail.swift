import FleetAccess
import FleetDomain
import Telemetry

/// Queues mails to people. Each mail is queued in the transaction of the change that it reports. Another service sends
/// the queued mails.
extension AccountService {
  /// The URL with which links in mails begin; `nil` if the server sends no mails.
  private var mailedURL: String? { settings.sendsMail ? settings.publicURL : nil }

  /// Whether codes by email can be used as a second factor in a tenant.
  func mayUseEmailCodes(_ tenant: TenantID) -> Bool {
    mailedURL != nil && !settings.withoutEmailCodes.contains(tenant)
  }

  /// Queues a mail that contains a link for accepting an invitation or for setting a new password.
  ///
  /// - Returns: whether the mail was queued; `false` if the server sends no mails, or if a limit of mails is reached.
  func mailLink(
    _ ticket: Stored<Ticket>, _ secret: Secret, to person: Stored<Person>, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Bool {
    guard let mailedURL else { return false }
    var details = MailDetails(of: person.value)
    details.link = AccountLink.text(ticket.value.purpose, secret, base: mailedURL)
    details.validUntil = ticket.value.expiresAt
    return try transaction.enqueueMail(
      ticket.value.purpose == .invitation ? .invitation : .recovery, to: person, details, settings.secretKeys)
  }

  /// Queues a mail to the owner of an account about a change of the account, because someone else may have made this
  /// change.
  ///
  /// - Parameters:
  ///   - recipient: the email address to which the mail is sent; `nil` for the address of the account.
  ///   - item: the name of the thing that was changed.
  ///   - address: the network address of the client that made the change; `nil` if unknown.
  func notify(
    _ reason: QueuedMail.Reason, _ person: Stored<Person>, at recipient: EmailAddress? = nil, item: String? = nil,
    from address: String?, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    guard mailedURL != nil else { return }
    var details = MailDetails(of: person.value)
    details.item = item
    details.changedAt = transaction.now
    details.address = address
    try transaction.enqueueMail(reason, to: person, at: recipient, details, settings.secretKeys)
  }

  /// Queues the mails that report a change of the email address: one to the old address and one to the new address.
  func notifyOfNewAddress(
    _ person: Stored<Person>, _ new: EmailAddress?, from address: String?, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    guard let new, let old = person.value.email, new != old else { return }
    for recipient in [old, new] {
      try notify(.emailChanged, person, at: recipient, item: new.text, from: address, transaction)
    }
  }

  // MARK: A new password

  /// If a person of the tenant has this email address, sends the person a link for setting a new password.
  ///
  /// The function returns before the link is sent. If nobody has the address, the same changes are made and then rolled
  /// back. Therefore neither the answer nor its duration shows whether there is an account.
  ///
  /// - Throws: 429 if a limit of attempts is reached.
  func recover(email: String, tenant: TenantID, _ caller: Caller) async throws {
    let address = EmailAddress(email)
    let account = "recover \(tenant) \(address?.text ?? email)"
    // Count every request, even a successful one, so that nobody can fill the audit with requests.
    do throws(APIError) {
      _ = try guesses.admit(account, from: nil, at: caller.address)
    } catch {
      // Requests by other people may have used up the limit of this account. Each browser and address from which the
      // person has signed in has a separate limit. The person is looked up only now, so that the duration of other
      // answers does not depend on whether the account exists.
      let person = try await person(address, tenant)
      guard let origin = person.flatMap({ knownOrigin(of: $0, tenant, caller) }) else { throw error }
      _ = try guesses.admit(account, from: origin, at: caller.address)
    }
    Task { [self] in
      do {
        let found = try await person(address, tenant)
        try await recover(found.flatMap { $0.value.isActive ? $0 : nil }, tenant, caller)
      } catch is Undone {
        // No person has the address, and the work was undone.
      } catch {
        logger.warning("cannot record that a person of \(tenant) asked for a new password: \(error)")
      }
    }
  }

  /// An error that rolls back the transaction because no person has the email address. The transaction was executed
  /// only so that the audit, the mail and the ticket take the same time as for a known address.
  private struct Undone: Error {}

  private func recover(_ found: Stored<Person>?, _ tenant: TenantID, _ caller: Caller) async throws {
    let now = self.now()
    let secret = Secret(.ticket, of: tenant.text)
    let done: Bool? = try await ifTenantExists {
      do {
        try await storage.change(tenant: tenant, by: Actor(.nobody, address: caller.address), at: now) {
          [self] transaction throws(ThingError) in
          let person = found ?? Self.nobody(at: now)
          try transaction.record("recoveryRequested", kind: Person.names.one, thing: person.id, details: [:])
          if settings.sendsMail, !settings.requiringProvider.contains(tenant) {
            // Older links remain valid. Otherwise, a stranger's request could invalidate a link that the owner has
            // requested.
            let ticket = try transaction.issueTicket(
              .recovery, secret.hash, of: person.id, seconds: settings.limits.recoverySeconds, replaces: false)
            // If the limit of mails is reached, remove the ticket, because its link is not sent.
            if try !mailLink(ticket, secret, to: person, transaction) {
              try transaction.remove(ticket, action: "limitReached")
            }
          }
          if found == nil { throw .rule(code: "undone", message: "no person has this address") }
        }
        return true
      } catch ThingError.rule(code: "undone", message: _) {
        throw Undone()
      }
    }
    guard done != nil else { throw Undone() }
  }

  /// Returns a person who does not exist, to use for an unknown email address. Therefore the answer takes as long as
  /// for an existing person.
  private static func nobody(at now: Timestamp) -> Stored<Person> {
    var person = Person()
    person.email = EmailAddress("nobody@localhost")
    person.firstName = "Nobody"
    person.lastName = "Nobody"
    return Stored(id: .random(at: now), version: 1, createdAt: now, updatedAt: now, value: person)
  }

  // MARK: Codes

  /// Returns the name under which the code for the second step of a sign-in is stored.
  static func place(of ticket: Stored<Ticket>) -> String { "sign-in \(ticket.id.json.textValue ?? "")" }
  /// Returns the name under which the code that confirms a new factor is stored.
  static func place(of factor: UUIDv7) -> String { "factor \(factor.json.textValue ?? "")" }

  static let tooManyCodes = APIError(
    .tooManyRequests, "tooManyAttempts", "too many codes were sent to this address; wait an hour",
    retryAfter: MailLimits.period)

  /// Queues the mail with a code, and stores the code under a name.
  ///
  /// - Returns: `false` if the limit of mails is reached. Then the code is not stored.
  func mailCode(
    _ code: String, for place: String, to person: Stored<Person>, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Bool {
    var details = MailDetails(of: person.value)
    details.code = code
    details.validUntil = transaction.now.adding(seconds: EmailCode.seconds)
    guard try transaction.enqueueMail(.emailCode, to: person, details, settings.secretKeys) else { return false }
    try transaction.issueEmailCode(code, for: place, of: person.id, settings.secretKeys)
    return true
  }

  /// Sends a code for the second step of a sign-in. An older code for the same sign-in becomes invalid.
  ///
  /// - Parameter ticket: the ticket of the sign-in's first step (``Step/factor(ticket:_:)``).
  /// - Throws: 401 if the ticket is not valid; 409 if the person cannot use codes by email as a second factor; 429 if
  ///   the limit of mails is reached.
  func sendCode(ticket text: String, _ caller: Caller) async throws {
    guard let tenant = Self.tenant(ofTicket: text) else { throw Self.expiredTicket }
    guard mayUseEmailCodes(tenant) else { throw Self.noEmailCodes }
    let (now, hash, code) = (self.now(), Secret.hash(of: text), EmailCode.new())
    enum Outcome: Sendable { case sent, expired, noFactor, limited }
    let outcome = try await ifTenantExists {
      try await storage.change(tenant: tenant, by: Actor(.nobody, address: caller.address), at: now) {
        [self] transaction throws(ThingError) -> Outcome? in
        guard let ticket = try transaction.ticket(hash, for: [.secondFactor], at: now),
          let id = ticket.value.personID, let person = try transaction.find(id, Person.self), person.value.isActive
        else { return .expired }
        guard try transaction.factors(of: id).contains(where: { $0.value.form == .emailCode }) else { return .noFactor }
        return try mailCode(code, for: Self.place(of: ticket), to: person, transaction) ? .sent : .limited
      }
    }
    switch outcome {
    case .sent: return
    case .noFactor: throw Self.noEmailCodes
    case .limited: throw Self.tooManyCodes
    case .expired, nil: throw Self.expiredTicket
    }
  }

  static let noEmailCodes = APIError(
    .conflict, "noEmailCodes",
    "codes by email are no second factor here: the account has none, or the server sends none to this tenant; use another factor, or ask an administrator"
  )
}
