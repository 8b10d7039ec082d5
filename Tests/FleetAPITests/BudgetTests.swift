import Testing

@testable import FleetAPI

@Suite struct BudgetTests {
  private static let refusal = APIError(.serviceUnavailable, "busy", "busy")

  private func budget(_ capacity: Int, patience: Duration = .seconds(300)) -> Budget {
    Budget(capacity, patience: patience, refusal: Self.refusal)
  }

  @Test func what_is_held_is_given_back_with_its_holder() async throws {
    let budget = budget(10)
    do {
      let share = try await budget.take(4)
      try await share.grow(to: 7)
      #expect(budget.used == 7)
      share.shrink(to: 2)
      #expect(budget.used == 2)
      // More than there is: everything.
      try await share.grow(to: 99)
      #expect(budget.used == 10)
      #expect(!budget.takeNow(1))
    }
    #expect(budget.used == 0)
    #expect(budget.takeNow(10))
  }

  @Test func who_finds_nothing_free_waits_and_is_refused_in_the_end() async throws {
    let budget = budget(10, patience: .milliseconds(1))
    let share = try await budget.take(10)
    await #expect(throws: Self.refusal) { _ = try await budget.take(1) }
    share.shrink(to: 9)
    _ = try await budget.take(1)
  }

  @Test func who_waits_gets_what_is_given_back() async throws {
    let budget = budget(10)
    let share = try await budget.take(10)
    async let first = budget.take(6)
    async let second = budget.take(4)
    share.shrink(to: 0)
    let both = try await (first, second)
    #expect(budget.used == 10)
    withExtendedLifetime(both) {}
  }

  @Test func of_two_that_hold_something_and_need_more_one_gets_it() async throws {
    let budget = budget(10)
    let (first, second) = (try await budget.take(5), try await budget.take(5))
    let needs = [first, second]
    // Both at once: waiting for each other they would stand there for ever.
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for (index, share) in needs.enumerated() {
        group.addTask {
          do {
            try await share.grow(to: 8)
            return true
          } catch {
            // What was refused ends, and what it held is free.
            needs[index].shrink(to: 0)
            return false
          }
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.sorted { !$0 && $1 } == [false, true])
    #expect(budget.used == 8)
  }

  @Test func a_task_that_is_cancelled_waits_no_longer() async throws {
    let budget = budget(1)
    let share = try await budget.take(1)
    let task = Task { try await budget.take(1) }
    task.cancel()
    await #expect(throws: Self.refusal) { _ = try await task.value }
    withExtendedLifetime(share) {}
  }
}
