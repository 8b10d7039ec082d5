import FleetAccess
import FleetDomain
import HTTPTypes
import Logging
import Telemetry

/// Signs people in and out, and changes their passwords.
final class AccountService: Sendable {
  let storage: any FleetStorage
  let settings: AccountSettings
  let hasher: PasswordHasher
  /// The rules for new passwords, which all servers of a process share.
  private static let policy = PasswordPolicy(common: CommonPasswords.all)
  private let authenticator: Authenticator
  private let hub: LiveHub
  let logger: Logger
  let now: TimeSource
  let guesses = GuessLimiter()
  /// The OpenID providers, by their ids.
  let providers: [String: OpenIDSource]

  init(
    storage: any FleetStorage, settings: AccountSettings, hasher: PasswordHasher, authenticator: Authenticator,
    hub: LiveHub, logger: Logger, now: @escaping TimeSource = { WallClock.now }
  ) {
    self.storage = storage
    self.now = now
    self.settings = settings
    self.hasher = hasher
    self.authenticator = authenticator
    self.hub = hub
    self.logger = logger
    providers = Dictionary(settings.providers.map { ($0.id, OpenIDSource($0)) }) { first, _ in first }
  }

  /// The browser or app that signs in.
  struct Caller: Sendable {
    let address: String?
    /// The first 200 characters of the header `User-Agent`; `nil` if the request has none.
    let agent: String?
    let transport: Session.Transport
    /// A text that proves that the person has signed in from this browser before; `nil` if the browser sent none.
    let device: String?
    /// The hash of the session cookie that the browser sent; `nil` if it sent none.
    let session: SecretHash?
  }

  /// A session that has just begun, with its secrets. Only the hashes of the secrets are stored, so that nobody can
  /// read the secrets later.
  struct Opened: Sendable {
    let session: Stored<Session>
    let person: Stored<Person>
    let tenant: TenantID
    /// The cookie or access token.
    let secret: Secret
    /// The refresh token; `nil` if the session has a cookie.
    let refresh: Secret?
    /// The session that ended because the person had too many sessions; `nil` if no session ended.
    var displaced: UUIDv7?
  }

  /// The next step of a sign-in after a correct password.
  enum Step: Sendable {
    case signedIn(Opened)
    /// A second factor is required. The array contains the factors that the person can use.
    case factor(ticket: Secret, [Stored<Factor>])
    /// The password is too short, because the account has no second factor. With the ticket, the person sets a new
    /// password.
    case newPassword(ticket: Secret)
  }

  /// The client's answer to the request for a second factor.
  struct FactorAnswer: Sendable {
    let form: Factor.Form
    let code: String
  }

  /// The secrets of a session that is about to begin.
  struct NewSecrets: Sendable {
    let id: UUIDv7
    let secret: Secret
    let refresh: Secret?
    let ticket: Secret

    init(_ transport: Session.Transport, _ tenant: TenantID, at time: Timestamp) {
      id = .random(at: time)
      secret = Secret(transport == .cookie ? .sessionCookie : .accessToken)
      refresh = transport == .cookie ? nil : Secret(refreshing: "\(tenant)/\(id.json.textValue ?? "")")
      ticket = Secret(.ticket, of: tenant.text)
    }
  }

  // MARK: Sign-in

  static let wrongCredentials = APIError(
    .unauthorized, "wrongCredentials", "the email address or the password is wrong")

