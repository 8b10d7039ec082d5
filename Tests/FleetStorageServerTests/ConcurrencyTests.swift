import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct ConcurrencyTests {
  @Test(arguments: Kind.allCases)
  func writers_that_send_the_same_records_store_each_once(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = kind == .postgreSQL ? try await fleet.another() : fleet.storage
      let stored = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<8 {
          group.addTask {
            var stored = 0
            // The same 400 records of 4 vehicles, each time in another order and in batches that overlap.
            let records = (0..<400).map { Sample.record($0, vehicle: "VAN-\($0 % 4)") }.shuffled()
            for start in stride(from: 0, to: 400, by: 20) {
              let batch = Array(records[start..<min(start + 30, 400)])
              let storage = writer % 2 == 0 ? fleet.storage : other
              stored += try await storage.store(batch).filter { $0 == .stored }.count
            }
            return stored
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(stored == 400)
      for vehicle in 0..<4 {
        let found = try await fleet.storage.all(.telemetry(of: "VAN-\(vehicle)"))
        #expect(found.map(\.number) == (0..<400).filter { $0 % 4 == vehicle })
      }
      #expect(try await fleet.storage.feedPosition(tenant: .standard).rawValue == 400)
      if kind == .postgreSQL { await other.close() }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_vehicle_that_is_removed_meanwhile_leaves_no_orphan(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      async let written: Void = {
        for number in 0..<200 { try await fleet.storage.store([Sample.record(number)]) }
      }()
      for _ in 0..<20 { _ = try await fleet.storage.removeVehicle("VAN-001", tenant: .standard) }
      try await written
      let found = try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard).map(\.record.number)
      #expect(try await fleet.storage.all(.telemetry(of: "VAN-001")).map(\.number) == found)
      _ = try await fleet.storage.removeVehicle("VAN-001", tenant: .standard)
      #expect(try await fleet.storage.changes(after: .start, limit: 1_000, tenant: .standard).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func a_closed_storage_reports_that_it_is_unavailable(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      async let last = fleet.storage.store([Sample.record(1)])
      #expect(try await last == [.stored])
      await fleet.storage.close()
      for call in [
        { _ = try await fleet.storage.store([Sample.record(2)]) },
        { _ = try await fleet.storage.vehicle("VAN-001", tenant: .standard) },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: StorageError.self) { try await call() }
        #expect(error?.kind == .unavailable)
      }
      let again = try await fleet.another()
      #expect(try await again.all(.telemetry(of: "VAN-001")).map(\.number) == [1])
      await again.close()
    }
  }

  @Test func records_answered_as_stored_survive_a_crash_of_the_database_server() async throws {
    let server = try await runBlocking({ try PostgreSQLServer(isSynchronous: true) })
    let storage = try await StoredFleet(postgreSQL: try await runBlocking { try server.database() })
    var answered: Set<Int> = []
    var next = 0
    for _ in 0..<3 {
      async let killed: Void = runBlocking {
        // The kill is in the middle of a write. Its moment is determined by a count and not by a clock.
        while try server.sql("SELECT coalesce(max(position), 0) FROM tenant", in: "test1").first.flatMap({ Int($0) })
          ?? 0
          < 50
        {}
        try server.killNow()
      }
      var isRunning = true
      while isRunning {
        let batch = (next..<(next + 10)).map { Sample.record($0) }
        do {
          _ = try await storage.store(batch)
          answered.formUnion(next..<(next + 10))
        } catch let error as StorageError {
          #expect(error.kind == .unavailable)
          isRunning = false
        }
        next += 10
      }
      try await killed
      try await runBlocking { try server.restart() }
      // The same storage continues. The interrupted batch is sent again, and is stored once.
      let cut = ((next - 10)..<next).map { Sample.record($0) }
      for outcome in try await storage.store(cut) { #expect(outcome == .stored || outcome == .duplicate) }
      answered.formUnion((next - 10)..<next)
      let found = try await storage.all(.telemetry(of: "VAN-001", limit: 10_000)).map(\.number)
      #expect(Set(found) == answered)
      #expect(found.count == answered.count)
    }
    await storage.close()
  }
}
