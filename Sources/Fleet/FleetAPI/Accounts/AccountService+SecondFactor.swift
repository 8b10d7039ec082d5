import FleetAccess
import FleetDomain
import Telemetry

extension AccountService {
  static let factorRequired = APIError(
    .forbidden, "factorRequired",
    "a second factor is required here; add one: POST /api/factors, or POST \(AuthRoutes.path)/passkeys/registration")

  /// Number of wrong codes after which a ticket becomes invalid.
  private static let mostAnswers: Int64 = 5

  static let wrongFactor = APIError(.unauthorized, "wrongFactor", "the code is wrong, was used before, or has expired")
  static let expiredTicket = APIError(
    .unauthorized, "expiredTicket", "this sign-in has expired or was finished; begin again with the password")

  /// Checks the code for the second factor, and begins the session.
  ///
  /// - Parameter ticket: the ticket that the first step of the sign-in returned (``Step/factor(ticket:_:)``).
  /// - Throws: 401 if the ticket or the code is not valid; 429 after too many attempts.
  func signIn(ticket text: String, _ answer: FactorAnswer, _ caller: Caller) async throws -> Opened {
    guard let tenant = Self.tenant(ofTicket: text) else { throw Self.expiredTicket }
    let hash = Secret.hash(of: text)
    let now = self.now()
    guard
      let owner = try await ifTenantExists({
        try await storage.view(tenant: tenant) { view throws(ThingError) -> Stored<Person>? in
          guard let id = try view.ticket(hash, for: [.secondFactor], at: now)?.value.personID else { return nil }
          return try view.find(id, Person.self)
        }
      })
    else { throw Self.expiredTicket }
    let person = owner.id
    let attempt = try await admit(
      "factor \(tenant) \(person)", from: knownOrigin(of: owner, tenant, caller), tenant, at: caller.address)
    let secrets = NewSecrets(caller.transport, tenant, at: self.now())
    enum Outcome: Sendable {
      case opened(Opened)
      case wrong, expired
    }
    let check: @Sendable (any FleetTransaction) throws(ThingError) -> Outcome = {
      [self] transaction throws(ThingError) in
      guard let ticket = try transaction.ticket(hash, for: [.secondFactor], at: now),
        ticket.value.details == caller.transport.rawValue, let person = try transaction.find(person, Person.self),
        person.value.isActive
      else { return Outcome.expired }
      guard try accepts(answer, of: person.id, ticket, tenant, transaction) else {
        var counted = ticket.value
        counted.attempts += 1
        if counted.attempts >= Self.mostAnswers {
          try transaction.remove(ticket, action: "tooManyAnswers")
        } else {
          try transaction.update(ticket, to: counted, action: "wrongAnswer")
        }
        try transaction.record(
          "signInRefused", kind: Person.names.one, thing: person.id, details: ["reason": .text("wrongFactor")])
        try transaction.countWrong(attempt)
        return .wrong
      }
      try transaction.remove(ticket, action: "use")
      return .opened(try begin(person, secrets, transaction, caller, tenant))
    }
    let outcome = try await checking(attempt) {
      try await storage.change(
        tenant: tenant, by: Actor(.person(person), address: caller.address), at: now, check)
    }
    switch outcome {
    case .expired: throw Self.expiredTicket
    case .wrong: throw Self.wrongFactor
    case .opened(let opened):
      guesses.succeeded(attempt)
      return opened
    }
  }

  /// Returns whether the code for a second factor is correct. A correct code is marked as used and not accepted again.
  private func accepts(
    _ answer: FactorAnswer, of person: UUIDv7, _ ticket: Stored<Ticket>, _ tenant: TenantID,
    _ transaction: any FleetTransaction
  ) throws(ThingError) -> Bool {
    for factor in try transaction.factors(of: person) where factor.value.form == answer.form {
      var used = factor.value
      used.lastUsedAt = transaction.now
      switch answer.form {
      case .totp:
        guard let secret = seed(of: factor),
          let step = TOTP(secret: secret).acceptedStep(for: answer.code, at: transaction.now, after: used.counter)
        else { continue }
        used.counter = step
      case .recoveryCodes:
        guard let hash = RecoveryCodes.hash(of: answer.code)?.text,
          var left = factor.value.secret?.split(separator: " "),
          let place = left.firstIndex(where: { $0 == hash })
        else { continue }
        left.remove(at: place)
        used.secret = left.joined(separator: " ")
        used.counter = Int64(left.count)
      case .emailCode:
        guard mayUseEmailCodes(tenant),
          try transaction.acceptEmailCode(answer.code, for: Self.place(of: ticket), settings.secretKeys)
        else { continue }
      case .passkey: continue
      }
      try transaction.update(factor, to: used, action: "use")
      return true
    }
    return false
  }

  /// Returns the secret of a factor's one-time codes; `nil` if the key that encrypted it is missing.
  func seed(of factor: Stored<Factor>) -> [UInt8]? {
    factor.value.secret.flatMap { settings.secretKeys.open($0, for: SecretPlace.factor(factor.id)) }
  }
}
