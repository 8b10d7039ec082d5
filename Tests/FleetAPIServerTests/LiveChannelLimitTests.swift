import TestKit
import Testing

@testable import FleetAPI

/// The limit of the channels that all live connections of a tenant have.
@Suite struct LiveChannelLimitTests {
  /// Without a limit for the tenant, many connections with many channels each would need work for each channel.
  @Test func the_number_of_channels_of_all_connections_of_a_tenant_is_limited() async throws {
    try await TestServer.run(.test { $0.live.subscriptions = 1 }) { server in
      try await runBlocking {
        func open(_ key: String, _ number: Int) throws -> (client: WebSocketTestClient, event: [String: Any]) {
          let client = try WebSocketTestClient(port: server.port, token: key)
          #expect(try client.event()["event"] as? String == "authenticated")
          try client.send(#"{"action":"subscribe","channel":"vehicle:V-\#(number)","changes":true}"#)
          return (client, try client.event())
        }
        let clients = try (0..<64).map { number in
          let (client, event) = try open(server.keys.readOnly, number)
          #expect(event["event"] as? String == "subscribed", "\(number): \(event)")
          return client
        }
        let (refused, error) = try open(server.keys.admin, 64)
        #expect((error["error"] as? [String: Any])?["code"] as? String == "conflict", "\(error)")
        // Another tenant has channels of its own.
        #expect(try open(server.keys.foreignReadOnly, 0).event["event"] as? String == "subscribed")
        // The channel that ends makes room for another.
        try clients[7].send(#"{"action":"unsubscribe","channel":"vehicle:V-7"}"#)
        #expect(try clients[7].event()["event"] as? String == "unsubscribed")
        try refused.send(#"{"action":"subscribe","channel":"vehicle:V-64","changes":true}"#)
        #expect(try refused.event()["event"] as? String == "subscribed")
      }
    }
  }
}
