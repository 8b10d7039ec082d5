import FleetDomain
import Synchronization
import Testing

@testable import FleetFiles

/// Long work of one tenant does not delay the work of others, and ends in time.
@Suite struct FairTurnsTests {
  private static let greedy = StorageCaller(tenant: .standard, key: nil)
  private static let other = TenantID("other").map { StorageCaller(tenant: $0, key: nil) }

  @Test(.timeLimit(.minutes(2)), arguments: [1, 20])
  func short_work_of_another_tenant_ends_before_long_work_that_began_earlier(_ count: Int) async throws {
    let turns = FairTurns(1, slice: .zero, limit: .seconds(60))
    let isDone = Mutex(false)
    let (begun, begins) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        group.addTask { @Sendable in
          try await turns.run(for: Self.greedy) {
            begins.finish()
            // Without the other tenant's turn, this work would use its whole time, and would fail.
            while !isDone.withLock({ $0 }), WorkTurn.mayContinue {}
          }
        }
      }
      for await _ in begun {}
      try await turns.run(for: Self.other) { isDone.withLock { $0 = true } }
      try await group.waitForAll()
    }
    #expect(isDone.withLock { $0 })
  }

  @Test func work_that_takes_too_long_is_stopped_and_the_next_work_begins() async throws {
    let turns = FairTurns(1, slice: .zero, limit: .zero)
    await #expect(throws: FairTurns.Stop.tooLong) {
      try await turns.run(for: Self.greedy) { while WorkTurn.mayContinue {} }
    }
    #expect(try await turns.run(for: Self.other) { 7 } == 7)
  }

  @Test func work_ends_when_its_client_is_gone() async throws {
    let turns = FairTurns(1, slice: .zero, limit: .seconds(60))
    let isConnected = Mutex(true)
    let isWanted: @Sendable () -> Bool = { isConnected.withLock { $0 } }
    await #expect(throws: FairTurns.Stop.cancelled) {
      try await turns.run(for: Self.greedy, isWanted: isWanted) {
        isConnected.withLock { $0 = false }
        while WorkTurn.mayContinue {}
      }
    }
    // Work for which nobody waits does not begin.
    let hasRun = Mutex(false)
    await #expect(throws: FairTurns.Stop.cancelled) {
      try await turns.run(for: Self.greedy, isWanted: isWanted) { hasRun.withLock { $0 = true } }
    }
    #expect(!hasRun.withLock { $0 })
  }

  @Test func cancelling_the_task_ends_its_work() async throws {
    let turns = FairTurns(1, slice: .zero, limit: .seconds(60))
    let (begun, begins) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await turns.run(for: Self.greedy) {
        begins.finish()
        while WorkTurn.mayContinue {}
      }
    }
    for await _ in begun {}
    task.cancel()
    await #expect(throws: FairTurns.Stop.cancelled) { try await task.value }
  }

  @Test func errors_of_the_work_are_thrown() async throws {
    struct Problem: Error {}
    let turns = FairTurns(2, limit: .seconds(60))
    await #expect(throws: Problem.self) { try await turns.run(for: nil) { throw Problem() } }
  }
}
