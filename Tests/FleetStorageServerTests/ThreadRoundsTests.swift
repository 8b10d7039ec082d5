import Dispatch
import FleetDomain
import FleetStorageTestKit
import Synchronization
import TestKit
import Testing

@testable import FleetStorage

/// The calls of a watchdog.
@Suite struct ThreadRoundsTests {
  @Test(arguments: Kind.allCases)
  func running_threads_report_progress(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      for _ in 0..<3 { await fleet.storage.waitForRound() }
    }
  }

  @Test func a_blocked_writer_reports_no_progress() async throws {
    try await TestedFleet.with(.sqlite) { fleet in
      let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let order = Order()
      let writer = Task {
        try await fleet.storage.engine.write { _ throws(StoreFailure) in
          held.signal()
          release.wait()
          order.add("writer")
        }
      }
      try await runBlocking { held.wait() }
      let turn = Task {
        await fleet.storage.waitForRound()
        order.add("turn")
      }
      // Readers are not delayed. Meanwhile, time passes.
      for _ in 0..<100 { _ = try await fleet.storage.health() }
      release.signal()
      try await writer.value
      await turn.value
      #expect(order.names == ["writer", "turn"])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_writer_continues_after_it_waited_for_another_writers_lock(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let other = try await fleet.another()
      let lock = try await HeldLock(by: other, kind)
      // There are more calls than the storage has connections.
      let calls = (0..<6).map { number in
        Task {
          try await fleet.storage.addVehicle("VAN-\(number)", tenant: .standard, at: Sample.now)
        }
      }
      for _ in 0..<3 { await fleet.storage.waitForRound() }
      try await lock.end()
      for call in calls { _ = try await call.value }
      await other.close()
    }
  }
}

/// Records the order of events.
private final class Order: Sendable {
  private let list = Mutex<[String]>([])

  var names: [String] { list.withLock { $0 } }

  func add(_ name: String) { list.withLock { $0.append(name) } }
}
