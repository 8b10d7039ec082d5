import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Signing in with OpenID providers: honest, hostile and real ones.
@Suite struct ProviderRoutesTests {
  /// The provider of the tests' own, whose issuers are honest or hostile.
  final class Peer: Sendable {
    private let peer: ProviderPeer
    var port: Int { peer.port }

    init() throws { peer = try ProviderPeer() }

    func provider(_ mode: String, _ change: (inout OpenIDProvider) -> Void = { _ in }) -> OpenIDProvider {
      var provider = OpenIDProvider(
        id: mode.lowercased(), name: "Test", issuer: "http://127.0.0.1:\(port)/\(mode)", clientID: "fleet")
      provider.clientSecret = "s/cret"
      provider.allowedDomains = ["example.org"]
      change(&provider)
      return provider
    }

    /// How often a path was asked for.
    func count(_ path: String) -> Int { peer.count(path) }
  }

  /// A browser that has begun to sign in.
  struct Beginning {
    let id: String
    let state: String
    let nonce: String
    let challenge: String
    let cookie: String

    /// The code that the peer takes for it.
    func code(_ claims: [String: Any] = [:]) throws -> String {
      let json = try JSONSerialization.data(
        withJSONObject: ["nonce": nonce, "challenge": challenge, "claims": claims], options: .sortedKeys)
      return Base64URL.text(Array(json))
    }
  }

  static func run(
    _ providers: [OpenIDProvider], on database: TestServer.Database = .sqlite,
    required: Set<TenantID> = [],
    _ test: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let options = ServerOptions.test { options in
      options.accounts.publicURL = "https://fleet.example"
      options.accounts.providers = providers
      options.accounts.requiringProvider = required
    }
    try await TestServer.run(options, on: database, test)
  }

