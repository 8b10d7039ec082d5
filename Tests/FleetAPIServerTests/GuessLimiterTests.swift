import FleetAccess
import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Limits of wrong passwords and codes.
@Suite struct GuessLimiterTests {
  private static func login(_ password: String = TestServer.password) -> String {
    #"{"email":"ann@example.com","password":"\#(password)"}"#
  }

  @Test(arguments: TestServer.Database.allCases)
  func wrong_answers_count_after_a_restart(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let start = WallClock.now
      func wait(_ account: String, _ address: String, after seconds: Int) async throws -> Int? {
        // A limiter without memory, as after a start.
        let attempt = try GuessLimiter().admit(account, from: nil, at: address)
        return try await server.storage.view(tenant: .standard) { view throws(ThingError) in
          try view.secondsUntilAllowed(attempt, at: start.adding(seconds: seconds))
        }
      }
      // Ten for an account, then one a minute.
      for number in 0..<10 {
        #expect(try await wait("ann", "10.0.0.\(number)", after: 0) == nil)
        let attempt = try GuessLimiter().admit("ann", from: nil, at: "10.0.0.\(number)")
        try await server.storage.change(tenant: .standard, by: Actor(.nobody), at: start) {
          transaction throws(ThingError) in try transaction.countWrong(attempt)
        }
      }
      #expect(try await wait("ann", "10.0.1.1", after: 0) == 60)
      #expect(try await wait("ann", "10.0.1.1", after: 59) == 1)
      #expect(try await wait("ann", "10.0.1.1", after: 60) == nil)
      #expect(try await wait("bob", "10.0.1.1", after: 0) == nil)
      // 50 from an address, then one in two seconds.
      for number in 0..<50 {
        let attempt = try GuessLimiter().admit("account \(number)", from: nil, at: "10.0.2.1")
        try await server.storage.change(tenant: .standard, by: Actor(.nobody), at: start) {
          transaction throws(ThingError) in try transaction.countWrong(attempt)
        }
      }
      #expect(try await wait("bob", "10.0.2.1", after: 0) == 2)
      #expect(try await wait("bob", "10.0.2.1", after: 2) == nil)
      // A counter that has run out begins again.
      let attempt = try GuessLimiter().admit("ann", from: nil, at: "10.0.0.1")
      try await server.storage.change(tenant: .standard, by: Actor(.nobody), at: start.adding(seconds: 700)) {
        transaction throws(ThingError) in try transaction.countWrong(attempt)
      }
      #expect(try await wait("ann", "10.0.1.1", after: 700) == nil)
    }
  }

  @Test func wrong_passwords_count_in_all_servers_of_a_database() async throws {
    let database = try await runBlocking { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      try await first.addPerson("ann@example.com")
      try await runBlocking {
        for number in 0..<10 {
          let server = number % 2 == 0 ? first : second
          let reply = try server.asPage(
            nil, "POST", "/api/auth/login", Self.login("wrong \(number)"), from: UInt32(10 + number))
          #expect(reply.status == 401)
        }
        for server in [first, second] {
          let reply = try server.asPage(nil, "POST", "/api/auth/login", Self.login(), from: 99)
          #expect(reply.status == 429 && reply.errorCode == "tooManyAttempts")
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_app_at_a_known_address_is_not_locked_out_by_strangers(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let grant = #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#
        func token(from host: UInt32) throws -> Int {
          try server.client(from: host).send("POST", "/api/auth/token", json: grant).status
        }
        #expect(try token(from: 5) == 200)
        for number in 0..<12 {
          _ = try server.asPage(
            nil, "POST", "/api/auth/login", Self.login("wrong \(number)"), from: UInt32(10 + number))
        }
        #expect(try token(from: 99) == 429)
        #expect(try token(from: 5) == 200)
        // Guesses from there count for this address alone.
        for number in 0..<10 {
          #expect(
            try server.asPage(nil, "POST", "/api/auth/login", Self.login("wrong \(number)"), from: 5).status == 401)
        }
        #expect(try token(from: 5) == 429)
      }
    }
  }
}

/// Requests for a new password.
@Suite struct RecoveryLimitTests {
  @Test func strangers_do_not_use_up_the_owners_requests_for_a_new_password() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        func recover(_ name: String, from host: UInt32) throws -> TestClient.Reply {
          try server.asPage(nil, "POST", "/api/auth/recover", #"{"email":"\#(name)@example.com"}"#, from: host)
        }
        let grant = #"{"grant":"password","email":"ann@example.com","password":"\#(TestServer.password)"}"#
        #expect(try server.client(from: 5).send("POST", "/api/auth/token", json: grant).status == 200)
        for name in ["ann", "nobody"] {
          for number in 0..<10 { #expect(try recover(name, from: UInt32(10 + number)).status == 202) }
        }
        // Strangers do not learn which account exists.
        let answers = try ["ann", "nobody"].map { try recover($0, from: 99) }
        // The waits differ by the time between the requests.
        func words(_ reply: TestClient.Reply) -> String { reply.text.filter { !$0.isNumber } }
        #expect(answers.map(\.status) == [429, 429] && words(answers[0]) == words(answers[1]))
        #expect(try recover("nobody", from: 5).status == 429)
        // The owner's address has as many requests again.
        for _ in 0..<10 { #expect(try recover("ann", from: 5).status == 202) }
        #expect(try recover("ann", from: 5).status == 429)
      }
    }
  }
}

