import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI
@testable import FleetAccessTestKit

@Suite struct PasskeyRoutesTests {
  /// The site as its pages reach it.
  private static let authenticator: SoftwareAuthenticator = {
    var authenticator = SoftwareAuthenticator()
    authenticator.relyingPartyId = "localhost"
    authenticator.origin = "http://localhost"
    return authenticator
  }()

  private static func challenge(_ reply: TestClient.Reply) throws -> [UInt8] {
    let options = try reply.json["publicKey"] as? [String: Any]
    return try #require((options?["challenge"] as? String).flatMap { Base64URL.bytes($0) })
  }

  private static func body(_ id: [UInt8], _ response: [String: [UInt8]?], more: String = "") -> String {
    let members = response.compactMapValues { $0 }.map { "\"\($0)\":\"\(Base64URL.text($1))\"" }.joined(separator: ",")
    return
      #"{"credential":{"id":"x","type":"public-key","rawId":"\#(Base64URL.text(id))","response":{\#(members)}}\#(more)}"#
  }

  /// Adds a passkey to an account, and returns the person's handle.
  private static func register(
    _ authenticator: SoftwareAuthenticator, _ session: String, _ server: TestServer
  ) throws -> TestClient.Reply {
    let options = try server.asPage(session, "POST", "/api/auth/passkeys/registration")
    let made = authenticator.registration(try challenge(options))
    return try server.asPage(
      session, "POST", "/api/auth/passkeys",
      body(
        authenticator.id, ["clientDataJSON": made.clientData, "attestationObject": made.attestation],
        more: #","name":"Key ring""#))
  }

  private static func signIn(
    _ authenticator: SoftwareAuthenticator, _ server: TestServer, handle: [UInt8]?, challenge: [UInt8]? = nil
  ) throws -> TestClient.Reply {
    let fresh = try Self.challenge(try server.asPage(nil, "POST", "/api/auth/passkeys/assertion", "{}"))
    let assertion = authenticator.assertion(challenge ?? fresh, userHandle: handle)
    return try server.asPage(
      nil, "POST", "/api/auth/passkeys/login",
      body(
        authenticator.id,
        [
          "clientDataJSON": assertion.clientData, "authenticatorData": assertion.authenticatorData,
          "signature": assertion.signature, "userHandle": assertion.userHandle,
        ]))
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_passkey_signs_in_without_a_password(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let added = try Self.register(Self.authenticator, session, server)
        #expect(added.status == 201, "\(added.text)")
        #expect(try added.json["name"] as? String == "Key ring")
        #expect(try added.json["secret"] == nil)
        let handle = AccountService.handle(of: ann.id)
        let reply = try Self.signIn(Self.authenticator, server, handle: handle)
        #expect(reply.status == 200, "\(reply.text)")
        let cookie = try #require(reply.cookie("fleet-session"))
        #expect(try server.asPage(cookie, "GET", "/api/vehicles").status == 200)
        // The password alone is no longer enough.
        let byPassword = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#)
        #expect(try byPassword.json["next"] as? String == "factor")
        let ticket = try #require(try byPassword.json["ticket"] as? String)
        let challenge = try Self.challenge(try server.asPage(nil, "POST", "/api/auth/passkeys/assertion", "{}"))
        let assertion = Self.authenticator.assertion(challenge, userHandle: handle)
        let answer = Self.body(
          Self.authenticator.id,
          [
            "clientDataJSON": assertion.clientData, "authenticatorData": assertion.authenticatorData,
            "signature": assertion.signature, "userHandle": handle,
          ], more: #","ticket":"\#(ticket)","kind":"passkey""#
        ).replacing(#"{"credential":"#, with: #"{"assertion":"#)
        let second = try server.asPage(nil, "POST", "/api/auth/factor", answer)
        #expect(second.cookie("fleet-session") != nil, "\(second.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_challenge_is_good_once_and_for_its_own_purpose(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("ann@example.com")
      try await server.addPerson("bob@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let handle = AccountService.handle(of: ann.id)
        let options = try Self.challenge(try server.asPage(session, "POST", "/api/auth/passkeys/registration"))
        // The challenge of one person is none of another's.
        let bob = try server.signIn("bob@example.com")
        let made = Self.authenticator.registration(options)
        let body = Self.body(
          Self.authenticator.id, ["clientDataJSON": made.clientData, "attestationObject": made.attestation])
        #expect(try server.asPage(bob, "POST", "/api/auth/passkeys", body).status == 401)
        #expect(try server.asPage(session, "POST", "/api/auth/passkeys", body).status == 201)
        #expect(try server.asPage(session, "POST", "/api/auth/passkeys", body).status == 401)
        #expect(try Self.signIn(Self.authenticator, server, handle: handle, challenge: options).status == 401)
        let challenge = try Self.challenge(try server.asPage(nil, "POST", "/api/auth/passkeys/assertion", "{}"))
        #expect(try Self.signIn(Self.authenticator, server, handle: handle, challenge: challenge).status == 200)
        #expect(try Self.signIn(Self.authenticator, server, handle: handle, challenge: challenge).status == 401)
        // One that the server did not make.
        #expect(
          try Self.signIn(Self.authenticator, server, handle: handle, challenge: challenge + [0x30]).status == 401)
        #expect(try Self.signIn(Self.authenticator, server, handle: handle, challenge: [1, 2, 3]).status == 401)
      }
    }
  }

  @Test(arguments: [
    "another origin", "another site", "not verified", "another key", "another handle", "no handle", "copied",
    "another id",
  ])
  func a_false_statement_of_an_authenticator_is_refused(_ lie: String) async throws {
    try await TestServer.run { server in
      let ann = try await server.addPerson("ann@example.com")
      let bob = try await server.addPerson("bob@example.com")
      try await runBlocking {
        var authenticator = Self.authenticator
        authenticator.counter = 5
        #expect(try Self.register(authenticator, try server.signIn("ann@example.com"), server).status == 201)
        authenticator.counter = 6
        var handle: [UInt8]? = AccountService.handle(of: ann.id)
        switch lie {
        case "another origin": authenticator.origin = "http://localhost.evil.example"
        case "another site": authenticator.relyingPartyId = "evil.example"
        case "not verified": authenticator.flags = 0x01
        case "another key": authenticator.key = SoftwareAuthenticator().key
        case "another handle": handle = AccountService.handle(of: bob.id)
        case "no handle": handle = nil
        case "copied": authenticator.counter = 5
        default: authenticator.id = Array("credential-0002".utf8)
        }
        let reply = try Self.signIn(authenticator, server, handle: handle)
        #expect(reply.status == 401 && reply.cookies.isEmpty)
        // The answer does not reveal the failed check.
        #expect(reply.errorCode == "wrongPasskey")
      }
    }
  }
}
