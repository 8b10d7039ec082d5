import OBDWire

/// Sends the plan's requests one after another.
extension AdapterSession {
  /// If no ECU answers this many requests in a row, the session checks whether the vehicle is still present.
  private static let silenceLimit = 4

  mutating func decidePolling(_ connection: Connection, at now: Int64) -> Decision {
    if isPlanOutdated {
      plan.make(for: car, preferences, addressed, bus: vehicle.bus, quirks: memory.quirks, at: now)
      isPlanOutdated = false
      self.connection?.pause.repeated = nil
    }
    if case .changing(let change) = settings.addressing { return decideAddress(change, at: now) }
    let isFunctional = settings.addressing.isFunctional
    if let check = connection.presenceCheck { return isFunctional ? decidePresenceCheck(check) : resetAddress() }
    if let clearing = connection.clearing { return isFunctional ? decideClearing(clearing, at: now) : resetAddress() }
    var jobs = connection.jobs
    let nextCodes = addDueJobs(to: &jobs, codesDue: connection.nextCodes, at: now)
    self.connection?.jobs = jobs
    self.connection?.nextCodes = nextCodes
    let choice = plan.choose(at: now, settings.addressing, addressed)
    if let job = jobs.first, now >= jobs.notBefore, !sharesAddress(choice),
      jobs.isTurn || !choice.isDue || settings.wait == AdapterSettings.longestWait
    {
      return isFunctional ? decideJob(job, at: now) : resetAddress()
    }
    switch choice {
    case .request(let index): return decideRequest(index, at: now)
    case .arbitrate(let arbitration): return isFunctional ? decideArbitration(arbitration) : resetAddress()
    case .nothing(let until):
      guard isFunctional else { return resetAddress() }
      var next = min(until, nextCodes)
      // `nextVoltage` is also the time at which engine speed and vehicle speed are requested if they are needed, even
      // if the adapter cannot measure its voltage.
      if !memory.quirks.contains(.noVoltage) || power.wantsMotion(at: now) { next = min(next, nextVoltage) }
      if jobs.pending != 0 { next = min(next, jobs.notBefore) }
      return .wait(until: next)
    }
  }

  /// Adds to the queue each job whose period has passed: voltage, engine speed and vehicle speed, trouble codes, VIN.
  ///
  /// - Returns: the next time at which the trouble codes are due.
  private mutating func addDueJobs(to jobs: inout JobQueue, codesDue: Int64, at now: Int64) -> Int64 {
    if now >= nextVoltage {
      if !memory.quirks.contains(.noVoltage) { jobs.insert(Job.voltage.bit) }
      if power.wantsMotion(at: now) { jobs.insert(Job.motion) }
      nextVoltage = now + configuration.voltagePeriod
    }
    guard now >= codesDue else { return codesDue }
    // The VIN is read each time the codes are read, because the vehicle may be swapped without a message from the
    // adapter.
    jobs.insert(Job.codes | Job.vinAgain.bit)
    return now + configuration.codesPeriod
  }

  /// Whether the chosen request needs the adapter's current address settings, and was already due when these settings
  /// were sent.
  private func sharesAddress(_ choice: PollPlan.Choice) -> Bool {
    guard case .request(let index) = choice else { return false }
    return plan.sharesAddress(index, settings.addressing, addressed)
  }

  private mutating func decideRequest(_ index: Int, at now: Int64) -> Decision {
    let planned = plan.requests[index]
    switch (planned.addressed, settings.addressing.row) {
    case (nil, nil): break
    case (let row?, nil): return setAddress(row: row)
    case (nil, _?): return resetAddress()
    case (let row?, let current?):
      if !addressed[row].sharesAddress(with: addressed[current]) { return resetAddress() }
    }
    let wanted = planned.addressed.flatMap { addressed[$0].timeout } ?? baseWait
    if let change = changeWait(to: wanted) { return change }
    connection?.jobs.isTurn = true
    let isEarly = vehicle.isKLine && now < dialogue.bytes.lastContentAt + Limit.p3min
    connection?.pause.isEarly = isEarly
    let suffix = plan.send(index, at: now)
    let command = Command(planned.request, expectedFrames: suffix)
    return .send(command, planned.request, .poll(index, suffix: suffix), limit: pollLimit)
  }

  private mutating func decideArbitration(_ arbitration: Arbitration) -> Decision {
    if let change = changeWait(to: baseWait) { return change }
    let whole = plan.requests[arbitration.index].request
    let request = ReadRequest.one(whole.service, whole.identifier(at: arbitration.place))
    return .send(Command(request), request, .arbitration, limit: pollLimit)
  }

  /// Returns the command that sets how long the adapter waits for answers (ATST, in steps of 4.096 ms). Returns `nil`
  /// if the adapter already uses this value or does not support the command.
  mutating func changeWait(to steps: UInt8) -> Decision? {
    guard settings.wait != steps, !memory.quirks.contains(.noTimeout) else { return nil }
    return .send(Command(.timeout(steps)), nil, .wait(steps), limit: Limit.setting)
  }

  mutating func handleWait(_ steps: UInt8, _ reply: ReplyObserver) {
    if reply.failed(.unknownCommand) {
      _ = isRefusal(.noTimeout)
    } else {
      settings.wait = steps
    }
  }

  mutating func handlePoll(_ index: Int, suffix: UInt8, _ reply: ReplyObserver, at now: Int64) {
    // If the plan was made again since the request was sent, the index is no longer valid.
    guard !isPlanOutdated, index < plan.count else { return }
    let showsPresence = plan.requests[index].addressed == nil && !plan.requests[index].isAbsent
    let isRepeated = index == connection?.pause.repeated
    let verdict = plan.record(index, reply, suffix: suffix, car, at: now)
    checkPause(index, reply, at: now)
    apply(verdict)
    if verdict.isAlive { recordPromptAnswer() }
    // The first try was already counted as unanswered. If its repetition is not answered either, it is not counted
    // again.
    if showsPresence, !isRepeated || verdict.isAlive { countSilence(reply, isAlive: verdict.isAlive, at: now) }
    if showsPresence { discoverNewSenders(reply) }
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
    if verdict.hasLearnedSilence { storeSilentPIDs() }
  }

  /// Stores which PIDs are silent, for the next session with the same vehicle.
  mutating func storeSilentPIDs() {
    guard memory.silentPIDs != plan.absent else { return }
    memory.silentPIDs = plan.absent
    events.append(.memoryChanged)
  }

  /// Counts requests in a row that no ECU answers. At ``silenceLimit``, either some PIDs are silent or the vehicle is
  /// gone, so a presence check begins.
  mutating func countSilence(_ reply: ReplyObserver, isAlive: Bool, at now: Int64) {
    guard let silentReplies = connection?.silentReplies else { return }
    connection?.silentReplies = isAlive ? 0 : silentReplies + 1
    guard !isAlive, silentReplies + 1 >= Self.silenceLimit else { return }
    // A failure of the bus itself is not caused by the request, so no presence check is needed.
    let reason = Self.reason(of: reply)
    guard reason == .noData else { return loseVehicle(reason, at: now) }
    if connection?.presenceCheck == nil { connection?.presenceCheck = PresenceCheck() }
  }
}

extension PollPlan.Choice {
  /// Whether a request is due now.
  var isDue: Bool {
    if case .nothing = self { return false }
    return true
  }
}
