import FleetAccess
import FleetDomain
import FleetProviders
import FleetStorageTestKit
import Foundation
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// A fleet with one forward.
struct HomeAssistantBench {
  let fleet: ConnectedFleet
  let runner: ForwardRunner
  let id: UUIDv7

  init(
    _ fleet: ConnectedFleet, to address: String, password: String? = nil, mayUsePrivate: Bool = true,
    publisher: (any RetainedPublisher)? = nil
  ) async throws {
    self.fleet = fleet
    let used = publisher ?? MQTTPublisher(mayUsePrivate: mayUsePrivate)
    runner = ForwardRunner(
      storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: { [clock = fleet.clock] in clock.now }, transport: { ScriptedCloud([:]) }, publisher: used)
    id = try await fleet.change { [keys = fleet.keys] transaction throws(ThingError) in
      var forward = Forward()
      (forward.name, forward.format, forward.address) = ("Home", .homeAssistant, address)
      let stored = try transaction.insert(forward)
      try transaction.follow(stored)
      if let password {
        forward.secret = keys.seal(Array(password.utf8), for: SecretPlace.forward(stored.id))
        try transaction.update(stored, to: forward, action: "setSecret")
      }
      return stored.id
    }
    // The first round sets the position from which records are sent.
    try await runner.round()
  }

  func store(_ records: [IncomingRecord]) async throws {
    _ = try await fleet.storage.ingest(records, from: .trusted, tenant: .standard, at: fleet.clock.now)
  }

  func round() async throws {
    fleet.clock.advance(seconds: 3_700)
    try await runner.round()
  }

  func forward() async throws -> Forward {
    try await fleet.storage.view(tenant: .standard) { [id] view throws(ThingError) in
      try view.existing(id, Forward.self).value
    }
  }

  static func record(_ vehicle: String, _ second: Int, _ values: String) throws -> IncomingRecord {
    let time = Timestamp(nanoseconds: (ConnectedFleet.start + Int64(second) * 1_000) * 1_000_000)
    let id = UUIDv7(milliseconds: UInt64(time.milliseconds), first: 1, rest: UInt64(second))
    let name = JSON.text(vehicle).canonicalText
    let line = """
      {"type":"telemetry","id":"\(id.string)","timestamp":"\(time.string)","timeQuality":"gps","gatewayId":"gw-1",\
      "vehicleId":\(name),"epoch":"\(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":\(second + 1),\(values)}
      """
    return try IncomingRecord(parsing: Array(line.utf8).span)
  }

  /// Returns the payloads of all retained messages of a broker by their topics. The broker sends them before a message
  /// that is published after the subscription.
  static func retained(_ broker: Mosquitto) throws -> [String: String] {
    let subscriber = try broker.subscriber("#")
    defer { subscriber.kill() }
    let end = "end-\(UUID().uuidString)"
    let sent = try Tool.run("mosquitto_pub", ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "test", "-m", end])
    try #require(sent.status == 0, "\(sent.errors)")
    var lines: [String] = []
    try subscriber.line(within: .seconds(60)) { line in
      lines.append(line)
      return line.hasSuffix(end)
    }
    let parts = lines.dropLast().map { $0.split(separator: " ", maxSplits: 2).map(String.init) }
    #expect(parts.allSatisfy { $0.count == 3 && $0[0] == "1" }, "\(lines)")
    let topics = parts.map { ($0[1], $0[2]) }
    return Dictionary(topics) { first, _ in
      Issue.record("a topic with two retained messages: \(first)")
      return first
    }
  }
}

/// Stores the messages of accepted calls. It rejects a given number of calls first.
final class RetainedStore: RetainedPublisher {
  private let state = Mutex<(failures: Int, calls: [[RetainedMessage]])>((0, []))

  var calls: [[String: String]] {
    state.withLock { state in
      state.calls.map { messages in
        Dictionary(
          uniqueKeysWithValues: messages.map { ($0.topic, String(decoding: $0.payload, as: UTF8.self)) })
      }
    }
  }

  func fail(_ count: Int) { state.withLock { $0.failures = count } }

  func publish(
    _ messages: [RetainedMessage], as client: String, to address: MQTTAddress, password: String?
  ) async throws(ConnectorError) {
    let isAccepted = state.withLock { state in
      guard state.failures == 0 else {
        state.failures -= 1
        return false
      }
      state.calls.append(messages)
      return true
    }
    guard isAccepted else { throw ConnectorError(.unavailable, "no") }
  }
}
