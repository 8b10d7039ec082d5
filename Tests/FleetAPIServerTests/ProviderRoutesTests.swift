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
  static func refusals(_ server: TestServer) async throws -> [String] {
    try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.audit(thing: nil, before: nil, limit: 100)
    }.filter { $0.action == "signInRefused" }.compactMap { $0.content["details"]?["reason"]?.textValue }
  }

  static func people(_ server: TestServer) async throws -> [Stored<Person>] {
    try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<Person>()).items
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_person_of_an_allowed_domain_gets_an_account_and_signs_in_again(_ database: TestServer.Database) async throws {
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good")], on: database) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider(mode)]) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider(mode)]) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good"), peer.provider("second"), peer.provider("namesIssuer")]) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good")]) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("unknownKey")]) { server in
      try await runBlocking { () throws in
        for _ in 0..<4 { #expect(try Self.finish(server, try Self.begin(server, "unknownkey")).status == 401) }
        #expect(peer.count("/unknownKey/keys") == 1)
      }
    }
  }

  @Test func accounts_are_made_only_with_a_right_to_one() async throws {
    let peer = try await runBlocking { try Peer() }
    let providers = [
      peer.provider("good") {
        $0.rolesClaim = "groups"
        $0.roles = ["fleet": [.maintenance]]
      },
      peer.provider("linked") { $0.isLinkOnly = true },
    ]
    try await Self.run(providers) { server in
      try await server.addPerson("known@example.org")
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good") { $0.isLinkOnly = true }]) { server in
      try await server.addPerson("bob@example.com")
      try await server.addPerson("eve@example.com")
      try await runBlocking { () throws in
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

  @Test func a_browser_gets_a_page_if_its_sign_in_is_refused() async throws {
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good") { $0.name = "North & <South>" }]) { server in
      try await runBlocking { () throws in
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
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good")], required: [.standard]) { server in
      let ann = try await server.addPerson("ann@example.com")
      let (own, command) = (Secret(.ticket, of: "default"), Secret(.ticket, of: "default"))
      _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        try transaction.issueTicket(.recovery, own.hash, of: ann.id, seconds: 60)
        return try transaction.issueTicket(
          .recovery, command.hash, of: ann.id, seconds: 60, details: Ticket.commandDetails, replaces: false)
      }
      try await runBlocking { () throws in
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

  /// All people of a company may have one address.
  @Test func cancelled_sign_ins_do_not_lock_an_address() async throws {
    let peer = try await runBlocking { try Peer() }
    try await Self.run([peer.provider("good")]) { server in
      try await runBlocking {
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
