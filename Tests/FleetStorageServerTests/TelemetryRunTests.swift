import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// Telemetry that is stored in runs has the same results as rows.
@Suite struct TelemetryRunTests {
  @Test func entries_read_back_as_they_were_written() throws {
    let entries = (0..<100).map { number in
      RunEntry(
        id: UUIDv7(milliseconds: UInt64(Sample.day) + UInt64(number) * 977, seed: 7, number: UInt64(number)),
        time: Sample.day + Int64(number) * 1_000 - 86_400_000 * Int64(number % 3),
        sequence: Int64(number % 7), quality: [StoredQuality.gps, .ntp, .system][number % 3],
        received: Sample.day + Int64(number % 2), hasPosition: number % 2 == 0,
        body: (number * 500 + number % 5)..<(number * 500 + 400))
    }
    let bytes = RunEntryCoding.bytes(entries)
    #expect(try RunEntryCoding.entries(bytes) == entries)
    for count in 0..<bytes.count {
      // Every prefix is either a number of whole entries or damaged.
      do throws(StoreFailure) {
        let read = try RunEntryCoding.entries(Array(bytes[..<count]))
        #expect(read == Array(entries.prefix(read.count)))
      } catch {
        #expect(error.error.kind == .damaged)
      }
    }
  }

  @Test func bodies_that_are_not_one_frame_are_damaged() throws {
    var packer = try RunPacker()
    let bodies = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let packed = try packer.pack(bodies)
    #expect(try RunUnpacker().unpack(packed) == bodies)
    var changed = packed
    changed[packed.count / 2] ^= 0x10
    for wrong in [[], Array(packed.dropLast()), changed, try packer.pack(Array(repeating: 0, count: 1 << 20))] {
      let error = #expect(throws: StoreFailure.self) { try RunUnpacker().unpack(wrong) }
      #expect(error?.error.kind == .damaged)
    }
  }

  /// Returns the number of runs, of records in them, and of separate rows of telemetry.
  private static func layout(_ fleet: TestedFleet) async throws -> [Int64] {
    try await fleet.storage.engine.read { session throws(StoreFailure) in
      let runs = try session.rows("SELECT count(*), coalesce(sum(count), 0) FROM telemetry_run", [])
      let rows = try session.rows("SELECT count(*) FROM record WHERE class = 0", [])
      return [runs[0].integer(0), runs[0].integer(1), rows[0].integer(0)]
    }
  }

