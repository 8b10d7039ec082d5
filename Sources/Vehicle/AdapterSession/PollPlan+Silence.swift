/// A request with several PIDs that was not answered as it should be, while its PIDs are asked one by one.
struct Arbitration: BitwiseCopyable, Equatable {
  /// The request.
  let index: Int
  /// The place of the PID that is asked now.
  var place = 0
  /// Places that were answered alone, and that were asked alone and not answered, one bit each.
  var answered: UInt8 = 0
  var silent: UInt8 = 0
  /// Silent places are asked a second time: one answer may have been lost.
  var isSecondPass = false
  /// Replies that say neither, as when the adapter had trouble.
  var unknowns = 0
}

/// What silence tells: about a PID, about several PIDs in one request, or about the vehicle.
extension PollPlan {
  private static let mostUnknowns = 4

  // MARK: One PID

  func pid(of index: Int, at place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: requests[index].request.identifier(at: place))
  }

  /// Notes that a PID was asked alone and not answered. One that answered before stays in the plan and is asked more and
  /// more seldom.
  mutating func suspect(_ pid: UInt8) {
    if pid != 0, !proven.contains(pid) { suspects.insert(pid) }
  }

  /// Notes which PIDs of a request were answered.
  mutating func noteAnswered(_ index: Int, _ reply: ReplyObserver) {
    let answered = reply.answeredPlaces
    for place in 0..<requests[index].request.identifierCount where answered & 1 << UInt8(truncatingIfNeeded: place) != 0
    {
      lastAnswered = requests[index].request.identifier(at: place)
      noteAnswered(pid(of: index, at: place))
    }
  }

  private mutating func noteAnswered(_ pid: UInt8) {
    proven.insert(pid)
    suspects.remove(pid)
    misses[Int(pid)] = 0
  }

  /// An ECU answered: the silence before was that of the PIDs, not the vehicle's.
  mutating func confirmSuspects(_ verdict: inout PollVerdict) {
    guard !suspects.isEmpty else { return }
    for number in 1...255 {
      let pid = UInt8(truncatingIfNeeded: number)
      guard suspects.contains(pid) else { continue }
      misses[number] += 1
      if Int(misses[number]) >= Self.silentAfter { setAside(pid, &verdict) }
    }
    suspects = PIDSet()
  }

  /// The PID is asked alone and seldom until it answers.
  mutating func setAside(_ pid: UInt8, _ verdict: inout PollVerdict) {
    absent.insert(pid)
    verdict.hasLearnedSilence = true
    verdict.isOutdated = true
  }

  /// What was silent may have been asked with too short a wait.
  mutating func forgetSilence() {
    absent = PIDSet()
    suspects = PIDSet()
    misses = InlineArray(repeating: 0)
    arbitration = nil
  }

  // MARK: Several PIDs

  mutating func arbitrate(_ index: Int) {
    if arbitration == nil { arbitration = Arbitration(index: index) }
  }

  /// Takes the reply to one PID of a request asked alone.
  mutating func recordArbitration(_ reply: ReplyObserver) -> PollVerdict {
    var verdict = PollVerdict()
    verdict.isAlive = reply.messages > 0 || reply.negatives > 0
    guard var current = arbitration, current.index < count else {
      arbitration = nil
      return verdict
    }
    let bit = UInt8(1) << UInt8(truncatingIfNeeded: current.place)
    let isKnown = reply.messages > 0 || reply.negatives > 0 || reply.failed(.noData)
    if reply.messages > 0 {
      current.answered |= bit
      current.silent &= ~bit
      lastAnswered = requests[current.index].request.identifier(at: current.place)
      noteAnswered(pid(of: current.index, at: current.place))
    } else if isKnown {
      current.silent |= bit
    }
    if verdict.isAlive { confirmSuspects(&verdict) }
    if isKnown { current.place += 1 } else { current.unknowns += 1 }
    guard current.unknowns <= Self.mostUnknowns else {
      arbitration = nil
      return verdict
    }
    arbitration = current
    advanceArbitration(&verdict)
    return verdict
  }

  /// Goes to the next PID that is to be asked; behind the last one, decides.
  private mutating func advanceArbitration(_ verdict: inout PollVerdict) {
    guard var current = arbitration else { return }
    let identifiers = requests[current.index].request.identifierCount
    while current.place < identifiers, current.isSecondPass,
      current.silent & 1 << UInt8(truncatingIfNeeded: current.place) == 0
    {
      current.place += 1
    }
    if current.place >= identifiers, !current.isSecondPass, current.answered != 0, current.silent != 0 {
      current.isSecondPass = true
      current.place = current.silent.trailingZeroBitCount
    }
    arbitration = current
    if current.place >= identifiers { decide(current, &verdict) }
  }

  private mutating func decide(_ done: Arbitration, _ verdict: inout PollVerdict) {
    arbitration = nil
    for place in 0..<requests[done.index].request.identifierCount
    where done.silent & 1 << UInt8(truncatingIfNeeded: place) != 0 {
      let pid = pid(of: done.index, at: place)
      // Where none was answered it may be the vehicle: they count once that answers.
      if done.answered == 0 { suspect(pid) } else { setAside(pid, &verdict) }
    }
    // Each is answered alone, and they are not together.
    guard done.answered != 0, done.silent == 0 else { return }
    refusedSets.insert(requests[done.index].ecus)
    verdict.refusedSet = requests[done.index].ecus
    verdict.isOutdated = true
  }
}
