import OBDWire

/// The plan's requests, one after another.
extension AdapterSession {
  /// Replies without any ECU, in a row, after which the vehicle is asked whether it is there at all.
  private static let silenceLimit = 4

  mutating func decidePolling(at now: Int64) -> Decision {
    if isPlanOutdated {
      plan.make(for: car, wishes, addressed, bus: bus, quirks: memory.quirks, at: now)
      isPlanOutdated = false
      doubted = -1
    }
    if addressChange != nil { return decideAddress(at: now) }
    if let rollCall { return address < 0 ? decideRollCall(rollCall) : changeAddress(to: -1) }
    if clearing != nil { return address < 0 ? decideClearing(at: now) : changeAddress(to: -1) }
    if now >= nextCodes {
      // Whose codes they are is asked with them: a vehicle may be swapped without a word of the adapter's.
      jobs |= Job.codes | Job.vinAgain.bit
      nextCodes = now + configuration.codesPeriod
    }
    if now >= nextVoltage {
      if !memory.quirks.contains(.noVoltage) { jobs |= Job.voltage.bit }
      if power.wantsMotion(at: now) { jobs |= Job.motion }
      nextVoltage = now + configuration.voltagePeriod
    }
    let choice = plan.choose(at: now, address: address, since: addressSince, addressed)
    if let job = Job.first(of: jobs), now >= jobNotBefore, !staysAddressed(for: choice),
      isJobsTurn || !choice.isDue || wait == Self.longestWait
    {
      return address < 0 ? decideJob(job, at: now) : changeAddress(to: -1)
    }
    switch choice {
    case .request(let index): return decideRequest(index, at: now)
    case .arbitrate(let arbitration):
      guard address < 0 else { return changeAddress(to: -1) }
      if let change = changeWait(to: baseWait) { return change }
      let whole = plan.requests[arbitration.index].request
      let request = ReadRequest.one(whole.service, whole.identifier(at: arbitration.place))
      return .send(Command(request), request, .arbitration, limit: pollLimit)
    case .nothing(let until):
      if address >= 0 { return changeAddress(to: -1) }
      var next = min(until, nextCodes)
      // Where there is no voltage to read, its time tells when to ask for motion, if that is wanted.
      if !memory.quirks.contains(.noVoltage) || power.wantsMotion(at: now) { next = min(next, nextVoltage) }
      if jobs != 0 { next = min(next, jobNotBefore) }
      return .wait(until: next)
    }
  }

  /// The header is set for it, and it waited for that.
  private func staysAddressed(for choice: PollPlan.Choice) -> Bool {
    guard address >= 0, case .request(let index) = choice else { return false }
    return plan.sharesAddress(index, address, addressSince, addressed)
  }

  private mutating func decideRequest(_ index: Int, at now: Int64) -> Decision {
    let planned = plan.requests[index]
    if planned.addressed >= 0 {
      if address < 0 { return changeAddress(to: planned.addressed) }
      if !addressed[planned.addressed].sharesAddress(with: addressed[address]) { return changeAddress(to: -1) }
    } else if address >= 0 {
      return changeAddress(to: -1)
    }
    let wanted = planned.addressed >= 0 ? addressed[planned.addressed].timeout ?? baseWait : baseWait
    if let change = changeWait(to: wanted) { return change }
    isJobsTurn = true
    isEarly = isKLine && now < lastContentAt + Limit.p3min
    let suffix = plan.send(index, at: now)
    let command = Command(planned.request, expectedFrames: suffix)
    return .send(command, planned.request, .poll(index, suffix: suffix), limit: pollLimit)
  }

  /// ATST, where it is not as wanted.
  mutating func changeWait(to steps: UInt8) -> Decision? {
    guard wait != steps, !memory.quirks.contains(.noTimeout) else { return nil }
    return .send(Command(.timeout(steps)), nil, .wait(steps), limit: Limit.setting)
  }

  mutating func handleWait(_ steps: UInt8, _ reply: ReplyObserver) {
    if reply.failed(.unknownCommand) {
      _ = isRefusal(.noTimeout)
    } else {
      wait = steps
    }
  }

  mutating func handlePoll(_ index: Int, suffix: UInt8, _ reply: ReplyObserver, at now: Int64) {
    // The plan may be another by now.
    guard !isPlanOutdated, index < plan.count else { return }
    let isTelling = plan.requests[index].addressed < 0 && !plan.requests[index].isAbsent
    let isRepeated = index == doubted
    let verdict = plan.record(index, reply, suffix: suffix, car, at: now)
    weighPause(index, reply, at: now)
    apply(verdict)
    if verdict.isAlive { notePromptAnswer() }
    // The same silence twice is one.
    if isTelling, !isRepeated || verdict.isAlive { countSilence(reply, isAlive: verdict.isAlive, at: now) }
    if isTelling, stage == .running { meetStrangers(reply) }
  }

  mutating func handleArbitration(_ reply: ReplyObserver, at now: Int64) {
    guard !isPlanOutdated else { return }
    let verdict = plan.recordArbitration(reply)
    apply(verdict)
    countSilence(reply, isAlive: verdict.isAlive, at: now)
  }

  mutating func apply(_ verdict: PollVerdict) {
    if verdict.adapterRefusesMulti { learn(.noMultiPID) }
    if verdict.adapterRefusesSuffix { learn(.noCountSuffix) }
    if verdict.bufferOverflows { learn(.smallBuffer) }
    if let ecus = verdict.refusedSet { events.append(.multiPIDRefused(ecus: ecus)) }
    for ecu in 0..<car.ecuCount {
      let bit = UInt8(1) << UInt8(truncatingIfNeeded: ecu)
      if verdict.vanished & bit != 0 { events.append(.ecuVanished(car.address(of: ecu))) }
      if verdict.returned & bit != 0 { events.append(.ecuReturned(car.address(of: ecu))) }
    }
    if verdict.isOutdated { isPlanOutdated = true }
    if verdict.hasLearnedSilence { rememberSilence() }
  }

  /// Keeps which PIDs are silent, for the next session with the same vehicle.
  mutating func rememberSilence() {
    guard memory.silentPIDs != plan.absent else { return }
    memory.silentPIDs = plan.absent
    events.append(.memoryChanged)
  }

  /// Several questions in a row without an answer: the PIDs may be silent, or the vehicle is gone.
  mutating func countSilence(_ reply: ReplyObserver, isAlive: Bool, at now: Int64) {
    if isAlive {
      silentReplies = 0
      return
    }
    silentReplies += 1
    guard silentReplies >= Self.silenceLimit else { return }
    // The bus itself fails: whoever is asked.
    let reason = Self.reason(of: reply)
    guard reason == .noData else { return loseVehicle(reason, at: now) }
    if rollCall == nil { rollCall = RollCall() }
  }
}

extension PollPlan.Choice {
  /// Something is to be sent now.
  var isDue: Bool {
    if case .nothing = self { return false }
    return true
  }
}
