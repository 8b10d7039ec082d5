import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Answers that are sent before the end of their request.
@Suite struct ConnectionSupervisorTests {
  /// The body is longer than any socket buffer, so a reset would destroy the answer.
  @Test(arguments: ["", "Connection: close\r\n"])
  func an_early_rejection_arrives_during_a_long_body(_ connection: String) async throws {
    try await TestServer.run(.test { $0.limits.lingeringSeconds = 300 }) { server in
      try await runBlocking {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 9 << 20)
        for (token, type, status) in [
          (server.keys.gateway, "application/json", 413), ("wrong", "application/json", 401),
          (server.keys.gateway, "image/png", 415), (server.keys.readOnly, "application/json", 403),
        ] {
          let client = try server.client()
          try client.write(
            Array(
              """
              POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Type: \(type)\r
              Content-Length: \(body.count)\r\n\(connection)\r\n
              """.utf8))
          try client.write(body)
          #expect(try client.read().status == status)
          if !connection.isEmpty { #expect(try client.readToEnd().isEmpty) }
        }
      }
    }
  }

  @Test func a_client_that_keeps_sending_a_rejected_body_is_disconnected() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        try client.write(
          Array("POST /api/telemetry HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999\r\n\r\nabc".utf8)
        )
        #expect(try client.read().status == 401)
        // Our side stays open: it is theirs that ends.
        #expect(try client.readToEnd().isEmpty)
        var isOpen = true
        while isOpen {
          do {
            try client.write([0])
            poll(nil, 0, 10)
          } catch {
            isOpen = false
          }
        }
      }
    }
  }
}
