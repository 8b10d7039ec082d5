import OBDWire

/// The check whether a vehicle that stopped answering is still present.
///
/// If a PID is not answered, the vehicle may still be present, because an ECU may claim to support many PIDs that it
/// never answers. The connection to the vehicle ends only if three requests in a row are not answered: the request that
/// found the vehicle, a request for the PID that was answered last, and the first request again with the longest wait.
struct PresenceCheck: BitwiseCopyable {
  enum Step: UInt8, BitwiseCopyable {
    /// Send the request that found the vehicle: 01 00, or 22 F400.
    case support
    /// Request the PID that was answered last.
    case lastAnswered
    /// Send the first request again with the longest wait, because the ECU may be slow.
    case longestWait

    var next: Step? { Step(rawValue: rawValue + 1) }
  }

  var step = Step.support
  /// Number of replies that prove nothing, for example because of an error of the adapter.
  var inconclusive = 0
}

extension AdapterSession {
  private static let inconclusiveLimit = 4

  mutating func decidePresenceCheck(_ check: PresenceCheck) -> Decision {
    let wait = check.step == .longestWait ? AdapterSettings.longestWait : baseWait
    if let change = changeWait(to: wait) { return change }
    let service: ReadService = car.isUDS ? .dataIdentifier : .currentData
    let support: UInt16 = car.isUDS ? 0xF400 : 0x00
    let identifier = check.step == .lastAnswered ? plan.lastAnswered ?? support : support
    let request = ReadRequest.one(service, identifier)
    return .send(Command(request), request, .presenceCheck, limit: pollLimit)
  }

  mutating func handlePresenceCheck(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard var check = connection?.presenceCheck else { return }
    if reply.messages > 0 || reply.negatives > 0 {
      connection?.presenceCheck = nil
      connection?.silentReplies = 0
      recordPresence(check.step)
    } else if isTimeout || reply.failed(.noData) {
      guard let next = check.step.next else { return loseVehicle(Self.reason(of: reply), at: now) }
      check.step = next
      connection?.presenceCheck = check
    } else {
      check.inconclusive += 1
      connection?.presenceCheck = check
      if check.inconclusive > Self.inconclusiveLimit { loseVehicle(Self.reason(of: reply), at: now) }
    }
  }

  /// Handles an answer during the presence check. It shows either that only some PIDs are silent, or that the ECUs are
  /// slow.
  private mutating func recordPresence(_ step: PresenceCheck.Step) {
    guard step == .longestWait else {
      vehicle.answerTime.resetSlowAnswers()
      var verdict = PollVerdict()
      plan.confirmSuspects(&verdict)
      apply(verdict)
      return
    }
    if vehicle.answerTime.recordSlowAnswer(isFirst: plan.lastAnswered == nil) { increaseWait() }
  }

  /// Marks the ECUs as slow, so that all requests use a longer wait. PIDs that were silent are requested again.
  private mutating func increaseWait() {
    vehicle.answerTime.pace = vehicle.answerTime.pace == .usual && vehicle.isKLine ? .slow : .slowest
    learn(.slowECU)
    plan.forgetSilence()
    storeSilentPIDs()
    isPlanOutdated = true
  }

  /// Counts an answer within the usual wait. After 20 such answers, ECUs that were slow in an earlier session no longer
  /// count as slow.
  mutating func recordPromptAnswer() {
    guard vehicle.answerTime.pace == .usual, memory.quirks.contains(.slowECU) else { return }
    if vehicle.answerTime.recordPromptAnswer() { unlearn(.slowECU) }
  }

  /// Handles a vehicle that no longer answers. If a vehicle repeatedly stops answering soon after it was found, the
  /// pause before the next search becomes longer each time.
  mutating func loseVehicle(_ reason: LossReason, at now: Int64) {
    let pause = connection.map { history.recordLoss(connectedSince: $0.since, at: now) } ?? 0
    reportLoss(reason)
    let isFunctional = settings.addressing.isFunctional
    guard pause == 0 else {
      searchRounds.count = 1
      return enter(.resting(until: now + pause, then: isFunctional ? .search : .probe))
    }
    if isFunctional { beginSearch() } else { beginProbing() }
  }
}