  @Test(arguments: Kind.allCases)
  func many_records_make_runs_and_few_make_rows(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store((0..<300).map { Sample.record($0) })
      #expect(try await Self.layout(fleet) == [3, 300, 0])
      try await fleet.storage.store((300..<305).map { Sample.record($0) })
      try await fleet.storage.store((305..<400).map { Sample.record($0, "trip") })
      #expect(try await Self.layout(fleet) == [3, 300, 5])
      // If records are large, fewer of them are stored as a run.
      let padding = #","note":"\#(String(repeating: "x", count: 9_000))""#
      try await fleet.storage.store((400..<402).map { Sample.record($0, keys: padding) })
      #expect(try await Self.layout(fleet) == [4, 302, 5])
      #expect(
        try await fleet.storage.all(.telemetry(of: "VAN-001", limit: 7)).map(\.number) == Array(0..<305) + [400, 401])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_out_of_ascending_order_is_stored_as_a_row(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let day: Double = 86_400
      var records = (0..<100).map { Sample.record($0) }
      // Two records with the same time; one without a time; IDs or times more than a day ahead of the server's clock.
      records[10] = Sample.record(10, at: 9, idAt: UInt64(Sample.day + 10_000))
      records[20] = Sample.record(20, noTime: true)
      records[99] = Sample.record(99, at: 2 * day, idAt: UInt64(Sample.day + 99_000))
      records[98] = Sample.record(98, idAt: UInt64(Sample.day + 172_800_000))
      let outcomes = try await fleet.storage.store(records)
      #expect(outcomes == Array(repeating: .stored, count: 100))
      #expect(try await Self.layout(fleet) == [1, 96, 4])
      #expect(try await fleet.storage.store(records) == Array(repeating: .duplicate, count: 100))
      let all = try await fleet.storage.all(.telemetry(of: "VAN-001", limit: 13))
      // A record whose time is ahead is sorted by its reception, which is the time of the first record here.
      #expect(all.map(\.number) == [20, 0, 99] + (1..<99).filter { $0 != 20 })
      // Records whose ids are from two months are stored in two runs.
      let last = (0..<40).map { Sample.record($0, at: -1_728_020 + Double($0), vehicle: "VAN-2") }
      try await fleet.storage.store(last)
      #expect(try await Self.layout(fleet) == [3, 136, 4])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_batch_that_comes_late_fits_between_runs(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = (0..<150).map { Sample.record($0) }
      try await fleet.storage.store(Array(records[100...]))
      try await fleet.storage.store(Array(records[..<50]))
      try await fleet.storage.store(Array(records[50..<100]))
      #expect(try await Self.layout(fleet) == [3, 150, 0])
      // Batches with other boundaries: existing records are found, and the rest is new.
      let more = (40..<200).map { Sample.record($0) }
      let expected = (40..<200).map { $0 < 150 ? IngestOutcome.duplicate : .stored }
      #expect(try await fleet.storage.store(more) == expected)
      #expect(try await Self.layout(fleet) == [4, 200, 0])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == Array(0..<200))
    }
  }

  @Test(arguments: Kind.allCases)
  func an_improved_record_leaves_its_run(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = (0..<64).map { Sample.record($0, quality: "system", keys: #","latitude":47.5,"longitude":9.5"#) }
      try await fleet.storage.store(records)
      // The record becomes the newest one, also with a position.
      let better = Sample.record(
        63, at: -5, idAt: UInt64(Sample.day + 63_000), keys: #","latitude":47.5,"longitude":9.5"#)
      #expect(try await fleet.storage.store([better]) == [.improved])
      #expect(try await fleet.storage.store([better]) == [.duplicate])
      #expect(try await Self.layout(fleet) == [1, 63, 1])
      let all = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(all.map(\.number) == [63] + Array(0..<63))
      #expect(all[0].text.contains(#""timeQuality":"gps""#))
      let latest = try #require(try await fleet.storage.latest(vehicle: "VAN-001", tenant: .standard))
      #expect(latest.telemetry?.number == 62)
      #expect(latest.position?.number == 62)
      #expect(latest.vehicle.value.lastRecordAt == Sample.time(62))
      // All of its records are removed, and so is the run.
      let rest = (0..<63).map { Sample.record($0, at: Double($0) + 0.5, idAt: UInt64(Sample.day + Int64($0) * 1_000)) }
      #expect(try await fleet.storage.store(rest) == Array(repeating: .improved, count: 63))
      #expect(try await Self.layout(fleet) == [0, 0, 64])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_run_with_times_on_both_sides_of_the_cutoff_keeps_what_is_behind_it(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // IDs of September. After a clock was set, half of them have times in November.
      let old = UInt64(Sample.day) - 5_356_800_000
      let records = (0..<60).map {
        Sample.record($0, at: $0 < 30 ? Double($0) - 5e6 : Double($0), idAt: old + UInt64($0))
      }
      try await fleet.storage.store(records)
      #expect(try await Self.layout(fleet) == [1, 60, 0])
      let removed = try await fleet.storage.removeRecords(.known(.telemetry), before: Sample.time(0), at: Sample.now)
      #expect(removed == 30)
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == Array(30..<60))
      #expect(try await fleet.storage.counts().recordsRemoved == 30)
      #expect(try await fleet.storage.store([records[29], records[30]]) == [.stored, .duplicate])
    }
  }

  @Test(arguments: Kind.allCases)
  func runs_of_a_removed_vehicle_go(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for vehicle in ["VAN-1", "VAN-2"] {
        for batch in 0..<100 {
          try await fleet.storage.store((0..<20).map { Sample.record(batch * 20 + $0, vehicle: vehicle) })
        }
      }
      _ = try await fleet.storage.removeVehicle("VAN-1", tenant: .standard)
      #expect(try await fleet.storage.finishRemovals() == 2_000)
      #expect(try await fleet.storage.counts().removals == 0)
      #expect(try await Self.layout(fleet) == [100, 2_000, 0])
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-2", limit: 999)).count == 2_000)
    }
  }

  @Test(arguments: Kind.allCases)
  func several_writers_of_one_vehicle_store_each_record_once(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let others = kind == .postgreSQL ? [try await fleet.another(), try await fleet.another()] : []
      let writers = [fleet.storage] + others
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<6 {
          group.addTask {
            var stored = 0
            for batch in 0..<20 {
              // Each record is sent by three writers, in batches with different boundaries.
              let first = batch * 40 + writer % 3 * 13
              let records = (first..<(first + 40)).map { Sample.record($0, vehicle: "VAN-\(writer / 3)") }
              stored += try await writers[writer % writers.count].store(records).filter { $0 == .stored }.count
            }
            return stored
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(counts == 2 * 826)
      for vehicle in 0..<2 {
        #expect(try await fleet.storage.all(.telemetry(of: "VAN-\(vehicle)")).map(\.number) == Array(0..<826))
      }
      for other in others { await other.close() }
    }
  }
}
