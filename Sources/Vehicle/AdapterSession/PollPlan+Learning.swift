import OBDWire

/// The consequences of a reply for the plan and the session.
struct PollVerdict: BitwiseCopyable {
  /// Whether at least one ECU answered or refused the request.
  var isAlive = false
  /// Whether ``PollPlan/make(for:_:_:bus:quirks:at:)`` must be called again.
  var isOutdated = false
  /// If several PIDs in one request are not answered correctly: the set of ECUs that support any of these PIDs, one bit
  /// for each ECU. If exactly this set supports the PIDs of a later request, that request has only one PID. `nil` if no
  /// such fault was found.
  var refusedSet: UInt8?
  /// Whether the adapter refuses requests with several PIDs.
  var adapterRefusesMulti = false
  /// Whether the adapter refuses the count of expected frames after a request.
  var adapterRefusesSuffix = false
  /// Whether long answers overflow the adapter's buffer.
  var bufferOverflows = false
  /// The ECUs that this reply has shown to be missing, one bit for each ECU. ECUs that counted as missing before are
  /// not included.
  var vanished: UInt8 = 0
  /// The ECUs that counted as missing before and have answered again in this reply, one bit for each ECU.
  var returned: UInt8 = 0
  /// Whether ``PollPlan/absent`` has changed.
  var hasLearnedSilence = false
}

extension PollPlan {
  /// If this many replies in a row lack an ECU's answer, the ECU counts as missing.
  private static let vanishedAfter = 5
  /// If this many replies in a row lack a PID but contain other PIDs of the same request, the PID counts as absent.
  private static let absentAfter = 3
  /// If a PID was never answered, it counts as absent after this many unanswered requests. An unanswered request is
  /// counted only when an ECU has answered another request afterwards.
  static let silentAfter = 4

  /// Updates the plan after the reply to a request.
  ///
  /// - Parameter suffix: the count of expected frames that was sent after the request; 0 if none was sent.
  mutating func record(
    _ index: Int, _ reply: ReplyObserver, suffix: UInt8, _ car: VehicleCapabilities, at now: Int64
  ) -> PollVerdict {
    var verdict = PollVerdict()
    verdict.isAlive = reply.messages > 0 || reply.negatives > 0
    if reply.failed(.unknownCommand) {
      adapterRefused(index, suffix: suffix, at: now, &verdict)
      return verdict
    }
    if reply.failed(.bufferFull) { overflowed(&verdict) }
    if reply.messages == 0 {
      unanswered(index, reply, suffix: suffix, at: now, &verdict)
      return verdict
    }
    // Only refusals in a row count, because a single character may be damaged on any line.
    if suffix > 0 { suffixRefusals = 0 }
    if requests[index].request.identifierCount > 1 { multiRefusals = 0 }
    let wasAbsent = requests[index].isAbsent
    update(index) { $0.failures = 0 }
    if wasAbsent {
      let pid = UInt8(truncatingIfNeeded: requests[index].request.identifier(at: 0))
      absent.remove(pid)
      alone.insert(pid)
      verdict.hasLearnedSilence = true
      verdict.isOutdated = true
    }
    guard requests[index].addressed == nil else { return verdict }
    recordAnswers(index, reply)
    confirmSuspects(&verdict)
    recordSenders(index, reply, car, &verdict)
    if reply.answeredPlaces.nonzeroBitCount > 1 { hearsSeveral = true }
    let isWhole = isWhole(index, reply, car)
    if isWhole { update(index) { $0.wasWhole = true } }
    if !reply.isDamaged { findMissing(index, reply, &verdict) }
    learnCount(index, reply, suffix: suffix, isWhole: isWhole)
    return verdict
  }

