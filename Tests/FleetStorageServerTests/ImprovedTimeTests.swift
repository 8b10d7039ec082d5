import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct ImprovedTimeTests {
  @Test(arguments: Kind.allCases)
  func a_copy_with_a_better_time_replaces_the_time_alone(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
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
      // It stands where its time says, not where it stood.
      let late = RecordQuery.telemetry(of: "VAN-001", from: Sample.time(40))
      #expect(try await fleet.storage.all(late).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_record_without_a_time_is_given_one(_ kind: Kind) async throws {
    try await Fleet.with(kind) { fleet in
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
    try await Fleet.with(kind) { fleet in
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
}
