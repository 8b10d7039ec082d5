import FleetAccess
import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/auth/oidc` and `/api/identities`: the routes for signing in with accounts at OpenID providers.
struct ProviderRoutes {
  let accounts: AccountService

  private static let path = AuthRoutes.path + "/oidc"
  private static let identities = "/api/identities"

  var routes: [Route] { [list, begin, callback, link, logout, listIdentities, unlink] }

  private var list: Route {
    let operation = Operation(
      id: "listProviders", summary: "The providers with which people of a tenant can sign in.",
      parameters: [.query("tenant", "Absent: `default`.", #"{"type":"string"}"#)],
      results: [.init(.ok, "The providers.", .json("ProviderList"))])
    return Route(.get, Self.path, .open, operation) { [accounts] call in
      let tenant = call.query["tenant"] ?? TenantID.standard.text
      var list = ListBody()
      for source in accounts.providers.values.sorted(by: { $0.provider.id < $1.provider.id })
      where source.provider.tenant.text == tenant {
        let provider = source.provider
        list.append(
          JSON.object([
            "id": .text(provider.id), "name": .text(provider.name), "url": .text("\(Self.path)/\(provider.id)"),
          ]).canonicalText.utf8)
      }
      return Answer(json: list.finish())
    }
  }

  private var begin: Route {
    let operation = Operation(
      id: "beginProviderSignIn", summary: "For browsers: goes to the provider's page, where the person signs in.",
      parameters: [
        .query(
          "returnTo", "The path of this server to which the browser goes afterwards; absent: `/`.",
          #"{"type":"string","pattern":"^/"}"#)
      ],
      results: [.init(.seeOther, "The provider's page.", headers: ["Location"])], errors: [.forbidden])
    return Route(.get, Self.path + "/{providerId}", .open, operation) { [accounts] call in
      let source = try accounts.source(call.parameters.first ?? "")
      _ = try call.accountCaller(.cookie)
      let browser = Secret(.device).text
      let url = try await accounts.begin(
        source, returnTo: try Self.path(call.query["returnTo"]), person: nil, browser: browser)
      return Self.redirect(to: url, cookie: SessionCookie.provider, browser, OpenIDState.seconds, call)
    }
  }

  private var callback: Route {
    let known = ["code", "state", "iss", "error"]
    // Additional parameters that some providers send. They are ignored.
    let ignored = [
      "error_description", "error_uri", "session_state", "scope", "authuser", "prompt", "hd", "client_info",
    ]
    let operation = Operation(
      id: "finishProviderSignIn",
      summary: "For browsers: the provider sends them here. Begins the session, and goes to the path of the beginning.",
      parameters: (known + ignored).map { .query($0, "From the provider.", #"{"type":"string"}"#) },
      results: [.init(.seeOther, "The path of the beginning.", headers: ["Location"])],
      errors: [.unauthorized, .forbidden, .conflict, .tooManyRequests])
    return Route(.get, Self.path + "/{providerId}/callback", .open, operation) { [accounts] call in
      do {
        return try await Self.finish(call, accounts)
      } catch {
        // If the client is a browser that shows the answer to a person, answer with an HTML page.
        guard ErrorPage.isWanted(by: call) else { throw error }
        return ErrorPage.answer(APIError(error, logger: call.logger))
      }
    }
  }

  private static func finish(_ call: Call, _ accounts: AccountService) async throws -> Answer {
    let source = try accounts.source(call.parameters.first ?? "")
    let answer = AccountService.ProviderAnswer(
      code: call.query["code"], state: call.query["state"], issuer: call.query["iss"], error: call.query["error"])
    let browser = SessionCookie.provider.value(in: call.request.headers, isTLS: call.client.isTLS)
    switch try await accounts.finish(source, answer, browser: browser, try call.accountCaller(.cookie)) {
    case .linked(let path): return Self.redirect(to: path, cookie: SessionCookie.provider, "", 0, call)
    case .signedIn(let opened, let path):
      var reply = Self.redirect(to: path, cookie: SessionCookie.provider, "", 0, call)
      let signedIn = try await AuthRoutes.answer(.signedIn(opened), call, accounts)
      for cookie in signedIn.headers[fields: .setCookie] { reply.headers.append(cookie) }
      return reply
    }
  }

  private var link: Route {
    let operation = Operation(
      id: "beginIdentityLink",
      summary:
        "Begins to link an account at a provider with one's own: the answer has the provider's page, to which the browser goes.",
      body: .json("IdentityLink"), results: [.init(.ok, "The address.", .json("ProviderPage"))])
    return Route(.post, Self.path + "/{providerId}/link", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let source = try accounts.source(call.parameters.first ?? "")
      guard source.provider.tenant == caller.tenant else {
        throw APIError.notFound("no provider \(quoted(source.provider.id))")
      }
      let path = try await call.object { reader throws(JSONError) in try reader.optionalString("returnTo") }
      try call.requireRecentSignIn(accounts)
      let browser = Secret(.device).text
      let url = try await accounts.begin(
        source, returnTo: try Self.path(path), person: signedIn.person, browser: browser)
      var answer = Answer(json: Array(JSON.object(["url": .text(url)]).canonicalText.utf8))
      answer.headers.append(
        HTTPField(
          name: .setCookie,
          value: SessionCookie.provider.field(browser, isTLS: call.client.isTLS, seconds: OpenIDState.seconds)))
      return answer
    }
  }

  private var logout: Route {
    let operation = Operation(
      id: "endProviderSessions",
      summary: "For providers: ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0).",
      body: .init(types: ["application/x-www-form-urlencoded"], schema: "ProviderLogout"),
      results: [.init(.ok, "Ended.")])
    return Route(.post, Self.path + "/{providerId}/logout", .open, operation) { [accounts] call in
      let source = try accounts.source(call.parameters.first ?? "")
      try call.requireType(["application/x-www-form-urlencoded"])
      let body = try await call.body()
      let form = try QueryParameters(
        Substring(String(decoding: body, as: UTF8.self)), known: ["logout_token"])
      guard let token = form["logout_token"] else { throw APIError.badRequest("body: expected logout_token") }
      try await accounts.endSessions(source, logoutToken: token, from: call.client.address)
      return Answer(status: .ok)
    }
  }

  private var listIdentities: Route {
    let operation = Operation(
      id: "listIdentities", summary: "One's own accounts at providers.",
      results: [.init(.ok, "The identities.", .json("LinkedIdentityList"))])
    return Route(.get, Self.identities, .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      let page = try await accounts.storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try view.list(
          ThingQuery<LinkedIdentity>(
            .oneOf(key: "personId", [signedIn.person.json]), order: [.init("createdAt")], limit: 100))
      }
      return Answer(list: page.items.map(\.json))
    }
  }

  private var unlink: Route {
    let operation = Operation(
      id: "unlinkIdentity", summary: "Unlinks one of one's own accounts at providers, and ends its sessions.",
      results: [.init(.noContent, "Unlinked.")], errors: [.conflict])
    return Route(.delete, Self.identities + "/{identityId}", .people, operation) { [accounts] call in
      let (caller, signedIn) = try call.signedIn
      try call.requireRecentSignIn(accounts)
      let text = call.parameters.first ?? ""
      guard let id = UUIDv7(text.utf8.span) else { throw APIError.notFound("no identity \(quoted(text))") }
      let address = call.client.address
      let ended = try await accounts.storage.change(
        tenant: caller.tenant, by: caller.actor(from: address), at: accounts.now()
      ) { [accounts] transaction throws(ThingError) in
        let identity = try transaction.existing(id, LinkedIdentity.self)
        guard identity.value.personID == signedIn.person else {
          throw .notFound(kind: LinkedIdentity.names.one, id: text)
        }
        let person = try transaction.existing(signedIn.person, Person.self)
        let others = try transaction.list(
          ThingQuery<LinkedIdentity>(.oneOf(key: "personId", [person.id.json]), limit: 2)
        ).items.count
        guard others > 1 || person.value.passwordHash != nil else {
          throw .rule(
            code: "lastIdentity", message: "without it nobody could sign in; set a password or link another one first")
        }
        try transaction.remove(identity, action: "unlink")
        try accounts.notify(
          .factorRemoved, person, item: identity.value.name ?? identity.value.provider, from: address, transaction)
        var ended: [UUIDv7] = []
        for session in try transaction.list(
          ThingQuery<Session>(.oneOf(key: "identityId", [id.json]), .oneOf(key: "revokedAt", [.null]), limit: 1_000)
        ).items where session.id != signedIn.session {
          try transaction.endSession(session, action: "unlink")
          ended.append(session.id)
        }
        return ended
      }
      accounts.forget(caller.tenant, ended)
      return Answer(status: .noContent)
    }
  }

  // MARK: Parts

  /// Returns the path of the page that the browser must open after the sign-in.
  ///
  /// - Throws: 400 if the text is not a path on this server.
  private static func path(_ text: String?) throws(APIError) -> String {
    guard let text else { return "/" }
    guard OpenIDState.isPath(text) else {
      throw .badRequest("returnTo: expected a path of this server, such as /vehicles, found \(quoted(text))")
    }
    return text
  }

  private static func redirect(
    to location: String, cookie: SessionCookie, _ value: String, _ seconds: Int, _ call: Call
  ) -> Answer {
    var answer = Answer(status: .seeOther)
    answer.headers[.location] = location
    answer.headers.append(
      HTTPField(name: .setCookie, value: cookie.field(value, isTLS: call.client.isTLS, seconds: seconds)))
    return answer
  }
}
