import Synchronization

/// A resource that all tenants share: bytes of memory, or permits for the database.
///
/// No tenant can take all of it. A group (a tenant) may hold at most `fairness.group` times the amount that is still
/// free. A member (a key) may hold at most `fairness.key` times the amount that is left to the other members of its
/// group. With the factors 3 and 2, a single tenant gets up to 3/4 of the resource, and a single key up to 1/2. If n
/// tenants take as much as they can, each gets 3/(3n+1), and 1/(3n+1) stays free. Therefore the first request of a
/// tenant or key always gets some of the resource.
///
/// A request that cannot have its amount immediately waits in the queue of its key. When an amount is returned, waiting
/// requests are served. The group that holds the least is served first; in this group, the key that holds the least;
/// and of this key, the oldest request.
///
/// A request that already holds an amount and needs more waits in front of its key's queue. Only one such request may
/// wait for each key. If the group holds as much as it may, only one such request may wait in the whole group. The
/// oldest of them waits, and the others are rejected, because requests that hold an amount and wait for each other
/// would wait forever. The oldest request is never rejected. Therefore, of many large requests, one always completes.
final class Budget: Sendable {
  /// Two factors that limit how much of a resource a group (a tenant) and a member of a group (a key) may hold at a
  /// time.
  struct Fairness: Sendable {
    /// The factor for a group; above 0. A group may hold at most the free amount times this factor.
    var group: Int
    /// The factor for a member; above 0. A member may hold at most this factor times the amount that is left to the
    /// other members of its group. `nil` if a member may hold as much as its group.
    var key: Int?
  }

  let capacity: Int
  /// The largest amount that one holder can have if no other holder has any.
  let largest: Int
  private let fairness: Fairness
  private let patience: Duration
  private let refusal: APIError
  /// Whether another limit applies to the total amount. If so, this budget limits only the amounts of groups and
  /// members.
  private let isLimitedElsewhere: Bool
  private let state: Mutex<State>

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - capacity: the total amount; above 0.
  ///   - patience: the maximum time for which a request waits.
  ///   - refusal: the error for a request that has waited for this time.
  ///   - isLimitedElsewhere: whether another limit applies to the total amount. If so, this budget limits only the
  ///     amounts of groups and members.
  init(
    _ capacity: Int, fairness: Fairness = Fairness(group: 3, key: 2), patience: Duration, refusal: APIError,
    isLimitedElsewhere: Bool = false
  ) {
    self.isLimitedElsewhere = isLimitedElsewhere
    self.capacity = capacity
    self.fairness = fairness
    self.patience = patience
    self.refusal = refusal
    var largest = capacity - capacity.dividedUp(by: fairness.group + 1)
    if let key = fairness.key { largest -= largest.dividedUp(by: key + 1) }
    self.largest = max(largest, 1)
    state = Mutex(State(free: capacity))
  }

  /// The amount that is in use.
  var used: Int { state.withLock { capacity - $0.free } }

  /// Takes an amount, at most ``largest``. Waits until the holder may have it.
  ///
  /// - Throws: the error `refusal` if the request was rejected or has waited too long.
  func acquire(_ amount: Int, for holder: Holder) async throws(APIError) -> Share {
    let share = share(of: holder)
    try await share.grow(to: amount)
    return share
  }

  /// Takes an amount if the holder may have it now. Returns whether the amount was taken.
  func acquireNow(_ amount: Int, for holder: Holder) -> Bool {
    state.withLock { state in
      guard allows(amount, holder, state) == .granted else { return false }
      state.add(amount, to: holder)
      return true
    }
  }

