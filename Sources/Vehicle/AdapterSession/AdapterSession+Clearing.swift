import OBDWire

/// Clearing of the trouble codes (service 04).
extension AdapterSession {
  /// Begins to clear the trouble codes. The result is reported as `codesCleared` or `clearRefused`.
  ///
  /// If the vehicle uses OBDonUDS, the result is `clearRefused` with the reason `notSaved`. The session does not read
  /// the freeze frames of OBDonUDS (19 04), and clearing (14 FFFF33) would delete them.
  public mutating func clearCodes(_ permission: ClearPermission) {
    guard isRunning, !car.isUDS else {
      events.append(.clearRefused(isConnected && car.isUDS ? .notSaved : .notConnected))
      return
    }
    connection?.clearing = Clearing(permission: permission)
  }

  /// Continues the clearing after ``SessionEvent/codesRead``. Call this when the codes that were read have been stored.
  public mutating func codesAreSaved() {
    if connection?.clearing?.step == .saving { advanceClearing() }
  }

  mutating func decideClearing(_ clearing: Clearing, at now: Int64) -> Decision {
    if let change = changeWait(to: baseWait) { return change }
    let request: ReadRequest
    switch clearing.step {
    case .engineSpeedBefore, .engineSpeed: request = .currentData(0x0C)
    case .speedBefore, .speed: request = .currentData(0x0D)
    case .status: request = .currentData(0x01)
    case .storedCodes: request = .storedCodes
    case .pendingCodes: request = .pendingCodes
    case .permanentCodes: request = .permanentCodes
    case .freezeFrame:
      if !clearing.isFreezing {
        startFreezeFrame()
        connection?.clearing?.isFreezing = true
      }
      guard let freeze = freezeRequest() else {
        advanceClearing()
        return .again
      }
      request = freeze
    case .saving:
      guard !clearing.isReported else { return .wait(until: now + Limit.saving) }
      connection?.clearing?.isReported = true
      events.append(.codesRead)
      return .again
    case .clear: return decideClear(clearing, at: now)
    }
    return .send(Command(request), request, .clearing(clearing.step), limit: pollLimit)
  }

  private mutating func decideClear(_ clearing: Clearing, at now: Int64) -> Decision {
    do throws(ClearRefused) {
      let proof = try ClearProof(clearing.permission, clearing.motion, at: now)
      return .send(Command(clearing: proof), nil, .clearing(.clear), limit: Limit.slowAnswer)
    } catch {
      refuseClearing(error.reason)
      return .again
    }
  }

  mutating func handleClearing(_ step: ClearStep, _ reply: ReplyObserver, at now: Int64) {
    switch step {
    case .engineSpeedBefore, .engineSpeed:
      guard let engineSpeed = reply.motion.engineSpeed else { return refuseClearing(.notProven) }
      guard engineSpeed == 0 else { return refuseClearing(.engineRunning) }
      connection?.clearing?.motion = Motion(speed: nil, engineSpeed: engineSpeed, readAt: now)
    case .speedBefore, .speed:
      guard let speed = reply.motion.speed else { return refuseClearing(.notProven) }
      guard speed == 0 else { return refuseClearing(.moving) }
      connection?.clearing?.motion.speed = speed
    case .status:
      guard reply.messages > 0, !reply.isDamaged else { return repeatQuestion(.advance) }
      connection?.clearing?.ecusWithCodes = reply.ecusWithCodes
    case .storedCodes:
      guard !reply.isDamaged, reply.refusals == 0, hasAllStored(reply) else { return repeatQuestion(.refuse) }
    case .pendingCodes:
      // Old vehicles without service 07 refuse the request or do not answer.
      if reply.failed(.noData), !reply.isDamaged { return repeatQuestion(.advance) }
      let isMissing = reply.negativeCode == 0x11 || reply.negativeCode == 0x12
      let isRead = reply.refusals == 0 ? reply.hasCodeList : isMissing
      guard isRead, !reply.isDamaged else { return repeatQuestion(.refuse) }
    case .permanentCodes:
      // Permanent codes need not be read completely: service 04 does not delete them, and vehicles before 2010 have
      // none.
      let isRead = reply.hasCodeList || reply.failed(.noData) || reply.refusals > 0
      guard isRead, !reply.isDamaged else { return repeatQuestion(.refuse) }
    case .saving: return
    case .freezeFrame:
      if advanceFreezeFrame(reply) { return }
    case .clear:
      connection?.clearing = nil
      // If at least one ECU refuses, the request counts as refused. If no ECU answers, the result is unknown.
      let refusal: ClearRefusal? = reply.refusals > 0 ? .refusedByVehicle : reply.messages > 0 ? nil : .notConnected
      events.append(refusal.map { .clearRefused($0) } ?? .codesCleared)
      connection?.jobs.insert(Job.codes)
      return
    }
    advanceClearing()
  }

  /// Whether every ECU with stored codes has reported its codes. Some old ECUs do not answer at all if they have no
  /// codes.
  private func hasAllStored(_ reply: ReplyObserver) -> Bool {
    guard let ecus = connection?.clearing?.ecusWithCodes else { return reply.hasCodeList }
    guard ecus.count > 0 else { return reply.hasCodeList || reply.failed(.noData) }
    for index in 0..<ecus.count where !reply.hasSender(ecus.addresses[index]) { return false }
    return true
  }

  private enum LastTry { case advance, refuse }

  /// Repeats the request of the current step. If the last try has failed, `last` determines what follows: the next
  /// step, or the refusal of the clearing.
  private mutating func repeatQuestion(_ last: LastTry) {
    connection?.clearing?.tries += 1
    guard let tries = connection?.clearing?.tries, tries >= Clearing.triesLimit else { return }
    switch last {
    case .advance: advanceClearing()
    case .refuse: refuseClearing(.notSaved)
    }
  }

  private mutating func advanceClearing() {
    guard let step = connection?.clearing?.step, let next = step.next else { return }
    connection?.clearing?.tries = 0
    if step == .freezeFrame { connection?.jobs.finish(.freezeFrame) }
    connection?.clearing?.step = next
  }

  mutating func refuseClearing(_ reason: ClearRefusal) {
    connection?.clearing = nil
    connection?.jobs.remove(.freezeFrame)
    events.append(.clearRefused(reason))
  }
}