/// Requests without a key.
@Suite struct StrangerTests {
  @Test func one_address_has_a_limit_of_requests_without_a_valid_key() async throws {
    try await TestServer.run(.test { $0.strangerRate = RateLimit(perSecond: 0.01, burst: 3) }) { server in
      try await runBlocking {
        let requests = [
          ("GET", "/api/health", nil, 200), ("GET", "/api/none", nil, 404), ("DELETE", "/api/vehicles", nil, 405),
          ("GET", "/api/vehicles", nil, 401), ("GET", "/api/vehicles", "wrong", 401),
          ("GET", "/api/openapi.json", "wrong", 200),
        ]
        for (index, (method, path, key, status)) in requests.enumerated() {
          let host = UInt32(10 + index)
          let client = try server.client(key, from: host)
          for _ in 0..<3 { #expect(try client.send(method, path).status == status, "\(path)") }
          let reply = try client.send(method, path)
          #expect(reply.status == 429 && reply.errorCode == "tooManyRequests", "\(path)")
          #expect((reply.headers["retry-after"].flatMap { Int($0) } ?? 0) > 0)
          // A valid key at the same address has its own rate, also on the same connection and for open routes.
          let known = try server.client(server.keys.readOnly, from: host)
          for path in ["/api/vehicles", "/api/health", "/api/openapi.json"] {
            for _ in 0..<5 { #expect(try known.send("GET", path).status == 200) }
          }
          let key = ["Authorization": "Bearer \(server.keys.readOnly)"]
          if client.isWithoutToken { #expect(try client.send("GET", "/api/health", headers: key).status == 200) }
        }
      }
    }
  }

  @Test func one_address_has_a_limit_on_routes_without_a_key() async throws {
    try await TestServer.run(.test { $0.signInRate = RateLimit(perSecond: 0.01, burst: 3) }) { server in
      try await runBlocking {
        let paths = [
          ("POST", "/api/auth/passkeys/assertion", "{}"),
          ("POST", "/api/auth/token", #"{"grant":"refresh","refreshToken":"x"}"#), ("GET", "/api/auth/oidc", nil),
          ("POST", "/api/auth/factor/code", #"{"ticket":"x"}"#), ("POST", "/api/auth/setup", "{}"),
          ("POST", "/api/auth/oidc/x/logout", "{}"), ("GET", "/api/auth/oidc/x", nil),
        ]
        for (index, (method, path, body)) in paths.enumerated() {
          let host = UInt32(10 + index)
          for _ in 0..<3 { #expect(try server.asPage(nil, method, path, body, from: host).status != 429) }
          let reply = try server.asPage(nil, method, path, body, from: host)
          #expect(reply.status == 429 && reply.errorCode == "tooManyRequests", "\(path)")
          #expect((reply.headers["retry-after"].flatMap { Int($0) } ?? 0) > 0)
        }
        // Probes and people who have signed in have no such limit.
        for _ in 0..<5 { #expect(try server.client(from: 10).send("GET", "/api/health").status == 200) }
      }
    }
  }

  /// Phones of several companies may have one address, for example that of a mobile network.
  @Test(arguments: [true, false])
  func phones_send_their_positions_from_the_address_of_strangers(_ isRouteLimit: Bool) async throws {
    let limit = RateLimit(perSecond: 0.01, burst: 3)
    let options = ServerOptions.test {
      if isRouteLimit { $0.signInRate = limit } else { $0.strangerRate = limit }
    }
    try await TestServer.run(options) { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let driver = try admin.send("POST", "/api/drivers", json: #"{"name":"Dora"}"#).json["id"] as? String
        let phone = try admin.send(
          "POST", "/api/phones", json: #"{"driverId":"\#(try #require(driver))","name":"Phone"}"#)
        let id = try #require(try phone.json["id"] as? String, "\(phone.text)")
        let key = try #require(try admin.send("POST", "/api/phones/\(id)/rotate").json["key"] as? String)
        let path = "/api/phone-reports/osmand?lat=48.2&lon=16.2&id="
        let app = try server.client(from: 9)
        for _ in 0..<3 { #expect(try app.send("GET", path + "wrong").status == 400) }
        for _ in 0..<6 {
          let reply = try server.client(from: 9).send("GET", path + key)
          #expect(reply.status == 200, "\(reply.text)")
        }
        #expect(try app.send("GET", path + "wrong").status == 429)
      }
    }
  }

  /// Bodies that never end hold memory. It must not be that of passwords and of other tenants.
  @Test func bodies_of_strangers_do_not_prevent_sign_ins() async throws {
    try await TestServer.run(
      .test {
        $0.limits.unpackedBytes = 1 << 20
        $0.limits.memoryBytes = 4 << 20
      }
    ) { server in
      try await server.addPerson("ann@example.com")
      try await runBlocking {
        let clients = try (0..<40).map { number in
          let client = try server.client(from: UInt32(10 + number))
          let head =
            "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: 200000\r\n\r\n"
          try client.write(Array(head.utf8) + [UInt8](repeating: 0x20, count: 150_000))
          return client
        }
        #expect(try server.signIn("ann@example.com").hasPrefix("fss_"))
        #expect(
          try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines).status == 200)
        withExtendedLifetime(clients) {}
      }
    }
  }
}