  /// Handles the answer `?`: the adapter does not support the count of expected frames or, if none was sent, several
  /// PIDs in a request.
  private mutating func adapterRefused(_ index: Int, suffix: UInt8, at now: Int64, _ verdict: inout PollVerdict) {
    if suffix > 0 {
      dropCount(index)
      suffixRefusals += 1
      // A single refusal may be due to a damaged character. The request is repeated without the count, whatever the
      // reason for the refusal is.
      update(index) { $0.due = now }
      if suffixRefusals >= 2 {
        usesSuffix = false
        verdict.adapterRefusesSuffix = true
      }
    } else if requests[index].request.identifierCount > 1 {
      multiRefusals += 1
      update(index) { $0.due = now }
      if multiRefusals >= 2 {
        verdict.adapterRefusesMulti = true
        verdict.isOutdated = true
      }
    } else {
      backOff(index, at: now)
    }
  }

  private mutating func overflowed(_ verdict: inout PollVerdict) {
    guard identifierLimit > 1 else { return }
    identifierLimit /= 2
    verdict.bufferOverflows = true
    verdict.isOutdated = true
  }

  /// Handles a reply without an answer, or with refusals only.
  private mutating func unanswered(
    _ index: Int, _ reply: ReplyObserver, suffix: UInt8, at now: Int64, _ verdict: inout PollVerdict
  ) {
    if suffix > 0 {
      update(index) {
        $0.suffix = 0
        $0.streak = 0
      }
    }
    if reply.negatives > 0 {
      if requests[index].addressed == nil { confirmSuspects(&verdict) }
      refused(index, reply, at: now, &verdict)
      return
    }
    // An error of the adapter proves nothing about the request.
    guard reply.failed(.noData) else { return }
    backOff(index, at: now)
    guard requests[index].request.identifierCount > 1 else {
      if requests[index].addressed == nil, !requests[index].isAbsent { suspect(pid(of: index, at: 0)) }
      return
    }
    // If the ECUs have answered several PIDs in one request before, a single unanswered request proves nothing.
    // Otherwise, the first unanswered request starts the arbitration, so that it begins before the connection to the
    // vehicle ends.
    if requests[index].failures >= (hearsSeveral ? 2 : 1) { arbitrate(index) }
  }

  private mutating func refused(_ index: Int, _ reply: ReplyObserver, at now: Int64, _ verdict: inout PollVerdict) {
    switch reply.negativeCode {
    case 0x21:
      // busyRepeatRequest (ISO 14229-1, A.1).
      update(index) { $0.due = now + 100_000_000 }
    case 0x78:
      update(index) { $0.due = now + max($0.period, 1_000_000_000) }
    default:
      if requests[index].request.identifierCount > 1 {
        partial(index, &verdict)
      } else {
        backOff(index, at: now)
      }
    }
  }

  /// Counts a failed request. From the second failure in a row on, the request is sent later than its period demands.
  /// Each further failure doubles the delay, up to one minute.
  private mutating func backOff(_ index: Int, at now: Int64) {
    update(index) {
      $0.failures += 1
      guard $0.failures >= 2 else { return }
      let base = max($0.period, 1_000_000_000)
      let factor = Int64(1) << Int64(min($0.failures - 2, 6))
      $0.due = now + max($0.period, min(base * factor, 60_000_000_000))
    }
  }

  /// Handles a reply in which the ECUs answered only the first of several PIDs, or refused all of them. The second
  /// reply of this kind starts an arbitration. The arbitration finds out whether the ECUs do not support several PIDs
  /// in one request, or never answer the other PIDs.
  private mutating func partial(_ index: Int, _ verdict: inout PollVerdict) {
    update(index) { $0.partials += 1 }
    if requests[index].partials >= 2 { arbitrate(index) }
  }

  /// Learns which ECUs answered a request, and which ECUs did not although they should have.
  private mutating func recordSenders(
    _ index: Int, _ reply: ReplyObserver, _ car: VehicleCapabilities, _ verdict: inout PollVerdict
  ) {
    for ecu in 0..<car.ecuCount where requests[index].expected[ecu] != 0 {
      let bit = UInt8(1) << UInt8(truncatingIfNeeded: ecu)
      if places(of: ecu, reply, car) != 0 {
        silence[ecu] = 0
        if vanished & bit != 0 {
          vanished &= ~bit
          verdict.returned |= bit
          forgetCounts()
        }
      } else if vanished & bit == 0, !reply.isDamaged {
        silence[ecu] += 1
        if Int(silence[ecu]) >= Self.vanishedAfter {
          vanished |= bit
          verdict.vanished |= bit
          nextVerification = 0
        }
      }
    }
  }

