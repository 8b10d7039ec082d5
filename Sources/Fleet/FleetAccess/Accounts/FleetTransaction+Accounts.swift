import FleetDomain
import Telemetry

extension FleetView {
  /// Returns the person who has the given email address; `nil` if there is none.
  public func person(_ email: EmailAddress) throws(ThingError) -> Stored<Person>? {
    try first(ThingQuery<Person>(.oneOf(key: "email", [email.json])))
  }

  /// Returns the factors that a person can use. Factors that are not confirmed yet are left out.
  public func factors(of person: UUIDv7) throws(ThingError) -> [Stored<Factor>] {
    try list(
      ThingQuery<Factor>(
        .oneOf(key: "personId", [person.json]), .oneOf(key: "isConfirmed", [.bool(true)]), limit: 1_000)
    ).items
  }

  /// Returns the valid ticket that has the given secret; `nil` if the ticket was used, has expired, or has another
  /// purpose.
  public func ticket(
    _ secret: SecretHash, for purposes: Set<Ticket.Purpose>, at time: Timestamp
  ) throws(ThingError) -> Stored<Ticket>? {
    guard let ticket = try first(ThingQuery<Ticket>(.oneOf(key: "secret", [.text(secret.text)]))),
      purposes.contains(ticket.value.purpose), ticket.value.expiresAt > time
    else { return nil }
    return ticket
  }

  /// Returns up to two active people who are administrators of the whole tenant.
  ///
  /// - Parameter canSignIn: whether to leave out people who cannot sign in yet, because they have not accepted their
  ///   invitation.
  public func someAdministrators(canSignIn: Bool = false) throws(ThingError) -> [Stored<Person>] {
    var found: [Stored<Person>] = []
    var query = ThingQuery<Person>(.oneOf(key: "isActive", [.bool(true)]), limit: 1_000)
    repeat {
      let page = try list(query)
      for person in page.items where person.value.roles.contains(.admin) && person.value.scope == .all {
        if canSignIn, try !hasSignIn(person) { continue }
        found.append(person)
      }
      query.cursor = page.next
    } while query.cursor != nil && found.count < 2
    return Array(found.prefix(2))
  }

  /// Whether a person has a password, a passkey, or an account at a provider.
  private func hasSignIn(_ person: Stored<Person>) throws(ThingError) -> Bool {
    if person.value.passwordHash != nil { return true }
    if try factors(of: person.id).contains(where: { $0.value.form == .passkey }) { return true }
    return try first(ThingQuery<LinkedIdentity>(.oneOf(key: "personId", [person.id.json]))) != nil
  }
}

extension FleetTransaction {
  /// Creates a ticket with a secret that can be used once.
  ///
  /// - Parameters:
  ///   - person: the owner; `nil` for the first administrator.
  ///   - details: additional data for the purpose, as JSON.
  ///   - replaces: whether older tickets of the same purpose and person become invalid; if `nil`, this depends on the
  ///     purpose.
  @discardableResult
  public func issueTicket(
    _ purpose: Ticket.Purpose, _ secret: SecretHash, of person: UUIDv7?, seconds: Int, details: String? = nil,
    replaces: Bool? = nil
  ) throws(ThingError) -> Stored<Ticket> {
    for old in try list(ThingQuery<Ticket>(.below(key: "expiresAt", now.json), limit: 100)).items {
      try remove(old, action: "expire")
    }
    if replaces ?? [.firstAdministrator, .invitation, .recovery].contains(purpose) {
      let same = try list(
        ThingQuery<Ticket>(
          .oneOf(key: "purpose", [purpose.json]), .oneOf(key: "personId", [person?.json ?? .null]), limit: 100))
      for old in same.items { try remove(old, action: "replace") }
    }
    var ticket = Ticket()
    ticket.purpose = purpose
    ticket.personID = person
    ticket.secret = secret.text
    ticket.expiresAt = now.adding(seconds: seconds)
    ticket.details = details
    return try insert(ticket)
  }

  /// Sets a new password. All links that were sent to the person before become invalid.
  public func setPassword(
    _ hash: PasswordHash, of person: Stored<Person>, action: String
  ) throws(ThingError) -> Stored<Person> {
    var changed = person.value
    changed.passwordHash = hash.text
    let links = try list(ThingQuery<Ticket>(.oneOf(key: "personId", [person.id.json]), limit: 1_000))
    for link in links.items { try remove(link, action: "replace") }
    return try update(person, to: changed, action: action)
  }

