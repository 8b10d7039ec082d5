import FleetAccess
import FleetDomain
import Telemetry

/// Signing in with an account at an OpenID provider (OpenID Connect Core 1.0, code flow with PKCE).
extension AccountService {
  /// The query parameters in the URL to which a provider redirects the browser after a sign-in.
  struct ProviderAnswer: Sendable {
    var code: String?
    var state: String?
    var issuer: String?
    /// The provider's error code; `nil` if the sign-in succeeded.
    var error: String?
  }

  /// The result of a sign-in at a provider.
  enum ProviderStep: Sendable {
    case signedIn(Opened, returnTo: String)
    case linked(returnTo: String)
  }

  /// Returns the OpenID provider whose id is `id`.
  ///
  /// - Throws: 404 if there is no such provider.
  func source(_ id: String) throws(APIError) -> OpenIDSource {
    guard let source = providers[id] else { throw .notFound("no provider \(quoted(id))") }
    return source
  }

  private func redirect(_ provider: OpenIDProvider) -> String {
    "\(settings.publicURL ?? "")\(AuthRoutes.path)/oidc/\(provider.id)/callback"
  }

  /// Begins a sign-in at a provider, or the linking of a provider's identity to an account. Returns the provider's URL
  /// to which the browser must go.
  ///
  /// - Parameters:
  ///   - person: the person to whose account the provider's identity will be linked; `nil` for a sign-in.
  ///   - browser: the secret in the cookie of the browser that makes this request.
  /// - Throws: 503 if the provider does not answer.
  func begin(
    _ source: OpenIDSource, returnTo: String, person: UUIDv7?, browser: String
  ) async throws -> String {
    let provider = source.provider
    let state = OpenIDState(provider.id, returnTo: returnTo, person: person, browser: browser, at: self.now())
    let description: OpenIDSource.Description
    do throws(OpenIDError) {
      description = try await source.describe()
    } catch {
      throw unavailable(provider, error)
    }
    let query = [
      ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", redirect(provider)),
      ("scope", "openid email profile"), ("state", state.sealed(settings.secretKeys)), ("nonce", state.nonce),
      ("code_challenge", state.challenge), ("code_challenge_method", "S256"),
    ].map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
    return description.authorization + (description.authorization.contains("?") ? "&" : "?") + query
  }

  private func unavailable(_ provider: OpenIDProvider, _ error: OpenIDError) -> APIError {
    logger.warning("provider \(provider.id): \(error)")
    return APIError(
      .serviceUnavailable, "providerUnavailable", "\(provider.name) cannot be reached at this moment; try again",
      retryAfter: 10)
  }

  /// Completes a sign-in at a provider, or links the provider's identity to a person.
  ///
  /// - Parameter browser: the secret in the browser's cookie; `nil` if the browser has no such cookie.
  /// - Throws: 401 if the provider's answer is not accepted; 403 if no person has the identity and no account may be
  ///   created for it; 409 if the identity or its email address belongs to another person; 429 if the browser, or
  ///   the client's address, has failed too often; 503 if the provider cannot be reached.
  func finish(
    _ source: OpenIDSource, _ answer: ProviderAnswer, browser: String?, _ caller: Caller
  ) async throws -> ProviderStep {
    let provider = source.provider
    // Count only failures that the client caused, because all people of a company may have the same address.
    let origin = callbackOrigin(caller, provider)
    try guesses.admitCallback(from: origin)
    do {
      let step = try await step(source, answer, browser, caller, origin)
      guesses.callbackSucceeded(from: origin)
      return step
    } catch let error as APIError {
      guesses.callbackSucceeded(from: origin)
      throw error
    } catch let error as OpenIDError {
      if !error.isClientsFault { guesses.callbackSucceeded(from: origin) }
      logger.info("provider \(provider.id): a sign-in was refused: \(error)")
      let kind = error.kind.rawValue
      _ = try await ifTenantExists {
        try await storage.change(
          tenant: provider.tenant, by: Actor(.nobody, address: caller.address), at: self.now()
        ) { transaction throws(ThingError) in
          try transaction.record(
            "signInRefused", kind: LinkedIdentity.names.one, thing: nil,
            details: ["reason": .text(kind), "provider": .text(provider.id)])
        }
      }
      throw refusal(error, provider)
    }
  }