  /// Checks the password of a sign-in, and returns the next step.
  ///
  /// For an unknown account, an inactive account and a wrong password, the response is the same and takes the same
  /// time.
  ///
  /// - Parameter answer: the code for the second factor, if the client sends it together with the password.
  /// - Throws: 401 if the email address, the password or the code is wrong; 429 after too many attempts.
  func signIn(
    email: String, password: String, answer: FactorAnswer? = nil, tenant: TenantID, _ caller: Caller
  ) async throws -> Step {
    guard !settings.requiringProvider.contains(tenant) else { throw Self.providerRequired }
    let address = EmailAddress(email)
    let person = try await person(address, tenant)
    let origin = person.flatMap { knownOrigin(of: $0, tenant, caller) }
    let attempt = try await admit(
      "password \(tenant) \(address?.text ?? email)", from: origin, tenant, at: caller.address)
    let hash = person?.value.passwordHash.map { PasswordHash(text: $0) }
    let client = PasswordHasher.Client(
      tenant: person.map { _ in tenant }, address: caller.address, isKnown: origin != nil)
    let isRight = try await matches(password, hash, for: client, attempt)
    guard isRight, let person, person.value.isActive else {
      try await recordRefusal(attempt, of: person?.id, "wrongPassword", tenant, caller)
      throw Self.wrongCredentials
    }
    guesses.succeeded(attempt)
    let newHash = hash?.isOutdated(hasher.cost) ?? false ? try await hasher.hash(password, for: client) : nil
    let secrets = NewSecrets(caller.transport, tenant, at: self.now())
    let step = try await storage.change(
      tenant: tenant, by: Actor(.person(person.id), address: caller.address), at: self.now()
    ) { [self] transaction throws(ThingError) in
      var present = try transaction.existing(person.id, Person.self)
      // Another request may have changed the password during the check.
      guard present.value.isActive, present.value.passwordHash == person.value.passwordHash else { return Step?.none }
      if let newHash {
        var rehashed = present.value
        rehashed.passwordHash = newHash.text
        present = try transaction.update(present, to: rehashed, action: "rehashPassword")
      }
      return try nextStep(
        present, secrets, transaction, caller, tenant, isShort: PasswordPolicy.isTooShortAlone(password))
    }
    guard let step else { throw Self.wrongCredentials }
    guard case .factor(let ticket, _) = step, let answer else { return step }
    return .signedIn(try await signIn(ticket: ticket.text, answer, caller))
  }

  /// Requests a code if the person has a second factor, or a new password if the password is too short. Otherwise,
  /// begins the session.
  ///
  /// - Parameter isShort: whether the password is allowed only with a second factor.
  func nextStep(
    _ person: Stored<Person>, _ secrets: NewSecrets, _ transaction: any FleetTransaction, _ caller: Caller,
    _ tenant: TenantID, isShort: Bool = false
  ) throws(ThingError) -> Step {
    let factors = try transaction.factors(of: person.id)
    guard !factors.contains(where: { $0.value.form != .recoveryCodes }) else {
      try transaction.issueTicket(
        .secondFactor, secrets.ticket.hash, of: person.id, seconds: settings.limits.factorSeconds,
        details: caller.transport.rawValue)
      return .factor(ticket: secrets.ticket, factors)
    }
    guard !isShort else {
      try transaction.issueTicket(
        .recovery, secrets.ticket.hash, of: person.id, seconds: settings.limits.factorSeconds, replaces: false)
      return .newPassword(ticket: secrets.ticket)
    }
    return .signedIn(try begin(person, secrets, transaction, caller, tenant))
  }

  func begin(
    _ person: Stored<Person>, _ secrets: NewSecrets, _ transaction: any FleetTransaction, _ caller: Caller,
    _ tenant: TenantID
  ) throws(ThingError) -> Opened {
    let isWithoutFactor = try !transaction.factors(of: person.id).contains { $0.value.form != .recoveryCodes }
    let (session, displaced) = try transaction.beginSession(
      NewSession(
        transport: caller.transport, secret: secrets.secret.hash, refreshSecret: secrets.refresh?.hash,
        refreshFamily: secrets.refresh?.family,
        client: caller.agent, address: caller.address,
        addressHash: Self.addressHash(caller.address, of: person.id, tenant),
        needsFactor: settings.requiringFactor.contains(tenant) && isWithoutFactor), id: secrets.id, of: person,
      settings.limits)
    return Opened(
      session: session, person: try transaction.existing(person.id, Person.self), tenant: tenant,
      secret: secrets.secret, refresh: secrets.refresh, displaced: displaced)
  }

