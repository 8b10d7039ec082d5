import Synchronization

/// An amount of something that all tenants share: bytes of memory, or permits for the database.
///
/// Nobody can take all of it. A group (a tenant) may hold at most `fairness.group` times what it leaves free, and a member
/// (a key) at most `fairness.key` times what it leaves to the other members of its group. With 3 and 2, one tenant alone has
/// up to 3/4 and one key up to 1/2; a tenant that asks for the first time always finds something free, and so does each
/// key of a tenant. With n greedy tenants, each has 3/(3n+1), and 1/(3n+1) stays free.
///
/// A request that finds nothing waits in the line of its key. What is given back goes first to the group that holds least,
/// there to the key that holds least, and among equals to the request that came first. Who holds something and needs more
/// waits before the line of its key. At most one such request of each key waits, and one of each group that has used up its
/// part: the one that took something first. The others are refused, since requests that wait for each other would never
/// end; and the oldest is never refused for a younger one, since otherwise none of many large ones might ever be whole.
final class Budget: Sendable {
  /// How much of a budget one holder may have, in multiples of what it leaves to the others.
  struct Fairness: Sendable {
    /// Above 0.
    var group: Int
    /// Above 0; `nil`: a member may have all that its group may have.
    var key: Int?
  }

  let capacity: Int
  /// The most that one holder can have.
  let largest: Int
  private let fairness: Fairness
  private let patience: Duration
  private let refusal: APIError
  /// Whether something else limits the total: then only the shares are checked here.
  private let isLimitedElsewhere: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - capacity: above 0.
  ///   - patience: how long a request waits.
  ///   - refusal: thrown after that.
  ///   - isLimitedElsewhere: whether something else limits the total: then only the shares are checked here.
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

  /// The amount that is held.
  var used: Int { state.withLock { capacity - $0.free } }

  /// Takes an amount, at most ``largest``.
  ///
  /// - Throws: `refusal`.
  func take(_ amount: Int, for holder: Holder) async throws(APIError) -> Share {
    let share = share(of: holder)
    try await share.grow(to: amount)
    return share
  }

  /// Takes an amount if the holder may have it now.
  func takeNow(_ amount: Int, for holder: Holder) -> Bool {
    state.withLock { state in
      guard allows(amount, holder, state) == .granted else { return false }
      state.take(amount, holder)
      return true
    }
  }

  func give(_ amount: Int, from holder: Holder) {
    guard amount > 0 else { return }
    let served = state.withLock { state in
      state.take(-amount, holder)
      return serve(&state)
    }
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  /// A share of nothing, which can grow.
  func share(of holder: Holder) -> Share { Share(self, holder) }

  // MARK: Who may have how much

  private enum Verdict { case granted, groupIsFull, keyIsFull }

  private func allows(_ amount: Int, _ holder: Holder, _ state: borrowing State) -> Verdict {
    guard state.free >= amount || isLimitedElsewhere else { return .groupIsFull }
    let free = max(state.free - amount, 0)
    // A budget of one permit has nothing to leave to others.
    if state.free == capacity, amount <= largest { return .granted }
    let group = state.groups[holder.group]
    let groupHeld = (group?.held ?? 0) + amount
    // One more than that: of two or three permits, the one that was left for others can be taken by them.
    let groupLeft = fairness.group * free + 1 - groupHeld
    guard groupLeft >= 0 else { return .groupIsFull }
    guard let share = fairness.key, let key = holder.key else { return .granted }
    // What the others of the group could still take.
    let left = groupLeft / (fairness.group + 1)
    return (group?.keys[key]?.held ?? 0) + amount <= share * left + 1 ? .granted : .keyIsFull
  }

  // MARK: Waiting

  /// - Parameter age: of the share; `nil`: it holds nothing yet.
  /// - Returns: the age of the share.
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

  /// - Returns: whether the amount was granted or refused, `nil` if the request waits; and who lost its place for it.
  private func enter(_ waiter: Waiter, _ holder: Holder, _ state: inout State) -> (answer: Bool?, displaced: [Waiter]) {
    let verdict = allows(waiter.amount, holder, state)
    if verdict == .granted, state.isFirst(waiter, holder) {
      state.take(waiter.amount, holder)
      return (true, [])
    }
    let (waits, displaced) =
      waiter.age.map { state.enqueueMore(waiter, age: $0, holder, isForGroup: verdict == .groupIsFull) }
      ?? state.enqueue(waiter, holder)
    return (waits ? nil : false, displaced)
  }

  /// Ends a wait without success.
  private func leave(_ number: Int, _ holder: Holder) {
    let (left, served) = state.withLock { state -> (Waiter?, [Waiter]) in
      let left = state.remove(number, holder)
      // A request behind it may need less.
      return (left, left == nil ? [] : serve(&state))
    }
    left?.answer.resume(returning: false)
    for waiter in served { waiter.answer.resume(returning: true) }
  }

  /// Grants what can be granted now.
  private func serve(_ state: inout State) -> [Waiter] {
    var served: [Waiter] = []
    while state.waiting > 0, let holder = nextHolder(state) {
      guard let waiter = state.removeFirst(holder) else { break }
      state.take(waiter.amount, holder)
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

  /// What one request holds of a budget; given back when it is released.
  final class Share: Sendable {
    private let budget: Budget
    private let holder: Holder
    private let held = Mutex(0)
    /// The number of the request by which it held something first; `nil`: it holds nothing.
    private let age = Mutex<Int?>(nil)

    fileprivate init(_ budget: Budget, _ holder: Holder) {
      self.budget = budget
      self.holder = holder
    }

    deinit { shrink(to: 0) }

    /// The most that a holder can have.
    var largest: Int { budget.largest }

    /// Holds at least so much from now on, at most ``Budget/largest``; called by one task at a time.
    ///
    /// - Throws: the budget's refusal; what is held stays held.
    func grow(to amount: Int) async throws(APIError) {
      let present = held.withLock { $0 }
      let more = min(amount, budget.largest) - present
      guard more > 0 else { return }
      // A share of nothing waits in line: no other request waits for what it holds.
      let age = try await budget.wait(more, for: holder, age: present > 0 ? age.withLock { $0 } : nil)
      self.age.withLock { $0 = age }
      held.withLock { $0 += more }
    }

    /// Holds at most so much from now on.
    func shrink(to amount: Int) {
      let less = held.withLock { held in
        let less = max(held - amount, 0)
        held -= less
        return less
      }
      budget.give(less, from: holder)
    }
  }
}

extension Int {
  fileprivate func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
