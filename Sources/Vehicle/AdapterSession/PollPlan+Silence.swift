/// An arbitration: after a request was not answered as expected, its PIDs are requested one by one, to find the reason.
/// It is unrelated to the arbitration of frames on a CAN bus.
struct Arbitration: BitwiseCopyable, Equatable {
  /// Index of the request in the plan.
  let index: Int
  /// Index (in the request) of the PID that is currently requested alone.
  var place = 0
  /// The PIDs that were answered when requested alone. Bit n stands for the PID with index n in the request.
  var answered: UInt8 = 0
  /// The PIDs that were not answered when requested alone. Bit n stands for the PID with index n in the request.
  var silent: UInt8 = 0
  /// Whether the PIDs in `silent` are being requested a second time. This is done because one answer may have been
  /// lost.
  var isSecondPass = false
  /// Number of replies that prove nothing, for example because of an error of the adapter.
  var inconclusive = 0
}

/// Decides what an unanswered request means: an ECU never answers a PID, the ECUs do not support several PIDs in one
/// request, or the vehicle is gone.
extension PollPlan {
  private static let inconclusiveLimit = 4

  // MARK: One PID

  func pid(of index: Int, at place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: requests[index].request.identifier(at: place))
  }

  /// Remembers a PID that was requested alone and not answered. Does nothing if the PID was ever answered before.
  mutating func suspect(_ pid: UInt8) {
    if pid != 0, !proven.contains(pid) { suspects.insert(pid) }
  }

  /// Learns which PIDs of a request were answered.
  mutating func recordAnswers(_ index: Int, _ reply: ReplyObserver) {
    let answered = reply.answeredPlaces
    for place in 0..<requests[index].request.identifierCount where answered & 1 << UInt8(truncatingIfNeeded: place) != 0
    {
      lastAnswered = requests[index].request.identifier(at: place)
      recordAnswer(pid(of: index, at: place))
    }
  }

  private mutating func recordAnswer(_ pid: UInt8) {
    proven.insert(pid)
    suspects.remove(pid)
    misses[Int(pid)] = 0
  }

  /// Counts the misses of the suspects after any ECU has answered. Suspects are the PIDs that were requested alone since
  /// the previous call and were not answered. The answer proves that the vehicle is present, so each suspect gets one
  /// miss. A PID with ``silentAfter`` misses is marked as absent.
  mutating func confirmSuspects(_ verdict: inout PollVerdict) {
    guard !suspects.isEmpty else { return }
    for number in 1...255 {
      let pid = UInt8(truncatingIfNeeded: number)
      guard suspects.contains(pid) else { continue }
      misses[number] += 1
      if Int(misses[number]) >= Self.silentAfter { markAbsent(pid, &verdict) }
    }
    suspects = PIDSet()
  }

  /// Marks a PID as absent, so that it is requested alone and rarely until it is answered.
  mutating func markAbsent(_ pid: UInt8, _ verdict: inout PollVerdict) {
    absent.insert(pid)
    verdict.hasLearnedSilence = true
    verdict.isOutdated = true
  }

  /// Forgets which PIDs were silent, because the session may have waited too short a time for their answers.
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

  /// Handles the reply to the PID that the ``Arbitration`` in progress has requested alone, and returns the
  /// consequences.
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
      recordAnswer(pid(of: current.index, at: current.place))
    } else if isKnown {
      current.silent |= bit
    }
    if verdict.isAlive { confirmSuspects(&verdict) }
    if isKnown { current.place += 1 } else { current.inconclusive += 1 }
    guard current.inconclusive <= Self.inconclusiveLimit else {
      arbitration = nil
      return verdict
    }
    arbitration = current
    advanceArbitration(&verdict)
    return verdict
  }

  /// Continues the arbitration with the next PID. After the last PID, evaluates the answers.
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
      // If none of the PIDs was answered, the vehicle may be gone. The PIDs then count as silent only when the vehicle
      // answers again.
      if done.answered == 0 { suspect(pid) } else { markAbsent(pid, &verdict) }
    }
    // Continue only if each PID was answered when requested alone. The ECUs then do not answer these PIDs in one
    // request.
    guard done.answered != 0, done.silent == 0 else { return }
    refusedSets.insert(requests[done.index].ecus)
    verdict.refusedSet = requests[done.index].ecus
    verdict.isOutdated = true
  }
}
