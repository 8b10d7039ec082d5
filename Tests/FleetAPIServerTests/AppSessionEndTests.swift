import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Sessions of apps that one server ends and another one serves, over one PostgreSQL database: access tokens, refresh
/// tokens and WebSockets.
@Suite struct AppSessionEndTests {
  enum Act: String, CaseIterable, CustomTestStringConvertible {
    case deactivate, revoke, signOut, erase, roles, scope, password, reusedRefreshToken

    var testDescription: String { rawValue }

    /// Whether the session ends. Otherwise, only its connections close, and it has other rights.
    var endsSession: Bool { ![.roles, .scope].contains(self) }
  }

  struct Tokens {
    let access: String
    let refresh: String

    init(_ reply: TestClient.Reply) throws {
      access = try #require(try reply.json["accessToken"] as? String, "\(reply.text)")
      refresh = try #require(try reply.json["refreshToken"] as? String)
    }
  }

  private static func signIn(_ server: TestServer) throws -> Tokens {
    let body = #"{"grant":"password","email":"bob@example.com","password":"\#(TestServer.password)"}"#
    return try Tokens(try server.client().send("POST", "/api/auth/token", json: body))
  }

  private static func refresh(_ token: String, _ server: TestServer) throws -> TestClient.Reply {
    try server.client().send("POST", "/api/auth/token", json: #"{"grant":"refresh","refreshToken":"\#(token)"}"#)
  }

  private static func act(
    _ act: Act, _ server: TestServer, person: String, _ tokens: Tokens, used: String
  ) throws -> TestClient.Reply {
    let admin = try server.signIn("admin@example.com")
    let path = "/api/people/\(person)"
    let any = ["If-Match": "*"]
    switch act {
    case .deactivate: return try server.asPage(admin, "POST", path + "/deactivate")
    case .revoke:
      let sessions = try server.client(tokens.access).send("GET", "/api/sessions").list
      let id = sessions.first { $0["isCurrent"] as? Bool == true }?["id"] as? String ?? ""
      return try server.asPage(admin, "DELETE", "/api/sessions/\(id)")
    case .signOut: return try server.client(tokens.access).send("POST", "/api/auth/logout")
    case .erase: return try server.asPage(admin, "DELETE", path)
    case .roles: return try server.asPage(admin, "PATCH", path, #"{"roles":["driver"]}"#, headers: any)
    case .scope: return try server.asPage(admin, "PATCH", path, #"{"scope":[]}"#, headers: any)
    case .password:
      return try server.asPage(
        try server.signIn("bob@example.com"), "POST", "/api/auth/password",
        #"{"password":"\#(TestServer.password)","newPassword":"a quite different text"}"#)
    case .reusedRefreshToken: return try refresh(used, server)
    }
  }

  @Test(arguments: Act.allCases)
  func a_change_on_one_server_reaches_an_app_of_another_within_two_seconds(_ act: Act) async throws {
    let database = try await runBlocking { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      try await first.addPerson("admin@example.com")
      let bob = try await first.addPerson("bob@example.com", [.viewer]).id.string
      try await runBlocking {
        let used = try Self.signIn(first).refresh
        let tokens = try Tokens(try Self.refresh(used, first))
        // The second server has the session in its cache, and a connection of it.
        #expect(try second.client(tokens.access).send("GET", "/api/vehicles").list.count == 2)
        let socket = try WebSocketTestClient(port: second.port, token: tokens.access)
        _ = try socket.listen("fleet")
        let reply = try Self.act(act, first, person: bob, tokens, used: used)
        let start = ContinuousClock.now
        #expect(act == .reusedRefreshToken ? reply.status == 401 : (200..<300).contains(reply.status), "\(reply.text)")
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        #expect(.now - start < .seconds(2), "WebSocket: \(ContinuousClock.now - start)")
        var isEnded = false
        while !isEnded, .now - start < .seconds(10) {
          let answer = try second.client(tokens.access).send("GET", "/api/vehicles")
          isEnded = act.endsSession ? answer.status == 401 : answer.list.isEmpty
        }
        #expect(isEnded && .now - start < .seconds(2), "access token: \(ContinuousClock.now - start)")
        // The refresh token is not cached: it ends at once, or gives tokens with the new rights.
        let renewed = try Self.refresh(tokens.refresh, second)
        #expect(.now - start < .seconds(2), "refresh token: \(ContinuousClock.now - start)")
        guard !act.endsSession else {
          #expect(renewed.status == 401, "\(renewed.text)")
          return
        }
        #expect(try second.client(try Tokens(renewed).access).send("GET", "/api/vehicles").list.isEmpty)
      }
    }
  }

  /// A refresh token that one server has renewed is good for no other server.
  @Test func tokens_that_one_server_has_renewed_end_at_another_within_two_seconds() async throws {
    let database = try await runBlocking { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      try await first.addPerson("bob@example.com", [.viewer])
      try await runBlocking {
        let old = try Self.signIn(first)
        #expect(try second.client(old.access).send("GET", "/api/vehicles").status == 200)
        let new = try Tokens(try Self.refresh(old.refresh, first))
        let start = ContinuousClock.now
        while try second.client(old.access).send("GET", "/api/vehicles").status != 401, .now - start < .seconds(10) {}
        #expect(.now - start < .seconds(2), "\(ContinuousClock.now - start)")
        #expect(try second.client(new.access).send("GET", "/api/vehicles").status == 200)
        // The thief is at the other server. The session ends for both.
        #expect(try Self.refresh(old.refresh, second).status == 401)
        #expect(try Self.refresh(new.refresh, first).status == 401)
        #expect(try second.client(new.access).send("GET", "/api/vehicles").status == 401)
      }
    }
  }
}