  static let providerRequired = APIError(
    .forbidden, "providerRequired",
    "passwords are switched off here; sign in with a provider: GET \(AuthRoutes.path)/oidc")

  /// Replaces the access token and the refresh token of an app with new ones.
  ///
  /// - Throws: 401 if the refresh token is unknown, was used or revoked, or has expired.
  func refresh(_ text: String, _ caller: Caller) async throws -> Opened {
    let expired = APIError(
      .unauthorized, "expiredToken", "the refresh token was used, revoked or has expired; sign in again")
    guard let place = Secret.place(in: text, .refreshToken)?.split(separator: "/"), place.count == 2,
      let tenant = TenantID(String(place[0])), let id = UUIDv7(String(place[1]).utf8.span)
    else { throw expired }
    let (now, presented) = (self.now(), Secret.hash(of: text))
    let family = Secret.family(in: text)
    let (secret, refresh) = (Secret(.accessToken), Secret(refreshing: place.joined(separator: "/"), after: text))
    let opened = try await ifTenantExists {
      try await storage.change(tenant: tenant, by: Actor(.nobody, address: caller.address), at: now) {
        [self] transaction throws(ThingError) in
        guard let session = try transaction.find(id, Session.self), session.value.transport == .token,
          session.value.revokedAt == nil, session.value.expiresAt > now,
          session.value.lastSeenAt.adding(seconds: settings.limits.appIdleSeconds) > now,
          let person = try transaction.find(session.value.personID, Person.self), person.value.isActive,
          let renewed = try transaction.renewSession(
            session, presented: presented, of: family, by: refresh, secret: secret.hash, address: caller.address,
            settings.limits)
        else { return Opened?.none }
        return Opened(session: renewed, person: person, tenant: tenant, secret: secret, refresh: refresh)
      }
    }
    // Discard the old token, which this server may have cached. Other servers find the change in the database.
    authenticator.forget(tenant)
    guard let opened else { throw expired }
    return opened
  }

  /// Discards the cached data of ended sessions, so that this server rejects them immediately.
  func forget(_ tenant: TenantID, _ sessions: [UUIDv7]) {
    authenticator.forget(tenant)
    hub.close(Set(sessions), of: tenant)
  }

  // MARK: Passwords

  /// Checks a new password against the rules for passwords, and hashes it.
  ///
  /// - Parameter words: texts of the account that the password must not contain.
  /// - Throws: an error with status 422 if the password breaks a rule.
  func newPassword(
    _ password: String, words: [String], hasSecondFactor: Bool, of tenant: TenantID, from address: String?
  ) async throws -> PasswordHash {
    do throws(PasswordPolicy.Rejection) {
      try Self.policy.check(password, words: words + [settings.serviceName], hasSecondFactor: hasSecondFactor)
    } catch {
      throw ThingError.invalid(FieldErrors([FieldError("password", error.message)]))
    }
    return try await hasher.hash(password, for: .init(tenant: tenant, address: address, isKnown: true))
  }

  /// Returns whether a password is correct for a person who has already signed in.
  ///
  /// - Throws: 429 after too many attempts.
  func confirm(_ password: String, of person: UUIDv7, _ tenant: TenantID, _ caller: Caller) async throws -> Bool {
    let attempt = try await admit("confirm \(tenant) \(person)", from: nil, tenant, at: caller.address)
    let stored = try await checking(attempt) {
      try await storage.view(tenant: tenant) { view throws(ThingError) in try view.existing(person, Person.self) }
    }
    let hash = stored.value.passwordHash.map { PasswordHash(text: $0) }
    let client = PasswordHasher.Client(tenant: tenant, address: caller.address, isKnown: true)
    guard try await matches(password, hash, for: client, attempt) else {
      try await recordRefusal(attempt, of: person, "wrongPassword", tenant, caller)
      return false
    }
    guesses.succeeded(attempt)
    return true
  }

