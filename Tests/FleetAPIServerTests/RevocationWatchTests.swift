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
