import FleetAccess
import FleetDomain
import Testing

@testable import FleetAPI

@Suite struct BudgetTests {
  private static let refusal = APIError(.serviceUnavailable, "busy", "busy")
  private static let other = TenantID("other")!

  /// Without parts of keys: a tenant has three quarters.
  private func budget(_ capacity: Int, patience: Duration = .seconds(300)) -> Budget {
    Budget(capacity, fairness: .init(group: 3), patience: patience, refusal: Self.refusal)
  }

  private func holder(_ tenant: TenantID, _ key: String) -> Holder {
    Holder(group: .tenant(tenant), key: Secret.hash(of: key))
  }

  @Test func a_budget_share_releases_its_memory() async throws {
    let budget = budget(12)
    let first = holder(.standard, "a")
    do {
      let share = try await budget.acquire(4, for: first)
      try await share.grow(to: 7)
      #expect(budget.used == 7)
      share.shrink(to: 2)
      #expect(budget.used == 2)
      // More than a holder can have is limited to its maximum.
      try await share.grow(to: 99)
      #expect(budget.used == 9)
      #expect(!budget.acquireNow(2, for: first))
    }
    #expect(budget.used == 0)
    #expect(budget.acquireNow(9, for: first))
  }

  @Test func a_request_without_free_memory_waits_and_is_then_rejected() async throws {
    let budget = budget(12, patience: .milliseconds(1))
    let first = holder(.standard, "a")
    let share = try await budget.acquire(9, for: first)
    await #expect(throws: Self.refusal) { _ = try await budget.acquire(3, for: first) }
    share.shrink(to: 6)
    _ = try await budget.acquire(3, for: first)
  }

  @Test func a_waiting_request_gets_released_memory() async throws {
    let budget = budget(12)
    let first = holder(.standard, "a")
    let share = try await budget.acquire(9, for: first)
    async let one = budget.acquire(5, for: first)
    async let two = budget.acquire(4, for: first)
    share.shrink(to: 0)
    let both = try await (one, two)
    #expect(budget.used == 9)
    withExtendedLifetime(both) {}
  }

  @Test func the_older_of_two_growing_requests_gets_the_memory() async throws {
    let budget = budget(13)
    let first = holder(.standard, "a")
    let needs = [try await budget.acquire(5, for: first), try await budget.acquire(4, for: first)]
    // Both at once: if they waited for each other they would never end.
    let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
      for (index, share) in needs.enumerated() {
        group.addTask {
          do {
            try await share.grow(to: 8)
            return (index, true)
          } catch {
            // A rejected request ends and returns its share.
            needs[index].shrink(to: 0)
            return (index, false)
          }
        }
      }
      return await group.reduce(into: [false, false]) { $0[$1.0] = $1.1 }
    }
    #expect(outcomes == [true, false])
    #expect(budget.used == 8)
  }

  /// Only one of them fits at a time, and each grows step by step.
  @Test func many_growing_requests_all_complete() async throws {
    let budget = Budget(32, fairness: .init(group: 3, key: 2), patience: .seconds(300), refusal: Self.refusal)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<24 {
        group.addTask { [holder = holder(.standard, "a")] in
          while true {
            let share = budget.share(of: holder)
            do {
              for amount in 1...16 {
                try await share.grow(to: amount)
                await Task.yield()
              }
              return
            } catch let error as APIError where error == Self.refusal {
              // The request is repeated, as a client would.
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(budget.used == 0)
  }

  @Test func a_cancelled_task_stops_waiting_for_memory() async throws {
    let budget = budget(1)
    let first = holder(.standard, "a")
    let share = try await budget.acquire(1, for: first)
    let task = Task { try await budget.acquire(1, for: first) }
    task.cancel()
    await #expect(throws: Self.refusal) { _ = try await task.value }
    withExtendedLifetime(share) {}
  }

  @Test func greedy_tenants_and_keys_leave_memory_to_others() throws {
    let budget = Budget(1 << 20, patience: .zero, refusal: Self.refusal)
    func fill(_ holder: Holder) -> Int {
      var taken = 0
      while budget.acquireNow(64, for: holder) { taken += 64 }
      return taken
    }
    // One key alone has half, all keys of its tenant three quarters.
    let first = fill(holder(.standard, "a"))
    #expect(abs(first - 1 << 19) < 1 << 12)
    var keys = (1...8).map { fill(holder(.standard, "key \($0)")) }
    #expect(keys.allSatisfy { $0 > 0 })
    #expect(abs(first + keys.reduce(0, +) - 3 << 18) < 1 << 12)
    // Another tenant finds room at once, for more than one key, and a third one does.
    keys = (1...3).map { fill(holder(Self.other, "key \($0)")) }
    #expect(keys[0] > 1 << 16 && keys.allSatisfy { $0 > 1 << 10 })
    #expect(fill(holder(TenantID("third")!, "a")) > 1 << 14)
  }

  @Test(arguments: 2...9)
  func a_tenant_never_has_all_permits(_ count: Int) {
    let budget = budget(count)
    var taken = 0
    while budget.acquireNow(1, for: holder(.standard, "a")) { taken += 1 }
    #expect((1..<count).contains(taken))
    #expect(budget.acquireNow(1, for: holder(Self.other, "a")))
  }

  @Test func the_client_that_holds_the_least_memory_is_served_first() async throws {
    let budget = budget(4)
    let greedy = holder(.standard, "a")
    var shares: [Budget.Share] = []
    for _ in 0..<3 { shares.append(try await budget.acquire(1, for: greedy)) }
    let order = AsyncStream<String>.makeStream()
    let waiting = AsyncStream<Void>.makeStream()
    for name in (0..<5).map({ "greedy \($0)" }) {
      Task {
        waiting.continuation.yield()
        let share = try await budget.acquire(1, for: greedy)
        order.continuation.yield(name)
        withExtendedLifetime(share) {}
      }
    }
    var begun = waiting.stream.makeAsyncIterator()
    for _ in 0..<5 { await begun.next() }
    // The other tenant's permit is there, however many wait before it.
    let other = try await budget.acquire(1, for: holder(Self.other, "b"))
    order.continuation.yield("other")
    for share in shares { share.shrink(to: 0) }
    var names = order.stream.makeAsyncIterator()
    #expect(await names.next() == "other")
    withExtendedLifetime(other) {}
  }

  @Test func a_key_with_many_waiting_requests_yields_to_other_keys_of_its_tenant() async throws {
    let budget = budget(1)
    let (greedy, other) = (holder(.standard, "a"), holder(.standard, "b"))
    let share = try await budget.acquire(1, for: greedy)
    let (refused, served) = (Tally(), Tally())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1_100 {
        group.addTask {
          do {
            let share = try await budget.acquire(1, for: greedy)
            withExtendedLifetime(share) { _ = served.next() }
          } catch {
            _ = refused.next()
          }
        }
      }
      // The line is full once the first is refused.
      while refused.value < 76 { await Task.yield() }
      group.addTask {
        do {
          let share = try await budget.acquire(1, for: other)
          withExtendedLifetime(share) {}
        } catch {
          Issue.record("another key of the tenant found the line full")
        }
      }
      while refused.value < 77 { await Task.yield() }
      share.shrink(to: 0)
    }
    #expect(refused.value == 77 && served.value == 1_023)
  }
}
