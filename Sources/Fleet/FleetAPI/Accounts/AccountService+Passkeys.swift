import FleetAccess
import FleetDomain
import JSONText
import Telemetry

/// An authenticator's answer, which the browser sends as JSON (WebAuthn Level 3, section 5.1, `toJSON()`).
struct PasskeyCredential: Sendable {
  let id: [UInt8]
  let clientData: [UInt8]
  /// The attestation object of a registration; `nil` in a sign-in.
  let attestation: [UInt8]?
  /// The assertion of a sign-in; `nil` in a registration.
  let assertion: Passkey.Assertion?

  /// Reads the authenticator's answer from a request.
  ///
  /// - Throws: an error with status 422 if a member is missing or invalid.
  init(_ value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    id = try Self.bytes(&reader, "rawId")
    var response = try reader.requiredObject("response")
    let clientData = try Self.bytes(&response, "clientDataJSON")
    self.clientData = clientData
    if response.optional("attestationObject") != nil {
      attestation = try Self.bytes(&response, "attestationObject")
      assertion = nil
    } else {
      attestation = nil
      let handle = response.optional("userHandle").flatMap { $0.isNull ? nil : $0.string }
      assertion = Passkey.Assertion(
        clientData: clientData, authenticatorData: try Self.bytes(&response, "authenticatorData"),
        signature: try Self.bytes(&response, "signature"), userHandle: handle.flatMap { Base64URL.bytes($0) })
    }
    // Ignore unknown members, because new versions of browsers add some.
  }

  private static func bytes(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> [UInt8] {
    let value = try reader.required(key)
    guard let bytes = Base64URL.bytes(try value.requireString()), !bytes.isEmpty else {
      throw value.invalid(expected: "bytes in base64url")
    }
    return bytes
  }
}

extension AccountService {
  static let wrongPasskey = APIError(
    .unauthorized, "wrongPasskey", "this passkey is not accepted; use another one, or the password")

  /// Returns the web site to which passkeys are bound.
  ///
  /// - Parameter ownURL: the URL of the server, as the client used it.
  func relyingParty(_ ownURL: String) -> RelyingParty {
    let url = settings.publicURL ?? ownURL
    let host = url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
    let name = host.hasPrefix("[") ? host : host.prefix { $0 != ":" }
    let scheme = url.prefix { $0 != ":" }
    return RelyingParty(id: String(name), origins: ["\(scheme)://\(host)"])
  }

  /// Returns the options with which a browser creates a passkey (section 5.4).
  func registrationOptions(
    _ person: Stored<Person>, _ factors: [Stored<Factor>], tenant: TenantID, _ relyingParty: RelyingParty
  ) -> JSON {
    let challenge = PasskeyChallenge(
      .registration(person.id), tenant: tenant, at: self.now(), settings.secretKeys)
    let known = factors.compactMap { factor in
      factor.value.credentialID.map { JSON.object(["type": .text("public-key"), "id": .text($0)]) }
    }
    return .object([
      "publicKey": .object([
        "challenge": .text(Base64URL.text(challenge.bytes)),
        "rp": .object(["id": .text(relyingParty.id), "name": .text(settings.serviceName)]),
        "user": .object([
          "id": .text(Base64URL.text(Self.handle(of: person.id))), "name": .text(person.value.email?.text ?? ""),
          "displayName": .text("\(person.value.firstName) \(person.value.lastName)"),
        ]),
        "pubKeyCredParams": .array(
          PasskeyPublicKey.algorithms.map { .object(["type": .text("public-key"), "alg": .integer($0)]) }),
        "excludeCredentials": .array(known), "timeout": .integer(Int64(PasskeyChallenge.seconds) * 1_000),
        "attestation": .text("none"),
        "authenticatorSelection": .object([
          "residentKey": .text("required"), "requireResidentKey": .bool(true), "userVerification": .text("required"),
        ]),
      ])
    ])
  }

  /// Returns the options with which a browser signs in with any passkey of this site (section 5.5).
  func signInOptions(tenant: TenantID, _ relyingParty: RelyingParty) -> JSON {
    let challenge = PasskeyChallenge(.signIn, tenant: tenant, at: self.now(), settings.secretKeys)
    return .object([
      "publicKey": .object([
        "challenge": .text(Base64URL.text(challenge.bytes)), "rpId": .text(relyingParty.id),
        "timeout": .integer(Int64(PasskeyChallenge.seconds) * 1_000), "userVerification": .text("required"),
        "allowCredentials": .array([]),
      ])
    ])
  }

