import FleetDomain

extension Budget {
  /// A request for an amount of the budget, which waits until the amount is free.
  struct Waiter {
    let number: Int
    let amount: Int
    /// The age of the ``Share`` for which the request needs the amount: the number of the request with which the share
    /// received its first amount. `nil` if the share holds no amount yet.
    let age: Int?
    let answer: CheckedContinuation<Bool, Never>
  }

  /// A key: the amount of the budget that it holds, and its waiting requests.
  struct Member {
    var held = 0
    /// The requests that wait for their first amount, in order of arrival.
    var waiting: [Waiter] = []
    /// The waiting request whose share already holds an amount and needs more; `nil` if there is none.
    var more: Waiter?

    var first: Waiter? { more ?? waiting.first }
  }

  /// A tenant: the amount of the budget that its keys hold together, and its keys.
  struct Group {
    var held = 0
    var keys: [SecretHash?: Member] = [:]
    /// The request that waits until the group may hold more, and the key of its share. The share already holds an
    /// amount and needs more. `nil` if there is no such request.
    var waitsForGroup: (key: SecretHash?, request: Waiter)?
    /// The number of this tenant's waiting requests, for all its keys together.
    var waiting = 0
  }

  /// All holders of amounts, and all waiting requests.
  struct State {
    /// The maximum number of waiting requests in a group. It limits the memory that they need.
    private static let longestLine = 1_024

    var free: Int
    var next = 0
    private(set) var groups: [Holder.Group: Group] = [:]
    /// The number of waiting requests of all groups.
    private(set) var waiting = 0

    init(free: Int) { self.free = free }

    subscript(_ holder: Holder) -> Member? { groups[holder.group]?.keys[holder.key] }

    /// Adds an amount to what a holder has, and subtracts it from the free amount.
    ///
    /// - Parameter amount: the amount; negative if the holder returns it.
    mutating func add(_ amount: Int, to holder: Holder) {
      free -= amount
      groups[holder.group, default: Group()].held += amount
      groups[holder.group, default: Group()].keys[holder.key, default: Member()].held += amount
      forgetIfIdle(holder)
    }

    /// Whether a request is the first in the queue of its key, so that no other request of this key must be served
    /// before it.
    func isFirst(_ waiter: Waiter, _ holder: Holder) -> Bool {
      guard let member = self[holder] else { return true }
      guard let more = member.more else { return waiter.age != nil || member.waiting.isEmpty }
      return waiter.age ?? .max < more.age ?? .max
    }

    /// Adds a waiting request whose share already holds an amount. Each key can have only one such request. Of two such
    /// requests, the one with the younger share is rejected.
    ///
    /// - Parameters:
    ///   - age: the age of the request's share.
    ///   - isForGroup: whether the group would exceed its limit with the amount that the request needs.
    /// - Returns: `waits`: whether the request was added; `false` if a request with an older share already waits.
    ///   `displaced`: the requests with younger shares that were removed and must be rejected.
    mutating func enqueueMore(
      _ waiter: Waiter, age: Int, _ holder: Holder, isForGroup: Bool
    ) -> (waits: Bool, displaced: [Waiter]) {
      var younger: [(number: Int, holder: Holder)] = []
      if let other = self[holder]?.more {
        guard let othersAge = other.age, othersAge > age else { return (false, []) }
        younger.append((other.number, holder))
      }
      if isForGroup, let (key, other) = groups[holder.group]?.waitsForGroup {
        guard let othersAge = other.age, othersAge > age else { return (false, []) }
        if key != holder.key { younger.append((other.number, Holder(group: holder.group, key: key))) }
      }
      let displaced = younger.compactMap { remove($0.number, $0.holder) }
      groups[holder.group, default: Group()].keys[holder.key, default: Member()].more = waiter
      if isForGroup { groups[holder.group]?.waitsForGroup = (holder.key, waiter) }
      count(1, holder)
      return (true, displaced)
    }

    /// Appends a request to the queue of its key. If the group then has too many waiting requests, the last request in
    /// the longest queue of the group is rejected.
    ///
    /// - Returns: `waits`: whether the new request was added. `displaced`: other requests that were removed and must be
    ///   rejected.
    mutating func enqueue(_ waiter: Waiter, _ holder: Holder) -> (waits: Bool, displaced: [Waiter]) {
      var displaced: Waiter?
      if let group = groups[holder.group], group.waiting >= Self.longestLine {
        let own = group.keys[holder.key]?.waiting.count ?? 0
        guard let longest = group.keys.max(by: { $0.value.waiting.count < $1.value.waiting.count }),
          longest.value.waiting.count > own + 1
        else { return (false, []) }
        displaced = groups[holder.group]?.keys[longest.key]?.waiting.removeLast()
        count(-1, Holder(group: holder.group, key: longest.key))
      }
      groups[holder.group, default: Group()].keys[holder.key, default: Member()].waiting.append(waiter)
      count(1, holder)
      return (true, displaced.map { [$0] } ?? [])
    }

    /// Removes and returns the first waiting request of a key; `nil` if no request of the key waits.
    mutating func removeFirst(_ holder: Holder) -> Waiter? { self[holder]?.first.flatMap { remove($0.number, holder) } }

    /// Removes and returns a waiting request; returns `nil` if it no longer waits.
    mutating func remove(_ number: Int, _ holder: Holder) -> Waiter? {
      guard let member = self[holder] else { return nil }
      var removed: Waiter?
      if let more = member.more, more.number == number {
        removed = more
        groups[holder.group]?.keys[holder.key]?.more = nil
        if groups[holder.group]?.waitsForGroup?.request.number == number { groups[holder.group]?.waitsForGroup = nil }
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
