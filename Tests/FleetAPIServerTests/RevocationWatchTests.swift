import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Revocation of tokens with open connections.
@Suite struct RevocationWatchTests {
  @Test func a_token_that_is_revoked_ends_its_connections_and_no_others() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let admin = try server.client(server.keys.admin)
        let added = try admin.send("POST", "/api/tokens", json: #"{"role":"readOnly"}"#).json
        let clients = try (0..<2).map { _ in
          let client = try WebSocketTestClient(port: server.port, token: added["secret"] as? String)
          _ = try client.listen("fleet")
          return client
        }
        let other = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try other.listen("fleet")
        let id = (added["token"] as? [String: Any])?["id"] as? String ?? ""
        _ = try admin.send("DELETE", "/api/tokens/\(id)")
        for client in clients {
          #expect(try client.close() == .close(code: 1008, reason: "the token was revoked; ask for a new one"))
        }
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect(try other.event()["event"] as? String == "record")
      }
    }
  }

  @Test func a_token_that_is_revoked_elsewhere_ends_its_connections_too() async throws {
    try await TestServer.run { server in
      let secret = Secret(.operatorToken)
      let token = OperatorToken(
        id: .random(at: WallClock.now), label: "", role: .readOnly, addedAt: WallClock.now)
      try await server.storage.addToken(token, secret: secret.hash, tenant: .standard)
      let client = try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: secret.text)
        _ = try client.listen("fleet")
        return Unchecked(client)
      }
      // As another server or a command does it.
      try await server.storage.revokeToken(token.id, tenant: .standard, at: WallClock.now)
      try await runBlocking {
        let end = try client.value.close()
        #expect(end == .close(code: 1008, reason: "the token was revoked; ask for a new one"))
      }
    }
  }

  /// For some seconds after a change of rights, connections with the old rights are searched for. One that was opened
  /// after the change is not among them, although it belongs to the same session.
  @Test(arguments: TestServer.Database.allCases)
  func a_connection_that_is_opened_after_new_rights_remains_open(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let ann = try await server.addPerson("admin@example.com")
      let bob = try await server.addPerson("bob@example.com", [.viewer])
      try await runBlocking {
        let admin = try server.signIn("admin@example.com")
        let session = try server.signIn("bob@example.com")
        func open() throws -> WebSocketTestClient {
          let socket = try WebSocketTestClient(
            port: server.port, headers: ["Cookie": "fleet-session=\(session)", "Origin": "http://localhost"])
          _ = try socket.listen("fleet")
          return socket
        }
        let end = WebSocketTestClient.Message.close(
          code: 1008, reason: "the rights of this account have changed; connect again")
        let old = try open()
        let changed = try server.asPage(
          admin, "PATCH", "/api/people/\(bob.id.string)", #"{"roles":["maintenance"]}"#, headers: ["If-Match": "*"])
        #expect(changed.status == 200, "\(changed.text)")
        let new = try open()
        #expect(try old.close() == end)
        // The watch closes this connection in a later round, in which it looks for Bob's old rights again.
        let other = try server.signIn("admin@example.com")
        let last = try WebSocketTestClient(
          port: server.port, headers: ["Cookie": "fleet-session=\(other)", "Origin": "http://localhost"])
        _ = try last.listen("fleet")
        let roles = #"{"roles":["admin","viewer"]}"#
        let own = try server.asPage(
          admin, "PATCH", "/api/people/\(ann.id.string)", roles, headers: ["If-Match": "*"])
        #expect(own.status == 200, "\(own.text)")
        #expect(try last.close() == end)
        try new.send(#"{"action":"ping"}"#)
        #expect(try new.event()["event"] as? String == "pong")
      }
    }
  }

  /// The server may remember for a moment that the token was good.
  @Test func a_connection_that_is_opened_with_a_remembered_token_ends_as_well() async throws {
    try await TestServer.run { server in
      let secret = Secret(.operatorToken)
      let token = OperatorToken(
        id: .random(at: WallClock.now), label: "", role: .readOnly, addedAt: WallClock.now)
      try await server.storage.addToken(token, secret: secret.hash, tenant: .standard)
      let status = try await runBlocking { try server.client(secret.text).send("GET", "/api/vehicles").status }
      #expect(status == 200)
      try await server.storage.removeToken(token.id, tenant: .standard, at: WallClock.now)
      try await runBlocking {
        // Refused, or let in and closed again.
        let client = try WebSocketTestClient(port: server.port, token: secret.text)
        guard case .close(code: 1008, _) = try client.close() else {
          Issue.record("not closed")
          return
        }
      }
    }
  }
}
