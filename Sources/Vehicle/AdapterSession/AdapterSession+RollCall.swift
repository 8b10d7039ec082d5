import OBDWire

/// The vehicle is asked whether it is there: by what it has answered before in this session.
///
/// Silent PIDs are no loss: an ECU may claim many that it never answers. Only when the question that found the vehicle and
/// the PID that was answered last are silent too, also with the longest wait, the vehicle counts as gone.
struct RollCall: BitwiseCopyable {
  enum Step: UInt8, BitwiseCopyable {
    /// 01 00, or 22 F400.
    case support
    /// The PID that was answered last.
    case lastAnswered
    /// The first question with the longest wait: the ECU may be slow.
    case patient

    var next: Step? { Step(rawValue: rawValue + 1) }
  }

  var step = Step.support
  /// Replies that say neither, as when the adapter had trouble.
  var unknowns = 0
}

extension AdapterSession {
  private static let mostUnknowns = 4
  /// ECUs that answered only with the longest wait so often in a row are slow.
  private static let slownessLimit = 2
  /// So many answers within the usual wait show that they are not.
  private static let promptnessLimit = 20
  /// A vehicle that is lost sooner after it was found was lost again.
  private static let shortConnection: Int64 = 60_000 * Limit.millisecond
  private static let longestLossPause: Int64 = 30_000 * Limit.millisecond

  mutating func decideRollCall(_ call: RollCall) -> Decision {
    if let change = changeWait(to: call.step == .patient ? Self.longestWait : baseWait) { return change }
    let service: ReadService = car.isUDS ? .dataIdentifier : .currentData
    let support: UInt16 = car.isUDS ? 0xF400 : 0x00
    let identifier = call.step == .lastAnswered ? plan.lastAnswered ?? support : support
    let request = ReadRequest.one(service, identifier)
    return .send(Command(request), request, .rollCall, limit: pollLimit)
  }

  mutating func handleRollCall(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard var call = rollCall else { return }
    if reply.messages > 0 || reply.negatives > 0 {
      rollCall = nil
      vehicleIsThere(call, at: now)
      return
    }
    guard isTimeout || reply.failed(.noData) else {
      call.unknowns += 1
      rollCall = call
      if call.unknowns > Self.mostUnknowns { loseVehicle(Self.reason(of: reply), at: now) }
      return
    }
    guard let next = call.step.next else { return loseVehicle(Self.reason(of: reply), at: now) }
    call.step = next
    rollCall = call
  }

  private mutating func vehicleIsThere(_ call: RollCall, at now: Int64) {
    silentReplies = 0
    guard call.step == .patient else {
      slowAnswers = 0
      var verdict = PollVerdict()
      plan.confirmSuspects(&verdict)
      apply(verdict)
      return
    }
    slowAnswers += 1
    // What was never answered with the usual wait needs no second witness.
    guard slowAnswers >= Self.slownessLimit || plan.lastAnswered == nil else { return }
    slowAnswers = 0
    waitLonger()
  }

  /// The ECUs are slow: what was silent so far is asked again with a longer wait.
  private mutating func waitLonger() {
    needsLongestWait = isSlow || !isKLine
    isSlow = true
    learn(.slowECU)
    baseWait = waitForECUs
    plan.forgetSilence()
    rememberSilence()
    isPlanOutdated = true
  }

  /// ECUs that answer within the usual wait are not slow, whatever an earlier session learned.
  mutating func notePromptAnswer() {
    guard !isSlow, memory.quirks.contains(.slowECU) else { return }
    promptAnswers += 1
    if promptAnswers >= Self.promptnessLimit { unlearn(.slowECU) }
  }

  /// The vehicle answers no more. One that is lost again and again is looked for less often.
  mutating func loseVehicle(_ reason: LossReason, at now: Int64) {
    let pause = noteLoss(at: now)
    lose(reason)
    rollCall = nil
    guard pause == 0 else {
      searchRound = 1
      stage = .resting(until: now + pause, then: address >= 0 || addressChange != nil ? .probe : .search)
      return
    }
    if address >= 0 || addressChange != nil {
      beginProbing()
    } else {
      beginSearch()
    }
  }

  /// - Returns: how long to wait before the vehicle is looked for again, ns.
  mutating func noteLoss(at now: Int64) -> Int64 {
    guard isConnected else { return 0 }
    repeatedLosses = now - connectedAt < Self.shortConnection ? repeatedLosses + 1 : 0
    guard repeatedLosses > 1 else { return 0 }
    // 0.5 s, 1, 2, … 30.
    let pause = Limit.shortestSearchPause << Int64(min(repeatedLosses - 2, 6))
    return min(pause, Self.longestLossPause)
  }
}