  /// Adds a passkey as a factor of the person who is signed in.
  ///
  /// - Throws: 401 if the authenticator's response is invalid.
  func addPasskey(
    _ credential: PasskeyCredential, name: String, _ identity: Identity, _ signedIn: SignedIn,
    _ relyingParty: RelyingParty, from address: String?
  ) async throws -> Stored<Factor> {
    let now = self.now()
    guard let attestation = credential.attestation,
      let challenge = PasskeyChallenge(
        clientData: credential.clientData, for: .registration(signedIn.person), at: now, settings.secretKeys),
      challenge.tenant == identity.tenant
    else { throw Self.wrongPasskey }
    let passkey: Passkey
    do throws(PasskeyError) {
      passkey = try Passkey(
        registering: credential.clientData, attestation: attestation, credentialId: credential.id,
        challenge: challenge.bytes, relyingParty)
    } catch {
      logger.info("a passkey was not added: \(error.kind) \(error.detail)")
      throw Self.wrongPasskey
    }
    let factor = Factor(passkey, name: name, of: signedIn.person)
    let stored = try await storage.change(
      tenant: identity.tenant, by: identity.actor(from: address), at: now
    ) { [self] transaction throws(ThingError) -> Stored<Factor>? in
      guard try transaction.use(challenge) else { return nil }
      let present = try transaction.factors(of: signedIn.person)
      guard present.count < FactorRoutes.most else {
        throw .rule(
          code: "limitReached", message: "one person has at most \(FactorRoutes.most) factors; remove one first")
      }
      let person = try transaction.existing(signedIn.person, Person.self)
      try notify(.factorAdded, person, item: name, from: address, transaction)
      if signedIn.needsFactor { try transaction.allowEverything(to: signedIn.session) }
      return try transaction.insert(factor)
    }
    guard let stored else { throw Self.wrongPasskey }
    // Discard the cached session, because its rights have changed.
    if signedIn.needsFactor { forget(identity.tenant, []) }
    return stored
  }

  /// Signs in with a passkey. No password is needed: the person has the authenticator, which has verified the person.
  ///
  /// - Parameter ticket: the ticket of a sign-in whose second factor is the passkey; the passkey must belong to the
  ///   same person. `nil` if the sign-in begins with the passkey.
  /// - Throws: 401 if the passkey or the ticket is not accepted; 429 after too many attempts.
  func signIn(
    passkey credential: PasskeyCredential, ticket: String? = nil, _ relyingParty: RelyingParty, _ caller: Caller
  ) async throws -> Opened {
    let now = self.now()
    let account = "passkey \(Base64URL.text(credential.id))"
    guard let assertion = credential.assertion,
      let challenge = PasskeyChallenge(
        clientData: credential.clientData, for: .signIn, at: now, settings.secretKeys)
    else {
      // Only this server counts the attempt; the database cannot count it, because the tenant is unknown.
      _ = try guesses.admit(account, from: nil, at: caller.address)
      throw Self.wrongPasskey
    }
    let tenant = challenge.tenant
    let attempt = try await admit(account, from: nil, tenant, at: caller.address)
    let credentialID = Base64URL.text(credential.id)
    let secrets = NewSecrets(caller.transport, tenant, at: self.now())
    enum Outcome: Sendable {
      case opened(Opened)
      case refused(String)
    }
    let check: @Sendable (any FleetTransaction) throws(ThingError) -> Outcome? = {
      [self] transaction throws(ThingError) in
      guard
        let factor = try transaction.first(
          ThingQuery<Factor>(.oneOf(key: "credentialId", [.text(credentialID)]))),
        var passkey = factor.value.passkey,
        let person = try transaction.find(factor.value.personID, Person.self), person.value.isActive
      else { return .refused("unknown") }
      do throws(PasskeyError) {
        try passkey.use(
          assertion, userHandle: Self.handle(of: person.id), isPersonKnown: false, challenge: challenge.bytes,
          relyingParty)
      } catch {
        try transaction.record(
          "signInRefused", kind: Person.names.one, thing: person.id, details: ["reason": .text("wrongPasskey")])
        return .refused("\(error.kind) \(error.detail)")
      }
      guard try transaction.use(challenge) else { return .refused("the challenge was used before") }
      if let ticket {
        guard let stored = try transaction.ticket(Secret.hash(of: ticket), for: [.secondFactor], at: now),
          stored.value.personID == person.id
        else { return .refused("the ticket is of another person, was used, or has expired") }
        try transaction.remove(stored, action: "use")
      }
      var used = factor.value
      used.store(passkey)
      used.lastUsedAt = now
      try transaction.update(factor, to: used, action: "use")
      return .opened(try begin(person, secrets, transaction, caller, tenant))
    }
    let outcome = try await checking(attempt) {
      try await ifTenantExists {
        try await storage.change(tenant: tenant, by: Actor(.nobody, address: caller.address), at: now, check)
      }
    }
    switch outcome {
    case .opened(let opened)?:
      guesses.succeeded(attempt)
      return opened
    case .refused(let reason)?:
      logger.info("a passkey was refused: \(reason)")
      try await recordRefusal(attempt, of: nil, "wrongPasskey", tenant, caller)
      throw Self.wrongPasskey
    case nil: throw Self.wrongPasskey
    }
  }

  /// Returns the user handle that authenticators store for a person: the 16 bytes of the person's id.
  static func handle(of person: UUIDv7) -> [UInt8] {
    [person.high, person.low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
  }
}