  /// Compares a password with a stored hash. If the server cannot compare them, for example because it is overloaded,
  /// the attempt does not count as a wrong one. Otherwise, an overload would lock people out of their accounts.
  private func matches(
    _ password: String, _ hash: PasswordHash?, for client: PasswordHasher.Client, _ attempt: GuessLimiter.Attempt
  ) async throws -> Bool {
    do {
      return try await hasher.matches(password, hash, for: client)
    } catch {
      guesses.succeeded(attempt)
      throw error
    }
  }

  // MARK: Attempts

  /// Runs the database work that belongs to an attempt to sign in or to confirm a password. If the database fails, the
  /// attempt does not count as a wrong one, as in ``matches(_:_:for:_:)``.
  func checking<Value>(_ attempt: GuessLimiter.Attempt, _ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch ThingError.storage(let error) {
      guesses.succeeded(attempt)
      throw ThingError.storage(error)
    }
  }

  /// Admits an attempt if neither this server's counters nor the counters in the database exceed their limits.
  ///
  /// - Throws: 429 if a limit is exceeded.
  func admit(
    _ account: String, from origin: KnownOrigin?, _ tenant: TenantID, at address: String?
  ) async throws -> GuessLimiter.Attempt {
    let attempt = try guesses.admit(account, from: origin, at: address)
    let seconds = try await checking(attempt) {
      try await ifTenantExists {
        try await storage.view(tenant: tenant) { view throws(ThingError) in
          try view.secondsUntilAllowed(attempt, at: self.now())
        }
      }
    }
    guard let seconds else { return attempt }
    guesses.succeeded(attempt)
    throw GuessLimiter.refusal(seconds)
  }

  /// Ends the session whose cookie the browser sent with a sign-in, because the new session's cookie replaces this
  /// cookie in the browser. Also closes the connections of a session that ended because the person had too many
  /// sessions.
  func endReplacedSession(_ caller: Caller, by opened: Opened) async {
    if let displaced = opened.displaced { forget(opened.tenant, [displaced]) }
    guard caller.transport == .cookie, let old = caller.session, old != opened.secret.hash else { return }
    do {
      guard case .person(let signedIn, let tenant)? = try await storage.principals([old])[old], !signedIn.isRevoked
      else { return }
      try await storage.change(
        tenant: tenant, by: Actor(.person(signedIn.person), address: caller.address), at: self.now()
      ) { transaction throws(ThingError) in
        guard let session = try transaction.find(signedIn.session, Session.self) else { return }
        try transaction.endSession(session, action: "replace")
      }
      forget(tenant, [signedIn.session])
    } catch {
      logger.warning("cannot end a session that another sign-in replaced: \(error)")
    }
  }

  // MARK: Helper functions

  /// Returns the tenant to which a ticket belongs; `nil` if the text is not a ticket.
  static func tenant(ofTicket text: String) -> TenantID? {
    Secret.place(in: text, .ticket).flatMap { TenantID($0) }
  }

  func person(_ email: EmailAddress?, _ tenant: TenantID) async throws -> Stored<Person>? {
    guard let email else { return nil }
    return try await ifTenantExists {
      try await storage.view(tenant: tenant) { view throws(ThingError) in try view.person(email) }
    }
  }

  /// Runs work for a tenant that an unauthenticated client has named; returns `nil` if the tenant does not exist.
  func ifTenantExists<Value>(_ work: () async throws -> Value?) async throws -> Value? {
    do {
      return try await work()
    } catch ThingError.storage(let error) where error.kind == .notFound {
      return nil
    }
  }

  /// Counts a wrong password or code, and records it in the audit if the account exists.
  func recordRefusal(
    _ attempt: GuessLimiter.Attempt, of person: UUIDv7?, _ reason: String, _ tenant: TenantID, _ caller: Caller
  ) async throws {
    _ = try await ifTenantExists {
      try await storage.change(tenant: tenant, by: Actor(.nobody, address: caller.address), at: self.now()) {
        transaction throws(ThingError) in
        try transaction.countWrong(attempt)
        guard let person else { return }
        try transaction.record(
          "signInRefused", kind: Person.names.one, thing: person, details: ["reason": .text(reason)])
      }
    }
  }
}
