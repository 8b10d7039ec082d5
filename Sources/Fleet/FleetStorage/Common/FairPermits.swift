import FleetDomain
import Synchronization

/// Permits to use the database. One tenant never has all of them, and calls that wait are served in turn: however many
/// calls a tenant has waiting, another's waits for one that is under way at most.
final class FairPermits: Sendable {
  private struct Waiter {
    let caller: StorageCaller?
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    /// By tenant; `nil`: the server itself.
    var held: [TenantID?: Int] = [:]
    var waiting = FairQueue<TenantID?, SecretHash?, Waiter> { _ in 1 }
    var isClosed = false

    mutating func take(_ caller: StorageCaller?) {
      free -= 1
      held[caller?.tenant, default: 0] += 1
    }
  }

  /// What one tenant has at most.
  private let most: Int
  private let state: Mutex<State>

  /// - Parameter count: at least 1. One of them, or a quarter, is always left to other tenants, unless there is only one.
  init(_ count: Int) {
    most = max(count - max(count / 4, 1), 1)
    state = Mutex(State(free: count))
  }

  /// Runs work with a permit of the current task's caller.
  ///
  /// - Throws: `unavailable` if the storage is closed first; what the work throws.
  func run<Value: Sendable>(
    _ work: () async throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let caller = StorageCaller.current
    guard await take(caller) else { throw StorageError(.unavailable, "storage", "closed") }
    defer { give(caller) }
    return try await work()
  }

  /// Makes the calls that wait fail, and all that come.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.waiting.removeAll()
    }
    for waiter in waiting { waiter.answer.resume(returning: false) }
  }

  private func take(_ caller: StorageCaller?) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.isClosed { return false }
        if state.free > 0, state.held[caller?.tenant] ?? 0 < most {
          state.take(caller)
          return true
        }
        state.waiting.add(
          Waiter(caller: caller, answer: continuation), group: caller?.tenant, member: caller?.key)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private func give(_ caller: StorageCaller?) {
    let next = state.withLock { state -> Waiter? in
      state.free += 1
      let held = (state.held[caller?.tenant] ?? 0) - 1
      state.held[caller?.tenant] = held > 0 ? held : nil
      let (most, present) = (most, state.held)
      guard let next = state.waiting.next(in: { present[$0] ?? 0 < most }) else { return nil }
      state.take(next.caller)
      return next
    }
    next?.answer.resume(returning: true)
  }
}