  private func callbackOrigin(_ caller: Caller, _ provider: OpenIDProvider) -> CallbackOrigin {
    knownDevice(caller, of: provider.tenant).map { .device(owner: $0.owner) } ?? .address(caller.address)
  }

  private func refusal(_ error: OpenIDError, _ provider: OpenIDProvider) -> APIError {
    switch error.kind {
    case .unreachable, .badProvider: unavailable(provider, error)
    case .noAccount:
      APIError(
        .forbidden, "noAccount",
        "this account at \(provider.name) belongs to nobody here; ask an administrator, or sign in and link it")
    case .conflict:
      APIError(
        .conflict, "identityInUse",
        "the account at \(provider.name), or its email address, belongs to another person here; sign in as that person and link it"
      )
    default:
      APIError(
        .unauthorized, "providerSignInFailed", "the sign-in at \(provider.name) was not accepted; begin again")
    }
  }

  private func step(
    _ source: OpenIDSource, _ answer: ProviderAnswer, _ browser: String?, _ caller: Caller, _ origin: CallbackOrigin
  ) async throws -> ProviderStep {
    let provider = source.provider
    guard let text = answer.state,
      let state = OpenIDState(text, settings.secretKeys, browser: browser, at: self.now()),
      state.provider == provider.id, try await isFirstUse(text, of: state, provider)
    else { throw OpenIDError(.wrongState, "another browser began it, or it is over") }
    let description = try await source.describe()
    // Reject an answer that another provider has issued (RFC 9207).
    guard answer.issuer.map({ isIssuer($0, of: provider) }) ?? !description.namesIssuer else {
      throw OpenIDError(.wrongIssuer, "the answer is of another issuer, or names none")
    }
    if let error = answer.error { throw OpenIDError(.cancelled, "the provider says \(quoted(error))") }
    guard let code = answer.code, !code.isEmpty else { throw OpenIDError(.refused, "there is no code") }
    let (token, accessToken) = try await source.redeem(
      code, verifier: state.verifier, redirect: redirect(provider), from: origin)
    let identity = try OpenIDIdentity(
      idToken: token, try await source.keys(for: token), of: provider, nonce: state.nonce, accessToken: accessToken,
      at: self.now())
    if let person = state.person {
      try await link(identity, provider, to: person, caller)
      return .linked(returnTo: state.returnTo)
    }
    return .signedIn(try await open(identity, provider, caller), returnTo: state.returnTo)
  }

  private func isIssuer(_ text: String, of provider: OpenIDProvider) -> Bool {
    provider.isTemplate
      ? provider.allowedTenants.contains { provider.issuer(ofDirectory: $0) == text } : text == provider.issuer
  }

  /// Marks the state of a sign-in as used; returns `false` if it was used before.
  private func isFirstUse(_ text: String, of state: OpenIDState, _ provider: OpenIDProvider) async throws -> Bool {
    try await ifTenantExists {
      try await storage.change(tenant: provider.tenant, by: Actor(.nobody), at: self.now()) {
        transaction throws(ThingError) in
        try transaction.useOnce(text, .openID, until: state.expiresAt)
      }
    } ?? false
  }

  // MARK: Accounts

