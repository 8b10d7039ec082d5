import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// `/ws`: records are sent as they are stored.
@Suite struct LiveTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_subscriber_gets_what_is_stored_from_then_on(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        _ = try gateway.send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        let van = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        let fleet = try WebSocketTestClient(port: server.port)
        #expect(try van.listen("vehicle:VAN-1")["event"] as? String == "subscribed")
        #expect(try fleet.listen("fleet", token: server.keys.admin)["channel"] as? String == "fleet")
        _ = try gateway.send("POST", "/api/telemetry", [SampleRecord(2), SampleRecord(3)].lines)
        let other = [SampleRecord(4, vehicle: "VAN-2", gateway: "gw-2")]
        _ = try server.client(server.keys.otherGateway).send("POST", "/api/telemetry", other.lines)
        let (first, second) = (try van.event(), try van.event())
        #expect(first["channel"] as? String == "vehicle:VAN-1")
        #expect((first["record"] as? [String: Any])?["seq"] as? Int == 2)
        #expect((second["record"] as? [String: Any])?["seq"] as? Int == 3)
        #expect(first["id"] as? Int ?? 0 < second["id"] as? Int ?? 0)
        let all = try (0..<3).map { _ in (try fleet.event()["record"] as? [String: Any])?["seq"] as? Int }
        #expect(all == [2, 3, 4])
        // VAN-2's record is not sent to subscribers of VAN-1, so this is the next message.
        try van.send(#"{"action":"ping"}"#)
        #expect(try van.event()["event"] as? String == "pong")
      }
    }
  }

  @Test func a_record_stored_by_one_server_is_sent_by_another() async throws {
    let database = try PostgreSQLServer.shared.database()
    try await TestServer.runTwo(on: database) { first, second in
      try await runBlocking {
        let listener = try WebSocketTestClient(port: first.port, token: first.keys.readOnly)
        _ = try listener.listen("vehicle:VAN-1")
        let gateway = try second.client(second.keys.gateway)
        let sent = try gateway.send("POST", "/api/telemetry", (1...3).map { SampleRecord($0) }.lines)
        #expect(try sent.json["stored"] as? Int == 3)
        let seqs = try (0..<3).map { _ in (try listener.event()["record"] as? [String: Any])?["seq"] as? Int }
        #expect(seqs == [1, 2, 3])
        let list = try first.client(first.keys.readOnly).send("GET", "/api/vehicles/VAN-1/telemetry")
        #expect(list.integers("seq") == [1, 2, 3])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_subscriber_resumes_where_it_was_disconnected(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        _ = try gateway.send("POST", "/api/telemetry", (1...3).map { SampleRecord($0) }.lines)
        let first = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try first.listen("vehicle:VAN-1", after: 0)
        #expect((try first.event()["record"] as? [String: Any])?["seq"] as? Int == 1)
        let last = try first.event()["id"] as? Int ?? 0
        // The connection is closed. Meanwhile, more records are stored than fit on one page.
        for start in stride(from: 4, to: 2_404, by: 600) {
          _ = try gateway.send("POST", "/api/telemetry", (start..<(start + 600)).map { SampleRecord($0) }.lines)
        }
        let second = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try second.listen("vehicle:VAN-1", after: last)
        _ = try gateway.send("POST", "/api/telemetry", [SampleRecord(2_404)].lines)
        let seqs = try (0..<2_402).map { _ in (try second.event()["record"] as? [String: Any])?["seq"] as? Int }
        #expect(seqs == Array(3...2_404))
      }
    }
  }

  @Test func a_feed_position_that_never_existed_is_reported() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        let answer = try client.listen("fleet", after: 999_999)
        #expect((answer["error"] as? [String: Any])?["code"] as? String == "positionGone")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func after_a_restored_backup_older_numbers_are_gone(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let client = try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.listen("fleet")
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect(try client.event()["id"] as? Int == 1)
        return Unchecked(client)
      }
      try await server.storage.recordRestoration()
      try await runBlocking {
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(2)].lines)
        // Connected readers and readers that resume with an older position both receive the error.
        #expect((try client.value.event()["error"] as? [String: Any])?["code"] as? String == "positionGone")
        for number in [0, 1, 2] {
          let late = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
          _ = try late.listen("fleet", after: number)
          #expect((try late.event()["error"] as? [String: Any])?["code"] as? String == "positionGone")
        }
        // From the new number on, it continues as before.
        let next = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        let start = try next.listen("fleet")["id"] as? Int ?? 0
        #expect(start > 1 << 40 && start < 1 << 53)
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(3)].lines)
        #expect(try next.event()["id"] as? Int == start + 1)
        let resumed = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try resumed.listen("fleet", after: start)
        #expect((try resumed.event()["record"] as? [String: Any])?["seq"] as? Int == 3)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func updates_do_not_cross_to_another_tenant(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let foreign = try WebSocketTestClient(port: server.port, token: server.keys.foreignAdmin)
        _ = try foreign.listen("fleet", after: 0)
        try foreign.send(#"{"action":"subscribe","channel":"vehicle:VAN-2"}"#)
        #expect(try foreign.event()["event"] as? String == "subscribed")
        let own = [SampleRecord(2, vehicle: "VAN-2", gateway: "gw-2")]
        _ = try server.client(server.keys.otherGateway).send("POST", "/api/telemetry", own.lines)
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        _ = try server.client(server.keys.foreignGateway).send("POST", "/api/telemetry", [SampleRecord(9)].lines)
        #expect((try foreign.event()["record"] as? [String: Any])?["seq"] as? Int == 9)
      }
    }
  }

  @Test func a_client_without_permission_gets_an_error_and_is_disconnected() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        for token in [server.keys.gateway, server.keys.revokedToken, "wrong"] {
          let client = try WebSocketTestClient(port: server.port, token: token)
          #expect((try client.event()["error"] as? [String: Any])?["message"] != nil)
          guard case .close(let code, _) = try client.close() else { throw TestData.Missing("a close frame") }
          #expect(code == 1008)
        }
        let early = try WebSocketTestClient(port: server.port)
        try early.send(#"{"action":"subscribe","channel":"fleet"}"#)
        guard case .close(1008, let reason) = try early.close() else {
          Issue.record("not closed")
          return
        }
        #expect(reason.contains("authenticate"))
      }
    }
    try await TestServer.run(.test { $0.live.authenticateSeconds = 1 }) { server in
      try await runBlocking {
        let silent = try WebSocketTestClient(port: server.port)
        #expect(try silent.close() == .close(code: 1008, reason: "no token within 1 s"))
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_vehicle_can_be_subscribed_before_it_exists_and_by_its_vin(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let vin = "WVWZZZ1JZXW000001"
        let early = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        for channel in ["vehicle:NEW", "vehicle:\(vin)"] {
          let answer = channel.hasSuffix("NEW") ? try early.listen(channel) : try Self.subscribe(early, channel)
          #expect(answer["event"] as? String == "subscribed" && answer["channel"] as? String == channel)
        }
        let admin = try server.client(server.keys.admin)
        func send(_ number: Int, _ rest: String) throws {
          let record = SampleRecord(number, vehicle: "NEW", rest: rest)
          #expect(try admin.send("POST", "/api/telemetry", [record].lines).json["stored"] as? Int == 1)
        }
        try send(1, #""rpm":1"#)
        #expect(try Self.heard(early) == ["vehicle:NEW 1"])
        // The vehicle now has a VIN, so each record is sent on both channels.
        try send(2, "\"vin\":\"\(vin)\"")
        #expect(Set(try Self.heard(early, 2)) == ["vehicle:NEW 2", "vehicle:\(vin) 2"])
        let late = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try late.listen("vehicle:\(vin)", after: 0)
        #expect(try Self.heard(late, 2) == ["vehicle:\(vin) 1", "vehicle:\(vin) 2"])
        #expect(try Self.subscribe(early, "vehicle:a\\u0000b")["event"] as? String == "error")
      }
    }
  }

  private static func subscribe(_ client: WebSocketTestClient, _ channel: String) throws -> [String: Any] {
    try client.send(#"{"action":"subscribe","channel":"\#(channel)"}"#)
    return try client.event()
  }

  /// Channel and `seq` of the next records.
  private static func heard(_ client: WebSocketTestClient, _ count: Int = 1) throws -> [String] {
    try (0..<count).map { _ in
      let event = try client.event()
      return "\(event["channel"] ?? "?") \((event["record"] as? [String: Any])?["seq"] ?? "?")"
    }
  }

  @Test func a_slow_subscriber_is_disconnected_with_a_reason() async throws {
    let options = ServerOptions.test {
      $0.live.behindBytes = 65_536
      $0.live.farewellSeconds = 300
    }
    try await TestServer.run(options) { server in
      try await runBlocking {
        let slow = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try slow.listen("fleet")
        let quick = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try quick.listen("vehicle:VAN-2")
        let gateway = try server.client(server.keys.gateway)
        let text = String(repeating: "x", count: 15_000)
        let admin = try server.client(server.keys.admin)
        // More than the socket buffers hold. The client does not read until the server disconnects it.
        for round in 0..<60 {
          guard try admin.send("GET", "/api/metrics").text.contains("fleetstore_live_subscriptions 2\n") else { break }
          let records = (1...40).map { SampleRecord(round * 40 + $0, rest: #""note":"\#(text)""#) }
          _ = try gateway.send("POST", "/api/telemetry", records.lines)
        }
        guard case .close(let code, let reason) = try slow.close() else { throw TestData.Missing("a close frame") }
        #expect(code == 1008)
        #expect(reason.hasPrefix("too slow"))
        // The others have not noticed.
        let other = [SampleRecord(1, vehicle: "VAN-2", gateway: "gw-2")]
        _ = try server.client(server.keys.otherGateway).send("POST", "/api/telemetry", other.lines)
        #expect(try quick.event()["event"] as? String == "record")
      }
    }
  }

  @Test func a_stop_closes_all_websockets_as_going_away() async throws {
    try await TestServer.run { server in
      let clients = try await runBlocking {
        try (0..<3).map { _ in
          let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
          _ = try client.listen("fleet")
          return Unchecked(client)
        }
      }
      await server.beginStop()
      try await runBlocking {
        for client in clients {
          let end = try client.value.close()
          #expect(end == .close(code: 1001, reason: "the server is stopping"))
        }
      }
    }
  }

  @Test func pings_are_answered_and_sent() async throws {
    try await TestServer.run(.test { $0.live.pingSeconds = 1 }) { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.event()
        try client.send(opcode: 9, Array("abc".utf8))
        var awaited: [WebSocketTestClient.Message] = [.pong(Array("abc".utf8)), .ping([])]
        while !awaited.isEmpty {
          let heard = try client.next()
          if heard == .ping([]) { try client.send(opcode: 10, []) }
          #expect(heard == .ping([]) || awaited.contains(heard))
          awaited.removeAll { $0 == heard }
        }
      }
    }
  }

  @Test func fragmented_messages_are_accepted_and_invalid_ones_rejected() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        func client() throws -> WebSocketTestClient {
          let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
          _ = try client.event()
          return client
        }
        let parts = try client()
        try parts.send(opcode: 1, Array(#"{"action":"#.utf8), isFinal: false)
        try parts.send(opcode: 9, [])
        try parts.send(opcode: 0, Array(#""ping"}"#.utf8))
        #expect(try parts.event()["event"] as? String == "pong")
        try parts.send(#"{"action":"subscripe"}"#)
        #expect((try parts.event()["error"] as? [String: Any])?["code"] as? String == "badRequest")
        try parts.send(#"{"action":"subscribe","channel":"planet"}"#)
        #expect((try parts.event()["error"] as? [String: Any])?["message"] as? String ?? "" != "")

        func closed(_ send: (WebSocketTestClient) throws -> Void) throws -> Int {
          let client = try client()
          try send(client)
          guard case .close(let code, _) = try client.close() else { return 0 }
          return code
        }
        #expect(try closed { try $0.send(opcode: 2, [1]) } == 1003)
        #expect(try closed { try $0.send(opcode: 0, [1]) } == 1002)
        #expect(try closed { try $0.send(opcode: 1, [1], isMasked: false) } == 1002)
        #expect(
          try closed { client in
            for _ in 0..<3 { try client.send(opcode: client.http.socket > 0 ? 1 : 0, [], isFinal: false) }
          } == 1002)
        #expect(try closed { try $0.send(opcode: 8, [0x03, 0xE8]) } == 1000)
      }
    }
  }

  @Test func only_pages_of_this_server_may_connect() async throws {
    try await TestServer.run(.test { $0.live.origins = AllowedOrigins(["https://fleet.example"]) }) { server in
      try await runBlocking {
        func status(_ headers: [String: String]) throws -> Int {
          try server.client(server.keys.readOnly).send(
            "GET", "/ws", headers: WebSocketTestClient.handshake.merging(headers) { _, new in new }
          ).status
        }
        #expect(try status([:]) == 101)
        #expect(try status(["Origin": "https://fleet.example"]) == 101)
        #expect(try status(["Origin": "http://localhost"]) == 101)
        #expect(try status(["Origin": "https://evil.example"]) == 403)
        #expect(try status(["Origin": "null"]) == 403)
        #expect(try status(["Sec-WebSocket-Version": "12"]) == 426)
        #expect(try status(["Sec-WebSocket-Key": "short"]) == 426)
        #expect(try status(["Upgrade": "h2c"]) == 426)
        // An upgrade to somewhere else is a plain request.
        let client = try server.client()
        #expect(try client.send("GET", "/api/health", headers: WebSocketTestClient.handshake).status == 200)
        // It was the connection's last.
        #expect(try client.readToEnd().isEmpty)
        let second = try server.client()
        #expect(try second.send("GET", "/api/health").status == 200)
        #expect(try second.send("GET", "/ws", headers: WebSocketTestClient.handshake).status == 426)
      }
    }
  }
}

/// Clients are used by one thread after the other.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
