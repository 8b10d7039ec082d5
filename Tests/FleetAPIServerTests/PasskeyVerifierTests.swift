import Crypto
import CryptoExtras
import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI
@testable import FleetAccessTestKit

/// The passkey routes, compared with webauthn (PyPI): it reads the options, and accepts the same registrations and
/// assertions.
@Suite struct PasskeyVerifierTests {
  /// Returns what the other implementation answers.
  private static func verify(_ request: [String: Any]) throws -> [String: Any] {
    let line = try JSONSerialization.data(withJSONObject: request)
    let result = try Tool.run(
      try Tool.python(with: "webauthn"), [TestData.projectRoot + "/Tests/Support/passkey-verifier.py"],
      stdin: Array(line) + [0x0A])
    let answer = try JSONSerialization.jsonObject(with: Data(result.stdout)) as? [String: Any]
    return try #require(answer, "\(result.errors)")
  }

  private static func credential(_ id: [UInt8], _ response: [String: [UInt8]?]) -> [String: Any] {
    [
      "id": Base64URL.text(id), "rawId": Base64URL.text(id), "type": "public-key",
      "response": response.compactMapValues { $0.map { Base64URL.text($0) } },
    ]
  }

  private static func options(_ reply: TestClient.Reply) throws -> (json: [String: Any], challenge: [UInt8]) {
    let options = try #require(try reply.json["publicKey"] as? [String: Any], "\(reply.text)")
    let challenge = (options["challenge"] as? String).flatMap { Base64URL.bytes($0) }
    return (options, try #require(challenge))
  }

  private static func post(
    _ server: TestServer, _ session: String?, _ path: String, _ credential: [String: Any]
  ) throws -> Int {
    let body = try JSONSerialization.data(withJSONObject: ["credential": credential])
    return try server.asPage(session, "POST", path, String(decoding: body, as: UTF8.self)).status
  }

  @Test(arguments: ["ES256", "EdDSA", "RS256"])
  func another_implementation_accepts_and_refuses_the_same(_ algorithm: String) async throws {
    try await TestServer.run { server in
      let ann = try await server.addPerson("ann@example.com")
      try await runBlocking {
        var authenticator = SoftwareAuthenticator()
        (authenticator.relyingPartyId, authenticator.origin) = ("localhost", "http://localhost")
        switch algorithm {
        case "EdDSA": authenticator.key = .ed25519(Curve25519.Signing.PrivateKey())
        case "RS256": authenticator.key = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        default: break
        }
        authenticator.counter = 5
        let session = try server.signIn("ann@example.com")
        let place = ["origin": "http://localhost", "site": "localhost"]
        let path = "/api/auth/passkeys"
        let begun = try Self.options(try server.asPage(session, "POST", path + "/registration"))
        let made = authenticator.registration(begun.challenge)
        let registration = Self.credential(
          authenticator.id, ["clientDataJSON": made.clientData, "attestationObject": made.attestation])
        let known = try Self.verify(
          [
            "options": begun.json, "credential": registration, "challenge": Base64URL.text(begun.challenge),
          ].merging(place) { $1 })
        #expect(known["counter"] as? Int == 5, "\(known)")
        #expect(try Self.post(server, session, path, registration) == 201)
        let handle = AccountService.handle(of: ann.id)
        let cases = ["another origin", "another site", "not verified", "another key", "copied", "cut", "right"]
        for name in cases {
          var other = authenticator
          other.counter = 6
          switch name {
          case "another origin": other.origin = "http://localhost.evil.example"
          case "another site": other.relyingPartyId = "evil.example"
          case "not verified": other.flags = 0x01
          case "another key": other.key = SoftwareAuthenticator().key
          case "copied": other.counter = 5
          default: break
          }
          let fresh = try Self.options(try server.asPage(nil, "POST", path + "/assertion", "{}"))
          let signed = other.assertion(fresh.challenge, userHandle: handle)
          let assertion = Self.credential(
            authenticator.id,
            [
              "clientDataJSON": signed.clientData, "authenticatorData": signed.authenticatorData,
              "signature": name == "cut" ? signed.signature.dropLast() : signed.signature, "userHandle": handle,
            ])
          let verdict = try Self.verify(
            [
              "options": fresh.json, "credential": assertion, "challenge": Base64URL.text(fresh.challenge),
              "key": try #require(known["key"]), "counter": 5,
            ].merging(place) { $1 })
          #expect((verdict["error"] == nil) == (name == "right"), "\(name): \(verdict)")
          #expect(try Self.post(server, nil, path + "/login", assertion) == (name == "right" ? 200 : 401), "\(name)")
        }
      }
    }
  }
}
