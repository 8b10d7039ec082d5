import FleetDomain
import GRDB
import Synchronization
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct ImprovedTimeTests {
  @Test(arguments: Kind.allCases)
  func a_copy_with_a_better_time_replaces_the_time_alone(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let id = UInt64(Sample.day)
      try await fleet.storage.store([Sample.record(1, at: 50, quality: "system", idAt: id, keys: #","n":1"#)])
      let better = Sample.record(1, at: 20, quality: "gps", idAt: id, keys: #","n":2"#)
      #expect(try await fleet.storage.store([better]) == [.improved])
      #expect(try await fleet.storage.store([better]) == [.duplicate])
      let worse = Sample.record(1, at: 90, quality: "ntp", idAt: id)
      #expect(try await fleet.storage.store([worse]) == [.duplicate])
      let found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      let expected = Sample.record(1, at: 20, quality: "gps", idAt: id, keys: #","n":1"#)
      #expect(found.map(\.body) == [expected.body])
      #expect(found.map(\.time) == [Sample.time(20)])
      #expect(found.map(\.quality) == [.gps])
      // Its place is determined by its new time.
      let late = RecordQuery.telemetry(of: "VAN-001", from: Sample.time(40))
      #expect(try await fleet.storage.all(late).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_without_a_time_is_given_one(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let id: UInt64 = 12_345
      try await fleet.storage.store([Sample.record(1, at: 3, noTime: true, idAt: id), Sample.record(2)])
      var found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(found.map(\.number) == [1, 2])
      #expect(found.first?.time == nil)
      #expect(try await fleet.storage.store([Sample.record(1, at: 60, quality: "ntp", idAt: id)]) == [.improved])
      found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(found.map(\.number) == [2, 1])
      #expect(found.last?.time == Sample.time(60))
      #expect(
        found.last?.text.contains(#""elapsed":3.0,"timestamp":"2026-11-21T00:01:00.000Z","timeQuality":"ntp""#) == true)
    }
  }

  @Test(arguments: Kind.allCases)
  func copies_in_one_batch_count_one_after_the_other(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let id = UInt64(Sample.day)
      let copies = ["ntp", "system", "gps", "ntp"].enumerated().map {
        Sample.record(1, at: Double($0), quality: $1, idAt: id)
      }
      #expect(try await fleet.storage.store(copies) == [.stored, .duplicate, .improved, .duplicate])
      let found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(found.map(\.time) == [Sample.time(2)])
      #expect(found.map(\.body) == [copies[2].body])
    }
  }

  /// Stores 400 runs of 16 records each, of 100 vehicles.
  private static func storeRuns(_ storage: StoredFleet) async throws {
    for round in 0..<4 {
      try await storage.store(
        (0..<100).flatMap { vehicle in (0..<16).map { record(vehicle, round * 100 + $0, quality: "system") } })
    }
  }

  private static func record(
    _ vehicle: Int, _ second: Int, at seconds: Double? = nil, quality: String
  ) -> IncomingRecord {
    Sample.record(
      second, at: seconds ?? Double(second), quality: quality, vehicle: "V\(vehicle)",
      idAt: UInt64(Sample.day) + UInt64(second) * 1_000)
  }

  @Test(arguments: Kind.allCases)
  func better_times_of_many_runs_are_made_in_several_transactions(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      try await Self.storeRuns(storage)
      // One record of each run, followed by new ones and more copies.
      let better = (0..<4).flatMap { round in
        (0..<100).map { Self.record($0, round * 100 + 5, at: Double(round) * 100 + 5.25, quality: "ntp") }
      }
      let new = (0..<50).map { Self.record($0, 900, quality: "ntp") }
      let worse = (0..<100).map { Self.record($0, 305, at: 305.5, quality: "system") }
      let best = (0..<100).map { Self.record($0, 305, at: 305.75, quality: "gps") }
      let before = try await storage.counts()
      let outcomes = try await storage.store(better + new + worse + best)
      #expect(outcomes[..<400].allSatisfy { $0 == .improved })
      #expect(outcomes[400..<450].allSatisfy { $0 == .stored })
      #expect(outcomes[450..<550].allSatisfy { $0 == .duplicate })
      #expect(outcomes[550...].allSatisfy { $0 == .improved })
      let after = try await storage.counts()
      // The cost is 400 times that of a run and a better time.
      let cost = 400 * (IngestCost.run + IngestCost.improvement)
      #expect(after.commits - before.commits == (cost + IngestCost.improvements - 1) / IngestCost.improvements)
      #expect(after.ingested.improved - before.ingested.improved == 500)
      #expect(after.ingested.stored - before.ingested.stored == 50)
      #expect(after.waiting == 0)
      for vehicle in [0, 49, 50, 99] {
        let found = try await storage.all(.telemetry(of: "V\(vehicle)"))
        #expect(found.count == (vehicle < 50 ? 65 : 64))
        let moved = found.filter { $0.quality != .system && $0.number != 900 }
        #expect(
          moved.map(\.time) == [
            Sample.time(5.25), Sample.time(105.25), Sample.time(205.25), Sample.time(305.75),
          ])
      }
      #expect(try await storage.store(better + new + best).allSatisfy { $0 == .duplicate })
    }
  }

  @Test(arguments: Kind.allCases)
  func searches_for_the_newest_records_are_spread_over_transactions(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let storage = fleet.storage
      func trips(_ seconds: Double, _ quality: String) -> [IncomingRecord] {
        (0..<8).map {
          Sample.record($0, "trip", at: seconds, quality: quality, vehicle: "V\($0)", idAt: UInt64(Sample.day))
        }
      }
      try await storage.store((0..<8).map { Sample.record(100 + $0, "trip", at: 50, vehicle: "V\($0)") })
      try await storage.store(trips(90, "system"))
      let before = try await storage.counts()
      #expect(try await storage.store(trips(10, "gps")).allSatisfy { $0 == .improved })
      let after = try await storage.counts()
      let each = IngestCost.improvements / IngestCost.newest
      #expect(after.commits - before.commits == Int64(8 / each))
      for vehicle in 0..<8 {
        let latest = try await storage.latest(vehicle: "V\(vehicle)", tenant: .standard)
        #expect(latest?.others.map(\.number) == [100 + vehicle])
        #expect(latest?.vehicle.value.lastRecordAt == Sample.time(50))
      }
    }
  }

  @Test func one_search_finds_the_newest_records_of_all_ecus() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let storage = fleet.storage
      func codes(_ seconds: Double, _ quality: String) -> [IncomingRecord] {
        (0..<40).map {
          Sample.record(
            $0, "dtc", at: seconds + Double($0), quality: quality, idAt: UInt64(Sample.day), keys: ",\"ecu\":\"E\($0)\""
          )
        }
      }
      try await storage.store((0..<1_000).map { Sample.record(1_000 + $0, "dtc", keys: #","ecu":"""#) })
      try await storage.store(codes(5_000, "system"))
      let statements = Mutex(0)
      _ = try await storage.engine.write { session throws(StoreFailure) in
        (session as? SQLiteSession)?.database.trace { event in
          if event.description.contains("ORDER BY time DESC, seq DESC, id DESC LIMIT 100") {
            statements.withLock { $0 += 1 }
          }
        }
      }
      #expect(try await storage.store(codes(10, "gps")).allSatisfy { $0 == .improved })
      // Pages of 1,040 rows.
      #expect(statements.withLock { $0 } == 11)
      let latest = try #require(try await storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(Set(latest.others.map(\.number)) == Set(0..<40).union([1_999]))
      #expect(latest.vehicle.value.lastRecordAt == Sample.time(1_999))
    }
  }
}
