import FleetAccess
import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Accounts that a sign-in at an OpenID provider makes, and links to accounts at providers.
extension AccountKillTests {
  /// A site with a provider.
  private static func site(_ database: Database, _ peer: ProviderPeer, _ members: String) throws -> Site {
    let accounts = """
      ,"providers":[{"id":"good","name":"Good","issuer":"http://127.0.0.1:\(peer.port)/good",
      "clientId":"fleet","clientSecretFile":"client.secret"\(members)}]
      """
    return try Site(database, url: "http://127.0.0.1", accounts: accounts, secrets: ["client.secret": "s/cret\n"])
  }

  /// Returns the path to which the provider sends the browser back, and the browser's cookie.
  ///
  /// - Parameter begun: the answer to the request that began the sign-in or the link.
  private static func callback(
    _ begun: Site.Answer, _ url: String?, claims: [String: String]
  ) throws -> (path: String, cookie: String) {
    let items = URLComponents(string: url ?? "")?.queryItems ?? []
    func value(_ name: String) throws -> String {
      try #require(items.first { $0.name == name }?.value, "\(begun.status) \(begun.text)")
    }
    let content: [String: Any] = [
      "nonce": try value("nonce"), "challenge": try value("code_challenge"), "claims": claims,
    ]
    let code = Base64URL.text(Array(try JSONSerialization.data(withJSONObject: content)))
    let cookie = try #require(begun.cookie("fleet-provider"))
    return (
      "/api/auth/oidc/good/callback?code=\(code)&state=\(try value("state"))", "fleet-provider=\(cookie)"
    )
  }

  private static func beginSignIn(_ site: Site, claims: [String: String]) throws -> (path: String, cookie: String) {
    let begun = try site.send("GET", "/api/auth/oidc/good")
    return try callback(begun, begun.headers("location").first, claims: claims)
  }

  private static func signIn(_ site: Site, claims: [String: String]) throws -> Site.Answer {
    let (path, cookie) = try beginSignIn(site, claims: claims)
    return try site.send("GET", path, session: cookie)
  }

  @Test(arguments: Database.allCases)
  func an_account_of_a_provider_is_made_with_its_identity_or_not_at_all(_ database: Database) async throws {
    try await runBlocking {
      let peer = try ProviderPeer()
      let site = try Self.site(database, peer, #","allowedDomains":["example.org"]"#)
      let admin = try #require(try site.login("ann@example.org", Self.password).session)
      for round in 0..<Self.rounds {
        let email = "new\(round)@example.org"
        let claims = ["sub": "new-\(round)", "email": email]
        let (path, cookie) = try Self.beginSignIn(site, claims: claims)
        let answer = try site.sendAndKill("GET", path, "", session: cookie, after: Self.delay(round))
        func people() throws -> [[String: Any]] {
          let listed = try site.send("GET", "/api/people?limit=200", session: admin)
          return (try listed.json["data"] as? [[String: Any]] ?? []).filter { $0["email"] as? String == email }
        }
        let before = try people()
        if answer?.status == 303 {
          #expect(before.count == 1)
          #expect(try site.send("GET", "/api/auth/session", session: answer?.session).status == 200)
        }
        // A person without the identity could never sign in again, because the address is in use.
        let again = try Self.signIn(site, claims: claims)
        #expect(again.status == 303, "\(again.text)")
        let identities = try site.send("GET", "/api/identities", session: again.session)
        #expect((try identities.json["data"] as? [Any])?.count == 1, "\(identities.text)")
        let after = try people()
        #expect(after.count == 1)
        if let first = before.first { #expect(first["id"] as? String == after[0]["id"] as? String) }
      }
    }
  }

  @Test(arguments: Database.allCases)
  func an_identity_is_linked_and_unlinked_completely_or_not_at_all(_ database: Database) async throws {
    try await runBlocking {
      let peer = try ProviderPeer()
      let site = try Self.site(database, peer, #","linkOnly":true"#)
      for round in 0..<Self.rounds {
        let (id, session) = try Self.person("bob\(round)@example.com", site)
        let claims = ["sub": "bob-\(round)"]
        func identities() throws -> [String] {
          let listed = try site.send("GET", "/api/identities", session: session)
          return (try listed.json["data"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        }
        /// The person to whom the identity belongs.
        func owner() throws -> String? {
          let answer = try Self.signIn(site, claims: claims)
          #expect(answer.status == 303 || answer.text.contains("noAccount"), "\(answer.text)")
          guard let session = answer.session else { return nil }
          let own = try site.send("GET", "/api/auth/session", session: session).json["person"] as? [String: Any]
          return own?["id"] as? String
        }
        let begun = try site.send("POST", "/api/auth/oidc/good/link", #"{"returnTo":"/me"}"#, session: session)
        let (path, cookie) = try Self.callback(begun, try begun.json["url"] as? String, claims: claims)
        let answer = try site.sendAndKill("GET", path, "", session: cookie, after: Self.delay(round))
        var linked = try identities()
        #expect(linked.count <= 1)
        #expect(try owner() == (linked.isEmpty ? nil : id))
        if answer?.status == 303 { #expect(linked.count == 1) }
        if linked.isEmpty {
          let begun = try site.send("POST", "/api/auth/oidc/good/link", "{}", session: session)
          let (path, cookie) = try Self.callback(begun, try begun.json["url"] as? String, claims: claims)
          #expect(try site.send("GET", path, session: cookie).status == 303)
          linked = try identities()
        }
        // Unlinking ends the sessions of the identity.
        let signedIn = try #require(try Self.signIn(site, claims: claims).session)
        let removed = try site.sendAndKill(
          "DELETE", "/api/identities/\(linked[0])", "{}", session: session, after: Self.delay(round))
        let left = try identities()
        if removed?.status == 204 { #expect(left.isEmpty) }
        #expect(try site.send("GET", "/api/auth/session", session: signedIn).status == (left.isEmpty ? 401 : 200))
        #expect(try owner() == (left.isEmpty ? nil : id))
      }
    }
  }
}
