import FleetDomain
import Synchronization

/// Permits to use the database. If there are several, no tenant can have all of them. Free permits are given to the
/// waiting tenants in rotation. Therefore, a tenant's call waits for at most one call in progress, even if another
/// tenant has many waiting calls.
final class FairPermits: Sendable {
  private struct Waiter {
    let caller: StorageCaller?
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    /// The number of permits that each tenant holds; the key is `nil` for the server itself.
    var held: [TenantID?: Int] = [:]
    var waiting = FairQueue<TenantID?, SecretHash?, Waiter> { _ in 1 }
    var isClosed = false

    mutating func grant(_ caller: StorageCaller?) {
      free -= 1
      held[caller?.tenant, default: 0] += 1
    }
  }

  /// The maximum number of permits of one tenant.
  private let most: Int
  private let state: Mutex<State>

  /// Creates a number of permits.
  ///
  /// - Parameter count: the number of permits; at least 1. One tenant gets at most `count - max(count / 4, 1)` of them,
  ///   but at least one.
  init(_ count: Int) {
    most = max(count - max(count / 4, 1), 1)
    state = Mutex(State(free: count))
  }

  /// Waits for a permit for the caller of the current task, and runs work with it.
  ///
  /// - Throws: `unavailable` if, before the permit is granted, the storage is closed or a cancellable call is
  ///   cancelled; errors of the work.
  func run<Value: Sendable>(
    isCancellable: Bool, _ work: () async throws(StorageError) -> Value
  ) async throws(StorageError) -> Value {
    let caller = StorageCaller.current
    guard await isCancellable ? acquireUnlessCancelled(caller) : acquire(caller, Ticket()) else {
      throw StorageError(.unavailable, "storage", "closed, or the call was cancelled")
    }
    defer { release(caller) }
    return try await work()
  }

  /// Makes all waiting calls and all later calls fail.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.waiting.removeAll()
    }
    for waiter in waiting { waiter.answer.resume(returning: false) }
  }

  /// The state of a call that may have to wait. If it waits, `waits` contains its number in the queue.
  private final class Ticket: Sendable {
    enum Place {
      case none
      case waits(Int)
      case cancelled
    }
    let place = Mutex(Place.none)
  }

  private func acquireUnlessCancelled(_ caller: StorageCaller?) async -> Bool {
    let ticket = Ticket()
    return await withTaskCancellationHandler {
      await acquire(caller, ticket)
    } onCancel: {
      cancel(caller, ticket)
    }
  }

  private func acquire(_ caller: StorageCaller?, _ ticket: Ticket) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.isClosed { return false }
        if state.free > 0, state.held[caller?.tenant] ?? 0 < most {
          state.grant(caller)
          return true
        }
        return ticket.place.withLock { place in
          if case .cancelled = place { return false }
          place = .waits(
            state.waiting.add(
              Waiter(caller: caller, answer: continuation), group: caller?.tenant, member: caller?.key))
          return nil
        }
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Ends the wait of a call whose task was cancelled.
  private func cancel(_ caller: StorageCaller?, _ ticket: Ticket) {
    let waiter = state.withLock { state in
      ticket.place.withLock { place -> Waiter? in
        defer { place = .cancelled }
        guard case .waits(let number) = place else { return nil }
        return state.waiting.remove(number, group: caller?.tenant, member: caller?.key)
      }
    }
    waiter?.answer.resume(returning: false)
  }

  private func release(_ caller: StorageCaller?) {
    let next = state.withLock { state -> Waiter? in
      state.free += 1
      let held = (state.held[caller?.tenant] ?? 0) - 1
      state.held[caller?.tenant] = held > 0 ? held : nil
      let (most, present) = (most, state.held)
      guard let next = state.waiting.next(in: { present[$0] ?? 0 < most }) else { return nil }
      state.grant(next.caller)
      return next
    }
    next?.answer.resume(returning: true)
  }
}
