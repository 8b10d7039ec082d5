import FleetAccess
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Limits of connections and of their times.
@Suite struct ConnectionLimitTests {
  @Test func idle_connections_of_strangers_do_not_keep_a_gateway_out() async throws {
    try await TestServer.run(.test { $0.limits.connections = 32 }) { server in
      try await runBlocking {
        let human = try server.client(server.keys.admin, from: 2)
        #expect(try human.send("GET", "/api/vehicles").status == 200)
        var idle: [TestClient] = []
        for number in 0..<100 {
          idle.append(try server.client(from: UInt32(10 + number)))
          // Half of a head.
          if number % 2 == 1 { try idle[number].write(Array("GET /api/hea".utf8)) }
        }
        let gateway = try server.client(server.keys.gateway, from: 200)
        #expect(try gateway.send("POST", "/api/telemetry", [SampleRecord(1)].lines).status == 200)
        // The oldest were closed, and no connection with a key.
        #expect(try idle[0].readToEnd().isEmpty)
        for number in 0..<50 { idle.append(try server.client(from: UInt32(110 + number % 40))) }
        #expect(try server.client(server.keys.readOnly, from: 201).send("GET", "/api/vehicles").status == 200)
        #expect(try human.send("GET", "/api/vehicles").status == 200)
        #expect(try gateway.send("POST", "/api/telemetry", [SampleRecord(2)].lines).status == 200)
        withExtendedLifetime(idle) {}
      }
    }
  }

  @Test func handshakes_that_do_not_end_do_not_keep_a_gateway_out() async throws {
    let curl = try Tool.required("curl")
    let scratch = try ScratchFolder()
    let (files, certificate) = try ConnectionTests.certificate(in: scratch.path)
    try await TestServer.run(
      .test {
        $0.tls = files
        $0.limits.connections = 32
      }
    ) { server in
      try await runBlocking {
        let own = try ScratchFolder()
        let headers = try own.write("headers", "Authorization: Bearer \(server.keys.gateway)\n")
        let silent = try (0..<60).map { try server.client(from: UInt32(10 + $0)) }
        let result = try Tool.run(
          curl,
          [
            "-sS", "-H", "@\(headers)", "--cacert", certificate, "--resolve", "localhost:\(server.port):127.0.0.1",
            "https://localhost:\(server.port)/api/geofences",
          ])
        #expect(result.output.contains("FeatureCollection"), "\(result.errors)")
        #expect(try silent[0].readToEnd().isEmpty)
      }
    }
  }

  @Test func a_stranger_has_little_time_if_almost_no_connection_is_free() async throws {
    try await TestServer.run(
      .test {
        $0.limits.connections = 16
        $0.limits.hurriedSeconds = 1
      }
    ) { server in
      try await runBlocking {
        let idle = try (0..<14).map { number in
          let client = try server.client(from: UInt32(10 + number))
          #expect(try client.send("GET", "/api/health").status == 200)
          return client
        }
        let last = try server.client(from: 100)
        #expect(try last.readToEnd().isEmpty)
        // The others have the usual time.
        #expect(try idle[13].send("GET", "/api/health").status == 200)
      }
    }
  }

  @Test func a_full_server_takes_others_once_there_is_room() async throws {
    try await TestServer.run(
      .test {
        $0.limits.connections = 4
        $0.limits.idleSeconds = 5
      }
    ) { server in
      try await runBlocking {
        let idle = try [1, 1, 1, 2].map { try server.client(from: $0) }
        // The kernel accepts it, but the server only after the others were idle for long enough.
        #expect(try server.client(from: 3).send("GET", "/api/health").status == 200)
        for client in idle { #expect(try client.readToEnd().isEmpty) }
      }
    }
  }
}
