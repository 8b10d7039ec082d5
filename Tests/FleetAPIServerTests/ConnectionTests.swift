import FleetAccess
import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Limits of connections, and the reactions of the server.
@Suite struct ConnectionTests {
  @Test func invalid_requests_are_answered_and_the_connection_is_closed() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        for garbage in ["\u{16}\u{03}\u{01}nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n"] {
          let client = try server.client()
          try client.write(Array(garbage.utf8))
          let reply = try client.read()
          #expect(reply.status == 400)
          #expect(reply.errorCode == "badRequest")
          #expect(try client.readToEnd().isEmpty)
        }
        // On a connection that has spoken HTTP before.
        let client = try server.client()
        #expect(try client.send("GET", "/api/health").status == 200)
        try client.write(Array("nonsense\r\n\r\n".utf8))
        #expect(try client.read().status == 400)
      }
    }
  }

  @Test func long_headers_are_refused() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        try client.write(Array("GET /api/health HTTP/1.1\r\nHost: x\r\nLong: ".utf8))
        try client.write([UInt8](repeating: UInt8(ascii: "a"), count: 20_000))
        #expect(try client.read().status == 431)
      }
    }
  }

  @Test func unknown_paths_and_methods_are_reported() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for path in ["/", "/api", "/api/vehicles/", "/api/vehicles/a/b", "/api//vehicles", "/API/vehicles"] {
          #expect(try client.send("GET", path).errorCode == "notFound", "\(path)")
        }
        let reply = try client.send("POST", "/api/vehicles/VAN-1", [])
        #expect(reply.status == 405)
        #expect(reply.headers["allow"] == "HEAD, GET, PATCH, PUT, DELETE")
        #expect(try client.send("GET", "/api/vehicles/%FF").status == 400)
        #expect(try client.send("GET", "/api/vehicles/%00").status == 404)
      }
    }
  }

  @Test(arguments: ["HTTP/1.0\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"])
  func a_client_that_asks_to_close_gets_one_response_and_the_end(_ version: String) async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        try client.write(Array("GET /api/health \(version)\r\n".utf8))
        #expect(try client.read().status == 200)
        #expect(try client.readToEnd().isEmpty)
      }
    }
  }

  @Test func head_is_get_without_the_body() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.readOnly)
        let head = try client.send("HEAD", "/api/vehicles")
        let get = try client.send("GET", "/api/vehicles")
        #expect(head.status == 200 && head.headers["content-length"] == String(get.body.count))
      }
    }
  }

  @Test func requests_that_come_together_are_answered_in_order() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        let paths = ["/api/health", "/none", "/api/openapi.json", "/api/health"]
        try client.write(Array(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined().utf8))
        #expect(try paths.map { _ in try client.read().status } == [200, 404, 200, 200])
      }
    }
  }

  @Test func a_client_that_expects_100_continue_gets_it() async throws {
    let curl = try Tool.required("curl")
    try await TestServer.run { server in
      try await runBlocking {
        let scratch = try ScratchFolder()
        // More than the 1 MiB limit of routes with JSON objects, less than the 8 MiB limit of this route.
        let lines = (1...3_000).map { SampleRecord($0, rest: #""note":"\#(String(repeating: "x", count: 400))""#) }
          .lines
        #expect(lines.count > 1 << 20)
        let body = try scratch.write("body", lines)
        let headers = try scratch.write(
          "headers",
          "Authorization: Bearer \(server.keys.gateway)\nExpect: 100-continue\nContent-Type: application/x-ndjson\n")
        let result = try Tool.run(
          curl,
          [
            "-sS", "-v", "-H", "@\(headers)", "--expect100-timeout", "30", "--data-binary", "@\(body)",
            "http://127.0.0.1:\(server.port)/api/telemetry",
          ])
        #expect(result.output.hasPrefix(#"{"stored":3000,"#), "\(result.errors)")
        #expect(result.errors.contains("100 Continue"))
      }
    }
  }

  @Test func an_upload_whose_key_is_revoked_on_the_way_stores_nothing() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let upload = try server.client(server.keys.gateway)
        let body = [SampleRecord(1)].lines
        let head =
          "POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(server.keys.gateway)\r\n"
          + "Expect: 100-continue\r\nContent-Length: \(body.count)\r\n\r\n"
        try upload.write(Array(head.utf8))
        // The key is valid, so the body is requested.
        #expect(String(decoding: try upload.receive(through: Array("\r\n\r\n".utf8)), as: UTF8.self).contains(" 100 "))
        try upload.write(Array(body.prefix(1)))
        let admin = try server.client(server.keys.admin)
        #expect(try admin.send("POST", "/api/gateways/gw-1/revoke").status == 204)
        try upload.write(Array(body.dropFirst()))
        let reply = try upload.read()
        #expect(reply.status == 401)
        #expect(reply.errorCode == "revoked")
        #expect(try admin.send("GET", "/api/records").list.isEmpty)
      }
    }
  }

  @Test func a_rejection_is_sent_before_the_body_arrives() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client("wrong")
        let head =
          "POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 99999\r\n\r\n"
        try client.write(Array(head.utf8))
        #expect(try client.read().status == 401)
      }
    }
  }

  @Test func a_client_that_sends_no_complete_request_is_disconnected() async throws {
    try await TestServer.run(
      .test {
        // Time limit for each connection; less would be too short on a slow machine.
        $0.limits.idleSeconds = 5
        $0.limits.requestSeconds = 5
      }
    ) { server in
      try await runBlocking {
        let silent = try server.client()
        let slow = try server.client()
        try slow.write(Array("GET /api/health HTT".utf8))
        let cut = try server.client(server.keys.gateway)
        try cut.write(
          Array(
            "POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.keys.gateway)\r\nContent-Length: 9\r\n\r\nabc"
              .utf8))
        let idle = try server.client()
        #expect(try idle.send("GET", "/api/health").status == 200)
        // Each ends by itself.
        #expect(try silent.readToEnd().isEmpty)
        #expect(try slow.readToEnd().isEmpty)
        _ = try cut.readToEnd()
        #expect(try idle.readToEnd().isEmpty)
      }
    }
  }

  /// A client that closes its sending direction after its requests gets all answers, also those that are computed later.
  @Test func a_client_that_ends_its_input_gets_its_answers_and_the_end() async throws {
    try await TestServer.run { server in
      @Sendable func request(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.keys.readOnly)\r\n\r\n".utf8)
      }
      let list = request("/api/vehicles/VAN-1/telemetry")
      try await runBlocking {
        let client = try server.client()
        try client.write(list + request("/api/health") + list)
        client.endInput()
        for _ in 0..<3 { #expect(try client.read().status == 200) }
        #expect(try client.readToEnd().isEmpty)
      }
      // The storage answers after the server has read the end of the input.
      let (gate, opening) = AsyncStream<Void>.makeStream()
      server.storage.set(.records) { () throws(StorageError) in for await _ in gate { return } }
      try await runBlocking {
        let client = try server.client()
        try client.write(list)
        client.endInput()
        for _ in 0..<10 { #expect(try server.client().send("GET", "/api/health").status == 200) }
        opening.yield()
        #expect(try client.read().status == 200)
        #expect(try client.readToEnd().isEmpty)
      }
    }
  }

  @Test func a_client_that_ends_its_input_without_a_request_is_disconnected() async throws {
    try await TestServer.run(.test { $0.limits.idleSeconds = 5 }) { server in
      try await runBlocking {
        let (silent, cut, idle) = (try server.client(), try server.client(), try server.client())
        silent.endInput()
        try cut.write(Array("GET /api/health HTT".utf8))
        cut.endInput()
        #expect(try idle.send("GET", "/api/health").status == 200)
        idle.endInput()
        #expect(try silent.readToEnd().isEmpty)
        #expect(!String(decoding: try cut.readToEnd(), as: UTF8.self).contains("200 OK"))
        #expect(try idle.readToEnd().isEmpty)
      }
    }
  }

  @Test func requests_of_one_key_are_rate_limited() async throws {
    try await TestServer.run(
      .test {
        $0.rate.perSecond = 0.01
        $0.rate.burst = 3
      }
    ) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for _ in 0..<3 { #expect(try client.send("GET", "/api/vehicles").status == 200) }
        let reply = try client.send("GET", "/api/vehicles")
        #expect(reply.status == 429)
        #expect((reply.headers["retry-after"].flatMap { Int($0) } ?? 0) > 0)
        // Another key has its own.
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/vehicles").status == 200)
        #expect(try client.send("GET", "/api/health").status == 200)
      }
    }
  }

  /// A certificate for `localhost` with its key, and its path.
  static func certificate(in folder: String) throws -> (ServerTLSFiles, String) {
    let (certificate, key) = ("\(folder)/cert.pem", "\(folder)/key.pem")
    let made = try Tool.run(
      try Tool.required("openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
      ])
    #expect(made.status == 0, "\(made.errors)")
    let files = try ServerTLSFiles(
      certificate: (certificate, Array(Data(contentsOf: URL(fileURLWithPath: certificate)))),
      key: (key, Array(Data(contentsOf: URL(fileURLWithPath: key)))))
    return (files, certificate)
  }

  @Test func tls_is_used_if_a_certificate_is_configured() async throws {
    let curl = try Tool.required("curl")
    let scratch = try ScratchFolder()
    let (files, certificate) = try Self.certificate(in: scratch.path)
    try await TestServer.run(.test { $0.tls = files }) { server in
      try await runBlocking {
        let url = "https://localhost:\(server.port)/api/health"
        let resolve = ["--resolve", "localhost:\(server.port):127.0.0.1"]
        let good = try Tool.run(curl, ["-sS", "--cacert", certificate] + resolve + [url])
        #expect(good.output.contains(#""status":"ok""#), "\(good.errors)")
        let unknown = try Tool.run(curl, ["-sS"] + resolve + [url])
        #expect(unknown.status == 60)
        let old = try Tool.run(curl, ["-sS", "--cacert", certificate, "--tls-max", "1.1"] + resolve + [url])
        #expect(old.status != 0)
        let plain = try Tool.run(curl, ["-sS", "http://127.0.0.1:\(server.port)/api/health"])
        #expect(plain.status != 0)
      }
    }
  }

  @Test func metrics_count_requests_by_their_routes() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.readOnly)
        for id in ["VAN-1", "VAN-2", "none"] { _ = try client.send("GET", "/api/vehicles/\(id)") }
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        let reply = try client.send("GET", "/api/metrics")
        #expect(reply.headers["content-type"] == "text/plain; version=0.0.4")
        let route = #"{method="GET",route="/api/vehicles/{vehicleId}","#
        #expect(reply.text.contains("fleetstore_requests_total\(route)status=\"200\"} 2\n"))
        #expect(reply.text.contains("fleetstore_requests_total\(route)status=\"404\"} 1\n"))
        #expect(reply.text.contains("fleetstore_records_stored_total 1\n"))
        #expect(!reply.text.contains("VAN-"))
      }
    }
  }

  @Test func a_tenant_sees_its_own_counts_and_the_servers_token_all() async throws {
    let token = Secret(.operatorToken)
    try await TestServer.run(.test { $0.serverToken = token.hash }) { server in
      try await runBlocking {
        for key in [server.keys.gateway, server.keys.foreignGateway, server.keys.foreignGateway] {
          _ = try server.client(key).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        }
        func metrics(_ key: String) throws -> TestClient.Reply { try server.client(key).send("GET", "/api/metrics") }
        let own = try metrics(server.keys.readOnly).text
        #expect(own.contains("fleetstore_records_stored_total 1\n"))
        #expect(own.contains("fleetstore_records_duplicate_total 0\n"))
        #expect(own.contains(#"{method="POST",route="/api/telemetry",status="200"} 1"# + "\n"))
        #expect(!own.contains("fleetstore_tenants") && !own.contains("fleetstore_vehicles"))
        #expect(try metrics(server.keys.foreignAdmin).text.contains("fleetstore_records_duplicate_total 1\n"))
        let all = try metrics(token.text).text
        #expect(all.contains("fleetstore_records_stored_total 2\n"))
        #expect(all.contains(#"{method="POST",route="/api/telemetry",status="200"} 3"# + "\n"))
        #expect(all.contains("fleetstore_tenants 2\n") && all.contains("fleetstore_memory_limit_bytes 268435456\n"))
        // It is good for nothing else.
        #expect(try server.client(token.text).send("GET", "/api/vehicles").status == 401)
        #expect(try server.client(token.text).send("GET", "/api/geofences").status == 401)
      }
    }
  }

  /// Requests that two servers could interpret differently, or that are not HTTP/1.1 (RFC 9112, 3.2, 6.1, 6.3, 7.1).
  @Test(arguments: [
    ("POST", "Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\nGET /x HTTP/1.1\r\n\r\n", 400),
    ("POST", "Host: x\r\nContent-Length: 5\r\nContent-Length: 6", "abcdef", 400),
    ("POST", "Host: x\r\nContent-Length: +5", "abcde", 400), ("POST", "Host: x\r\nContent-Length: 0x5", "abcde", 400),
    ("POST", "Host: x\r\nTransfer-Encoding: xchunked", "0\r\n\r\n", 501),
    ("POST", "Host: x\r\nTransfer-Encoding : chunked", "0\r\n\r\n", 400),
    ("POST", "Host: x\r\nTransfer-Encoding: gzip, chunked", "0\r\n\r\n", 501),
    ("POST", "Host: x\r\nTransfer-Encoding: chunked", "fffffffffffffffffff\r\nabc", 400),
    (
      "POST", "Host: x\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n" + String(repeating: "a: b\r\n", count: 3_000),
      431
    ),
    ("POST", "Host: x\r\nExpect: a-miracle\r\nContent-Length: 2", "{}", 417),
    ("GET", "Host: x\r\n folded: y", "", 400), ("GET", "Host: x\rA: b", "", 400), ("GET", "Accept: */*", "", 400),
    ("GET", "Host: x\r\nHost: y", "", 400), ("GET", "Host: x\r\nA: " + String(repeating: "a", count: 17_000), "", 431),
    ("GET", "Host: x" + String(repeating: "\r\na: b", count: 300), "", 431), ("OPTIONS", "Host: x", "", 405),
    ("TRACE", "Host: x", "", 405), ("CONNECT", "Host: x", "", 405),
  ])
  func a_malformed_http_request_is_rejected(_ method: String, _ head: String, _ body: String, _ status: Int)
    async throws
  {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        let text =
          "\(method) /api/telemetry HTTP/1.1\r\nAuthorization: Bearer \(server.keys.gateway)\r\n\(head)\r\n\r\n\(body)"
        try client.write(Array(text.replacing("GET /api/telemetry", with: "GET /api/health").utf8))
        #expect(try client.read().status == status)
        // No bytes after the request were taken for another one.
        client.endInput()
        let rest = try client.readToEnd()
        #expect(!String(decoding: rest, as: UTF8.self).contains("HTTP/1.1"))
        #expect(try server.client().send("GET", "/api/health").status == 200)
      }
    }
  }

  @Test func client_headers_do_not_change_the_servers_view_of_the_request() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        // Versions before carried an internal error in this header.
        let reply = try server.client().send("GET", "/api/health", headers: ["Fleetstore-Fault": "Host: wrong"])
        #expect(reply.status == 200)
        let handshake =
          "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        for (hosts, status) in [("Host: x\r\n", 101), ("Host: x\r\nHost: y\r\n", 400), ("", 400)] {
          let client = try server.client()
          try client.write(Array(("GET /ws HTTP/1.1\r\n" + hosts + handshake).utf8))
          #expect(try client.read().status == status, "\(hosts)")
        }
      }
    }
  }

  @Test func an_http_1_0_client_gets_no_100_continue() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client()
        let head = "POST /api/telemetry HTTP/1.0\r\nAuthorization: Bearer \(server.keys.gateway)\r\n"
        try client.write(Array((head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}").utf8))
        #expect(try client.read().status == 200)
      }
    }
  }
}
