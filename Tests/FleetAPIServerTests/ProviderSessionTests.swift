import FleetAccess
import FleetDomain
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FleetAPI

/// Sessions that a provider ends.
@Suite struct ProviderSessionTests {
  /// Entra ID sends in a logout token the `sub` that is the account's for this client, with or without directory and
  /// object.
  @Test(arguments: [
    ["sub": "pair-1"], ["oid": "object-1"], ["sub": "pair-1", "oid": "object-1", "sid": "s-1"], ["sid": "s-1"],
  ])
  func entra_id_ends_the_sessions_of_its_account(_ names: [String: String]) async throws {
    let peer = try await runBlocking { try ProviderRoutesTests.Peer() }
    let directory = "8a4c1f2e-0000-4000-8000-000000000001"
    let entra = peer.provider("organizations") { provider in
      provider.issuer = "http://127.0.0.1:\(peer.port)/{tenantid}"
      provider.allowedTenants = [directory]
    }
    try await ProviderRoutesTests.run([entra]) { server in
      try await runBlocking { () throws in
        let issuer = "http://127.0.0.1:\(peer.port)/\(directory)"
        func signIn(_ object: String, _ subject: String, sid: String) throws -> String {
          let begun = try ProviderRoutesTests.begin(server, "organizations")
          let claims: [String: Any] = [
            "iss": issuer, "tid": directory, "oid": object, "sub": subject, "sid": sid,
            "email": "\(object)@example.org",
          ]
          let reply = try ProviderRoutesTests.finish(server, begun, code: try begun.code(claims))
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
    let peer = try await runBlocking { try ProviderRoutesTests.Peer() }
    try await ProviderRoutesTests.run([peer.provider("good")]) { server in
      try await server.addPerson("bob@example.com")
      try await runBlocking { () throws in
        let bob = try server.signIn("bob@example.com")
        let session = try #require(
          try ProviderRoutesTests.finish(server, try ProviderRoutesTests.begin(server, "good")).cookie("fleet-session"))
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
}
