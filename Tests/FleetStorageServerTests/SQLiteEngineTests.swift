import FleetDomain
import TestKit
import Testing

@testable import FleetStorage

@Suite struct SQLiteEngineTests {
  /// `PRAGMA synchronous`: 2 is FULL. With less, a power cut could undo a commit that was confirmed.
  @Test func a_commit_waits_for_the_disk() async throws {
    try await Fleet.with(.sqlite) { fleet in
      for _ in 0..<2 {
        let rows = try await fleet.storage.engine.write { session throws(StoreFailure) in
          try session.rows("PRAGMA synchronous", []).map { $0.integer(0) }
        }
        #expect(rows == [2])
      }
    }
  }
}
