import Synchronization

/// So much of something that all requests share: bytes of memory, or places at the database.
///
/// Who asks first gets first. Who holds something and needs more does not stand in line, as two that wait for each other
/// would wait for ever: one of them may wait, before all others, and the rest are refused. What is refused can be asked
/// for again, so that as long as anybody ends anybody may go on.
final class Budget: Sendable {
  private struct Waiter {
    let number: Int
    let amount: Int
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var next = 0
    /// In the order in which they came.
    var line: [Waiter] = []
    /// The one who holds something and waits for more.
    var grower: Waiter?
  }

  /// Who waits costs little, but not nothing.
  private static let longestLine = 1_024

  let capacity: Int
  private let patience: Duration
  private let refusal: APIError
  private let state: Mutex<State>

  /// - Parameters:
  ///   - capacity: above 0.
  ///   - patience: how long to wait where nothing is free.
  ///   - refusal: what is thrown then.
  init(_ capacity: Int, patience: Duration, refusal: APIError) {
    self.capacity = capacity
    self.patience = patience
    self.refusal = refusal
    state = Mutex(State(free: capacity))
  }

  /// What is taken.
  var used: Int { state.withLock { capacity - $0.free } }

  /// Takes an amount, at most everything: what is larger than all there is comes alone.
  ///
  /// - Throws: `refusal`.
  func take(_ amount: Int) async throws(APIError) -> Share {
    let amount = min(amount, capacity)
    guard await wait(amount, isMore: false) else { throw refusal }
    return Share(self, amount)
  }

  /// Takes an amount if it is there.
  func takeNow(_ amount: Int) -> Bool {
    state.withLock { state in
      guard state.free >= amount else { return false }
      state.free -= amount
      return true
    }
  }

  /// - Throws: `refusal`.
  fileprivate func takeMore(_ amount: Int) async throws(APIError) {
    guard await wait(amount, isMore: true) else { throw refusal }
  }

  func give(_ amount: Int) {
    let served = state.withLock { state in
      state.free += amount
      return Self.serve(&state)
    }
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  private func wait(_ amount: Int, isMore: Bool) async -> Bool {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let timer = Mutex<Task<Void, Never>?>(nil)
    defer { timer.withLock { $0 }?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          let waiter = Waiter(number: number, amount: amount, answer: continuation)
          let isFirst = state.grower == nil && (isMore || state.line.isEmpty)
          if isFirst, state.free >= amount {
            state.free -= amount
            return true
          }
          if isMore {
            guard state.grower == nil else { return false }
            state.grower = waiter
          } else {
            guard state.line.count < Self.longestLine else { return false }
            state.line.append(waiter)
          }
          return nil
        }
        if let answer {
          continuation.resume(returning: answer)
        } else {
          timer.withLock {
            $0 = Task { [patience] in if (try? await Task.sleep(for: patience)) != nil { leave(number) } }
          }
        }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// Waits no longer.
  private func leave(_ number: Int) {
    let (left, served) = state.withLock { state -> (Waiter?, [Waiter]) in
      var left: Waiter?
      if state.grower?.number == number {
        left = state.grower
        state.grower = nil
      } else if let place = state.line.firstIndex(where: { $0.number == number }) {
        left = state.line.remove(at: place)
      }
      // Who stood behind may need less.
      return (left, left == nil ? [] : Self.serve(&state))
    }
    left?.answer.resume(returning: false)
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  private static func serve(_ state: inout State) -> [Waiter] {
    var served: [Waiter] = []
    if let grower = state.grower {
      guard grower.amount <= state.free else { return [] }
      state.free -= grower.amount
      state.grower = nil
      served.append(grower)
    }
    while let first = state.line.first, first.amount <= state.free {
      state.free -= first.amount
      served.append(state.line.removeFirst())
    }
    return served
  }

  /// What somebody holds of a budget; given back when nobody has it any more.
  final class Share: Sendable {
    private let budget: Budget
    private let held: Mutex<Int>

    fileprivate init(_ budget: Budget, _ amount: Int) {
      self.budget = budget
      held = Mutex(amount)
    }

    deinit { shrink(to: 0) }

    /// Has at least so much from now on; by one task at a time.
    ///
    /// - Throws: what the budget refuses with; what is held stays held.
    func grow(to amount: Int) async throws(APIError) {
      let more = min(amount, budget.capacity) - held.withLock { $0 }
      guard more > 0 else { return }
      if held.withLock({ $0 }) == 0 {
        // Nothing is held that others wait for.
        guard await budget.wait(more, isMore: false) else { throw budget.refusal }
      } else {
        try await budget.takeMore(more)
      }
      held.withLock { $0 += more }
    }

    /// Has at most so much from now on.
    func shrink(to amount: Int) {
      let less = held.withLock { held in
        let less = max(held - amount, 0)
        held -= less
        return less
      }
      if less > 0 { budget.give(less) }
    }
  }

  /// A share of nothing, which grows.
  func share() -> Share { Share(self, 0) }
}
