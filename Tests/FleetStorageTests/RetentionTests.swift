import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct RetentionTests {
  private static let month: Double = 31 * 86_400

  @Test(arguments: Kind.allCases)
  func months_that_are_over_go_and_the_rest_stays(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      // September, October, November; of other types and vehicles, too.
      let old = (0..<30).map { Sample.record($0, at: -2 * Self.month + Double($0), vehicle: "VAN-\($0 % 3)") }
      let last = (30..<60).map { Sample.record($0, at: -Self.month + Double($0), vehicle: "VAN-\($0 % 3)") }
      let new = (60..<90).map { Sample.record($0, at: Double($0), vehicle: "VAN-\($0 % 3)") }
      let trips = (90..<93).map { Sample.record($0, "trip", at: -2 * Self.month, vehicle: "VAN-\($0 % 3)") }
      try await fleet.storage.take(old + last + new + trips)
      // In the middle of November: September and October are over.
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0))
      for vehicle in 0..<3 {
        let found = try await fleet.storage.all(.telemetry(of: "VAN-\(vehicle)"))
        #expect(found.map(\.number) == (60..<90).filter { $0 % 3 == vehicle })
        let trips = RecordQuery(vehicle: "VAN-\(vehicle)", classes: RecordQuery.tripClasses)
        #expect(try await fleet.storage.all(trips).count == 1)
      }
      // Changes whose record is gone are left out; room for the same month is made again.
      let changes = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard)
      #expect(changes.count == 33)
      #expect(try await fleet.storage.take([old[0]]) == [.stored])
    }
  }

  @Test(arguments: Kind.allCases)
  func what_was_made_before_a_clock_was_right_goes_by_its_time(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
      let times = [-2 * Self.month, -1, 0, 60]
      let records = times.enumerated().map { Sample.record($0, at: $1, idAt: 1_000) }
      let late = times.enumerated().map { Sample.record($0 + 10, at: $1, idAt: 5_680_281_600_000) }
      try await fleet.storage.take(records + late + [Sample.record(20, noTime: true, idAt: 2_000)])
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0))
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [20, 2, 12, 3, 13])
    }
  }

  @Test func a_partition_is_dropped_and_not_emptied() async throws {
    try await Fleet.with(.postgreSQL) { fleet in
      guard let server = try PostgreSQLServer.shared else { return }
      let database = try #require(fleet.address.split(separator: "/").last.map { String($0) })
      func partitions() throws -> [String] {
        try server.sql(
          "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'record%' ORDER BY 1", in: database
        ).map { String($0) }
      }
      try await fleet.storage.take([
        Sample.record(1, at: -Self.month), Sample.record(2), Sample.record(3, idAt: 1), Sample.record(4, "dtc"),
      ])
      let all = ["record_dtc_202611", "record_telemetry_202610", "record_telemetry_202611", "record_telemetry_early"]
      #expect(try partitions() == all)
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0))
      #expect(try partitions() == all.filter { $0 != "record_telemetry_202610" })
    }
  }
}
