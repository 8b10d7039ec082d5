import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/auth`: sign-in, sign-out, and the set-up of accounts.
struct AuthRoutes {
  /// The beginning of all paths of these routes. Requests to them from pages of other sites are rejected.
  static let path = "/api/auth"

  /// The description of the answer to a sign-in that may need a second factor.
  static let step = Operation.Result(
    .ok, "The session, or the factors of which one is needed.", .json("SignInStep"))

  let accounts: AccountService

  var routes: [Route] {
    [login, factor, factorCode, logout, session, token, setUp, recover, reset, changePassword, reauthenticate]
  }

  // MARK: Sign-in

  private var login: Route {
    let operation = Operation(
      id: "signIn",
      summary:
        "Signs in with email address and password: begins a session with a cookie, or asks for a second factor.",
      body: .json("SignIn"),
      results: [Self.step],
      errors: [.unauthorized, .forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/login", .open, operation) { [accounts] call in
      let (email, password, tenant) = try await call.object { reader throws(JSONError) in
        (
          try Self.email(&reader), try reader.requiredString("password"),
          try Self.tenant(&reader)
        )
      }
      let caller = try call.accountCaller(.cookie)
      return try await Self.answer(
        try await accounts.signIn(email: email, password: password, tenant: tenant, caller), call, accounts)
    }
  }

  private var factor: Route {
    let operation = Operation(
      id: "answerFactor", summary: "The second step of a sign-in. A code is good once.", body: .json("FactorAnswer"),
      results: [.init(.ok, "The session.", .json("SignInStep"))], errors: [.unauthorized, .forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/factor", .open, operation) { [accounts] call in
      let step = try await call.object { reader throws(JSONError) in try SecondStep(&reader) }
      let caller = try call.accountCaller(.cookie)
      let opened =
        switch step.answer {
        case .code(let answer): try await accounts.signIn(ticket: step.ticket, answer, caller)
        case .passkey(let credential):
          try await accounts.signIn(
            passkey: credential, ticket: step.ticket, accounts.relyingParty(call.ownURL), caller)
        }
      return try await Self.answer(.signedIn(opened), call, accounts)
    }
  }

  private var factorCode: Route {
    let operation = Operation(
      id: "sendFactorCode",
      summary:
        "Sends a code by email for the second step of a sign-in, if the account has that factor. It is good once, for ten minutes; an older one of the same sign-in ends.",
      body: .json("FactorCodeRequest"), results: [.init(.accepted, "The mail is on its way.")],
      errors: [.unauthorized, .forbidden, .conflict, .tooManyRequests])
    return Route(.post, Self.path + "/factor/code", .open, operation) { [accounts] call in
      let ticket = try await call.object { reader throws(JSONError) in try reader.requiredString("ticket") }
      try await accounts.sendCode(ticket: ticket, try call.accountCaller(.cookie))
      return Answer(status: .accepted)
    }
  }

  /// The body of the request for the second step of a sign-in.
  private struct SecondStep: Sendable {
    enum Answer: Sendable {
      case code(AccountService.FactorAnswer)
      case passkey(PasskeyCredential)
    }

    let ticket: String
    let answer: Answer

    init(_ reader: inout JSONObjectReader) throws(JSONError) {
      ticket = try reader.requiredString("ticket")
      if let assertion = reader.optional("assertion") {
        _ = try reader.optionalString("kind", oneOf: [Factor.Form.passkey.rawValue])
        answer = .passkey(try PasskeyCredential(assertion))
      } else {
        answer = .code(try AuthRoutes.factorAnswer(&reader))
      }
    }
  }

  private var token: Route {
    let operation = Operation(
      id: "getAccessToken",
      summary:
        "For apps: an access token for 15 minutes, and a refresh token that is good once. A refresh token that is used twice ends the session.",
      body: .json("TokenGrant"),
      results: [.init(.ok, "The tokens, or the factors of which one is needed.", .json("TokenStep"))],
      errors: [.unauthorized, .forbidden, .tooManyRequests])
    return Route(.post, Self.path + "/token", .open, operation) { [accounts] call in
      let grant = try await call.object { reader throws(JSONError) in try Grant(&reader) }
      let caller = try call.accountCaller(.token)
      switch grant {
      case .refresh(let token):
        return try await Self.answer(.signedIn(try await accounts.refresh(token, caller)), call, accounts)
      case .password(let email, let password, let answer, let tenant):
        let step = try await accounts.signIn(
          email: email, password: password, answer: answer, tenant: tenant, caller)
        return try await Self.answer(step, call, accounts)
      case .factor(let ticket, let answer):
        let opened = try await accounts.signIn(ticket: ticket, answer, caller)
        return try await Self.answer(.signedIn(opened), call, accounts)
      }
    }
  }

  /// The credentials with which an app obtains tokens: a password, a second factor or a refresh token.
  private enum Grant: Sendable {
    case password(email: String, password: String, AccountService.FactorAnswer?, TenantID)
    case factor(ticket: String, AccountService.FactorAnswer)
    case refresh(String)

    init(_ reader: inout JSONObjectReader) throws(JSONError) {
      switch try reader.requiredString("grant", oneOf: ["password", "factor", "refresh"]) {
      case "password":
        let (email, password) = (try AuthRoutes.email(&reader), try reader.requiredString("password"))
        let tenant = try AuthRoutes.tenant(&reader)
        let answer = reader.optional("code") != nil ? try AuthRoutes.factorAnswer(&reader) : nil
        self = .password(email: email, password: password, answer, tenant)
      case "factor": self = .factor(ticket: try reader.requiredString("ticket"), try AuthRoutes.factorAnswer(&reader))
      default: self = .refresh(try reader.requiredString("refreshToken"))
      }
    }
  }

  // MARK: The session

  private var logout: Route {
    let operation = Operation(
      id: "signOut",
      summary:
        "Ends the session of this request. If the person signed in with a provider, the answer may name its page for signing out there too.",
      results: [.init(.noContent, "Signed out."), .init(.ok, "Signed out.", .json("ProviderPage"))])
    return Route(.post, Self.path + "/logout", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let ended = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: accounts.now()
      ) { transaction throws(ThingError) -> Stored<Session>? in
        guard let session = try transaction.find(signedIn.session, Session.self) else { return nil }
        try transaction.endSession(session, action: "signOut")
        return session
      }
      accounts.forget(caller.tenant, [signedIn.session])
      var answer = Answer(status: .noContent)
      if let ended, let url = await accounts.providerLogout(ended, caller.tenant) {
        answer = Answer(json: Array(JSON.object(["url": .text(url)]).canonicalText.utf8))
      }
      answer.headers.append(
        HTTPField(name: .setCookie, value: SessionCookie.session.field("", isTLS: call.client.isTLS, seconds: 0)))
      return answer
    }
  }

  private var session: Route {
    let operation = Operation(
      id: "getOwnSession", summary: "The person who has signed in, and what they may do.",
      results: [.init(.ok, "The session.", .json("SignInStep"))])
    return Route(.get, Self.path + "/session", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let (session, person) = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        (try view.existing(signedIn.session, Session.self), try view.existing(signedIn.person, Person.self))
      }
      return Answer(json: Array(JSON.object(Self.members(session, person, caller.tenant)).canonicalText.utf8))
    }
  }

  // MARK: Helper functions

  /// Reads the email address in the body of a request.
  ///
  /// - Throws: 422 if the text is longer than an email address can be (RFC 5321, 4.5.3.1).
  static func email(_ reader: inout JSONObjectReader) throws(JSONError) -> String {
    let value = try reader.required("email")
    let email = try value.requireString()
    guard email.unicodeScalars.count <= 254 else { throw value.invalid(expected: "at most 254 characters") }
    return email
  }

  static func tenant(_ reader: inout JSONObjectReader) throws(JSONError) -> TenantID {
    guard let value = reader.optional("tenant") else { return .standard }
    guard let tenant = TenantID(try value.requireString()) else {
      throw value.invalid(expected: "1 to 63 characters of a-z, 0-9 and -")
    }
    return tenant
  }

  fileprivate static func factorAnswer(
    _ reader: inout JSONObjectReader
  ) throws(JSONError) -> AccountService.FactorAnswer {
    let kind = try reader.optionalString("kind", oneOf: Factor.Form.codes.map(\.rawValue))
    let code = try reader.requiredString("code")
    // A client need not name the form of a code. A code that has the format of a recovery code is regarded as a
    // recovery code; any other code as a one-time code.
    let usual = RecoveryCodes.hash(of: code) == nil ? Factor.Form.totp : .recoveryCodes
    return .init(form: kind.flatMap { Factor.Form(rawValue: $0) } ?? usual, code: code)
  }

  /// Returns the answer to a step of a sign-in. If a session begins, the answer contains its cookie or its tokens.
  static func answer(
    _ step: AccountService.Step, _ call: Call, _ accounts: AccountService
  ) async throws -> Answer {
    switch step {
    case .newPassword(let ticket):
      return Answer(
        json: Array(JSON.object(["next": .text("newPassword"), "token": .text(ticket.text)]).canonicalText.utf8))
    case .factor(let ticket, let factors):
      let list = factors.map { factor in
        JSON.object(["id": factor.id.json, "kind": factor.value.form.json, "name": .text(factor.value.name)])
      }
      return Answer(
        json: Array(
          JSON.object(["next": .text("factor"), "ticket": .text(ticket.text), "factors": .array(list)]).canonicalText
            .utf8))
    case .signedIn(let opened):
      var members = members(opened.session, opened.person, opened.tenant)
      if let refresh = opened.refresh {
        members["accessToken"] = .text(opened.secret.text)
        members["tokenType"] = .text("Bearer")
        members["expiresIn"] = .integer(Int64(accounts.settings.limits.accessSeconds))
        members["refreshToken"] = .text(refresh.text)
      }
      var answer = Answer(json: Array(JSON.object(members).canonicalText.utf8))
      await accounts.endReplacedSession(
        try call.accountCaller(opened.refresh == nil ? .cookie : .token), by: opened)
      if opened.refresh == nil {
        let isTLS = call.client.isTLS
        answer.headers.append(
          HTTPField(
            name: .setCookie,
            value: SessionCookie.session.field(
              opened.secret.text, isTLS: isTLS, seconds: accounts.settings.limits.seconds)))
        answer.headers.append(
          HTTPField(
            name: .setCookie,
            value: SessionCookie.device.field(
              accounts.deviceProof(of: opened.person.id, opened.tenant), isTLS: isTLS, seconds: 180 * 86_400)))
      }
      return answer
    }
  }

  static func members(
    _ session: Stored<Session>, _ person: Stored<Person>, _ tenant: TenantID
  ) -> [String: JSON] {
    var members = [
      "person": person.json, "tenant": .text(tenant.text), "sessionId": session.id.json,
      "expiresAt": session.value.expiresAt.json,
      "permissions": Self.permissions(person.value.requester),
    ]
    if session.value.needsFactor { members["needsFactor"] = .bool(true) }
    return members
  }

  /// Returns the permissions of a requester as JSON: for each area, the allowed actions. The value of an action is
  /// `all`, `scope` (only things of the person's fleets) or `own` (only the person's own things).
  static func permissions(_ requester: Requester) -> JSON {
    var areas: [String: JSON] = [:]
    for area in Area.allCases {
      var actions: [String: JSON] = [:]
      for action in area.actions {
        let reach = Reach(of: requester, to: action, area)
        guard !reach.isEmpty else { continue }
        actions[action.rawValue] = .text(reach.isEverything ? "all" : reach.isOnlyOwn ? "own" : "scope")
      }
      if !actions.isEmpty { areas[area.rawValue] = .object(actions) }
    }
    return .object(areas)
  }
}

extension AccountService {
  static let wrongPassword = APIError(.unauthorized, "wrongCredentials", "the password is wrong")
}

extension Factor.Form {
  /// The forms of factors for which a person enters a code.
  static let codes: [Factor.Form] = [.totp, .recoveryCodes, .emailCode]
}
