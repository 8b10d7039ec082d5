import FleetDomain
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Live updates while the storage fails, readers are slow, or clients send requests without pause.
@Suite struct LiveTroubleTests {
  @Test(arguments: TestServer.Database.allCases)
  func a_failed_feed_read_is_retried_without_loss_or_duplicates(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let listener = try await runBlocking {
        let listener = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try listener.listen("fleet")
        // Once this is there, nothing older is read any more for this listener: the calls that fail are the feed's.
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(10)].lines)
        #expect((try listener.event()["record"] as? [String: Any])?["seq"] as? Int == 10)
        return Unchecked(listener)
      }
      let failures = server.storage.fail(.changes, times: 3)
      try await runBlocking {
        // One batch alone: no later one reminds of it.
        _ = try server.client(server.keys.gateway).send(
          "POST", "/api/telemetry", (1...3).map { SampleRecord($0) }.lines)
        let seqs = try (0..<3).map { _ in (try listener.value.event()["record"] as? [String: Any])?["seq"] as? Int }
        #expect(seqs == [1, 2, 3])
        #expect(failures.value > 3)
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(4)].lines)
        #expect((try listener.value.event()["record"] as? [String: Any])?["seq"] as? Int == 4)
      }
    }
  }

  @Test func a_client_may_retry_if_the_feed_position_is_unavailable() async throws {
    try await TestServer.run { server in
      _ = server.storage.fail(.feedPosition, times: 1)
      try await runBlocking {
        let listener = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        let refusal = try listener.listen("fleet")
        #expect(refusal["event"] as? String == "error")
        #expect(refusal["channel"] as? String == "fleet")
        #expect((refusal["error"] as? [String: Any])?["code"] as? String == "storageUnavailable")
        try listener.send(#"{"action":"subscribe","channel":"fleet"}"#)
        #expect(try listener.event()["event"] as? String == "subscribed")
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect((try listener.event()["record"] as? [String: Any])?["seq"] as? Int == 1)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func subscriptions_of_closed_sockets_cost_nothing_and_other_updates_go_on(_ database: TestServer.Database)
    async throws
  {
    try await TestServer.run(on: database) { server in
      let (gate, questions) = (Gate(), Tally())
      server.storage.set(.feedPosition) { () throws(StorageError) in
        _ = questions.next()
        await gate.pass()
      }
      try await runBlocking {
        for _ in 0..<5 {
          let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
          _ = try client.event()
          for vehicle in 0..<60 {
            try client.send(#"{"action":"subscribe","channel":"vehicle:V-\#(vehicle)","after":0}"#)
          }
          // Its answer follows all earlier messages, so all of them were read.
          try client.send(#"{"action":"ping"}"#)
          #expect(try client.event()["event"] as? String == "pong")
        }
        let admin = try server.client(server.keys.admin)
        while !(try admin.send("GET", "/api/metrics").text.contains("fleetstore_live_subscriptions 0\n")) {}
      }
      gate.open()
      try await runBlocking {
        let listener = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        #expect(try listener.listen("fleet")["event"] as? String == "subscribed")
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        #expect((try listener.event()["record"] as? [String: Any])?["seq"] as? Int == 1)
      }
      // Reads are shared: one of the feed itself, one of the listener, and a few of those 300 subscriptions, of which some
      // may come after the gate has opened.
      #expect(questions.value < 10)
    }
  }

  @Test func a_future_feed_position_is_rejected_without_a_confirmation() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        let event = try client.listen("fleet", after: .max)
        #expect(event["event"] as? String == "error")
        #expect((event["error"] as? [String: Any])?["code"] as? String == "positionGone")
        try client.send(#"{"action":"subscribe","channel":"fleet"}"#)
        #expect(try client.event()["event"] as? String == "subscribed")
      }
    }
  }

  @Test func an_error_escapes_characters_that_are_not_shown() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.event()
        try client.send("{\"action\":\"ping\",\"a\u{202E}\u{200B}\u{2800}\u{1B}\":1}")
        let message = (try client.event()["error"] as? [String: Any])?["message"] as? String ?? ""
        #expect(!message.unicodeScalars.contains { [0x202E, 0x200B, 0x2800, 0x1B].contains($0.value) })
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_channel_ends_with_an_error_if_its_position_is_no_longer_kept(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let listener = try await runBlocking {
        let listener = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try listener.listen("vehicle:VAN-1")
        return Unchecked(listener)
      }
      server.storage.set(.changes) { () throws(StorageError) in throw StorageError(.positionGone, "feed", "gone") }
      try await runBlocking {
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(1)].lines)
        let event = try listener.value.event()
        #expect(event["channel"] as? String == "vehicle:VAN-1")
        #expect((event["error"] as? [String: Any])?["code"] as? String == "positionGone")
        server.storage.set(.changes, nil)
        try listener.value.send(#"{"action":"subscribe","channel":"vehicle:VAN-1"}"#)
        #expect(try listener.value.event()["event"] as? String == "subscribed")
        _ = try server.client(server.keys.gateway).send("POST", "/api/telemetry", [SampleRecord(2)].lines)
        #expect((try listener.value.event()["record"] as? [String: Any])?["seq"] as? Int == 2)
      }
    }
  }

  @Test func errors_name_the_channel_that_they_are_about() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.listen("fleet")
        for channel in ["fleet", "vehicle:", "planet"] {
          try client.send(#"{"action":"subscribe","channel":"\#(channel)"}"#)
          let event = try client.event()
          #expect(event["event"] as? String == "error")
          #expect(event["channel"] as? String == channel)
        }
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_reader_that_resumes_far_behind_is_not_called_slow(_ database: TestServer.Database) async throws {
    // 7 MB of older records, a hundred times the limit of unsent data.
    try await TestServer.run(.test { $0.live.behindBytes = 65_536 }, on: database) { server in
      try await runBlocking {
        let gateway = try server.client(server.keys.gateway)
        let text = String(repeating: "x", count: 12_000)
        func send(_ numbers: ClosedRange<Int>) throws {
          let records = numbers.map { SampleRecord($0, rest: #""note":"\#(text)""#) }
          #expect(try gateway.send("POST", "/api/telemetry", records.lines).json["stored"] as? Int == numbers.count)
        }
        for start in stride(from: 1, to: 600, by: 100) { try send(start...(start + 99)) }
        let reader = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try reader.listen("vehicle:VAN-1", after: 0)
        try reader.send(#"{"action":"subscribe","channel":"fleet","after":0}"#)
        // It sends a request in between, and more is published than may be held.
        for start in stride(from: 601, to: 660, by: 20) {
          try send(start...(start + 19))
          try reader.send(#"{"action":"ping"}"#)
        }
        var seqs: [String: [Int]] = [:]
        while seqs["fleet", default: []].count < 660 || seqs["vehicle:VAN-1", default: []].count < 660 {
          let event = try reader.event()
          guard let record = event["record"] as? [String: Any] else { continue }
          seqs[event["channel"] as? String ?? "", default: []].append(record["seq"] as? Int ?? 0)
        }
        #expect(seqs["fleet"] == Array(1...660))
        #expect(seqs["vehicle:VAN-1"] == Array(1...660))
      }
    }
  }

  @Test func a_client_that_floods_the_websocket_is_throttled_and_then_disconnected() async throws {
    try await TestServer.run(
      .test {
        $0.rate.perSecond = 0.001
        // The handshake and the subscription are two of them.
        $0.rate.burst = 4
      }
    ) { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.listen("fleet")
        for _ in 0..<3 { try client.send(#"{"action":"ping"}"#) }
        #expect(try client.event()["event"] as? String == "pong")
        #expect(try client.event()["event"] as? String == "pong")
        #expect((try client.event()["error"] as? [String: Any])?["code"] as? String == "tooManyRequests")
        // Control frames are messages, too.
        for _ in 0..<15 { try client.send(opcode: 9, []) }
        for _ in 0..<15 { try client.send(#"{"action":"unsubscribe","channel":"fleet"}"#) }
        guard case .close(let code, let reason) = try client.close() else { throw TestData.Missing("a close frame") }
        #expect(code == 1008)
        #expect(reason.contains("too many messages"))
        // The key's requests are the same.
        #expect(try server.client(server.keys.readOnly).send("GET", "/api/vehicles").status == 429)
        let stranger = try WebSocketTestClient(port: server.port)
        for _ in 0..<70 { try stranger.send(#"{"action":"ping"}"#) }
        guard case .close(1008, _) = try stranger.close() else {
          Issue.record("not closed")
          return
        }
      }
    }
  }

  @Test func messages_queued_for_slow_readers_count_towards_the_memory_limit() async throws {
    try await TestServer.run(
      .test {
        $0.live.behindBytes = 64 << 20
        $0.live.farewellSeconds = 300
        $0.limits.memoryBytes = 8 << 20
        $0.limits.unpackedBytes = 1 << 20
      }
    ) { server in
      try await runBlocking {
        let slow = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try slow.listen("fleet")
        let gateway = try server.client(server.keys.gateway)
        let text = String(repeating: "x", count: 15_000)
        // It is read as soon as the server has disconnected it.
        let admin = try server.client(server.keys.admin)
        var round = 0
        while round < 40, !(try admin.send("GET", "/api/metrics").text.contains("fleetstore_live_subscriptions 0\n")) {
          let records = (1...40).map { SampleRecord(round * 40 + $0, rest: #""note":"\#(text)""#) }
          let status = try gateway.send("POST", "/api/telemetry", records.lines).status
          #expect(status == 200 || status == 503)
          if status == 200 { round += 1 }
        }
        #expect(round < 40)
        guard case .close(let code, let reason) = try slow.close() else { throw TestData.Missing("a close frame") }
        #expect(code == 1013)
        #expect(reason.contains("memory"))
      }
    }
  }
}
