import Foundation
import HTTPTypes
import TestKit
import Testing

@testable import FleetAPI

/// Clients behind proxies.
@Suite struct ProxyTests {
  private static func headers(_ pairs: [(String, String)]) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs { fields.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
    return fields
  }

  private static let networks = [AddressNetwork("10.0.0.0/8")!, AddressNetwork("2001:db8::/32")!]

  @Test func the_client_is_who_a_trusted_proxy_says_and_nobody_else() {
    func address(_ pairs: [(String, String)], peer: String) -> String? {
      let header = pairs.first?.0 == "Forwarded" ? TrustedProxies.Header.forwarded : .xForwardedFor
      return TrustedProxies(Self.networks, header: header).client(Self.headers(pairs), peer: peer, isTLS: false).address
    }
    // RFC 7239, sections 4 and 7.1; addresses of RFC 5737.
    #expect(address([("Forwarded", "for=192.0.2.43, for=198.51.100.17")], peer: "10.1.2.3") == "198.51.100.17")
    #expect(address([("Forwarded", "for=192.0.2.43, for=10.9.9.9;proto=https")], peer: "10.1.2.3") == "192.0.2.43")
    #expect(
      address([("Forwarded", #"for="[2001:db8:cafe::17]:4711", for=192.0.2.60"#)], peer: "2001:db8::1") == "192.0.2.60")
    #expect(address([("X-Forwarded-For", "192.0.2.1, 203.0.113.9")], peer: "10.1.2.3") == "203.0.113.9")
    #expect(address([("X-Forwarded-For", "192.0.2.1")], peer: "203.0.113.9") == "203.0.113.9")
    #expect(address([("Forwarded", "for=unknown")], peer: "10.1.2.3") == "10.1.2.3")
    #expect(address([], peer: "10.1.2.3") == "10.1.2.3")
  }

  /// A proxy that writes one of the headers passes the other one on as its client sent it.
  @Test func a_header_that_the_proxy_does_not_write_is_ignored() {
    let forged = "for=127.0.0.1;proto=https"
    for (header, pairs) in [
      (
        TrustedProxies.Header.xForwardedFor,
        [("Forwarded", forged), ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "http")]
      ),
      (
        .forwarded,
        [
          ("Forwarded", "for=203.0.113.9;proto=http"), ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "https"),
        ]
      ),
    ] {
      let client = TrustedProxies(Self.networks, header: header).client(
        Self.headers(pairs), peer: "10.1.2.3", isTLS: false)
      #expect(client == Client(address: "203.0.113.9", isPrivate: false, isTLS: false), "\(header)")
    }
    // Without the configured header, the proxy itself is the client.
    let alone = TrustedProxies(Self.networks).client(
      Self.headers([("Forwarded", forged)]), peer: "10.1.2.3", isTLS: false)
    #expect(alone == Client(address: "10.1.2.3", isPrivate: false, isTLS: false))
    // A loopback address that a proxy on another machine reports is that of the other machine.
    let remote = TrustedProxies(Self.networks).client(
      Self.headers([("X-Forwarded-For", "127.0.0.1")]), peer: "10.1.2.3", isTLS: false)
    #expect(!remote.isPrivate)
  }

  private static let options = ServerOptions.test { options in
    options.proxies = TrustedProxies([AddressNetwork("127.0.0.1")!])
    options.limits.connections = 16
  }

  /// All connections come from the proxy. Three quarters of 16 places are the most that one address may have.
  @Test func connections_of_a_proxy_count_for_its_clients() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        func connect(_ address: String) throws -> (client: TestClient, status: Int) {
          let client = try server.client()
          let reply = try client.send("GET", "/api/health", nil, headers: ["X-Forwarded-For": address])
          return (client, reply.status)
        }
        let many = try (1...14).map { try connect("203.0.113.\($0)") }
        #expect(many.map(\.status) == Array(repeating: 200, count: 14))
      }
    }
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        let one = try (1...14).map { _ in
          let client = try server.client()
          let reply = try client.send("GET", "/api/health", nil, headers: ["X-Forwarded-For": "203.0.113.9"])
          return (client, reply.status)
        }
        #expect(one.last?.1 == 503)
        #expect(one.prefix(8).allSatisfy { $0.1 == 200 })
      }
    }
  }

  @Test func websockets_of_a_proxy_count_for_its_clients() async throws {
    try await TestServer.run(Self.options) { server in
      try await runBlocking {
        func open(_ address: String) throws -> WebSocketTestClient {
          try WebSocketTestClient(port: server.port, headers: ["X-Forwarded-For": address])
        }
        let many = try (1...13).map { _ in try open("203.0.113.9") }
        #expect(
          try many.last?.close()
            == .close(code: 1013, reason: Connections.tooManyOfAddress.message))
        let other = try open("203.0.113.10")
        try other.send(#"{"action":"authenticate","token":"\#(server.keys.readOnly)"}"#)
        #expect(try other.event()["event"] as? String == "authenticated")
      }
    }
  }
}
