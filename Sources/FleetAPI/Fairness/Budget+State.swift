import FleetDomain

extension Budget {
  /// A request that waits.
  struct Waiter {
    let number: Int
    let amount: Int
    /// Whether its share holds something already.
    let isMore: Bool
    let answer: CheckedContinuation<Bool, Never>
  }

  /// A key: what it holds, and its requests that wait.
  struct Member {
    var held = 0
    /// In the order in which they came.
    var waiting: [Waiter] = []
    /// The one that holds something and needs more.
    var more: Waiter?

    var first: Waiter? { more ?? waiting.first }
  }

  /// A tenant: what it holds, and its keys.
  struct Group {
    var held = 0
    var keys: [SecretHash?: Member] = [:]
    /// The number of the request that needs more than the group's part.
    var waitsForGroup: Int?
    /// Requests that wait, of all keys.
    var waiting = 0
  }

  /// Who holds what, and who waits.
  struct State {
    /// A waiting request costs little, but not nothing.
    private static let longestLine = 1_024

    var free: Int
    var next = 0
    private(set) var groups: [Holder.Group: Group] = [:]
    /// Requests that wait, of all groups.
    private(set) var waiting = 0

    init(free: Int) { self.free = free }

    subscript(_ holder: Holder) -> Member? { groups[holder.group]?.keys[holder.key] }

    /// - Parameter amount: below 0: gives back.
    mutating func take(_ amount: Int, _ holder: Holder) {
      free -= amount
      groups[holder.group, default: Group()].held += amount
      groups[holder.group, default: Group()].keys[holder.key, default: Member()].held += amount
      forgetIfIdle(holder)
    }

    /// Lets the one request of a key wait that holds something and needs more.
    ///
    /// - Parameter isForGroup: whether it needs more than the group's part.
    /// - Returns: `false`: another waits already.
    mutating func enqueueMore(_ waiter: Waiter, _ holder: Holder, isForGroup: Bool) -> Bool {
      guard self[holder]?.more == nil else { return false }
      if isForGroup {
        guard groups[holder.group]?.waitsForGroup == nil else { return false }
        groups[holder.group]?.waitsForGroup = waiter.number
      }
      groups[holder.group]?.keys[holder.key]?.more = waiter
      count(1, holder)
      return true
    }

    /// Adds a request to the line of its key. If its group has too many, the key with the longest line loses its last
    /// one.
    ///
    /// - Returns: whether it waits, and who lost its place for it.
    mutating func enqueue(_ waiter: Waiter, _ holder: Holder) -> (waits: Bool, displaced: Waiter?) {
      var displaced: Waiter?
      if let group = groups[holder.group], group.waiting >= Self.longestLine {
        let own = group.keys[holder.key]?.waiting.count ?? 0
        guard let longest = group.keys.max(by: { $0.value.waiting.count < $1.value.waiting.count }),
          longest.value.waiting.count > own + 1
        else { return (false, nil) }
        displaced = groups[holder.group]?.keys[longest.key]?.waiting.removeLast()
        count(-1, Holder(group: holder.group, key: longest.key))
      }
      groups[holder.group, default: Group()].keys[holder.key, default: Member()].waiting.append(waiter)
      count(1, holder)
      return (true, displaced)
    }

    /// Removes the request of a key that is first.
    mutating func removeFirst(_ holder: Holder) -> Waiter? { self[holder]?.first.flatMap { remove($0.number, holder) } }

    /// Removes a request that waits; `nil` if it does not.
    mutating func remove(_ number: Int, _ holder: Holder) -> Waiter? {
      guard let member = self[holder] else { return nil }
      var removed: Waiter?
      if let more = member.more, more.number == number {
        removed = more
        groups[holder.group]?.keys[holder.key]?.more = nil
        if groups[holder.group]?.waitsForGroup == number { groups[holder.group]?.waitsForGroup = nil }
      } else if let place = member.waiting.firstIndex(where: { $0.number == number }) {
        removed = groups[holder.group]?.keys[holder.key]?.waiting.remove(at: place)
      }
      if removed != nil { count(-1, holder) }
      forgetIfIdle(holder)
      return removed
    }

    private mutating func count(_ step: Int, _ holder: Holder) {
      groups[holder.group]?.waiting += step
      waiting += step
    }

    private mutating func forgetIfIdle(_ holder: Holder) {
      if let member = self[holder], member.held == 0, member.first == nil {
        groups[holder.group]?.keys[holder.key] = nil
      }
      if let group = groups[holder.group], group.held == 0, group.keys.isEmpty { groups[holder.group] = nil }
    }
  }
}
