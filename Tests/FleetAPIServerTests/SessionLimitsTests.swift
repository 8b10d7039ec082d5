import FleetAccess
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The ends of sessions, tokens and links, and steps of the server's clock.
@Suite struct SessionLimitsTests {
  private static let options = ServerOptions.test { options in
    options.accounts.limits.idleSeconds = 100
    options.accounts.limits.seconds = 1_000
    options.accounts.limits.appIdleSeconds = 2_000
    options.accounts.limits.appSeconds = 5_000
    options.live.pingSeconds = 1
  }
  private static let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
  private static let day = 86_400

  // MARK: Sessions

  @Test(arguments: TestServer.Database.allCases)
  func a_browser_session_ends_when_it_is_idle_and_at_its_absolute_end(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(Self.options, on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let idle = try server.signIn("ann@example.com")
        func status(_ session: String, after seconds: Int) throws -> Int {
          clock.advance(seconds)
          return try server.asPage(session, "GET", "/api/vehicles").status
        }
        // Each use extends the time, also the second one within a minute.
        #expect(try status(idle, after: 50) == 200)
        #expect(try status(idle, after: 90) == 200)
        #expect(try status(idle, after: 99) == 200)
        #expect(try status(idle, after: 100) == 401)
        #expect(try server.asPage(idle, "GET", "/api/auth/session").errorCode == "sessionEnded")
        let busy = try server.signIn("ann@example.com")
        for _ in 0..<11 { #expect(try status(busy, after: 90) == 200) }
        #expect(try status(busy, after: 9) == 200)
        #expect(try status(busy, after: 1) == 401)
        #expect(try server.asPage(busy, "GET", "/api/auth/session").errorCode == "sessionEnded")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_apps_tokens_end_and_are_renewed_until_its_session_ends(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(Self.options, on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        func grant(_ members: String) throws -> TestClient.Reply {
          try server.client().send("POST", "/api/auth/token", json: #"{"grant":\#(members)}"#)
        }
        func signIn() throws -> (access: String, refresh: String) {
          let json = try grant(#""password","email":"ann@example.com","password":"\#(TestServer.password)""#).json
          return (
            try #require(json["accessToken"] as? String), try #require(json["refreshToken"] as? String)
          )
        }
        func status(_ access: String) throws -> Int { try server.client(access).send("GET", "/api/vehicles").status }
        var tokens = try signIn()
        clock.advance(899)
        #expect(try status(tokens.access) == 200)
        clock.advance(1)
        #expect(try status(tokens.access) == 401)
        // A refresh token is good until the session is idle for too long (2,000 s), at the latest until 5,000 s.
        for seconds in [1_000, 1_900, 1_190] {
          clock.advance(seconds)
          let json = try grant(#""refresh","refreshToken":"\#(tokens.refresh)""#).json
          tokens = (
            try #require(json["accessToken"] as? String), try #require(json["refreshToken"] as? String)
          )
          #expect(try status(tokens.access) == 200)
        }
        // The access token does not outlive the session.
        clock.advance(10)
        #expect(try status(tokens.access) == 401)
        #expect(try grant(#""refresh","refreshToken":"\#(tokens.refresh)""#).errorCode == "expiredToken")
        let idle = try signIn()
        clock.advance(2_000)
        #expect(try grant(#""refresh","refreshToken":"\#(idle.refresh)""#).errorCode == "expiredToken")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_websocket_ends_with_its_session(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(Self.options, on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let ended = WebSocketTestClient.Message.close(code: 1008, reason: "the session has ended; sign in again")
        func open(_ session: String) throws -> WebSocketTestClient {
          let socket = try WebSocketTestClient(
            port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
          _ = try socket.listen("fleet")
          return socket
        }
        func ping(_ socket: WebSocketTestClient) throws {
          try socket.send(#"{"action":"ping"}"#)
          #expect(try socket.event()["event"] as? String == "pong")
        }
        // Messages and requests are uses; updates that the client only receives are none.
        let session = try server.signIn("ann@example.com")
        let socket = try open(session)
        clock.advance(90)
        try ping(socket)
        clock.advance(90)
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
        clock.advance(90)
        try ping(socket)
        clock.advance(100)
        #expect(try socket.close() == ended)
        let old = try server.signIn("ann@example.com")
        let other = try open(old)
        for _ in 0..<11 {
          clock.advance(90)
          try ping(other)
        }
        clock.advance(10)
        #expect(try other.close() == ended)
        // An access token ends before the session; with a new one, the connection continues.
        let first = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#
        ).json
        let app = try WebSocketTestClient(port: server.port, token: first["accessToken"] as? String)
        _ = try app.listen("fleet")
        clock.advance(800)
        let second = try server.client().send(
          "POST", "/api/auth/token",
          json: #"{"grant":"refresh","refreshToken":"\#(first["refreshToken"] as? String ?? "")"}"#
        ).json
        try app.send(#"{"action":"authenticate","token":"\#(second["accessToken"] as? String ?? "")"}"#)
        #expect(try app.event()["event"] as? String == "authenticated")
        clock.advance(800)
        try ping(app)
        clock.advance(100)
        #expect(try app.close() == ended)
      }
    }
  }

  /// The pings, at which the end is checked as well, are rare here.
  @Test(arguments: TestServer.Database.allCases)
  func a_websocket_ends_at_the_end_of_its_session_without_a_ping(_ database: TestServer.Database) async throws {
    let options = ServerOptions.test { options in
      options.accounts.limits.idleSeconds = 2
      options.live.pingSeconds = 600
    }
    try await TestServer.run(options, on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        #expect(try socket.close() == .close(code: 1008, reason: "the session has ended; sign in again"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func changes_of_the_account_need_a_recent_sign_in(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer]).id.string
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        func replies() throws -> [TestClient.Reply] {
          let change = #"{"roles":["driver"]}"#
          return try [
            server.asPage(session, "POST", "/api/factors", #"{"kind":"totp"}"#),
            server.asPage(session, "PATCH", "/api/people/\(bob)", change, headers: ["If-Match": "*"]),
          ]
        }
        clock.advance(900)
        #expect(try replies().map(\.errorCode) == ["signInAgain", "signInAgain"])
        let body = #"{"password":"\#(TestServer.password)"}"#
        #expect(try server.asPage(session, "POST", "/api/auth/confirm", body).status == 204)
        clock.advance(899)
        #expect(try replies().map(\.status) == [201, 200])
      }
    }
  }

  // MARK: Links and tickets

  @Test(arguments: TestServer.Database.allCases)
  func links_end_at_their_time(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(on: database, clock: clock) { server in
      try await server.addPerson("admin@example.com")
      let ann = try await server.addPerson("ann@example.com", [.viewer])
      try await runBlocking {
        let admin = try server.signIn("admin@example.com")
        let new = try server.asPage(
          admin, "POST", "/api/people",
          #"{"email":"new@example.com","firstName":"New","lastName":"One","roles":["viewer"]}"#)
        let id = try #require(try new.json["id"] as? String)
        func link(_ person: String) throws -> String {
          let reply = try server.asPage(try server.signIn("admin@example.com"), "POST", "/api/people/\(person)/invite")
          return try #require(try reply.json["token"] as? String, "\(reply.text)")
        }
        func use(_ token: String, _ path: String, after seconds: Int) throws -> TestClient.Reply {
          clock.advance(seconds)
          return try server.asPage(
            nil, "POST", "/api/auth/\(path)", #"{"token":"\#(token)","password":"a quite different text"}"#)
        }
        // An invitation is good for three days, a link for a new password for an hour.
        #expect(try use(try link(id), "setup", after: 3 * Self.day).errorCode == "expiredLink")
        #expect(try use(try link(id), "setup", after: 3 * Self.day - 1).status == 200)
        #expect(try use(try link(ann.id.string), "reset", after: 3_600).errorCode == "expiredLink")
        #expect(try use(try link(ann.id.string), "reset", after: 3_599).status == 200)
      }
    }
  }

  @Test func the_second_step_of_a_sign_in_ends_after_ten_minutes() async throws {
    let clock = TestClock()
    try await TestServer.run(clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let totp = try Self.addFactor(server, clock)
        func answer(after seconds: Int) throws -> TestClient.Reply {
          let reply = try server.asPage(nil, "POST", "/api/auth/login", Self.login)
          let ticket = try #require(try reply.json["ticket"] as? String)
          clock.advance(seconds)
          return try server.asPage(
            nil, "POST", "/api/auth/factor",
            #"{"ticket":"\#(ticket)","kind":"totp","code":"\#(totp.code(step: TOTP.step(at: clock.now)))"}"#)
        }
        #expect(try answer(after: 600).errorCode == "expiredTicket")
        #expect(try answer(after: 599).status == 200)
      }
    }
  }

  @Test func challenges_and_states_end_at_their_time() throws {
    let keys = try #require(SecretKeys(file: String(repeating: "7", count: 64)))
    let clock = TestClock()
    let challenge = PasskeyChallenge(.signIn, tenant: .standard, at: clock.now, keys)
    let data = Array(#"{"type":"webauthn.get","challenge":"\#(Base64URL.text(challenge.bytes))"}"#.utf8)
    let text = OpenIDState("x", returnTo: "/", person: nil, browser: "b", at: clock.now).sealed(keys)
    clock.advance(PasskeyChallenge.seconds - 1)
    #expect(PasskeyChallenge(clientData: data, for: .signIn, at: clock.now, keys) != nil)
    clock.advance(1)
    #expect(PasskeyChallenge(clientData: data, for: .signIn, at: clock.now, keys) == nil)
    clock.advance(OpenIDState.seconds - PasskeyChallenge.seconds - 1)
    #expect(OpenIDState(text, keys, browser: "b", at: clock.now) != nil)
    clock.advance(1)
    #expect(OpenIDState(text, keys, browser: "b", at: clock.now) == nil)
  }

  // MARK: Steps of the clock

  @Test(arguments: TestServer.Database.allCases)
  func a_clock_that_goes_back_shuts_nobody_out_and_repeats_no_code(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await server.addPerson("bob@example.com")
      try await runBlocking {
        let session = try server.signIn("bob@example.com")
        let totp = try Self.addFactor(server, clock)
        func signIn(_ code: String) throws -> TestClient.Reply {
          let reply = try server.asPage(nil, "POST", "/api/auth/login", Self.login)
          let ticket = try #require(try reply.json["ticket"] as? String, "\(reply.text)")
          return try server.asPage(
            nil, "POST", "/api/auth/factor", #"{"ticket":"\#(ticket)","kind":"totp","code":"\#(code)"}"#)
        }
        func code() -> String { totp.code(step: TOTP.step(at: clock.now)) }
        clock.advance(60)
        let used = code()
        #expect(try signIn(used).status == 200)
        // Wrong passwords fill the counter in the database.
        for number in 0..<9 {
          _ = try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"guess \#(number)"}"#)
        }
        clock.advance(-Self.day)
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
        #expect(try server.asPage(nil, "POST", "/api/auth/login", Self.login).status == 200)
        // Codes of the past may have been seen by others.
        #expect(try signIn(code()).errorCode == "wrongFactor")
        #expect(try signIn(used).errorCode == "wrongFactor")
        clock.advance(Self.day)
        #expect(try signIn(used).errorCode == "wrongFactor")
        clock.advance(60)
        #expect(try signIn(code()).status == 200)
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_clock_that_goes_forward_ends_what_it_passes_and_nothing_else(_ database: TestServer.Database) async throws {
    let clock = TestClock()
    try await TestServer.run(on: database, clock: clock) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let session = try server.signIn("ann@example.com")
        let token = try server.accessToken("ann@example.com")
        clock.advance(Self.day)
        #expect(try server.asPage(session, "GET", "/api/vehicles").errorCode == "sessionEnded")
        #expect(try server.client(token).send("GET", "/api/vehicles").status == 401)
        #expect(try server.client(server.keys.admin).send("GET", "/api/vehicles").status == 200)
        #expect(
          try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines).status == 200)
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
      }
    }
  }

  /// Adds one-time codes to the account of ann@example.com.
  private static func addFactor(_ server: TestServer, _ clock: TestClock) throws -> TOTP {
    let session = try server.signIn("ann@example.com")
    let added = try server.asPage(session, "POST", "/api/factors", #"{"kind":"totp","name":"Phone"}"#)
    let id = try #require((try added.json["factor"] as? [String: Any])?["id"] as? String)
    let uri = try #require(try added.json["uri"] as? String)
    let secret = try #require(URLComponents(string: uri)?.queryItems?.first { $0.name == "secret" }?.value)
    let totp = TOTP(secret: try #require(bytes(base32: secret)))
    let code = totp.code(step: TOTP.step(at: clock.now))
    let confirmed = try server.asPage(session, "POST", "/api/factors/\(id)/confirm", #"{"code":"\#(code)"}"#)
    #expect(confirmed.status == 200, "\(confirmed.text)")
    return totp
  }

  /// Decodes base32 without padding (RFC 4648, section 6).
  private static func bytes(base32 text: String) -> [UInt8]? {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    for letter in text where letter != "=" {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
