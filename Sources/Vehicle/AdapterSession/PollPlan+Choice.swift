extension PollPlan {
  /// What to ask next.
  enum Choice: BitwiseCopyable, Equatable {
    case request(Int)
    /// One PID of a request alone.
    case arbitrate(Arbitration)
    /// Nothing is due before this time; `Int64.max`: never.
    case nothing(until: Int64)
  }

  /// The due request whose deadline is nearest, then the one of the higher priority; one pass over the plan.
  ///
  /// - Parameters:
  ///   - address: row of the addressed request whose settings the adapter has; -1: none.
  ///   - since: when it was given them. Requests that share them and were due by then go first, so that settings change
  ///     seldom; those that come due again meanwhile do not, so that nothing else starves.
  mutating func choose(
    at now: Int64, address: Int, since: Int64 = 0, _ table: borrowing AddressedTable
  ) -> Choice {
    if let arbitration { return .arbitrate(arbitration) }
    var best = -1
    var earliest = Int64.max
    for i in 0..<count {
      let due = requests[i].due
      guard due <= now else {
        earliest = min(earliest, due)
        continue
      }
      if best < 0 || isBefore(i, best, address, since, table) { best = i }
    }
    return best >= 0 ? .request(best) : .nothing(until: earliest)
  }

  private func isBefore(
    _ a: Int, _ b: Int, _ address: Int, _ since: Int64, _ table: borrowing AddressedTable
  ) -> Bool {
    if address >= 0 {
      let aShares = sharesAddress(a, address, since, table)
      let bShares = sharesAddress(b, address, since, table)
      if aShares != bShares { return aShares }
    }
    let first = requests[a].deadline
    let second = requests[b].deadline
    if first != second { return first < second }
    return requests[a].priority < requests[b].priority
  }

  /// Whether a request was due with the same settings when they were made.
  func sharesAddress(_ index: Int, _ address: Int, _ since: Int64, _ table: borrowing AddressedTable) -> Bool {
    let row = requests[index].addressed
    return row >= 0 && requests[index].due <= since && table[row].sharesAddress(with: table[address])
  }

  /// Takes note that a request goes out, and says which count stands behind it: 0, none.
  mutating func send(_ index: Int, at now: Int64) -> UInt8 {
    let request = requests[index]
    let next =
      request.wasSent && request.due + request.period > now ? request.due + request.period : now + request.period
    update(index) {
      $0.due = next
      $0.wasSent = true
    }
    guard usesSuffix, request.suffix > 0 else { return 0 }
    if now >= nextVerification {
      nextVerification = now + (vanished == 0 ? Self.verificationPeriod : Self.returnPeriod)
      return 0
    }
    return request.suffix
  }
}