  func release(_ amount: Int, from holder: Holder) {
    guard amount > 0 else { return }
    let served = state.withLock { state in
      state.add(-amount, to: holder)
      return serve(&state)
    }
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  /// Creates a share that holds nothing yet. It can grow.
  func share(of holder: Holder) -> Share { Share(self, holder) }

  // MARK: Fair parts

  private enum Verdict { case granted, groupIsFull, keyIsFull }

  private func allows(_ amount: Int, _ holder: Holder, _ state: borrowing State) -> Verdict {
    guard state.free >= amount || isLimitedElsewhere else { return .groupIsFull }
    let free = max(state.free - amount, 0)
    // If nothing is in use, grant any amount up to ``largest``, even if nothing remains for other holders. For example,
    // a budget of a single permit cannot leave anything to them.
    if state.free == capacity, amount <= largest { return .granted }
    let group = state.groups[holder.group]
    let groupHeld = (group?.held ?? 0) + amount
    // The limit is `fairness.group * free`. Add 1, because otherwise the last of two or three permits would never be
    // used.
    let groupLeft = fairness.group * free + 1 - groupHeld
    guard groupLeft >= 0 else { return .groupIsFull }
    guard let share = fairness.key, let key = holder.key else { return .granted }
    // The amount that the other members of the group could still take together.
    let left = groupLeft / (fairness.group + 1)
    return (group?.keys[key]?.held ?? 0) + amount <= share * left + 1 ? .granted : .keyIsFull
  }

  // MARK: Waiting

  /// Waits until an amount is granted.
  ///
  /// - Parameter age: the age of the share that needs the amount, as the number of the share's first request: a lower
  ///   number means an older share. `nil` if the share holds nothing yet.
  /// - Returns: `age`, or the number of this request if `age` is `nil`.
  fileprivate func wait(_ amount: Int, for holder: Holder, age: Int?) async throws(APIError) -> Int {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let timer = Mutex<Task<Void, Never>?>(nil)
    defer { timer.withLock { $0 }?.cancel() }
    let isServed = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(number: number, amount: amount, age: age, answer: continuation)
        let (answer, displaced) = state.withLock { state in
          Task.isCancelled ? (false, []) : enter(waiter, holder, &state)
        }
        for waiter in displaced { waiter.answer.resume(returning: false) }
        if let answer {
          continuation.resume(returning: answer)
        } else {
          timer.withLock {
            $0 = Task { [patience] in if (try? await Task.sleep(for: patience)) != nil { leave(number, holder) } }
          }
        }
      }
    } onCancel: {
      leave(number, holder)
    }
    guard isServed else { throw refusal }
    return age ?? number
  }

  /// Grants or rejects a new request, or adds it to a queue.
  ///
  /// - Returns: `answer`: `true` if the amount was granted, `false` if it was rejected, `nil` if the request waits; and
  ///   `displaced`: the other requests that are rejected so that this request can wait.
  private func enter(_ waiter: Waiter, _ holder: Holder, _ state: inout State) -> (answer: Bool?, displaced: [Waiter]) {
    let verdict = allows(waiter.amount, holder, state)
    if verdict == .granted, state.isFirst(waiter, holder) {
      state.add(waiter.amount, to: holder)
      return (true, [])
    }
    let (waits, displaced) =
      waiter.age.map { state.enqueueMore(waiter, age: $0, holder, isForGroup: verdict == .groupIsFull) }
      ?? state.enqueue(waiter, holder)
    return (waits ? nil : false, displaced)
  }

  /// Removes and rejects a waiting request, because its time is over or its task was cancelled.
  private func leave(_ number: Int, _ holder: Holder) {
    let (left, served) = state.withLock { state -> (Waiter?, [Waiter]) in
      let left = state.remove(number, holder)
      // A later request in the queue may need less than the removed request, so that it can be granted now.
      return (left, left == nil ? [] : serve(&state))
    }
    left?.answer.resume(returning: false)
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  /// Grants all waiting requests that can be granted now, and returns them.
  private func serve(_ state: inout State) -> [Waiter] {
    var served: [Waiter] = []
    while state.waiting > 0, let holder = nextHolder(state) {
      guard let waiter = state.removeFirst(holder) else { break }
      state.add(waiter.amount, to: holder)
      served.append(waiter)
    }
    return served
  }

  private func nextHolder(_ state: borrowing State) -> Holder? {
    var best: (rank: (Int, Int, Int), holder: Holder)?
    for (name, group) in state.groups where group.waiting > 0 {
      for (key, member) in group.keys {
        guard let first = member.first else { continue }
        let holder = Holder(group: name, key: key)
        let rank = (group.held, member.held, first.number)
        if let best, best.rank <= rank { continue }
        if allows(first.amount, holder, state) == .granted { best = (rank, holder) }
      }
    }
    return best?.holder
  }

  /// The amount of a budget that one request holds. When the share is released, it returns its amount.
  final class Share: Sendable {
    private let budget: Budget
    private let holder: Holder
    private let held = Mutex(0)
    /// The age of the share: the number of the request with which the share received its first amount; `nil` if it has
    /// never held an amount.
    private let age = Mutex<Int?>(nil)

    fileprivate init(_ budget: Budget, _ holder: Holder) {
      self.budget = budget
      self.holder = holder
    }

    deinit { shrink(to: 0) }

    /// The largest amount that one holder can have if no other holder has any.
    var largest: Int { budget.largest }

    /// Increases the held amount to at least `amount`, but not above ``Budget/largest``. Only one task may call this at
    /// a time.
    ///
    /// - Throws: the budget's error `refusal`; then the held amount does not change.
    func grow(to amount: Int) async throws(APIError) {
      let present = held.withLock { $0 }
      let more = min(amount, budget.largest) - present
      guard more > 0 else { return }
      // A share that holds nothing waits at the end of the queue, because it holds nothing that other requests need.
      let age = try await budget.wait(more, for: holder, age: present > 0 ? age.withLock { $0 } : nil)
      self.age.withLock { $0 = age }
      held.withLock { $0 += more }
    }

    /// Reduces the held amount to at most `amount`.
    func shrink(to amount: Int) {
      let less = held.withLock { held in
        let less = max(held - amount, 0)
        held -= less
        return less
      }
      budget.release(less, from: holder)
    }
  }
}

extension Int {
  fileprivate func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