  private func open(
    _ identity: OpenIDIdentity, _ provider: OpenIDProvider, _ caller: Caller
  ) async throws -> Opened {
    let now = self.now()
    let secrets = NewSecrets(.cookie, provider.tenant, at: now)
    let result: (outcome: Result<Opened, OpenIDError>, ended: [UUIDv7])? = try await ifTenantExists {
      try await storage.change(tenant: provider.tenant, by: Actor(.nobody, address: caller.address), at: now) {
        [self] transaction throws(ThingError) -> (outcome: Result<Opened, OpenIDError>, ended: [UUIDv7])? in
        let linked: Stored<LinkedIdentity>
        if let known = try transaction.identity(identity) {
          linked = known
        } else {
          guard !provider.isLinkOnly, let person = Self.newPerson(identity, provider), let email = person.email else {
            return (.failure(OpenIDError(.noAccount, "unknown, and not allowed to make an account")), [])
          }
          guard try transaction.person(email) == nil else {
            return (.failure(OpenIDError(.conflict, "a person has the address already")), [])
          }
          do throws(ThingError) {
            try transaction.requireRoom(
              for: ThingQuery<Person>(), most: settings.mostPeople, setting: "limits.people")
          } catch {
            guard case .rule = error else { throw error }
            return (.failure(OpenIDError(.noAccount, "the tenant has the maximum number of people")), [])
          }
          let added = try transaction.insert(person, id: nil, action: "signUp")
          linked = try transaction.link(identity, provider, to: added.id)
        }
        guard var person = try transaction.find(linked.value.personID, Person.self), person.value.isActive else {
          return (.failure(OpenIDError(.noAccount, "the person is not active")), [])
        }
        var ended: [UUIDv7] = []
        if provider.setsRoles {
          let roles = provider.roles(for: identity.claims, verifiedEmail: identity.verifiedEmail)
          (person, ended) = try transaction.setRoles(roles, of: person, by: provider)
          guard !person.value.roles.isEmpty else {
            return (.failure(OpenIDError(.noAccount, "the provider gives the person no role")), ended)
          }
        }
        var used = linked.value
        used.lastUsedAt = now
        used.clientSubject = identity.clientSubject ?? used.clientSubject
        try transaction.update(linked, to: used, action: "use")
        let (session, displaced) = try transaction.beginSession(
          NewSession(
            transport: .cookie, secret: secrets.secret.hash, client: caller.agent, address: caller.address,
            addressHash: Self.addressHash(caller.address, of: person.id, provider.tenant), identity: linked.id,
            providerSession: identity.session), id: secrets.id, of: person, settings.limits)
        let opened = Opened(
          session: session, person: try transaction.existing(person.id, Person.self), tenant: provider.tenant,
          secret: secrets.secret, refresh: nil, displaced: displaced)
        return (.success(opened), ended)
      }
    }
    guard let result else { throw OpenIDError(.noAccount, "the tenant of the provider does not exist") }
    if !result.ended.isEmpty { forget(provider.tenant, result.ended) }
    return try result.outcome.get()
  }

  /// Creates a person from the claims of an identity that signs in for the first time; `nil` if no account may be
  /// created.
  private static func newPerson(_ identity: OpenIDIdentity, _ provider: OpenIDProvider) -> Person? {
    let roles = provider.roles(for: identity.claims, verifiedEmail: identity.verifiedEmail)
    guard !roles.isEmpty, let email = identity.email else { return nil }
    func name(_ key: String) -> String? {
      identity.claims[key]?.textValue.flatMap { $0.isEmpty ? nil : String($0.prefix(100)) }
    }
    let local = email.text.prefix { $0 != "@" }
    var members: [String: JSON] = [
      "email": email.json, "roles": .array(roles.map(\.json)),
      "firstName": .text(name("given_name") ?? name("name") ?? String(local)),
      "lastName": .text(name("family_name") ?? "-"),
    ]
    if let locale = name("locale") { members["locale"] = .text(locale) }
    if let person = try? Person(client: .object(members)) { return person }
    members["locale"] = nil
    return try? Person(client: .object(members))
  }

  private func link(
    _ identity: OpenIDIdentity, _ provider: OpenIDProvider, to id: UUIDv7, _ caller: Caller
  ) async throws {
    let isLinked = try await storage.change(
      tenant: provider.tenant, by: Actor(.person(id), address: caller.address), at: self.now()
    ) { [self] transaction throws(ThingError) in
      guard let person = try transaction.find(id, Person.self), person.value.isActive,
        try transaction.identity(identity) == nil
      else { return false }
      let linked = try transaction.link(identity, provider, to: id)
      let name = linked.value.name.map { "\(provider.name): \($0)" } ?? provider.name
      try notify(.factorAdded, person, item: name, from: caller.address, transaction)
      return true
    }
    guard isLinked else { throw OpenIDError(.conflict, "the identity is linked already") }
  }
}

