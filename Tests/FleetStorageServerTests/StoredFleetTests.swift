import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct StoredFleetTests {
  @Test(arguments: Kind.allCases)
  func records_come_back_as_they_came(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = (0..<10).map { Sample.record($0, keys: #","note":"Grüße \u00e9","n":1.50"#) }
      #expect(try await fleet.storage.store(records) == Array(repeating: .stored, count: 10))
      let found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(found.map(\.body) == records.map(\.body))
      #expect(found.map(\.time) == records.map(\.time))
      #expect(found.map(\.id) == records.map(\.id))
      #expect(found.allSatisfy { $0.vehicle == "VAN-001" && $0.quality == .gps })
    }
  }

  @Test(arguments: Kind.allCases)
  func the_first_stored_copy_is_kept(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      try await fleet.storage.store([Sample.record(1, keys: #","n":1"#)])
      let again = [Sample.record(1, keys: #","n":2"#), Sample.record(2), Sample.record(2, keys: #","n":3"#)]
      #expect(try await fleet.storage.store(again) == [.duplicate, .stored, .duplicate])
      let found = try await fleet.storage.all(.telemetry(of: "VAN-001"))
      #expect(
        found.map(\.text)
          == [Sample.record(1, keys: #","n":1"#), Sample.record(2)].map {
            String(decoding: $0.body, as: UTF8.self)
          })
    }
  }

  @Test(arguments: Kind.allCases)
  func an_empty_batch_is_answered(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let answer = try await fleet.storage.store([])
      #expect(answer == [])
    }
  }
}
