import FleetDomain
import Synchronization
import Testing

@testable import FleetAPI

@Suite struct HeavyWorkTests {
  private static func holder(_ name: String) throws -> Holder {
    Holder(group: .tenant(try #require(TenantID(name))), key: nil)
  }

  @Test(.timeLimit(.minutes(3)))
  func another_tenants_import_is_read_before_the_imports_of_a_greedy_one() async throws {
    let work = HeavyWork(processors: 2, within: 60)
    let (greedy, other) = (try Self.holder("greedy"), try Self.holder("other"))
    let isDone = Mutex(false)
    let (begun, begins) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup { group in
      // More than one tenant may begin at the same time.
      for _ in 0..<40 {
        group.addTask { @Sendable in
          try await work.run(.max, for: greedy) {
            begins.finish()
            while !isDone.withLock({ $0 }), WorkTurn.mayContinue {}
          }
        }
      }
      for await _ in begun {}
      try await work.run(.max, for: other) { isDone.withLock { $0 = true } }
      try await group.waitForAll()
    }
    #expect(isDone.withLock { $0 })
  }

  @Test func work_of_a_client_that_has_left_ends() async throws {
    let work = HeavyWork(processors: 2, within: 60)
    let (holder, isWanted) = (try Self.holder("a"), { @Sendable in false })
    await #expect(throws: CancellationError.self) {
      try await work.run(.max, for: holder, isWanted: isWanted) { while WorkTurn.mayContinue {} }
    }
  }
}
