import OBDWire

/// The plan's requests, one after another.
extension AdapterSession {
  /// Replies without any ECU, in a row, after which the vehicle counts as gone.
  private static let silenceLimit = 4

  mutating func decidePolling(at now: Int64) -> Decision {
    if isPlanOutdated {
      plan.make(for: car, wishes, addressed, bus: bus, quirks: memory.quirks, at: now)
      isPlanOutdated = false
      doubted = -1
    }
    if addressChange != nil { return decideAddress(at: now) }
    if clearing != nil { return address < 0 ? decideClearing(at: now) : changeAddress(to: -1) }
    if now >= nextCodes {
      jobs |= Job.codes
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
    case .arbitrate(let index):
      guard address < 0 else { return changeAddress(to: -1) }
      let whole = plan.requests[index].request
      let request = ReadRequest.one(whole.service, whole.identifier(at: 0))
      return .send(Command(request), request, .arbitration(index), limit: pollLimit)
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
      learn(.noTimeout)
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
    // The same silence twice is one.
    if isTelling, !isRepeated || verdict.isAlive { countSilence(reply, isAlive: verdict.isAlive, at: now) }
    if isTelling, stage == .running { meetStrangers(reply) }
  }

  mutating func handleArbitration(_ index: Int, _ reply: ReplyObserver, at now: Int64) {
    guard !isPlanOutdated, index < plan.count else { return }
    let verdict = plan.recordArbitration(index, reply)
    apply(verdict)
    countSilence(reply, isAlive: verdict.isAlive, at: now)
  }

  private mutating func apply(_ verdict: PollVerdict) {
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
  }

  /// A vehicle that gives no answer several times in a row is gone, or its ignition is off.
  mutating func countSilence(_ reply: ReplyObserver, isAlive: Bool, at now: Int64) {
    if isAlive {
      silentReplies = 0
      return
    }
    if reply.failed(.noData), isKLine, wait < Self.usualWait, silentReplies == 1 {
      learn(.slowECU)
      baseWait = waitForECUs
    }
    silentReplies += 1
    guard silentReplies >= Self.silenceLimit else { return }
    lose(Self.reason(of: reply))
    if address >= 0 || addressChange != nil {
      beginProbing()
    } else {
      beginSearch()
    }
  }
}

extension PollPlan.Choice {
  /// Something is to be sent now.
  var isDue: Bool {
    if case .nothing = self { return false }
    return true
  }
}
