import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Changes of things for clients that do not read them: the limits are those of records.
@Suite struct LiveChangeLimitTests {
  /// A long id makes long messages.
  private static let vehicle = String(repeating: "V", count: 128)

  /// A client that subscribes to changes only, on several channels, and does not read.
  private static func slowClient(_ server: TestServer) throws -> WebSocketTestClient {
    let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly, receiveBuffer: 4_096)
    #expect(try client.event()["event"] as? String == "authenticated")
    for channel in ["fleet", "vehicle:\(vehicle)"] { try subscribe(client, channel) }
    return client
  }

  private static func subscribe(_ client: WebSocketTestClient, _ channel: String) throws {
    try client.send(#"{"action":"subscribe","channel":"\#(channel)","changes":true,"records":false}"#)
    #expect(try client.event()["event"] as? String == "subscribed")
  }

  /// Adds some defects, fewer than ``ChangeFeed/page``, so that clients learn of each one. Returns their ids.
  private static func addDefects(to storage: TroubledStorage) async throws -> [String] {
    try await storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      var ids: [String] = []
      for number in 0..<40 {
        var defect = Defect()
        (defect.vehicle, defect.text) = (vehicle, "defect \(number)")
        ids.append(try transaction.insert(defect).id.string)
      }
      return ids
    }
  }

  /// Reads changes until each of these things was named.
  private static func read(_ ids: [String], _ client: WebSocketTestClient) throws {
    var missing = Set(ids)
    while !missing.isEmpty {
      let event = try client.event()
      let change = try #require(event["change"] as? [String: Any], "\(event)")
      missing.remove(change["id"] as? String ?? "")
    }
  }

  /// Makes changes until the server disconnects a client that does not read. Another client receives all of them.
  ///
  /// - Returns: the code and the reason with which the server disconnected the client, and the number of defects.
  private static func disconnectSlowClient(
    _ server: TestServer
  ) async throws -> (code: Int, reason: String, defects: Int) {
    _ = try await server.storage.addVehicle(vehicle, tenant: .standard, at: WallClock.now)
    let (slow, quick) = try await runBlocking {
      let quick = try WebSocketTestClient(port: server.port, token: server.keys.admin)
      #expect(try quick.event()["event"] as? String == "authenticated")
      try subscribe(quick, "fleet")
      return (Unchecked(try slowClient(server)), Unchecked(quick))
    }
    var (rounds, isConnected) = (0, true)
    while isConnected, rounds < 60 {
      rounds += 1
      let ids = try await addDefects(to: server.storage)
      isConnected = try await runBlocking {
        try read(ids, quick.value)
        return try server.client(server.keys.admin).send("GET", "/api/metrics").text
          .contains("fleetstore_live_subscriptions 3\n")
      }
    }
    #expect(!isConnected, "\(rounds) rounds")
    let (code, reason) = try await runBlocking {
      guard case .close(let code, let reason) = try slow.value.close() else { throw TestData.Missing("a close frame") }
      return (code, reason)
    }
    // The quick client receives further changes.
    let ids = try await addDefects(to: server.storage)
    try await runBlocking { try read(ids, quick.value) }
    return (code, reason, (rounds + 1) * ids.count)
  }

  @Test func unread_changes_count_towards_the_memory_of_their_key() async throws {
    let options = ServerOptions.test {
      $0.live.behindBytes = 64 << 20
      $0.live.farewellSeconds = 300
      $0.limits.memoryBytes = 2 << 20
      $0.limits.unpackedBytes = 512 << 10
    }
    try await TestServer.run(options) { server in
      let found = try await Self.disconnectSlowClient(server)
      #expect(found.code == 1013 && found.reason.contains("memory"), "\(found)")
      #expect(found.reason.contains("read the lists again"), "\(found)")
    }
  }

  @Test func a_client_that_reads_changes_too_slowly_is_disconnected_and_reads_the_lists_again() async throws {
    let options = ServerOptions.test {
      $0.live.behindBytes = 4_096
      $0.live.farewellSeconds = 300
    }
    try await TestServer.run(options) { server in
      let found = try await Self.disconnectSlowClient(server)
      #expect(found.code == 1008 && found.reason.hasPrefix("too slow"), "\(found)")
      #expect(found.reason.contains("read the lists again"), "\(found)")
      // It subscribes again, and then reads the list: nothing is missing.
      let again = try await runBlocking {
        let again = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        #expect(try again.event()["event"] as? String == "authenticated")
        try Self.subscribe(again, "fleet")
        let list = try server.client(server.keys.readOnly).send("GET", "/api/defects?count=true&limit=1")
        #expect(try list.json["count"] as? Int == found.defects, "\(list.text)")
        return Unchecked(again)
      }
      let ids = try await Self.addDefects(to: server.storage)
      try await runBlocking { try Self.read(ids, again.value) }
    }
  }

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
