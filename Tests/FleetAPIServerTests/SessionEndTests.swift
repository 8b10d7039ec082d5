import FleetAccess
import FleetDomain
import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Sessions that one server ends and another one serves, over one PostgreSQL database.
@Suite struct SessionEndTests {
  enum Act: String, CaseIterable, CustomTestStringConvertible {
    case deactivate, revoke, signOut, erase, roles, scope, password

    var testDescription: String { rawValue }

    /// Whether the session ends. Otherwise, only its connections close, and it has other rights.
    var endsSession: Bool { ![.roles, .scope].contains(self) }
  }

  @Test(arguments: Act.allCases)
  func a_change_on_one_server_reaches_another_within_two_seconds(_ act: Act) async throws {
    let database = try await aside { try PostgreSQLServer.shared.database() }
    try await TestServer.runTwo(on: database) { first, second in
      try await first.addPerson("admin@example.com")
      let bob = try await first.addPerson("bob@example.com", [.viewer]).id.string
      try await aside {
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
}
