import FleetAccess
import FleetDomain
import TestKit
import Testing

@testable import FleetAPI

/// The load of one tenant, key or address does not lock out others.
@Suite struct TenantBordersTests {
  private static func fill(_ server: TestServer, records: Int, bytes: Int) throws {
    let gateway = try server.client(server.keys.gateway)
    let text = String(repeating: "x", count: bytes)
    for start in stride(from: 1, to: records, by: 50) {
      let lines = (start..<(start + 50)).map { SampleRecord($0, rest: #""note":"\#(text)""#) }.lines
      #expect(try gateway.send("POST", "/api/telemetry", lines).status == 200)
    }
  }

  @Test func unread_replays_end_and_do_not_delay_other_tenants() async throws {
    try await TestServer.run(
      .test {
        $0.limits.memoryBytes = 8 << 20
        $0.limits.unpackedBytes = 1 << 20
        $0.live.pingSeconds = 2
      }
    ) { server in
      try await runBlocking {
        // More than the socket buffers hold.
        try Self.fill(server, records: 1_000, bytes: 14_000)
        let slow = try (0..<25).map { _ in
          let socket = try WebSocketTestClient(port: server.port, token: server.keys.readOnly, receiveBuffer: 1_024)
          try socket.send(#"{"action":"subscribe","channel":"fleet","after":0}"#)
          return socket
        }
        let foreign = try server.client(server.keys.foreignGateway)
        let text = String(repeating: "x", count: 10_000)
        for round in 0..<10 {
          let lines = (1...10).map { SampleRecord(round * 10 + $0, rest: #""note":"\#(text)""#) }.lines
          #expect(try foreign.send("POST", "/api/telemetry", lines).status == 200)
          for socket in slow.prefix(20) {
            // Pongs keep a connection open. A server that has closed it does not accept them.
            do { try socket.send(opcode: 10, []) } catch { continue }
          }
        }
        // Nothing is read until the server has disconnected all of them.
        let admin = try server.client(server.keys.admin)
        while !(try admin.send("GET", "/api/metrics").text.contains("fleetstore_live_subscriptions 0\n")) {}
      }
    }
  }

  @Test func announced_bodies_hold_no_memory_until_they_arrive() async throws {
    let token = Secret(.operatorToken)
    try await TestServer.run(
      .test {
        $0.limits.memoryBytes = 4 << 20
        $0.limits.unpackedBytes = 1 << 20
        $0.serverToken = token.hash
      }
    ) { server in
      try await runBlocking {
        let silent = try (0..<70).map { number in
          let key = number % 2 == 0 ? server.keys.gateway : server.keys.otherGateway
          let client = try server.client()
          let head = "POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
          try client.write(Array((head + "Content-Length: 1000000\r\n\r\n").utf8))
          return client
        }
        for key in [server.keys.foreignGateway, server.keys.freeGateway, server.keys.gateway] {
          let record = SampleRecord(1, vehicle: key == server.keys.freeGateway ? "gw-free" : "VAN-1")
          #expect(try server.client(key).send("POST", "/api/telemetry", [record].lines).status == 200)
        }
        #expect(try server.client(token.text).send("GET", "/api/metrics").text.contains("fleetstore_memory_bytes 0\n"))
        withExtendedLifetime(silent) {}
      }
    }
  }

  @Test func bodies_of_one_tenant_leave_memory_to_another() async throws {
    try await TestServer.run(
      .test {
        $0.limits.memoryBytes = 4 << 20
        $0.limits.unpackedBytes = 1 << 20
      }
    ) { server in
      try await runBlocking {
        // Each client holds memory for the bytes that it has sent, and never completes its request.
        let greedy = try (0..<20).map { number in
          let key = [server.keys.gateway, server.keys.otherGateway, server.keys.admin][number % 3]
          let client = try server.client()
          let head = "POST /api/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
          try client.write(Array((head + "Content-Length: 1000000\r\n\r\n").utf8))
          try client.write([UInt8](repeating: 0x20, count: 200_000))
          return client
        }
        let lines = (1...20).map { SampleRecord($0) }.lines
        for _ in 0..<20 {
          #expect(try server.client(server.keys.foreignGateway).send("POST", "/api/telemetry", lines).status == 200)
        }
        withExtendedLifetime(greedy) {}
      }
    }
  }

  @Test func valid_keys_do_not_wait_for_lookups_of_unknown_keys() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let limit = Int(Authenticator.strangers.burst)
        // All attempts are sent before an answer is read, so that they take less time than the limit needs to grow.
        let sockets = try (0..<(2 * limit)).map { _ in try WebSocketTestClient(port: server.port) }
        for (number, socket) in sockets.enumerated() {
          try socket.send(#"{"action":"authenticate","token":"fst_\#(number)"}"#)
        }
        let refusals = try sockets.map { (try $0.event()["error"] as? [String: Any])?["code"] as? String ?? "" }
        // The address has used its number of attempts, for WebSockets as well.
        #expect(refusals.contains("tooManyRequests") && refusals.first == "unauthorized")
        // These tokens are new to this server. They come from the same address and from another one.
        _ = try WebSocketTestClient(port: server.port).listen("fleet", token: server.keys.foreignAdmin)
        _ = try WebSocketTestClient(port: server.port, from: 2).listen("fleet", token: server.keys.foreignReadOnly)
        #expect(try server.client(server.keys.admin).send("GET", "/api/vehicles").status == 200)
        // Another address may try as many.
        let other = try WebSocketTestClient(port: server.port, from: 3)
        try other.send(#"{"action":"authenticate","token":"fst_other"}"#)
        #expect((try other.event()["error"] as? [String: Any])?["code"] as? String == "unauthorized")
      }
    }
  }

  @Test func changed_keys_of_one_tenant_are_not_looked_up_again_for_others() async throws {
    try await TestServer.run { server in
      let authenticator = server.newAuthenticator()
      _ = try await authenticator.identity(server.keys.readOnly, from: nil)
      let lookups = server.storage.fail(.principal, times: .max)
      authenticator.forget(TenantID("other")!)
      _ = try await authenticator.identity(server.keys.readOnly, from: nil)
      #expect(lookups.value == 0)
      authenticator.forget(.standard)
      await #expect(throws: StorageError.self) { _ = try await authenticator.identity(server.keys.readOnly, from: nil) }
      server.storage.set(.principal, nil)
    }
  }

  @Test func the_health_check_queries_the_storage_once_a_second() async throws {
    try await TestServer.run { server in
      let questions = Tally()
      server.storage.set(.health) { () throws(StorageError) in _ = questions.next() }
      let seconds = try await runBlocking {
        let client = try server.client()
        let start = ContinuousClock.now
        for _ in 0..<200 { #expect(try client.send("GET", "/api/health").status == 200) }
        return (ContinuousClock.now - start) / .seconds(1)
      }
      #expect(questions.value <= Int(seconds) + 1)
    }
  }

  @Test func a_body_that_is_too_long_is_refused_before_the_client_goes_on() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        for (path, length) in [("/api/telemetry", 50 << 20), ("/api/vehicles", 2 << 20)] {
          let client = try server.client()
          let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.keys.admin)\r\n"
          try client.write(Array((head + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n").utf8))
          // The body is not sent, so the start of the next request is unknown, and the connection is closed.
          let reply = try client.read()
          #expect(reply.status == 413 && reply.headers["connection"] == "close")
          #expect(try client.readToEnd().isEmpty)
        }
      }
    }
  }

  @Test func one_address_does_not_have_all_connections() async throws {
    try await TestServer.run(.test { $0.limits.connections = 8 }) { server in
      try await runBlocking {
        let idle = try (0..<6).map { _ in try server.client() }
        for client in idle { try client.write(Array("GET /api/hea".utf8)) }
        #expect(try server.client().readToEnd().isEmpty)
        #expect(try server.client(from: 2).send("GET", "/api/health").status == 200)
        withExtendedLifetime(idle) {}
      }
    }
  }

  @Test func one_key_does_not_have_all_connections() async throws {
    try await TestServer.run(.test { $0.limits.connections = 16 }) { server in
      try await runBlocking {
        var open: [TestClient] = []
        var refusal: TestClient.Reply?
        while refusal == nil, open.count < 16 {
          let client = try server.client(server.keys.readOnly, from: UInt32(open.count + 2))
          let reply = try client.send("GET", "/api/vehicles")
          if reply.status == 200 { open.append(client) } else { refusal = reply }
        }
        #expect(refusal?.status == 503 && refusal?.errorCode == "tooManyConnections")
        #expect(open.count >= 6)
        // Another key of the tenant, and another tenant.
        #expect(try server.client(server.keys.admin, from: 40).send("GET", "/api/vehicles").status == 200)
        #expect(try server.client(server.keys.foreignAdmin, from: 41).send("GET", "/api/vehicles").status == 200)
        // A connection that has ended no longer counts.
        open = []
        while try server.client(server.keys.readOnly, from: 42).send("GET", "/api/vehicles").status != 200 {}
      }
    }
  }

  /// A spreadsheet of 2 KB whose cells all refer to the same long text.
  private static func expandingWorkbook() throws -> [UInt8] {
    let zip = try ZipWriter()
    func file(_ name: String, _ text: String) throws -> [UInt8] {
      try zip.begin(name) + zip.add(Array(text.utf8)) + zip.end()
    }
    let row = "<row>" + String(repeating: #"<c t="s"><v>0</v></c>"#, count: 60) + "</row>"
    return try file("xl/workbook.xml", "<workbook/>")
      + file("xl/sharedStrings.xml", "<sst><si><t>\(String(repeating: "a", count: 30_000))</t></si></sst>")
      + file(
        "xl/worksheets/sheet1.xml",
        "<worksheet><sheetData>\(String(repeating: row, count: 49))</sheetData></worksheet>") + zip.finish()
  }

  @Test func files_that_need_much_work_are_refused_with_one_line() async throws {
    let workbook = try Self.expandingWorkbook()
    #expect(workbook.count < 4_000)
    let wide = Array(((1...8_000).map { "c\($0)" }.joined(separator: ",") + "\n").utf8)
    let long = Array(("id," + String(repeating: "n", count: 900_000) + "\nA,1\n").utf8)
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        for (file, message) in [
          (workbook, "expected at most 8388608 bytes in all cells together; divide the file"),
          (wide, "expected at most 1000 columns"),
          (long, "expected the name of a column with at most 200 bytes, found 900000"),
        ] {
          let reply = try client.send(
            "POST", "/api/imports?kind=vehicles", file, headers: ["Content-Type": "application/octet-stream"])
          #expect(reply.status == 422 && reply.text.contains(message), "\(reply.text.prefix(1_000))")
          #expect(reply.body.count < 1_000)
        }
      }
    }
  }
}

@Suite struct PeerAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "::ffff:192.0.2.1"), ("2001:db8:1:2::3", "2001:db8:1:2:ffff::4"),
  ])
  func addresses_of_one_client_are_one_group(_ one: String, _ other: String) {
    #expect(PeerAddress.group(one) == PeerAddress.group(other))
    for different in ["2001:db8:1:3::3", "192.0.2.2"] {
      #expect(PeerAddress.group(one) != PeerAddress.group(different))
    }
  }
}
