import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct RetentionTests {
  private static let month: Double = 31 * 86_400

  @Test(arguments: Kind.allCases)
  func expired_months_are_removed_and_others_kept(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // The records are from September, October and November, and of several types and vehicles.
      let old = (0..<30).map { Sample.record($0, at: -2 * Self.month + Double($0), vehicle: "VAN-\($0 % 3)") }
      let last = (30..<60).map { Sample.record($0, at: -Self.month + Double($0), vehicle: "VAN-\($0 % 3)") }
      let new = (60..<90).map { Sample.record($0, at: Double($0), vehicle: "VAN-\($0 % 3)") }
      let trips = (90..<93).map { Sample.record($0, "trip", at: -2 * Self.month, vehicle: "VAN-\($0 % 3)") }
      try await fleet.storage.store(old + last + new + trips)
      // In the middle of November: September and October are over.
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0), at: Sample.now)
      for vehicle in 0..<3 {
        let found = try await fleet.storage.all(.telemetry(of: "VAN-\(vehicle)"))
        #expect(found.map(\.number) == (60..<90).filter { $0 % 3 == vehicle })
        let trips = RecordQuery(vehicle: "VAN-\(vehicle)", classes: RecordQuery.tripClasses)
        #expect(try await fleet.storage.all(trips).count == 1)
      }
      // Changes whose record was removed are left out. The same month is then created again.
      let changes = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard)
      #expect(changes.count == 33)
      #expect(try await fleet.storage.store([old[0]]) == [.stored])
    }
  }

  @Test(arguments: Kind.allCases)
  func records_with_a_corrected_time_are_removed_by_that_time(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let times = [-2 * Self.month, -1, 0, 60]
      let records = times.enumerated().map { Sample.record($0, at: $1, idAt: 1_000) }
      let late = times.enumerated().map { Sample.record($0 + 10, at: $1, idAt: 5_680_281_600_000) }
      try await fleet.storage.store(records + late + [Sample.record(20, noTime: true, idAt: 2_000)])
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0), at: Sample.now)
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [20, 2, 12, 3, 13])
    }
  }

  @Test(arguments: Kind.allCases)
  func many_records_are_removed_in_pieces_and_others_kept(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // Records of two vehicles, with ids of a clock that began in 1970. Every third record has a time after the
      // cutoff.
      let records = (0..<9_000).map { number in
        Sample.record(
          number, at: number % 3 == 0 ? 60 + Double(number) : -2 * Self.month + Double(number),
          vehicle: "VAN-\(number % 2)", idAt: UInt64(number))
      }
      for start in stride(from: 0, to: 9_000, by: 3_000) {
        try await fleet.storage.store(Array(records[start..<(start + 3_000)]))
      }
      // It belongs to this month and has the maximum age. It is removed when the month is over.
      try await fleet.storage.store([Sample.record(10_000, at: -86_400)])
      let removed = try await fleet.storage.removeRecords(
        .known(.telemetry), before: Sample.time(0), at: Sample.now)
      #expect(removed == 6_000)
      for vehicle in 0..<2 {
        let found = try await fleet.storage.all(.telemetry(of: "VAN-\(vehicle)", limit: 10_000))
        #expect(found.map(\.number) == (0..<9_000).filter { $0 % 2 == vehicle && $0 % 3 == 0 })
      }
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [10_000])
    }
  }

  /// One transaction deletes about 4 MiB, because the writer overwrites what it deletes.
  @Test func long_records_are_removed_in_small_transactions() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let filler = String(repeating: "n", count: 15_000)
      func store(_ range: Range<Int>) async throws {
        let records = range.map { number in
          Sample.record(number, "note", at: -2 * Self.month + Double(number), keys: ",\"text\":\"\(filler)\"")
        }
        try await fleet.storage.store(records)
      }
      for start in stride(from: 0, to: 900, by: 100) { try await store(start..<(start + 100)) }
      let vehicle = try await fleet.storage.engine.read { session throws(StoreFailure) in
        try session.rows("SELECT tenant, key FROM vehicle", []).first.map {
          (Int32($0.integer(0)), Int32($0.integer(1)))
        }
      }
      let (tenant, key) = try #require(vehicle)
      let bounds = RetentionBounds(before: Sample.time(0), at: Sample.now)
      let expired = try await fleet.storage.engine.write { session throws(StoreFailure) in
        try (session as? SQLiteSession)?.removePiece(.other, bounds, from: RetentionPlace()) ?? (removed: 0, next: nil)
      }
      // 4 MiB are 276 of these records.
      #expect((270...280).contains(expired.removed) && expired.next != nil)
      #expect(
        try await fleet.storage.removeRecords(.other, before: Sample.time(0), at: Sample.now) == 899 - expired.removed)
      try await store(0..<400)
      let removed = try await fleet.storage.engine.write { session throws(StoreFailure) in
        try (session as? SQLiteSession)?.removePiece(tenant: tenant, vehicle: key) ?? 0
      }
      #expect((270...280).contains(removed))
    }
  }

  @Test func an_expired_partition_is_dropped() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      let server = try PostgreSQLServer.shared
      let database = try #require(fleet.address.split(separator: "/").last.map { String($0) })
      func partitions() throws -> [String] {
        try server.sql(
          """
          SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'record%' AND relname NOT LIKE '%_odd'
          ORDER BY 1
          """, in: database
        ).map { String($0) }
      }
      try await fleet.storage.store([
        Sample.record(1, at: -Self.month), Sample.record(2), Sample.record(3, idAt: 1), Sample.record(4, "dtc"),
      ])
      let all = ["record_dtc_202611", "record_telemetry_202610", "record_telemetry_202611", "record_telemetry_early"]
      #expect(try partitions() == all)
      try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0), at: Sample.now)
      #expect(try partitions() == all.filter { $0 != "record_telemetry_202610" })
    }
  }

  @Test(arguments: Kind.allCases)
  func ids_of_odd_months_are_found_and_removed_by_their_times(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // Ids of every month of 70 years, which no correct clock creates.
      let month: UInt64 = 2_629_800_000
      let odd = (0..<840).map { Sample.record($0, at: Double($0), idAt: 1_800_000_000_000 + UInt64($0) * month) }
      #expect(try await fleet.storage.store(odd) == Array(repeating: .stored, count: 840))
      #expect(try await fleet.storage.store(odd) == Array(repeating: .duplicate, count: 840))
      #expect(
        try await fleet.storage.store([Sample.record(900, at: 900, quality: "system", idAt: 1_800_000_000_000)])
          == [.stored])
      #expect(
        try await fleet.storage.store([Sample.record(900, at: 840, idAt: 1_800_000_000_000)]) == [.improved])
      let all = try await fleet.storage.all(.telemetry(of: "VAN-001", limit: 100))
      #expect(all.map(\.number) == Array(0..<840) + [900])
      let some = RecordQuery.telemetry(of: "VAN-001", from: Sample.time(800), to: Sample.time(803))
      #expect(try await fleet.storage.all(some).map(\.number) == [800, 801, 802])
      let removed = try await fleet.storage.removeRecords(
        .known(.telemetry), before: Sample.time(700), at: Sample.time(800))
      #expect(removed == 700)
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == Array(700..<840) + [900])
      #expect(try await fleet.storage.counts().recordsRemoved == 700)
    }
  }

  @Test func odd_ids_make_no_tables_until_their_month_comes() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      let server = try PostgreSQLServer.shared
      let database = try #require(fleet.address.split(separator: "/").last.map { String($0) })
      func count(_ table: String) throws -> [Substring] {
        try server.sql("SELECT count(*) FROM \(table)", in: database)
      }
      let tables = "pg_class WHERE relkind = 'r' AND relname LIKE 'record%'"
      let before = try count(tables)
      // January 2027, and other months, two of them created by another server.
      let january: UInt64 = 1_799_000_000_000
      let other = try await fleet.another()
      try await fleet.storage.store([Sample.record(1, idAt: january), Sample.record(2, idAt: january * 2)])
      try await other.store([Sample.record(3, idAt: january), Sample.record(4, idAt: 1_600_000_000_000)])
      #expect(try count(tables) == before)
      #expect(try count("record_telemetry_odd") == ["4"])
      // When the month comes, old rows are moved, new rows join them, and the other server finds both.
      let then = Timestamp(nanoseconds: Int64(january) * 1_000_000)
      let outcomes = try await fleet.storage.ingest(
        [Sample.record(3, idAt: january), Sample.record(5, idAt: january)], from: .trusted, tenant: .standard, at: then)
      #expect(outcomes == [.duplicate, .stored])
      #expect(
        try await other.store([Sample.record(1, idAt: january), Sample.record(6, idAt: january)]) == [
          .duplicate, .stored,
        ])
      #expect(try count("record_telemetry_202701") == ["4"])
      #expect(try count("record_telemetry_odd") == ["2"])
      for storage in [fleet.storage, other] {
        #expect(try await storage.all(.telemetry(of: "VAN-001")).map(\.number) == [1, 2, 3, 4, 5, 6])
      }
      // A partition that another server drops is created again, and no record is lost.
      try await other.removeRecords(.known(.telemetry), before: Sample.time(9_000_000), at: Sample.time(9_000_000))
      #expect(try await fleet.storage.store([Sample.record(7, idAt: january)]) == [.stored])
      // The newest of the records that existed before is kept.
      #expect(try await other.all(.telemetry(of: "VAN-001")).map(\.number) == [6, 7])
      await other.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func a_feed_is_trimmed_by_age_and_by_number(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try #require(TenantID("other"))
      try await fleet.storage.addTenant(other, at: Sample.now)
      for number in 0..<10 {
        let records = [Sample.record(number), Sample.record(number + 100)]
        let now = Sample.time(Double(number))
        _ = try await fleet.storage.ingest(records, from: .trusted, tenant: .standard, at: now)
      }
      _ = try await fleet.storage.ingest([Sample.record(1)], from: .trusted, tenant: other, at: Sample.time(9))
      #expect(try await fleet.storage.removeChanges(before: Sample.time(3), keeping: 1_000) == 6)
      #expect(try await fleet.storage.removeChanges(before: Sample.time(3), keeping: 1_000) == 0)
      // If the changes of a transaction are needed in part, all of them are kept.
      #expect(try await fleet.storage.removeChanges(before: Sample.time(0), keeping: 5) == 8)
      let rest = try await fleet.storage.changes(after: FeedPosition(rawValue: 14), limit: 100, tenant: .standard)
      #expect(rest.map(\.record.number) == [7, 107, 8, 108, 9, 109])
      let gone = await #expect(throws: StorageError.self) {
        try await fleet.storage.changes(after: FeedPosition(rawValue: 13), limit: 100, tenant: .standard)
      }
      #expect(gone?.kind == .positionGone)
      #expect(try await fleet.storage.changes(after: .start, limit: 100, tenant: other).count == 1)
      #expect(try await fleet.storage.counts().changesRemoved == 14)
    }
  }

  @Test func next_months_partitions_are_made_days_before_it_begins() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      let server = try PostgreSQLServer.shared
      let database = try #require(fleet.address.split(separator: "/").last.map { String($0) })
      func partitions() throws -> [String] {
        try server.sql(
          "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'record%\\_20%' ORDER BY 1", in: database
        ).map { String($0) }
      }
      // The prepared partitions on 21 November, for the types that exist.
      try await fleet.storage.store([Sample.record(1), Sample.record(2, "trip")])
      try await fleet.storage.prepare(at: Sample.now)
      #expect(try partitions() == ["record_telemetry_202611", "record_trip_202611"])
      let late = Sample.time(4 * 86_400)
      for _ in 0..<2 { try await fleet.storage.prepare(at: late) }
      let made = ["record_telemetry_202611", "record_telemetry_202612", "record_trip_202611", "record_trip_202612"]
      #expect(try partitions() == made)
      // Retention does not remove partitions that are needed soon.
      try await fleet.storage.removeRecords(.known(.trip), before: Sample.time(-Self.month), at: late)
      #expect(try partitions() == made)
    }
  }

  @Test(arguments: Kind.allCases)
  func the_witnessed_time_comes_from_the_database_server_if_there_is_one(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store([Sample.record(1, at: 7)])
      let witnessed = try await fleet.storage.referenceTime()
      switch kind {
      case .sqlite: #expect(witnessed == Sample.now)
      case .postgreSQL: #expect(try #require(witnessed) != Sample.now)
      }
    }
  }

  @Test func a_partly_expired_partition_is_read_once_for_each_day() async throws {
    try await TestedFleet.with(.postgreSQL) { fleet in
      let (day, telemetry) = (86_400.0, RecordClass.known(.telemetry))
      let old = -2 * Self.month
      // A record without a time prevents the removal of the partition.
      let id = UInt64(Sample.day + Int64(old * 1_000))
      try await fleet.storage.store([
        Sample.record(1, at: old), Sample.record(2, noTime: true, idAt: id), Sample.record(9),
      ])
      #expect(try await fleet.storage.removeRecords(telemetry, before: Sample.time(0), at: Sample.now) == 1)
      // Late records are removed a day later, and not before.
      try await fleet.storage.store([Sample.record(3, at: old)])
      #expect(try await fleet.storage.removeRecords(telemetry, before: Sample.time(day / 2), at: Sample.now) == 0)
      #expect(try await fleet.storage.removeRecords(telemetry, before: Sample.time(day), at: Sample.now) == 1)
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == [2, 9])
    }
  }

  /// A vehicle that was parked before the cutoff keeps its last position, trip and trouble codes.
  @Test(arguments: Kind.allCases)
  func the_newest_of_each_type_and_ecu_stays(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let (place, old) = (#","latitude":47.5,"longitude":9.25"#, -2 * Self.month)
      func says(_ number: Int, _ type: String, _ keys: String = "", vehicle: String = "PARKED") -> IncomingRecord {
        Sample.record(number, type, at: old + Double(number), vehicle: vehicle, keys: keys)
      }
      let parked = [
        says(1, "telemetry", place), says(2, "telemetry", place), says(3, "telemetry"), says(4, "telemetry"),
        says(5, "trip"), says(6, "trip"), says(7, "dtc", #","ecu":"7E8""#), says(8, "dtc", #","ecu":"7E8""#),
        says(9, "dtc", #","ecu":"7E9""#),
      ]
      try await fleet.storage.store(parked + [says(10, "telemetry", place, vehicle: "DRIVING")])
      try await fleet.storage.store([Sample.record(11, at: 5, vehicle: "DRIVING", keys: place)])
      func removeAll() async throws -> Int64 {
        var removed: Int64 = 0
        for recordClass in RecordClass.allCases {
          removed += try await fleet.storage.removeRecords(recordClass, before: Sample.time(0), at: Sample.now)
        }
        return removed
      }
      #expect(try await removeAll() == 5)
      let latest = try #require(try await fleet.storage.latest(vehicle: "PARKED", tenant: .standard))
      #expect(latest.telemetry?.number == 4 && latest.position?.number == 2)
      #expect(latest.others.map(\.number) == [8, 9, 6])
      #expect(try await fleet.storage.all(.telemetry(of: "PARKED")).map(\.number) == [2, 4])
      #expect(try await fleet.storage.all(.telemetry(of: "DRIVING")).map(\.number) == [11])
      // A record that is sent again is still known.
      #expect(try await fleet.storage.store([parked[1], parked[3]]) == [.duplicate, .duplicate])
      // After the vehicle drives again, these records may be removed.
      try await fleet.storage.store([
        Sample.record(20, at: 20, vehicle: "PARKED", keys: place), Sample.record(21, "trip", at: 21, vehicle: "PARKED"),
      ])
      let later = Sample.time(2 * 86_400)
      for recordClass in [RecordClass.known(.telemetry), .known(.trip)] {
        try await fleet.storage.removeRecords(recordClass, before: Sample.time(2), at: later)
        try await fleet.storage.removeRecords(recordClass, before: Sample.time(86_500), at: later)
      }
      #expect(try await fleet.storage.all(.telemetry(of: "PARKED")).map(\.number) == [20])
    }
  }
}
