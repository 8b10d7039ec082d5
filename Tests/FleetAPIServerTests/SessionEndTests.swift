import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// The ends of sessions, also of sessions that another server over the same PostgreSQL database serves.
@Suite struct SessionEndTests {
  enum Act: String, CaseIterable, CustomTestStringConvertible {
    case deactivate, revoke, signOut, erase, roles, scope, password

    var testDescription: String { rawValue }

    /// Whether the session ends. Otherwise, only its connections close, and it has other rights.
    var endsSession: Bool { ![.roles, .scope].contains(self) }
  }

  @Test(arguments: Act.allCases)
  func a_change_on_one_server_reaches_another_within_two_seconds(_ act: Act) async throws {
    let database = try await runBlocking { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      try await first.addPerson("admin@example.com")
      let bob = try await first.addPerson("bob@example.com", [.viewer]).id.string
      try await runBlocking {
        let admin = try first.signIn("admin@example.com")
        let session = try first.signIn("bob@example.com")
        let other = try first.signIn("bob@example.com")
        // The second server has the session in its cache, and a connection of it.
        #expect(try second.asPage(session, "GET", "/api/vehicles").list.count == 2)
        let socket = try WebSocketTestClient(
          port: second.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        let sessions = try first.asPage(session, "GET", "/api/sessions").list
        let id = sessions.first { $0["isCurrent"] as? Bool == true }?["id"] as? String ?? ""
        let path = "/api/people/\(bob)"
        let any = ["If-Match": "*"]
        let reply =
          switch act {
          case .deactivate: try first.asPage(admin, "POST", path + "/deactivate")
          case .revoke: try first.asPage(admin, "DELETE", "/api/sessions/\(id)")
          case .signOut: try first.asPage(session, "POST", "/api/auth/logout")
          case .erase: try first.asPage(admin, "DELETE", path)
          case .roles: try first.asPage(admin, "PATCH", path, #"{"roles":["driver"]}"#, headers: any)
          case .scope: try first.asPage(admin, "PATCH", path, #"{"scope":[]}"#, headers: any)
          case .password:
            try first.asPage(
              other, "POST", "/api/auth/password",
              #"{"password":"\#(TestServer.password)","newPassword":"a quite different text"}"#)
          }
        let start = ContinuousClock.now
        #expect((200..<300).contains(reply.status), "\(reply.text)")
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        #expect(.now - start < .seconds(2), "WebSocket: \(ContinuousClock.now - start)")
        var isEnded = false
        while !isEnded, .now - start < .seconds(10) {
          let answer = try second.asPage(session, "GET", "/api/vehicles")
          isEnded = act.endsSession ? answer.status == 401 : answer.list.isEmpty
        }
        #expect(isEnded && .now - start < .seconds(2), "request: \(ContinuousClock.now - start)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func another_sign_in_of_a_browser_ends_its_session_before(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await server.addPerson("bob@example.com", tenant: TenantID("other")!)
      try await runBlocking {
        let (first, elsewhere) = (try server.signIn("ann@example.com"), try server.signIn("ann@example.com"))
        let login = #"{"email":"ann@example.com","password":"\#(TestServer.password)"}"#
        let second = try #require(
          try server.asPage(first, "POST", "/api/auth/login", login).cookie("fleet-session"))
        #expect(try server.asPage(first, "GET", "/api/auth/session").errorCode == "sessionEnded")
        // Also that of another tenant.
        let other = #"{"email":"bob@example.com","password":"\#(TestServer.password)","tenant":"other"}"#
        let third = try #require(
          try server.asPage(second, "POST", "/api/auth/login", other).cookie("fleet-session"))
        #expect(try server.asPage(second, "GET", "/api/auth/session").errorCode == "sessionEnded")
        for session in [third, elsewhere] {
          #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        }
        // Neither a wrong password nor an app ends it.
        _ = try server.asPage(third, "POST", "/api/auth/login", #"{"email":"ann@example.com","password":"x"}"#)
        _ = try server.asPage(third, "POST", "/api/auth/token", #"{"grant":"password",\#(login.dropFirst())"#)
        #expect(try server.asPage(third, "GET", "/api/auth/session").status == 200)
      }
    }
  }

  @Test func the_oldest_of_too_many_sessions_loses_its_websocket_at_once() async throws {
    try await TestServer.run { server in
      try await server.addPerson("ann@example.com")
      // Another server's revocations are read from the database. This test is about the server of the sign-in.
      server.storage.set(.revocations) { () throws(StorageError) in
        throw StorageError(.unavailable, "test", "does not answer")
      }
      try await runBlocking {
        let first = try server.signIn("ann@example.com")
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(first)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        for _ in 0..<100 { _ = try server.accessToken("ann@example.com") }
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        #expect(try server.asPage(first, "GET", "/api/vehicles").status == 401)
      }
    }
  }

  @Test(
    arguments: TestServer.Database.allCases, [#"{"roles":["driver"]}"#, #"{"scope":[]}"#])
  func a_change_of_rights_closes_open_websockets(_ database: TestServer.Database, _ change: String) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("admin@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      try await runBlocking {
        let admin = try server.signIn("admin@example.com")
        let session = try server.signIn("bob@example.com")
        let trip = SampleRecord(1, type: "trip", rest: #""tripId":"t1","state":"started""#)
        #expect(try server.client(server.keys.admin).send("POST", "/api/telemetry", [trip].lines).status == 200)
        #expect(try server.asPage(session, "GET", "/api/trips").list.count == 1)
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        let path = "/api/people/\(bob.id.json.textValue ?? "")"
        #expect(try server.asPage(admin, "PATCH", path, change, headers: ["If-Match": "*"]).status == 200)
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        // The session continues, with the new rights.
        #expect(try server.asPage(session, "GET", "/api/auth/session").status == 200)
        let trips = try server.asPage(session, "GET", "/api/trips")
        #expect(trips.status == 200 && trips.list.isEmpty, "\(trips.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_deactivated_person_loses_every_session_and_open_websocket_at_once(_ database: TestServer.Database) async throws
  {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("admin@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      try await runBlocking {
        let admin = try server.signIn("admin@example.com")
        let session = try server.signIn("bob@example.com")
        let socket = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
        _ = try socket.listen("fleet")
        let id = bob.id.json.textValue ?? ""
        #expect(try server.asPage(session, "GET", "/api/vehicles").status == 200)
        #expect(try server.asPage(admin, "POST", "/api/people/\(id)/deactivate").status == 200)
        #expect(try server.asPage(session, "GET", "/api/vehicles").errorCode == "sessionEnded")
        guard case .close(1008, _) = try socket.close() else {
          Issue.record("expected the close code 1008")
          return
        }
        let again = try server.asPage(
          nil, "POST", "/api/auth/login", #"{"email":"bob@example.com","password":"\#(TestServer.password)"}"#)
        #expect(again.status == 401)
        #expect(try server.asPage(admin, "POST", "/api/people/\(id)/activate").status == 200)
        #expect(try server.signIn("bob@example.com").hasPrefix("fss_"))
      }
    }
  }
}
