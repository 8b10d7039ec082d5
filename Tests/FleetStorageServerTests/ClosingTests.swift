import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

@Suite struct ClosingTests {
  @Test(arguments: Kind.allCases)
  func a_cancelled_task_does_not_undo_a_commit(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let asked = Task {
        while !Task.isCancelled { await Task.yield() }
        let added = try await fleet.storage.addVehicle("VAN-9", tenant: .standard, at: Sample.now)
        try await fleet.storage.store([Sample.record(1, vehicle: "VAN-9")])
        return (added, try await fleet.storage.all(.telemetry(of: "VAN-9")))
      }
      asked.cancel()
      let (added, found) = try await asked.value
      #expect(added.value.id == "VAN-9")
      #expect(found.map(\.number) == [1])
    }
  }

  @Test(arguments: Kind.allCases)
  func closing_with_a_limit_interrupts_calls_on_a_locked_database(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try await fleet.another()
      let lock = try await HeldLock(by: other, kind)
      let batch = Task { try await fleet.storage.store([Sample.record(1)]) }
      let call = Task {
        try await fleet.storage.addVehicle("VAN-9", tenant: .standard, at: Sample.now)
      }
      while !fleet.storage.engine.queue.isBusy { await Task.yield() }
      await fleet.storage.close(within: .milliseconds(50))
      // The lock is still held.
      let lost = await #expect(throws: StorageError.self) { try await batch.value }
      #expect(lost?.kind == .unavailable)
      let refused = await #expect(throws: StorageError.self) { try await call.value }
      #expect(refused?.kind == .unavailable)
      try await lock.end()
      #expect(try await other.vehicles(cursor: nil, limit: 10, tenant: .standard).items == [])
      #expect(try await other.store([Sample.record(1)]) == [.stored])
      await other.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func closing_with_a_limit_waits_for_short_calls(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let batch = Task { try await fleet.storage.store([Sample.record(1)]) }
      while !fleet.storage.engine.queue.isBusy, try await fleet.storage.feedPosition(tenant: .standard) == .start {}
      await fleet.storage.close(within: .seconds(60))
      #expect(try await batch.value == [.stored])
    }
  }
}
