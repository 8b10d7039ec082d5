import FleetAccess
import FleetDomain
import Telemetry

extension AccountService {
  /// Returns the error of a route that does not accept the token of a link.
  ///
  /// - Parameters:
  ///   - purposes: the purposes that the route accepts.
  ///   - actual: the purpose of the token; `nil` if the token is not valid.
  private static func invalidLink(_ purposes: Set<Ticket.Purpose>, actual: Ticket.Purpose?) -> APIError {
    let message =
      switch (purposes.contains(.recovery), actual) {
      case (true, nil):
        "token: it was used or replaced, or has expired; ask for a new link with POST /api/auth/recover, or sign in again"
      case (true, _?): "token: it belongs to an invitation or to the first set-up; use POST /api/auth/setup"
      case (false, nil): "token: it was used or replaced, or has expired; ask an administrator for a new link"
      case (false, _?): "token: it is for a new password; use POST /api/auth/reset"
      }
    return APIError(.unauthorized, "expiredLink", message)
  }

  /// The body of a request that sets a password with a link.
  struct SetUp: Sendable {
    let token: String
    let password: String
    /// The data of the first administrator, as in `POST /api/people`; `nil` for all other people.
    let profile: JSON?
  }

  /// Sets the password of the person to whom a link was sent. If the link is that of the first administrator, creates
  /// the person.
  ///
  /// - Throws: 401 if the link is invalid or has expired; 422 if the password or the profile is invalid.
  func setUp(_ request: SetUp, for purposes: Set<Ticket.Purpose>, _ caller: Caller) async throws -> Step {
    guard let tenant = Self.tenant(ofTicket: request.token) else { throw Self.invalidLink(purposes, actual: nil) }
    let (now, hash) = (self.now(), Secret.hash(of: request.token))
    // Links cannot be guessed. Attempts are limited nevertheless, because each wrong link costs the server work.
    let attempt = try guesses.admit("link \(hash.text)", from: nil, at: caller.address)
    let found = try await ifTenantExists {
      try await storage.view(tenant: tenant) { [settings] view throws(ThingError) -> LinkedAccount? in
        guard let ticket = try view.ticket(hash, for: purposes, at: now) else {
          let other = try view.ticket(hash, for: [.firstAdministrator, .invitation, .recovery], at: now)
          return LinkedAccount(
            person: nil, hasFactor: false, isValid: false, otherPurpose: other?.value.purpose)
        }
        guard !settings.requiringProvider.contains(tenant) || ticket.value.isFromCommand else { return nil }
        guard let id = ticket.value.personID else { return LinkedAccount(person: nil, hasFactor: false) }
        guard let person = try view.find(id, Person.self), person.value.isActive else { return nil }
        return LinkedAccount(
          person: person, hasFactor: try view.factors(of: id).contains { $0.value.form != .recoveryCodes })
      }
    }
    guard let found, found.isValid else { throw Self.invalidLink(purposes, actual: found?.otherPurpose) }
    guesses.succeeded(attempt)
    let profile = try found.person?.value ?? Self.firstAdministrator(request.profile)
    let password = try await newPassword(
      request.password, words: [profile.email?.text, profile.firstName, profile.lastName].compactMap { $0 },
      hasSecondFactor: found.hasFactor, of: tenant, from: caller.address)
    let secrets = NewSecrets(caller.transport, tenant, at: self.now())
    let result = try await storage.change(
      tenant: tenant, by: Actor(found.person.map { .person($0.id) } ?? .nobody, address: caller.address), at: now
    ) { [self] transaction throws(ThingError) -> (step: Step, ended: [UUIDv7])? in
      guard let ticket = try transaction.ticket(hash, for: purposes, at: now) else { return nil }
      try transaction.remove(ticket, action: "use")
      let person: Stored<Person>
      if let id = ticket.value.personID {
        person = try transaction.existing(id, Person.self)
        guard person.value.isActive else { return nil }
      } else {
        guard try transaction.someAdministrators().isEmpty else {
          throw .rule(
            code: "alreadySetUp", message: "there is an administrator already; sign in, or ask for an invitation")
        }
        person = try transaction.insert(profile, id: nil, action: "setUp")
      }
      let changed = try transaction.setPassword(password, of: person, action: "setPassword")
      let ended = try transaction.endSessions(of: person.id, action: "setPassword")
      if found.person?.value.passwordHash != nil {
        try notify(.passwordChanged, changed, from: caller.address, transaction)
      }
      return (try nextStep(changed, secrets, transaction, caller, tenant), ended)
    }
    guard let result else { throw Self.invalidLink(purposes, actual: nil) }
    forget(tenant, result.ended)
    return result.step
  }

  private struct LinkedAccount: Sendable {
    let person: Stored<Person>?
    let hasFactor: Bool
    /// Whether the route accepts the ticket.
    var isValid = true
    /// The purpose of the ticket if only another route accepts it; otherwise `nil`.
    var otherPurpose: Ticket.Purpose?
  }

  private static func firstAdministrator(_ json: JSON?) throws -> Person {
    var members: [String: JSON] = [:]
    if case .object(let given)? = json { members = given }
    members["roles"] = .array([.text(PersonRole.admin.rawValue)])
    do throws(FieldErrors) {
      return try Person(client: .object(members))
    } catch {
      throw ThingError.invalid(error)
    }
  }
}