  static func query(_ url: String) -> [String: String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  static func beginning(_ id: String, _ url: String, _ reply: TestClient.Reply) throws -> Beginning {
    let query = query(url)
    #expect(query["response_type"] == "code" && query["code_challenge_method"] == "S256")
    #expect(query["redirect_uri"] == "https://fleet.example/api/auth/oidc/\(id)/callback")
    return Beginning(
      id: id, state: try #require(query["state"]), nonce: try #require(query["nonce"]),
      challenge: try #require(query["code_challenge"]), cookie: try #require(reply.cookie("fleet-provider")))
  }

  static func begin(_ server: TestServer, _ id: String, returnTo: String = "/vehicles") throws -> Beginning {
    let reply = try server.client().send("GET", "/api/auth/oidc/\(id)?returnTo=\(returnTo)")
    try #require(reply.status == 303, "\(reply.text)")
    return try beginning(id, try #require(reply.headers["location"]), reply)
  }

  static func finish(
    _ server: TestServer, _ begun: Beginning, code: String? = nil, state: String? = nil, cookie: String?? = nil,
    more: String = "", id: String? = nil
  ) throws -> TestClient.Reply {
    let code = try code ?? begun.code()
    var headers: [String: String] = [:]
    if let cookie = cookie ?? begun.cookie { headers["Cookie"] = "fleet-provider=\(cookie)" }
    let path = "/api/auth/oidc/\(id ?? begun.id)/callback?code=\(code)&state=\(state ?? begun.state)\(more)"
    // Each from another address: wrong answers of one are slowed down.
    return try server.client(from: .random(in: 2...250)).send("GET", path, headers: headers)
  }

  /// The reasons of refused sign-ins in the audit, the newest first.
  private static func refusals(_ server: TestServer) async throws -> [String] {
    try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.audit(thing: nil, before: nil, limit: 100)
    }.filter { $0.action == "signInRefused" }.compactMap { $0.content["details"]?["reason"]?.textValue }
  }

  private static func people(_ server: TestServer) async throws -> [Stored<Person>] {
    try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<Person>()).items
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_person_of_an_allowed_domain_gets_an_account_and_signs_in_again(_ database: TestServer.Database) async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good")], on: database) { server in
      try await aside { () throws in
        let first = try Self.finish(server, try Self.begin(server, "good"))
        #expect(first.status == 303 && first.headers["location"] == "/vehicles", "\(first.text)")
        let session = try #require(first.cookie("fleet-session"))
        let own = try server.asPage(session, "GET", "/api/auth/session")
        #expect((try own.json["person"] as? [String: Any])?["email"] as? String == "ann@example.org")
        #expect((try own.json["person"] as? [String: Any])?["roles"] as? [String] == ["driver"])
        // The account is the issuer and subject, whatever address comes with it.
        let begun = try Self.begin(server, "good")
        let second = try Self.finish(server, begun, code: try begun.code(["email": "new@example.org"]))
        #expect(second.cookie("fleet-session") != nil)
        let listed = try server.asPage(session, "GET", "/api/identities").list
        #expect(listed.count == 1 && listed.first?["provider"] as? String == "good")
        // Signing out leads to the provider.
        let out = try server.asPage(session, "POST", "/api/auth/logout")
        #expect(
          (try out.json["url"] as? String)?.hasPrefix("http://127.0.0.1:\(peer.port)/good/end?client_id=fleet") == true)
        #expect(
          try server.client().send("GET", "/api/auth/oidc").list.first?["url"] as? String == "/api/auth/oidc/good")
      }
      #expect(try await Self.people(server).map { $0.value.email?.text } == ["ann@example.org"])
    }
  }

  /// A mode of the peer, and the reason in the audit.
  static let hostile: [(String, String)] = [
    ("wrongNonce", "wrongNonce"), ("wrongAudience", "wrongAudience"), ("wrongIssuer", "wrongIssuer"),
    ("none", "wrongAlgorithm"), ("hs256", "wrongAlgorithm"), ("unknownKey", "unknownKey"),
    ("otherKey", "wrongSignature"),
    ("expired", "expired"), ("notYetValid", "notYetValid"), ("wrongHash", "wrongAccessToken"),
    ("wrongParty", "wrongAudience"), ("garbageToken", "refused"), ("errorToken", "refused"),
    ("redirectToken", "refused"),
    ("hugeToken", "unreachable"), ("hugeKeys", "unreachable"), ("garbageKeys", "badProvider"),
    ("redirectKeys", "badProvider"), ("errorKeys", "badProvider"), ("slowKeys", "unreachable"),
    ("namesIssuer", "wrongIssuer"),
  ]

  @Test(arguments: hostile)
  func a_hostile_provider_signs_nobody_in(_ mode: String, _ reason: String) async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider(mode)]) { server in
      try await aside { () throws in
        let reply = try Self.finish(server, try Self.begin(server, mode.lowercased()))
        let isTrouble = ["unreachable", "badProvider"].contains(reason)
        #expect(reply.status == (isTrouble ? 503 : 401), "\(reply.text)")
        #expect(reply.errorCode == (isTrouble ? "providerUnavailable" : "providerSignInFailed"))
        #expect(reply.cookies.isEmpty)
      }
      #expect(try await Self.refusals(server) == [reason])
      #expect(try await Self.people(server).isEmpty)
    }
  }

  @Test(arguments: [
    "hugeDescription", "garbageDescription", "redirectDescription", "errorDescription", "slowDescription",
    "otherIssuerDescription", "plainToken", "fileKeys",
  ])
  func a_provider_with_a_wrong_description_is_not_used(_ mode: String) async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider(mode)]) { server in
      try await aside { () throws in
        for _ in 0..<2 {
          let reply = try server.client().send("GET", "/api/auth/oidc/\(mode.lowercased())")
          #expect(reply.status == 503 && reply.errorCode == "providerUnavailable" && reply.cookies.isEmpty)
        }
        // Nothing is fetched again at once, and no redirect is followed.
        #expect(peer.count("/\(mode)/.well-known/openid-configuration") == 1)
        #expect(peer.count("/good/.well-known/openid-configuration") == 0)
      }
    }
  }

  @Test func a_sign_in_belongs_to_its_browser_and_provider_and_is_finished_once() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good"), peer.provider("second"), peer.provider("namesIssuer")]) { server in
      try await aside { () throws in
        let begun = try Self.begin(server, "good")
        let other = try Self.begin(server, "good")
        // Another browser, or none.
        #expect(try Self.finish(server, begun, cookie: .some(other.cookie)).errorCode == "providerSignInFailed")
        #expect(try Self.finish(server, begun, cookie: .some(nil)).errorCode == "providerSignInFailed")
        // Mixed up with another provider.
        #expect(try Self.finish(server, begun, id: "second").errorCode == "providerSignInFailed")
        let mixed = try Self.begin(server, "good")
        let issuer = "http%3A%2F%2F127.0.0.1%3A\(peer.port)%2F"
        #expect(try Self.finish(server, mixed, more: "&iss=\(issuer)second").errorCode == "providerSignInFailed")
        // A state that nobody made, or that was changed.
        for state in ["", "x", String(begun.state.dropLast()), begun.state + "A"] {
          #expect(try Self.finish(server, begun, state: state).errorCode == "providerSignInFailed")
        }
        let code = try begun.code()
        #expect(try Self.finish(server, begun, code: code).status == 303)
        // Replayed: the whole answer, then only the code.
        #expect(try Self.finish(server, begun, code: code).errorCode == "providerSignInFailed")
        let again = try Self.begin(server, "good")
        #expect(try Self.finish(server, again, code: code).errorCode == "providerSignInFailed")
        // A provider that names its issuer, and does.
        let named = try Self.begin(server, "namesissuer")
        let claims = ["sub": "ann-2", "email": "ann2@example.org"]
        #expect(
          try Self.finish(server, named, code: try named.code(claims), more: "&iss=\(issuer)namesIssuer").status == 303)
        let refused = try Self.begin(server, "good")
        #expect(
          try Self.finish(server, refused, more: "&error=access_denied").errorCode == "providerSignInFailed")
      }
      let reasons = try await Self.refusals(server)
      #expect(
        reasons.count == 11 && Set(reasons) == ["wrongState", "wrongIssuer", "refused", "cancelled"], "\(reasons)")
    }
  }

  @Test func the_browser_is_sent_only_to_paths_of_this_server() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good")]) { server in
      try await aside { () throws in
        for path in [
          "//evil.example", "https://evil.example", "/%5Cevil.example", "x", "/a%0d%0aX:b", "", "/%2F/../..",
        ] {
          let reply = try server.client().send("GET", "/api/auth/oidc/good?returnTo=\(path)")
          #expect(reply.status == 400 || path == "/%2F/../..", "\(path): \(reply.status)")
        }
      }
    }
  }

  @Test func unknown_keys_are_fetched_once_a_minute() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("unknownKey")]) { server in
      try await aside { () throws in
        for _ in 0..<4 { #expect(try Self.finish(server, try Self.begin(server, "unknownkey")).status == 401) }
        #expect(peer.count("/unknownKey/keys") == 1)
      }
    }
  }

  @Test func accounts_are_made_only_with_a_right_to_one() async throws {
    let peer = try await aside { try Peer() }
    let providers = [
      peer.provider("good") {
        $0.rolesClaim = "groups"
        $0.roles = ["fleet": [.maintenance]]
      },
      peer.provider("linked") { $0.isLinkOnly = true },
    ]
    try await Self.run(providers) { server in
      try await server.addPerson("known@example.org")
      try await aside { () throws in
        func code(_ id: String, _ claims: [String: Any]) throws -> TestClient.Reply {
          let begun = try Self.begin(server, id)
          return try Self.finish(server, begun, code: try begun.code(claims))
        }
        #expect(try code("good", ["email_verified": false]).errorCode == "noAccount")
        #expect(try code("good", ["email": "ann@evil.example"]).errorCode == "noAccount")
        #expect(try code("linked", [:]).errorCode == "noAccount")
        // An address proves nothing: the person who has it links the account.
        #expect(try code("good", ["email": "known@example.org"]).errorCode == "identityInUse")
        let made = try code("good", ["email": "ann@evil.example", "groups": ["fleet"], "sub": "m-1"])
        let session = try #require(made.cookie("fleet-session"), "\(made.text)")
        let own = try server.asPage(session, "GET", "/api/auth/session")
        #expect((try own.json["person"] as? [String: Any])?["roles"] as? [String] == ["maintenance"])
      }
    }
  }

  @Test func a_person_links_and_unlinks_an_identity() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good") { $0.isLinkOnly = true }]) { server in
      try await server.addPerson("bob@example.com")
      try await server.addPerson("eve@example.com")
      try await aside { () throws in
        func link(_ session: String) throws -> TestClient.Reply {
          let reply = try server.asPage(session, "POST", "/api/auth/oidc/good/link", #"{"returnTo":"/me"}"#)
          let begun = try Self.beginning("good", try #require(try reply.json["url"] as? String), reply)
          return try Self.finish(server, begun)
        }
        let bob = try server.signIn("bob@example.com")
        let linked = try link(bob)
        #expect(linked.status == 303 && linked.headers["location"] == "/me" && linked.cookie("fleet-session") == nil)
        #expect(try link(try server.signIn("eve@example.com")).errorCode == "identityInUse")
        let session = try #require(try Self.finish(server, try Self.begin(server, "good")).cookie("fleet-session"))
        let own = try server.asPage(session, "GET", "/api/auth/session")
        #expect((try own.json["person"] as? [String: Any])?["email"] as? String == "bob@example.com")
        let id = try #require(try server.asPage(bob, "GET", "/api/identities").list.first?["id"] as? String)
        #expect(
          try server.asPage(try server.signIn("eve@example.com"), "DELETE", "/api/identities/\(id)").status == 404)
        #expect(try server.asPage(bob, "DELETE", "/api/identities/\(id)").status == 204)
        #expect(try server.asPage(session, "GET", "/api/auth/session").errorCode == "sessionEnded")
        #expect(try Self.finish(server, try Self.begin(server, "good")).errorCode == "noAccount")
      }
    }
  }

  /// Entra ID sends in a logout token the `sub` that is the account's for this client, with or without directory and
  /// object.
  @Test(arguments: [
    ["sub": "pair-1"], ["oid": "object-1"], ["sub": "pair-1", "oid": "object-1", "sid": "s-1"], ["sid": "s-1"],
  ])
  func entra_id_ends_the_sessions_of_its_account(_ names: [String: String]) async throws {
    let peer = try await aside { try Peer() }
    let directory = "8a4c1f2e-0000-4000-8000-000000000001"
    let entra = peer.provider("organizations") { provider in
      provider.issuer = "http://127.0.0.1:\(peer.port)/{tenantid}"
      provider.allowedTenants = [directory]
    }
    try await Self.run([entra]) { server in
      try await aside { () throws in
        let issuer = "http://127.0.0.1:\(peer.port)/\(directory)"
        func signIn(_ object: String, _ subject: String, sid: String) throws -> String {
          let begun = try Self.begin(server, "organizations")
          let claims: [String: Any] = [
            "iss": issuer, "tid": directory, "oid": object, "sub": subject, "sid": sid,
            "email": "\(object)@example.org",
          ]
          let reply = try Self.finish(server, begun, code: try begun.code(claims))
          return try #require(reply.cookie("fleet-session"), "\(reply.text)")
        }
        let (ann, bob) = (try signIn("object-1", "pair-1", sid: "s-1"), try signIn("object-2", "pair-2", sid: "s-2"))
        func send(_ names: [String: String], iss: String? = nil) throws -> TestClient.Reply {
          var query = URLComponents()
          query.queryItems = (["iss": iss ?? issuer, "tid": directory].merging(names) { $1 })
            .map { URLQueryItem(name: $0, value: $1) }
          let path = "http://127.0.0.1:\(peer.port)/organizations/logout?\(query.percentEncodedQuery ?? "")"
          let token = try Tool.run("curl", ["-sS", path]).output
          return try server.client().send(
            "POST", "/api/auth/oidc/organizations/logout", Array("logout_token=\(token)".utf8),
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        }
        // Of another directory, of another account, and of no account.
        #expect(try send(names, iss: issuer + "2").errorCode == "wrongLogoutToken")
        #expect(try send(names.merging(["tid": "other"]) { $1 }).errorCode == "wrongLogoutToken")
        #expect(try send(["sub": "object-1"]).status == 200)
        #expect(try send(["oid": "pair-1"]).status == 200)
        #expect(try send([:]).errorCode == "wrongLogoutToken")
        #expect(try server.asPage(ann, "GET", "/api/auth/session").status == 200)
        #expect(try send(names).status == 200)
        #expect(try server.asPage(ann, "GET", "/api/auth/session").errorCode == "sessionEnded")
        #expect(try server.asPage(bob, "GET", "/api/auth/session").status == 200)
      }
    }
  }

  @Test(arguments: ["sub=ann-1", "sid=s-1", "sub=ann-1&sid=s-1"])
  func a_provider_ends_the_sessions_of_its_account(_ query: String) async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good")]) { server in
      try await server.addPerson("bob@example.com")
      try await aside { () throws in
        let bob = try server.signIn("bob@example.com")
        let session = try #require(try Self.finish(server, try Self.begin(server, "good")).cookie("fleet-session"))
        func token(_ query: String, _ mode: String = "good") throws -> String {
          try Tool.run("curl", ["-sS", "http://127.0.0.1:\(peer.port)/\(mode)/logout?\(query)"]).output
        }
        func send(_ token: String) throws -> TestClient.Reply {
          try server.client().send(
            "POST", "/api/auth/oidc/good/logout", Array("logout_token=\(token)".utf8),
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        }
        for wrong in [try token("sub=ann-2"), try token("sid=s-2")] { #expect(try send(wrong).status == 200) }
        for wrong in [
          "", "x", try token("sub=ann-1", "otherKey"), try token("sub=ann-1&aud=other"), try token("sub=ann-1&nonce=n"),
          try token("x=y"),
        ] {
          #expect(try send(wrong).errorCode == "wrongLogoutToken", "\(wrong)")
        }
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        let right = try token(query)
        #expect(try send(right).status == 200)
        #expect(try server.asPage(session, "GET", "/api/auth/session").errorCode == "sessionEnded")
        #expect(try server.asPage(bob, "GET", "/api/auth/session").status == 200)
        #expect(try send(right).errorCode == "wrongLogoutToken")
      }
    }
  }

  @Test func a_browser_gets_a_page_if_its_sign_in_is_refused() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good") { $0.name = "North & <South>" }]) { server in
      try await aside { () throws in
        let path = "/api/auth/oidc/good/callback?error=access_denied&state=x"
        let page = try server.client().send(
          "GET", path, headers: ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"])
        #expect(page.status == 401 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("North &amp; &lt;South&gt;") && page.text.contains(#"<a href="/">"#), "\(page.text)")
        #expect(page.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
        let json = try server.client().send("GET", path, headers: ["Accept": "application/json"])
        #expect(json.status == 401 && json.errorCode == "providerSignInFailed", "\(json.text)")
      }
    }
  }

  @Test func where_a_provider_is_required_passwords_are_refused_except_for_links_of_commands() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good")], required: [.standard]) { server in
      let ann = try await server.addPerson("ann@example.com")
      let (own, command) = (Secret(.ticket, of: "default"), Secret(.ticket, of: "default"))
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        try transaction.issueTicket(.recovery, own.hash, of: ann.id, seconds: 60)
        return try transaction.issueTicket(
          .recovery, command.hash, of: ann.id, seconds: 60, details: Ticket.commandDetails, replaces: false)
      }
      try await aside { () throws in
        let body = #""email":"ann@example.com","password":"\#(TestServer.password)""#
        #expect(try server.asPage(nil, "POST", "/api/auth/login", "{\(body)}").errorCode == "providerRequired")
        #expect(
          try server.asPage(nil, "POST", "/api/auth/token", #"{"grant":"password",\#(body)}"#).errorCode
            == "providerRequired")
        func reset(_ secret: Secret) throws -> TestClient.Reply {
          try server.asPage(
            nil, "POST", "/api/auth/reset", #"{"token":"\#(secret.text)","password":"a quite different text"}"#)
        }
        #expect(try reset(own).errorCode == "expiredLink")
        // Nobody is locked out of their own server.
        let session = try reset(command).cookie("fleet-session")
        #expect(session != nil)
        // A link that nobody could use is not made.
        let invited = try server.asPage(session, "POST", "/api/people/\(ann.id.string)/invite")
        #expect(invited.status == 409 && invited.errorCode == "providerRequired", "\(invited.text)")
        #expect(try Self.finish(server, try Self.begin(server, "good")).status == 303)
      }
    }
  }

  /// A provider that nobody here wrote (oidc-provider-mock, PyPI).
  @Test func a_person_signs_in_with_a_real_provider() async throws {
    let port = try ReservedPort()
    let number = Int(port.number)
    let program = try await aside { () throws -> RunningProgram in
      let program = try RunningProgram(
        try Tool.python(with: "oidc_provider_mock"), ["-m", "oidc_provider_mock", "--port", "\(number)"])
      do {
        let deadline = ContinuousClock.now + .seconds(60)
        while try Tool.run("curl", ["-sf", "http://127.0.0.1:\(number)/.well-known/openid-configuration"]).status != 0 {
          guard .now < deadline else { throw TestClient.Failure(description: "the provider does not answer") }
        }
      } catch {
        program.kill()
        throw error
      }
      return program
    }
    defer { program.kill() }
    let description = try await aside {
      try Tool.run("curl", ["-sS", "http://127.0.0.1:\(number)/.well-known/openid-configuration"]).stdout
    }
    let issuer = try JSON(parsing: description)["issuer"]?.textValue
    var provider = OpenIDProvider(
      id: "mock", name: "Mock", issuer: try #require(issuer), clientID: "fleet")
    provider.clientSecret = "secret"
    provider.allowedDomains = ["example.org"]
    try await Self.run([provider]) { server in
      try await aside { () throws in
        let user = #"{"email":"ann@example.org","email_verified":true,"given_name":"Ann","family_name":"Lee"}"#
        let added = try Tool.run(
          "curl", ["-sS", "-X", "PUT", "--json", user, "http://127.0.0.1:\(number)/users/ann"])
        #expect(added.status == 0, "\(added.errors) \(added.output)")
        let reply = try server.client().send("GET", "/api/auth/oidc/mock?returnTo=/me")
        let url = try #require(reply.headers["location"])
        // The form of the provider's page.
        let page = try Tool.run("curl", ["-sS", "-o", "/dev/null", "-w", "%{redirect_url}", "-d", "sub=ann", url])
          .output
        #expect(page.hasPrefix("https://fleet.example/api/auth/oidc/mock/callback?"), "\(page)")
        let back = page.replacing("https://fleet.example", with: "")
        let cookie = try #require(reply.cookie("fleet-provider"))
        let done = try server.client().send("GET", back, headers: ["Cookie": "fleet-provider=\(cookie)"])
        #expect(done.status == 303 && done.headers["location"] == "/me", "\(done.text)")
        let session = try #require(done.cookie("fleet-session"))
        let own = try server.asPage(session, "GET", "/api/auth/session")
        #expect((try own.json["person"] as? [String: Any])?["email"] as? String == "ann@example.org", "\(own.text)")
      }
    }
  }

  /// Whoever leaves a group of the company loses its roles at the next sign-in.
  @Test(arguments: TestServer.Database.allCases)
  func each_sign_in_sets_the_roles_of_the_providers_groups(_ database: TestServer.Database) async throws {
    let peer = try await aside { try Peer() }
    let mapped = peer.provider("good") { provider in
      provider.allowedDomains = []
      provider.rolesClaim = "groups"
      provider.roles = ["admins": [.admin], "workshop": [.maintenance], "all": [.viewer]]
    }
    try await Self.run([mapped], on: database) { server in
      func signIn(_ groups: [String]) async throws -> (status: Int, session: String?) {
        try await aside {
          let begun = try Self.begin(server, "good")
          let reply = try Self.finish(server, begun, code: try begun.code(["groups": groups]))
          return (reply.status, reply.cookie("fleet-session"))
        }
      }
      func roles() async throws -> Set<PersonRole> {
        Set(try await Self.people(server).first { $0.value.email?.text == "ann@example.org" }?.value.roles ?? [])
      }
      let first = try await signIn(["workshop", "all"])
      #expect(try await roles() == [.maintenance, .viewer])
      // A lost role ends the sessions that were begun with it.
      #expect(try await signIn(["all"]).session != nil)
      #expect(try await roles() == [.viewer])
      try await aside {
        let reply = try server.asPage(first.session, "GET", "/api/vehicles")
        #expect(reply.status == 401, "\(reply.text)")
      }
      #expect(try await signIn(["admins"]).session != nil)
      #expect(try await roles() == [.admin])
      // Ann is the last administrator now.
      #expect(try await signIn(["all"]).session != nil)
      #expect(try await roles() == [.admin, .viewer])
      #expect(try await signIn([]).session != nil)
      #expect(try await roles() == [.admin])
      let kept = try await server.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.audit(thing: nil, before: nil, limit: 100)
      }.filter { $0.action == "lastAdministratorKept" }
      #expect(kept.count == 2)
      try await server.addPerson("admin@example.com")
      #expect(try await signIn([]).status == 403)
      #expect(try await roles().isEmpty)
      #expect(try await signIn(["workshop"]).session != nil)
      #expect(try await roles() == [.maintenance])
    }
  }

  @Test func roles_that_an_administrator_gave_stay_if_the_configuration_says_so() async throws {
    let peer = try await aside { try Peer() }
    let mapped = peer.provider("good") { provider in
      provider.rolesClaim = "groups"
      provider.roles = ["all": [.viewer]]
      provider.keepsRoles = true
    }
    try await Self.run([mapped]) { server in
      try await aside {
        for groups in [["all"], []] {
          let begun = try Self.begin(server, "good")
          let reply = try Self.finish(server, begun, code: try begun.code(["groups": groups]))
          #expect(reply.cookie("fleet-session") != nil, "\(reply.text)")
        }
      }
      #expect(try await Self.people(server).map(\.value.roles) == [[.viewer]])
    }
  }

  /// All people of a company may have one address.
  @Test func cancelled_sign_ins_do_not_lock_an_address() async throws {
    let peer = try await aside { try Peer() }
    try await Self.run([peer.provider("good")]) { server in
      try await aside {
        func answer(_ begun: Beginning, _ query: String) throws -> TestClient.Reply {
          try server.client().send(
            "GET", "/api/auth/oidc/good/callback?state=\(begun.state)&\(query)",
            headers: ["Cookie": "fleet-provider=\(begun.cookie)"])
        }
        for _ in 0..<60 {
          let cancelled = try answer(try Self.begin(server, "good"), "error=access_denied")
          #expect(cancelled.status != 429, "\(cancelled.text)")
        }
        let begun = try Self.begin(server, "good")
        #expect(try answer(begun, "code=\(begun.code())").cookie("fleet-session") != nil)
        // Invented states are limited.
        var statuses: Set<Int> = []
        for _ in 0..<60 {
          statuses.insert(try server.client().send("GET", "/api/auth/oidc/good/callback?state=x&code=x").status)
        }
        #expect(statuses.contains(429))
      }
    }
  }
}