extension FleetView {
  /// Returns the stored identity to which a token refers; `nil` if no person has it.
  func identity(_ identity: OpenIDIdentity) throws(ThingError) -> Stored<LinkedIdentity>? {
    guard let subject = identity.subject else {
      guard let subject = identity.clientSubject else { return nil }
      return try first(
        ThingQuery<LinkedIdentity>(
          .oneOf(key: "issuer", [.text(identity.issuer)]), .oneOf(key: "clientSubject", [.text(subject)])))
    }
    return try first(
      ThingQuery<LinkedIdentity>(
        .oneOf(key: "issuer", [.text(identity.issuer)]), .oneOf(key: "subject", [.text(subject)])))
  }

  /// Returns the active sessions to which a logout token refers. The token names an account, a session at the provider,
  /// or both.
  func sessions(
    of identity: OpenIDIdentity, _ provider: OpenIDProvider
  ) throws(ThingError) -> [Stored<Session>] {
    var query = ThingQuery<Session>(.oneOf(key: "revokedAt", [.null]), limit: 1_000)
    if let linked = try self.identity(identity) {
      query.conditions.append(.oneOf(key: "identityId", [linked.id.json]))
    } else if identity.subject != nil || identity.session == nil {
      return []
    }
    if let session = identity.session {
      query.conditions.append(.oneOf(key: "providerSession", [.text(session)]))
    }
    var found: [Stored<Session>] = []
    for session in try list(query).items {
      guard let id = session.value.identityID, let linked = try find(id, LinkedIdentity.self),
        linked.value.issuer == identity.issuer, linked.value.provider == provider.id
      else { continue }
      found.append(session)
    }
    return found
  }
}

extension FleetTransaction {
  /// Gives a person the roles that a provider's token contains. If the person loses a role, all their sessions end.
  ///
  /// If the person is the tenant's last administrator, the person stays an administrator even if the token lacks that
  /// role. The audit records this.
  ///
  /// - Returns: the changed person, and the ids of the sessions that ended.
  fileprivate func setRoles(
    _ roles: [PersonRole], of person: Stored<Person>, by provider: OpenIDProvider
  ) throws(ThingError) -> (person: Stored<Person>, ended: [UUIDv7]) {
    var changed = person.value
    changed.roles = roles
    if !roles.contains(.admin), person.value.roles.contains(.admin) {
      do throws(ThingError) {
        try requireAnotherAdministrator(than: person)
      } catch {
        guard case .rule = error else { throw error }
        changed.roles = [.admin] + roles
        try record(
          "lastAdministratorKept", kind: Person.names.one, thing: person.id, details: ["provider": .text(provider.id)])
      }
    }
    guard Set(changed.roles) != Set(person.value.roles) else { return (person, []) }
    let stored = try update(person, to: changed, action: "setRoles")
    guard Set(changed.roles).isSuperset(of: person.value.roles) else {
      return (stored, try endSessions(of: person.id, action: "setRoles"))
    }
    // Close live connections, because they were opened with fewer rights. Clients then connect again.
    try announceEnd(of: try activeSessions(of: person.id))
    return (stored, [])
  }

  fileprivate func link(
    _ identity: OpenIDIdentity, _ provider: OpenIDProvider, to person: UUIDv7
  ) throws(ThingError) -> Stored<LinkedIdentity> {
    var linked = LinkedIdentity()
    linked.personID = person
    linked.provider = provider.id
    linked.issuer = identity.issuer
    linked.subject = identity.subject ?? ""
    linked.clientSubject = identity.clientSubject
    linked.name = identity.email?.text
    return try insert(linked, id: nil, action: "link")
  }
}
