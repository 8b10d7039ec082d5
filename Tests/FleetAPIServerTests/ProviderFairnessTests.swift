import FleetAccess
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Strangers who send many answers of a provider, and people who sign in with the provider at the same time.
@Suite struct ProviderFairnessTests {
  private typealias Tests = ProviderRoutesTests

  /// Sends a callback without waiting for its answer.
  private static func send(
    _ server: TestServer, _ begun: Tests.Beginning, code: String, from host: UInt32, device: String? = nil
  ) throws -> TestClient {
    let client = try server.client(from: host)
    let cookie = "fleet-provider=\(begun.cookie)" + (device.map { "; fleet-device=\($0)" } ?? "")
    let path = "/api/auth/oidc/\(begun.id)/callback?code=\(code)&state=\(begun.state)"
    try client.write(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n".utf8))
    return client
  }

  /// Waits until the provider has received so many codes.
  private static func wait(for count: Int, _ peer: Tests.Peer) throws {
    let end = ContinuousClock.now + .seconds(60)
    while peer.count("/good/token") < count {
      guard .now < end else { throw TestClient.Failure(description: "\(peer.count("/good/token")) codes arrived") }
      sched_yield()
    }
  }

  @Test func codes_of_strangers_do_not_delay_people_in_known_browsers() async throws {
    let peer = try await runBlocking { try Tests.Peer() }
    try await Tests.run([peer.provider("good")]) { server in
      try await runBlocking { () throws in
        let first = try Tests.finish(server, try Tests.begin(server, "good"))
        let device = try #require(first.cookie("fleet-device"), "\(first.text)")
        // The provider does not answer these codes for now. They come from more addresses than codes are exchanged.
        var strangers: [TestClient] = []
        for host in 0..<20 {
          let begun = try Tests.begin(server, "good")
          let code = try begun.code(["sub": "s-\(host)", "email": "s\(host)@example.org", "held": true])
          strangers.append(try Self.send(server, begun, code: code, from: UInt32(20 + host)))
        }
        try Self.wait(for: 5, peer)
        let begun = try Tests.begin(server, "good")
        let reply = try Self.send(server, begun, code: try begun.code(), from: 2, device: device).read()
        #expect(reply.status == 303 && reply.cookie("fleet-session") != nil, "\(reply.text)")
        // The others still wait: the provider has only the codes of four of them.
        #expect(peer.count("/good/token") == 6)
        #expect(try Tool.run("curl", ["-sS", "http://127.0.0.1:\(peer.port)/good/release"]).status == 0)
        for stranger in strangers { #expect(try stranger.read().status == 303) }
      }
    }
  }

  /// A browser is known only to the tenant in which a person has signed in with it, and its cookie cannot be forged.
  @Test func a_known_browser_is_proved_by_its_cookie() throws {
    let keys = try #require(SecretKeys(file: String(repeating: "7", count: 64)))
    let (ann, bob) = (UUIDv7.random(at: WallClock.now), UUIDv7.random(at: WallClock.now))
    let made = KnownDevice(of: ann, .standard, keys)
    let read = try #require(KnownDevice(proof: made.proof, of: .standard, keys))
    #expect(read.isOwned(by: ann) && !read.isOwned(by: bob) && read.owner == made.owner)
    // The value of a cookie that is longer than 512 bytes is ignored.
    #expect(made.proof.utf8.count < 200)
    #expect(KnownDevice(of: ann, .standard, keys).owner == made.owner)
    #expect(KnownDevice(of: bob, .standard, keys).owner != made.owner)
    let other = try #require(TenantID("other"))
    let foreign = try #require(SecretKeys(file: String(repeating: "8", count: 64)))
    #expect(KnownDevice(proof: made.proof, of: other, keys) == nil)
    #expect(KnownDevice(proof: made.proof, of: .standard, foreign) == nil)
    let parts = made.proof.split(separator: ".")
    let owner = KnownDevice(of: bob, .standard, keys).owner
    for forged in ["", "..", "\(parts[0]).\(owner).\(parts[2])", "x.\(parts[1]).\(parts[2])", made.proof + ".x"] {
      #expect(KnownDevice(proof: forged, of: .standard, keys) == nil, "\(forged)")
    }
  }

  @Test func cancelled_sign_ins_do_not_count_as_guesses() async throws {
    let peer = try await runBlocking { try Tests.Peer() }
    try await Tests.run([peer.provider("good")]) { server in
      try await server.addPerson("bob@example.com")
      try await runBlocking { () throws in
        // More than the limit of one address, all from the same one.
        for _ in 0...GuessLimiter.callback.burst {
          let begun = try Tests.begin(server, "good")
          let reply = try server.client(from: 9).send(
            "GET", "/api/auth/oidc/good/callback?error=access_denied&state=\(begun.state)",
            headers: ["Cookie": "fleet-provider=\(begun.cookie)"])
          try #require(reply.errorCode == "providerSignInFailed", "\(reply.text)")
        }
        let begun = try Tests.begin(server, "good")
        #expect(try Self.send(server, begun, code: try begun.code(), from: 9).read().status == 303)
      }
    }
  }

  @Test func wrong_answers_of_an_address_delay_neither_passwords_nor_known_browsers() async throws {
    let peer = try await runBlocking { try Tests.Peer() }
    try await Tests.run([peer.provider("good")]) { server in
      try await server.addPerson("bob@example.com")
      try await runBlocking { () throws in
        let first = try Tests.finish(server, try Tests.begin(server, "good"))
        let device = try #require(first.cookie("fleet-device"), "\(first.text)")
        let unknown = try Tests.begin(server, "good")
        var statuses: [Int] = []
        // The limit grows by one every two seconds.
        while statuses.last != 429, statuses.count < 10 * GuessLimiter.callback.burst {
          statuses.append(
            try server.client(from: 9).send("GET", "/api/auth/oidc/good/callback?code=x&state=x").status)
        }
        #expect(try Self.send(server, unknown, code: try unknown.code(), from: 9).read().status == 429)
        #expect(statuses.dropLast().allSatisfy { $0 == 401 } && statuses.count > GuessLimiter.callback.burst)
        // The same address: a password, and a browser that is known.
        let login = #"{"email":"bob@example.com","password":"\#(TestServer.password)"}"#
        #expect(try server.asPage(nil, "POST", "/api/auth/login", login, from: 9).status == 200)
        let begun = try Tests.begin(server, "good")
        #expect(try Self.send(server, begun, code: try begun.code(), from: 9, device: device).read().status == 303)
      }
    }
  }

  /// Each of many people who begin at the same time needs the provider's description, which is fetched once.
  @Test func documents_of_a_provider_are_fetched_once_for_all_who_wait() async throws {
    let peer = try await runBlocking { try Tests.Peer() }
    try await Tests.run([peer.provider("heldDescription")]) { server in
      try await runBlocking { () throws in
        let clients = try (0..<40).map { host in
          let client = try server.client(from: UInt32(20 + host))
          try client.write(Array("GET /api/auth/oidc/helddescription HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
          return client
        }
        let path = "/heldDescription/.well-known/openid-configuration"
        let end = ContinuousClock.now + .seconds(60)
        while peer.count(path) == 0, .now < end { sched_yield() }
        #expect(try server.client().send("GET", "/api/health").status == 200)
        #expect(try Tool.run("curl", ["-sS", "http://127.0.0.1:\(peer.port)/good/release"]).status == 0)
        #expect(try clients.map { try $0.read().status } == Array(repeating: 303, count: 40))
        #expect(peer.count(path) == 1)
      }
    }
  }
}