  /// Activates or deactivates a person's account. A deactivated person cannot sign in; the person's sessions end, and
  /// all links that were sent to the person become invalid.
  ///
  /// - Throws: `rule` with `lastAdministrator`.
  public func setActive(_ isActive: Bool, _ person: Stored<Person>) throws(ThingError) -> Stored<Person> {
    guard person.value.isActive != isActive else { return person }
    if !isActive { try requireAnotherAdministrator(than: person) }
    var changed = person.value
    changed.isActive = isActive
    let action = isActive ? "activate" : "deactivate"
    if !isActive {
      try endSessions(of: person.id, action: action)
      let links = try list(ThingQuery<Ticket>(.oneOf(key: "personId", [person.id.json]), limit: 1_000))
      for link in links.items { try remove(link, action: action) }
    }
    return try update(person, to: changed, action: action)
  }

  /// Checks that the tenant has another person who can administer it, before a person loses that right.
  ///
  /// - Throws: `rule` with `lastAdministrator`.
  public func requireAnotherAdministrator(than person: Stored<Person>) throws(ThingError) {
    guard person.value.isActive, person.value.roles.contains(.admin), person.value.scope == .all else { return }
    guard try someAdministrators(canSignIn: true).contains(where: { $0.id != person.id }) else {
      throw .rule(
        code: "lastAdministrator",
        message: "this is the last administrator of the whole fleet who can sign in; make another one first")
    }
  }

  /// Removes all second factors of a person, and ends their sessions.
  public func resetFactors(of person: Stored<Person>) throws(ThingError) {
    let all = try list(ThingQuery<Factor>(.oneOf(key: "personId", [person.id.json]), limit: 1_000))
    for factor in all.items { try remove(factor, action: "reset") }
    try endSessions(of: person.id, action: "resetFactors")
    try record("resetFactors", kind: Person.names.one, thing: person.id, details: [:])
  }
}

extension FleetTransaction {
  /// Erases a person: removes the account, and destroys the key of the person's data in the audit. If the account may
  /// have many things, first call ``removeAccountThings(of:atMost:)`` in other transactions.
  ///
  /// - Returns: the sessions that ended.
  /// - Throws: `rule` with `lastAdministrator`.
  public func erase(_ person: Stored<Person>) throws(ThingError) -> [UUIDv7] {
    try requireAnotherAdministrator(than: person)
    let ended = try endSessions(of: person.id, action: "erase")
    var rest = Int.max
    try removeAccountThings(of: person.id, atMost: &rest)
    try remove(person, action: "erase")
    try destroyPersonalKey(of: person.id)
    return ended
  }

  /// Removes things that belong to the account of a person who is erased: sessions, push subscriptions, factors,
  /// tickets, mails, and identities at providers.
  ///
  /// - Parameter rest: the maximum number of things that may be removed. The function subtracts the number of removed
  ///   things. If it is 0 afterwards, more things may be left.
  public func removeAccountThings(of person: UUIDv7, atMost rest: inout Int) throws(ThingError) {
    try forEach(Session.self, of: person, atMost: &rest) { session throws(ThingError) in
      try remove(session, action: "erase")
    }
    try forEach(PushSubscription.self, of: person, atMost: &rest) { subscription throws(ThingError) in
      try remove(subscription: subscription, action: "erase")
    }
    try forEach(Factor.self, of: person, atMost: &rest) { factor throws(ThingError) in
      try remove(factor, action: "erase")
    }
    try forEach(Ticket.self, of: person, atMost: &rest) { ticket throws(ThingError) in
      try remove(ticket, action: "erase")
    }
    try forEach(QueuedMail.self, of: person, atMost: &rest) { mail throws(ThingError) in
      try remove(mail, action: "erase")
    }
    try forEach(LinkedIdentity.self, of: person, atMost: &rest) { identity throws(ThingError) in
      try remove(identity, action: "erase")
    }
  }

  /// Calls a closure, which must remove the thing, with each thing of a person, but at most `rest` times.
  private func forEach<Value: Kind>(
    _ kind: Value.Type, of person: UUIDv7, atMost rest: inout Int,
    _ remove: (Stored<Value>) throws(ThingError) -> Void
  ) throws(ThingError) {
    while rest > 0 {
      let query = ThingQuery<Value>(.oneOf(key: "personId", [person.json]), limit: min(rest, 1_000))
      let things = try list(query).items
      guard !things.isEmpty else { return }
      for thing in things { try remove(thing) }
      rest -= things.count
    }
  }
}