  private func places(of ecu: Int, _ reply: ReplyObserver, _ car: VehicleCapabilities) -> UInt8 {
    for sender in 0..<reply.senderCount where reply.sender(sender) == car.address(of: ecu) {
      return reply.places(of: sender)
    }
    return 0
  }

  /// Whether the reply is complete: each ECU that does not count as missing has answered every identifier of the
  /// request that this ECU supports.
  private func isWhole(_ index: Int, _ reply: ReplyObserver, _ car: VehicleCapabilities) -> Bool {
    guard !reply.isDamaged, reply.negatives == 0 else { return false }
    for ecu in 0..<car.ecuCount where vanished & 1 << UInt8(truncatingIfNeeded: ecu) == 0 {
      let expected = requests[index].expected[ecu]
      if places(of: ecu, reply, car) & expected != expected { return false }
    }
    return true
  }

  /// Finds PIDs that were not answered although other PIDs of the same request were.
  private mutating func findMissing(_ index: Int, _ reply: ReplyObserver, _ verdict: inout PollVerdict) {
    let identifiers = requests[index].request.identifierCount
    let answered = reply.answeredPlaces
    guard identifiers > 1 else { return }
    if answered == 1, !requests[index].wasWhole {
      partial(index, &verdict)
      return
    }
    update(index) { $0.partials = 0 }
    for place in 0..<identifiers {
      let pid = UInt8(truncatingIfNeeded: requests[index].request.identifier(at: place))
      if answered & 1 << UInt8(truncatingIfNeeded: place) != 0 {
        misses[Int(pid)] = 0
      } else if isExpected(index, place) {
        misses[Int(pid)] += 1
        if Int(misses[Int(pid)]) >= Self.absentAfter {
          markAbsent(pid, &verdict)
        }
      }
    }
  }

  /// Whether the identifier at the index `place` should be answered: at least one ECU supports it, and that ECU has not
  /// stopped answering.
  private func isExpected(_ index: Int, _ place: Int) -> Bool {
    for ecu in 0..<VehicleCapabilities.ecuCapacity where vanished & 1 << UInt8(truncatingIfNeeded: ecu) == 0 {
      if requests[index].expected[ecu] & 1 << UInt8(truncatingIfNeeded: place) != 0 { return true }
    }
    return false
  }

  // MARK: The count of expected frames

  private mutating func learnCount(_ index: Int, _ reply: ReplyObserver, suffix: UInt8, isWhole: Bool) {
    guard usesSuffix else { return }
    if suffix > 0, !isWhole {
      dropCount(index)
      return
    }
    let frames = reply.frames
    update(index) {
      guard isWhole else {
        $0.streak = 0
        return
      }
      if $0.frames == frames {
        $0.streak += 1
      } else {
        $0.frames = frames
        $0.streak = 1
        $0.suffix = 0
      }
      if $0.streak >= $0.threshold, frames <= 15 { $0.suffix = UInt8(truncatingIfNeeded: frames) }
    }
  }

  /// Stops sending the count of expected frames after this request, because the count truncated an answer or was
  /// refused. The count is sent again only after enough complete answers in a row with the same number of frames: four
  /// times as many as were required last time, but at most 192.
  private mutating func dropCount(_ index: Int) {
    update(index) {
      $0.suffix = 0
      $0.streak = 0
      $0.threshold = min($0.threshold * 4, 192)
    }
  }

  private mutating func forgetCounts() {
    for i in 0..<count {
      update(i) {
        $0.suffix = 0
        $0.streak = 0
      }
    }
  }
}
