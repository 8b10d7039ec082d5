import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The days of a machine that reports only counters, as a connector stores them, on both databases.
@Suite struct DayCounterRoutesTests {
  /// Midnight of 4 May 2026 in Vienna, in seconds since 2026-01-01T00:00:00Z.
  private static let midnight = 123 * 86_400 - 2 * 3_600

  /// A record of the counters.
  ///
  /// - Parameters:
  ///   - hour: hours since midnight of 4 May.
  ///   - engine: h.
  private static func record(_ number: Int, at hour: Int, engine: Int, odometer: Double, fuel: Int) -> SampleRecord {
    SampleRecord(
      number, quality: "system", second: midnight + hour * 3_600,
      rest: #""totalEngineRunTime":\#(engine * 3_600),"odometer":\#(odometer),"totalFuelUsed":\#(fuel)"#)
  }

  private static func store(_ server: TestServer, _ records: [SampleRecord]) async throws {
    let parsed = try records.map { try IncomingRecord(parsing: Array($0.line.utf8).span) }
    for outcome in try await server.storage.ingest(parsed, from: .trusted, tenant: .standard, at: WallClock.now) {
      if case .refused(let refusal) = outcome { Issue.record("\(refusal)") }
    }
  }

  private static func setVienna(_ server: TestServer) async throws {
    _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      let stored = try transaction.storedSettings()
      var settings = stored.value
      settings.timeZone = "Europe/Vienna"
      try transaction.update(stored, to: settings, action: "change")
    }
  }

  /// Expects the figures of days: date, engine hours, distance, fuel, and whether they are estimated.
  private static func expect(_ server: TestServer, _ expected: [(String, Double?, Double?, Double?, Bool)]) async throws
  {
    try await runBlocking {
      let reply = try server.client(server.keys.admin).send(
        "GET", "/api/vehicles/VAN-1/days?from=2026-05-01&to=2026-05-10")
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.list.map { $0["date"] as? String } == expected.map(\.0))
      #expect(
        reply.list.map { $0["engineOnSeconds"] as? Double } == expected.map { $0.1.map { $0 * 3_600 } },
        "\(reply.text)")
      #expect(reply.list.map { $0["distance"] as? Double } == expected.map(\.2), "\(reply.text)")
      #expect(reply.list.map { $0["fuelUsed"] as? Double } == expected.map(\.3), "\(reply.text)")
      #expect(reply.list.map { $0["estimated"] as? Bool ?? false } == expected.map(\.4), "\(reply.text)")
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func days_of_a_machine_come_from_its_counters(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setVienna(server)
      try await Self.store(
        server,
        [
          Self.record(1, at: -2, engine: 100, odometer: 1_000, fuel: 500),
          Self.record(2, at: 10, engine: 104, odometer: 1_006, fuel: 540),
          Self.record(3, at: 34, engine: 112, odometer: 1_020.5, fuel: 600),
          // There is no record on 6 May.
          Self.record(4, at: 3 * 24 + 5, engine: 115, odometer: 1_030, fuel: 620),
        ])
      try await Self.expect(
        server,
        [
          ("2026-05-03", nil, nil, nil, false), ("2026-05-04", 4, 6, 40, true), ("2026-05-05", 8, 14.5, 60, true),
          ("2026-05-07", nil, nil, nil, false),
        ])
      try await runBlocking {
        let day = try server.client(server.keys.admin).send(
          "GET", "/api/vehicles/VAN-1/days?from=2026-05-04&to=2026-05-04"
        ).list.first
        #expect(day?["firstTime"] as? String == "2026-05-03T20:00:00.000Z")
      }
      // A late record of 4 May divides the same hours differently between two days.
      try await Self.store(server, [Self.record(5, at: 20, engine: 106, odometer: 1_010, fuel: 560)])
      try await Self.expect(
        server,
        [
          ("2026-05-03", nil, nil, nil, false), ("2026-05-04", 6, 10, 60, true), ("2026-05-05", 6, 10.5, 40, true),
          ("2026-05-07", nil, nil, nil, false),
        ])
      // A late record of 6 May makes the start of 7 May known.
      try await Self.store(server, [Self.record(6, at: 2 * 24 + 8, engine: 113, odometer: 1_021, fuel: 605)])
      try await Self.expect(
        server,
        [
          ("2026-05-03", nil, nil, nil, false), ("2026-05-04", 6, 10, 60, true), ("2026-05-05", 6, 10.5, 40, true),
          ("2026-05-06", 1, 0.5, 5, true), ("2026-05-07", 2, 9, 15, true),
        ])
    }
  }

  /// Retention has removed the record of 3 May, from whose counters the figures of 4 May were computed.
  @Test(arguments: TestServer.Database.allCases)
  func figures_of_counters_outlive_the_records_of_the_day_before(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setVienna(server)
      try await Self.store(
        server,
        [
          Self.record(1, at: -2, engine: 100, odometer: 1_000, fuel: 500),
          Self.record(2, at: 10, engine: 104, odometer: 1_006, fuel: 540),
          Self.record(3, at: 34, engine: 112, odometer: 1_020.5, fuel: 600),
        ])
      let figures: [(String, Double?, Double?, Double?, Bool)] = [
        ("2026-05-03", nil, nil, nil, false), ("2026-05-04", 4, 6, 40, true), ("2026-05-05", 8, 14.5, 60, true),
      ]
      try await Self.expect(server, figures)
      let cutoff = Timestamp(nanoseconds: SampleRecord.start + Int64(Self.midnight - 3_600) * 1_000_000_000)
      _ = try await server.storage.removeRecords(.known(.telemetry), before: cutoff, at: WallClock.now)
      try await Self.store(server, [Self.record(4, at: 9, engine: 104, odometer: 1_006, fuel: 540)])
      try await Self.expect(server, figures)
    }
  }
}
