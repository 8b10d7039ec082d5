import FleetAccess
import FleetDomain
import FleetProviders
import FleetStorageTestKit
import FleetWork
import Logging
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Sends records to a simulated program, on both databases.
@Suite struct ForwardRunnerTests {
  /// Answers with given statuses, and then with 204.
  private final class Sink: ConnectorTransport {
    private let statuses = Mutex<[Int]>([])
    private let received = Mutex<[String]>([])

    var bodies: [String] { received.withLock { $0 } }

    func answer(_ statuses: [Int]) { self.statuses.withLock { $0 = statuses } }

    func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
      let status = statuses.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
      if status == 204 { received.withLock { $0.append(String(decoding: request.body ?? [], as: UTF8.self)) } }
      return .init(status: status, body: [])
    }
  }

  private static func record(_ second: Int, _ values: String) throws -> IncomingRecord {
    let time = Timestamp(nanoseconds: (ConnectedFleet.start + Int64(second) * 1_000) * 1_000_000)
    let line = """
      {"type":"telemetry","id":"\(UUIDv7(milliseconds: UInt64(time.milliseconds), first: 1, rest: UInt64(second)).string)",\
      "timestamp":"\(time.string)","timeQuality":"gps","gatewayId":"gw-1","vehicleId":"VAN-1",\
      "epoch":"\(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":\(second + 1),\(values)}
      """
    return try IncomingRecord(parsing: Array(line.utf8).span)
  }

  @Test(arguments: Database.allCases)
  func records_are_sent_until_they_are_accepted(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = Sink()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      func store(_ records: [IncomingRecord]) async throws {
        _ = try await fleet.storage.ingest(records, from: .trusted, tenant: .standard, at: fleet.clock.now)
      }
      func round() async throws {
        fleet.clock.advance(seconds: 120)
        try await runner.round()
      }
      // What was stored before is not sent.
      try await store([try Self.record(0, #""speed":1"#)])
      let id = try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.address) = ("Influx", "https://influx.example/write?db=fleet")
        let stored = try transaction.insert(forward)
        try transaction.follow(stored)
        return stored.id
      }
      try await round()
      try await store([try Self.record(1, #""speed":2"#), try Self.record(2, #""speed":3"#)])
      sink.answer([503, 429])
      try await round()
      try await round()
      #expect(sink.bodies.isEmpty)
      try await round()
      try await round()
      #expect(sink.bodies.map { $0.split(separator: "\n").count } == [2], "both, once")
      // A request that would fail again is left out.
      try await store([try Self.record(3, #""speed":4"#)])
      sink.answer([400])
      try await round()
      try await store([try Self.record(4, #""speed":5"#)])
      try await round()
      #expect(sink.bodies.count == 2 && sink.bodies[1].contains("speed=5.0"))
      let forward = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Forward.self).value
      }
      #expect(forward.sent == 3 && forward.state == .working && forward.failures.count == 2)
      #expect(forward.ignored["rejected with status 400"] == .integer(1))
    }
  }

  @Test(arguments: Database.allCases)
  func positions_of_private_journeys_are_not_sent(_ database: Database) async throws {
    try await ConnectedFleet.with(database) { fleet in
      let sink = Sink()
      let runner = ForwardRunner(
        storage: fleet.storage, keys: fleet.keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        now: { [clock = fleet.clock] in clock.now }, transport: { sink })
      try await fleet.change { transaction throws(ThingError) in
        var forward = Forward()
        (forward.name, forward.address) = ("Influx", "https://influx.example/write?db=fleet")
        try transaction.follow(try transaction.insert(forward))
        var journey = Journey()
        (journey.vehicle, journey.purpose, journey.status) = ("VAN-1", .personal, .completed)
        journey.isConfirmed = true
        journey.startTime = Timestamp(nanoseconds: (ConnectedFleet.start + 10_000) * 1_000_000)
        journey.endTime = Timestamp(nanoseconds: (ConnectedFleet.start + 20_000) * 1_000_000)
        try transaction.insert(journey)
      }
      try await runner.round()
      _ = try await fleet.storage.ingest(
        [
          try Self.record(5, #""speed":5,"latitude":48.2,"longitude":16.4"#),
          try Self.record(15, #""speed":15,"latitude":48.3,"longitude":16.5"#),
        ], from: .trusted, tenant: .standard, at: fleet.clock.now)
      fleet.clock.advance(seconds: 60)
      try await runner.round()
      let lines = sink.bodies.joined(separator: "\n").split(separator: "\n")
      #expect(lines.count == 2 && lines[0].contains("latitude=48.2") && !lines[1].contains("latitude"), "\(lines)")
    }
  }
}
