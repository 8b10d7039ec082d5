import FleetDomain
import Telemetry
import Testing

@testable import FleetStorage

@Suite struct DownSamplingTests {
  @Test(arguments: Kind.allCases)
  func the_newest_record_of_each_span_is_given_and_no_other(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      // The records have gaps, ids of another month, and no time in some cases.
      let seconds = (0..<600).filter { $0 % 100 < 37 }
      let records = seconds.map { Sample.record($0, idAt: $0 % 3 == 0 ? UInt64($0 + 1) : nil) }
      try await fleet.storage.store(records + [Sample.record(9_999, at: 1, noTime: true)])
      for every in [1, 7, 10, 60, 1_000] {
        let expected = Dictionary(grouping: seconds) { (Int(Sample.day) / 1_000 + $0) / every }
          .map { $0.value.max() ?? -1 }.sorted()
        for limit in [1, 5, 1_000] {
          let query = RecordQuery.telemetry(of: "VAN-001", every: Int64(every) * 1_000, limit: limit)
          #expect(try await fleet.storage.all(query).map(\.number) == expected, "every \(every) s by \(limit)")
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func spans_are_cut_by_from_and_to(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store((0..<100).map { Sample.record($0) })
      let query = RecordQuery.telemetry(
        of: "VAN-001", from: Sample.time(25), to: Sample.time(44), every: 10_000)
      let found = try await fleet.storage.all(query)
      #expect(found.map(\.number) == [29, 39, 43])
      #expect(found.map(\.body) == [29, 39, 43].map { Sample.record($0).body })
    }
  }

  @Test(arguments: Kind.allCases)
  func times_before_1970_fall_into_spans_as_well(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let before = -Double(Sample.day) / 1_000
      let records = [-15.0, -10, -9.5, -0.5, 0, 9].enumerated().map {
        Sample.record($0, at: before + $1, idAt: UInt64($0))
      }
      try await fleet.storage.store(records)
      let query = RecordQuery.telemetry(of: "VAN-001", every: 10_000, limit: 2)
      #expect(try await fleet.storage.all(query).map(\.number) == [0, 3, 5])
    }
  }
}
