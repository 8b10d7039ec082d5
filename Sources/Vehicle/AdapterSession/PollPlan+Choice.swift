extension PollPlan {
  /// The next action of the plan.
  enum Choice: BitwiseCopyable, Equatable {
    /// Send the request with this index in the plan.
    case request(Int)
    /// Request one PID alone, as the next step of an ``Arbitration``.
    case arbitrate(Arbitration)
    /// No request is due before this time; `Int64.max` if there are no requests.
    case nothing(until: Int64)
  }

  /// Chooses the due request with the earliest deadline. If several have the same deadline, it chooses the one with the
  /// highest priority (lowest number).
  ///
  /// Requests that need the adapter's current address settings are chosen first, so that the settings rarely change.
  /// This applies only to requests that were already due when the settings were sent. Otherwise, all other requests
  /// might wait for ever.
  mutating func choose(
    at now: Int64, _ addressing: Addressing = .functional, _ table: borrowing AddressedTable
  ) -> Choice {
    if let arbitration { return .arbitrate(arbitration) }
    var best: Int?
    var earliest = Int64.max
    for i in 0..<count {
      let due = requests[i].due
      guard due <= now else {
        earliest = min(earliest, due)
        continue
      }
      guard let former = best else {
        best = i
        continue
      }
      if precedes(i, former, addressing, table) { best = i }
    }
    return best.map { .request($0) } ?? .nothing(until: earliest)
  }

  private func precedes(
    _ a: Int, _ b: Int, _ addressing: Addressing, _ table: borrowing AddressedTable
  ) -> Bool {
    let aShares = sharesAddress(a, addressing, table)
    let bShares = sharesAddress(b, addressing, table)
    if aShares != bShares { return aShares }
    let first = requests[a].deadline
    let second = requests[b].deadline
    if first != second { return first < second }
    return requests[a].priority < requests[b].priority
  }

  /// Whether a request needs the adapter's current address settings and was already due when these settings were sent.
  func sharesAddress(_ index: Int, _ addressing: Addressing, _ table: borrowing AddressedTable) -> Bool {
    guard case .physical(let row, let since) = addressing, let own = requests[index].addressed else { return false }
    return requests[index].due <= since && table[own].sharesAddress(with: table[row])
  }

  /// Marks a request as sent, and sets the time at which the request is due again.
  ///
  /// - Returns: the count of expected frames to send after the request; 0 to send none.
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
