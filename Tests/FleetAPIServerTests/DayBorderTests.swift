import FleetDomain
import FleetFigures
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The figures of days at midnight, and at the time before which retention has removed records, on both databases.
@Suite struct DayBorderTests {
  /// Midnight of 4 May 2026 in Vienna, in seconds since 2026-01-01T00:00:00Z.
  private static let midnight = 123 * 86_400 - 2 * 3_600

  private static func updater(_ server: TestServer) -> DayUpdater {
    DayUpdater(storage: server.storage, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private static func setZone(_ server: TestServer, _ zone: String) async throws {
    _ = try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      let stored = try transaction.storedSettings()
      var settings = stored.value
      settings.timeZone = zone
      try transaction.update(stored, to: settings, action: "change")
    }
  }

  private static func store(_ server: TestServer, _ records: [SampleRecord]) async throws {
    let parsed = try records.map { try IncomingRecord(parsing: Array($0.line.utf8).span) }
    for outcome in try await server.storage.ingest(parsed, from: .trusted, tenant: .standard, at: WallClock.now) {
      if case .refused(let refusal) = outcome { Issue.record("\(refusal)") }
    }
  }

  private static func days(_ server: TestServer) async throws -> [VehicleDay] {
    try await updater(server).update("VAN-1", tenant: .standard)
    return try await server.storage.view(tenant: .standard) { view throws(ThingError) in
      try view.days(of: ["VAN-1"], from: CalendarDate("2026-04-01")!, through: CalendarDate("2026-06-01")!).map(\.day)
    }
  }

  /// The end of a trip without telemetry.
  private static func trip(_ number: Int, from start: Int, to end: Int, distance: Double) -> SampleRecord {
    func time(_ second: Int) -> String {
      TextOf.time(Timestamp(nanoseconds: SampleRecord.start + Int64(second) * 1_000_000_000))
    }
    return SampleRecord(
      number, type: "trip", second: end,
      rest:
        #""event":"end","tripId":"t\#(number)","startTime":"\#(time(start))","endTime":"\#(time(end))","distance":\#(distance)"#
    )
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_late_trip_over_midnight_changes_the_figures_of_all_its_days(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await Self.setZone(server, "Europe/Vienna")
      let hour = 3_600
      // Both days have figures before the trip arrives: 10 km on the first, and 20 km on the second.
      try await Self.store(
        server,
        [
          Self.trip(1, from: Self.midnight - 12 * hour, to: Self.midnight - 11 * hour, distance: 10),
          Self.trip(2, from: Self.midnight + 12 * hour, to: Self.midnight + 13 * hour, distance: 20),
        ])
      #expect(try await Self.days(server).map(\.distance) == [10, 20])
      // 30 km in three hours, one of which is before midnight.
      try await Self.store(
        server, [Self.trip(3, from: Self.midnight - hour, to: Self.midnight + 2 * hour, distance: 30)])
      let days = try await Self.days(server)
      #expect(days.map(\.date.text) == ["2026-05-03", "2026-05-04"])
      #expect(days.map(\.distance) == [20, 40] && days.map(\.trips) == [2, 1])
      #expect(days.map(\.unknown) == [2 * 3_600_000, 3 * 3_600_000])
      // Three days, on the middle one of which nothing was recorded.
      let third = Self.midnight + 2 * 86_400
      try await Self.store(server, [Self.trip(4, from: third, to: third + 71 * hour, distance: 284)])
      #expect(try await Self.days(server).map { ($0.distance ?? -1).rounded() } == [20, 40, 96, 96, 92])
    }
  }

  /// Retention has removed records before noon of a day. The day keeps its figures, also after a change of the zone,
  /// although the day has records in the afternoon.
  @Test(arguments: TestServer.Database.allCases)
  func figures_of_a_day_with_removed_records_survive_another_zone(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let (day, hour) = (123 * 86_400, 3_600)
      try await Self.store(
        server,
        [
          Self.trip(1, from: day + 14 * hour, to: day + 15 * hour, distance: 10),
          Self.trip(2, from: day + 38 * hour, to: day + 39 * hour, distance: 20),
        ])
      #expect(try await Self.days(server).map(\.distance) == [10, 20])
      let noon = Timestamp(nanoseconds: SampleRecord.start + Int64(day + 12 * hour) * 1_000_000_000)
      _ = try await server.storage.removeRecords(.known(.telemetry), before: noon, at: WallClock.now)
      for zone in ["Europe/Vienna", "America/New_York", "UTC"] {
        try await Self.setZone(server, zone)
        let days = try await Self.days(server)
        #expect(days.map(\.date.text) == ["2026-05-04", "2026-05-05"] && days.map(\.distance) == [10, 20], "\(zone)")
      }
      // A late record of the morning changes nothing, because others of the morning are missing.
      try await Self.store(server, [Self.trip(3, from: day + 8 * hour, to: day + 9 * hour, distance: 5)])
      #expect(try await Self.days(server).map(\.distance) == [10, 20])
    }
  }
}
