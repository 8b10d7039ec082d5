import FleetAccess
import FleetDomain
import TestKit
import Testing

@testable import FleetAPI

/// Resources that requests share: memory, and permits for the database.
@Suite struct RequestHandlerTests {
  @Test func slow_queries_do_not_delay_key_lookups() async throws {
    try await TestServer.run(.test { $0.limits.querySeconds = 300 }) { server in
      // As a pool of four connections does it, which questions and keys share.
      let pool = Budget(4, fairness: .init(group: 4), patience: .seconds(300), refusal: Connections.refusal)
      let gate = Gate()
      server.storage.set(.records) { () throws(StorageError) in
        let place = try? await pool.acquire(1, for: .server)
        await gate.pass()
        place?.shrink(to: 0)
      }
      server.storage.set(.principal) { () throws(StorageError) in _ = try? await pool.acquire(1, for: .server) }
      let clients = try await runBlocking {
        try (0..<6).map { _ in
          let client = try server.client(server.keys.readOnly)
          try client.write(
            Array(
              "GET /api/vehicles/VAN-1/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(server.keys.readOnly)\r\n\r\n"
                .utf8))
          return Unchecked(client)
        }
      }
      // One of three permits is left to other tenants.
      await gate.wait(for: 2)
      let status = try await runBlocking {
        // A key that was not looked up before.
        try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines).status
      }
      #expect(status == 200)
      // Requests that gateways send all day do not wait for these.
      let fences = try await runBlocking { try server.client(server.keys.gateway).send("GET", "/api/geofences").status }
      #expect(fences != 503)
      gate.open()
      let statuses = try await runBlocking { try clients.map { try $0.value.read().status } }
      #expect(statuses.allSatisfy { $0 == 200 })
    }
  }

  @Test func clients_that_guess_keys_are_delayed_and_clients_with_a_key_are_not() async throws {
    try await TestServer.run { server in
      let authenticator = server.newAuthenticator()
      _ = try await authenticator.identity(server.keys.readOnly, from: "192.0.2.1")
      // Sent in parallel, so that the number of delayed requests does not depend on the machine's speed.
      let refusals = await withTaskGroup(of: APIError?.self) { group in
        for number in 0..<1_000 {
          group.addTask {
            do {
              _ = try await authenticator.identity("fst_\(number)", from: "192.0.2.1")
              return nil
            } catch {
              return error as? APIError
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(!refusals.contains(nil))
      #expect(refusals.contains { $0?.status == .tooManyRequests && $0?.retryAfter != nil })
      // From there as well, and from elsewhere a key that was never seen.
      _ = try await authenticator.identity(server.keys.readOnly, from: "192.0.2.1")
      _ = try await authenticator.identity(server.keys.gateway, from: "192.0.2.2")
      // Changed keys are looked up again, and do not count as unknown keys.
      authenticator.forget(.standard)
      _ = try await authenticator.identity(server.keys.readOnly, from: "192.0.2.1")
      _ = try await authenticator.identity(server.keys.gateway, from: "192.0.2.1")
    }
  }

  @Test func one_key_leaves_capacity_to_others() async throws {
    try await TestServer.run(
      .test {
        $0.limits.unpackedBytes = 1 << 20
        $0.limits.memoryBytes = 4 << 20
      }
    ) { server in
      let gate = Gate()
      server.storage.set(.ingest) { () throws(StorageError) in await gate.pass() }
      // More than half of the memory, and all that a key may have.
      let text = String(repeating: "x", count: 14_000)
      let lines = (1...40).map { SampleRecord($0, rest: #""note":"\#(text)""#) }.lines
      let first = Task {
        try await runBlocking { try server.client(server.keys.gateway).send("POST", "/api/telemetry", lines) }
      }
      await gate.wait(for: 1)
      server.storage.set(.ingest, nil)
      let (same, other) = try await runBlocking {
        let few = [SampleRecord(99)].lines
        return (
          try server.client(server.keys.gateway).send("POST", "/api/telemetry", few).status,
          try server.client(server.keys.admin).send("POST", "/api/telemetry", few).status
        )
      }
      #expect(same == 503 && other == 200)
      gate.open()
      #expect(try await first.value.status == 200)
    }
  }

  @Test func a_request_beyond_the_capacity_is_rejected_and_succeeds_later() async throws {
    try await TestServer.run(
      .test {
        $0.limits.unpackedBytes = 1 << 20
        $0.limits.memoryBytes = 4 << 20
      }
    ) { server in
      let gate = Gate()
      server.storage.set(.ingest) { () throws(StorageError) in await gate.pass() }
      let text = String(repeating: "x", count: 14_000)
      let lines = (1...60).map { SampleRecord($0, rest: #""note":"\#(text)""#) }.lines
      let first = Task {
        try await runBlocking { try server.client(server.keys.gateway).send("POST", "/api/telemetry", lines) }
      }
      await gate.wait(for: 1)
      let refused = try await runBlocking {
        try server.client(server.keys.gateway).send("POST", "/api/telemetry", lines)
      }
      #expect(refused.status == 503 && refused.errorCode == "busy")
      #expect(refused.headers["retry-after"] == "2")
      gate.open()
      #expect(try await first.value.json["stored"] as? Int == 60)
      let again = try await runBlocking {
        try server.client(server.keys.gateway).send("POST", "/api/telemetry", lines)
      }
      #expect(try again.json["duplicates"] as? Int == 60)
    }
  }

  @Test func a_page_ends_where_its_bytes_do_and_the_list_goes_on() async throws {
    try await TestServer.run(.test { $0.limits.pageBytes = 1 << 20 }) { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        let text = String(repeating: "x", count: 8_000)
        for start in stride(from: 1, to: 1_200, by: 300) {
          let records = (start..<(start + 300)).map { SampleRecord($0, rest: #""note":"\#(text)""#) }
          #expect(try gateway.send("POST", "/api/telemetry", records.lines).status == 200)
        }
        let reader = try server.client(server.keys.readOnly)
        let first = try reader.send("GET", "/api/vehicles/VAN-1/telemetry?limit=10000")
        #expect(first.body.count < 1_200_000)
        let pages = try reader.pages("/api/vehicles/VAN-1/telemetry?limit=10000")
        #expect(pages.count > 1)
        #expect(pages.flatMap { $0.map { $0["seq"] as? Int } } == Array(1...1_200))
      }
    }
  }

  @Test func a_client_that_reads_a_response_too_slowly_is_disconnected() async throws {
    let token = Secret(.operatorToken)
    try await TestServer.run(
      .test {
        $0.limits.idleSeconds = 5
        $0.limits.pageBytes = 64 << 20
        $0.serverToken = token.hash
      }
    ) { server in
      try await runBlocking {
        let text = String(repeating: "x", count: 15_000)
        let gateway = try server.client(server.keys.gateway)
        for start in stride(from: 1, to: 1_200, by: 100) {
          let records = (start..<(start + 100)).map { SampleRecord($0, rest: #""note":"\#(text)""#) }
          #expect(try gateway.send("POST", "/api/telemetry", records.lines).status == 200)
        }
        let owner = try server.client(token.text)
        func holdsMemory() throws -> Bool {
          let text = try owner.send("GET", "/api/metrics").text
          return !text.contains("fleetstore_memory_bytes 0\n")
        }
        #expect(try !holdsMemory())
        let slow = try server.client()
        let head =
          "GET /api/vehicles/VAN-1/telemetry?limit=10000 HTTP/1.1\r\nHost: x\r\n"
          + "Authorization: Bearer \(server.keys.readOnly)\r\n\r\n"
        // 18 MB, more than the socket buffers hold. The client does not read until the server has disconnected it.
        try slow.write(Array(head.utf8))
        while try !holdsMemory() {}
        while try holdsMemory() {}
        #expect(try slow.readToEnd().count < 18 << 20)
      }
    }
  }
}
