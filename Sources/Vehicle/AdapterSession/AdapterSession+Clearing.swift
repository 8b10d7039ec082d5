import OBDWire

/// The way to service 04, step by step; no step can be left out.
enum ClearStep: UInt8, BitwiseCopyable {
  /// Is the vehicle standing, its engine off? If not, nothing more is asked.
  case engineSpeedBefore, speedBefore
  /// Which ECUs have codes (PID 01): those must tell them.
  case status
  /// All that 04 will wipe out is read, and goes to the handler.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// It is written down: ``AdapterSession/codesAreSaved()``.
  case saving
  /// Is it still?
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// A clearing under way.
struct Clearing: BitwiseCopyable {
  /// How often one question is asked: a bad line may have damaged the answer.
  static let mostTries = 3

  let permission: ClearPermission
  var step = ClearStep.engineSpeedBefore
  var tries = 0
  var motion = Motion()
  var isFreezing = false
  var isReported = false
  /// The ECUs that say that they have stored codes; nil: none has said how many it has.
  var owing: ECUSet?

  /// Some ECUs.
  struct ECUSet: BitwiseCopyable {
    var count = 0
    var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  }
}

extension AdapterSession {
  mutating func decideClearing(at now: Int64) -> Decision {
    guard let clearing else { return .again }
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
        self.clearing?.isFreezing = true
      }
      guard let freeze = freezeRequest() else {
        advanceClearing()
        return .again
      }
      request = freeze
    case .saving:
      guard !clearing.isReported else { return .wait(until: now + Limit.saving) }
      self.clearing?.isReported = true
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
      clearing?.motion = Motion(speed: nil, engineSpeed: engineSpeed, readAt: now)
    case .speedBefore, .speed:
      guard let speed = reply.motion.speed else { return refuseClearing(.notProven) }
      guard speed == 0 else { return refuseClearing(.moving) }
      clearing?.motion.speed = speed
    case .status:
      guard reply.messages > 0, !reply.isDamaged else { return askAgain(.advance) }
      clearing?.owing = reply.ecusWithCodes
    case .storedCodes:
      guard !reply.isDamaged, reply.refusals == 0, hasAllStored(reply) else { return askAgain(.refuse) }
    case .pendingCodes:
      // There may be no such service: old vehicles say so, or nothing.
      if reply.failed(.noData), !reply.isDamaged { return askAgain(.advance) }
      let isMissing = reply.negativeCode == 0x11 || reply.negativeCode == 0x12
      let isRead = reply.refusals == 0 ? reply.hasCodeList : isMissing
      guard isRead, !reply.isDamaged else { return askAgain(.refuse) }
    case .permanentCodes:
      // Service 04 leaves them as they are, and before 2010 there were none.
      let isRead = reply.hasCodeList || reply.failed(.noData) || reply.refusals > 0
      guard isRead, !reply.isDamaged else { return askAgain(.refuse) }
    case .saving: return
    case .freezeFrame:
      if advanceFreezeFrame(reply) { return }
    case .clear:
      clearing = nil
      // Of several ECUs one may refuse; where none says a word, nobody knows.
      let refusal: ClearRefusal? = reply.refusals > 0 ? .refusedByVehicle : reply.messages > 0 ? nil : .notConnected
      events.append(refusal.map { .clearRefused($0) } ?? .codesCleared)
      jobs |= Job.codes
      return
    }
    advanceClearing()
  }

  /// Whether each ECU that has stored codes has told them. An old one that has none may say nothing.
  private func hasAllStored(_ reply: ReplyObserver) -> Bool {
    guard let owing = clearing?.owing else { return reply.hasCodeList }
    guard owing.count > 0 else { return reply.hasCodeList || reply.failed(.noData) }
    for index in 0..<owing.count where !reply.hasSender(owing.addresses[index]) { return false }
    return true
  }

  private enum LastTry { case advance, refuse }

  /// Asks the same once more; where that was done often enough, goes on or refuses.
  private mutating func askAgain(_ last: LastTry) {
    clearing?.tries += 1
    guard let tries = clearing?.tries, tries >= Clearing.mostTries else { return }
    switch last {
    case .advance: advanceClearing()
    case .refuse: refuseClearing(.notSaved)
    }
  }

  /// What `codesRead` told of is written down, and may be cleared.
  public mutating func codesAreSaved() {
    guard clearing?.step == .saving else { return }
    advanceClearing()
  }

  private mutating func advanceClearing() {
    guard let step = clearing?.step, let next = step.next else { return }
    clearing?.tries = 0
    if step == .freezeFrame { finish(.freezeFrame) }
    clearing?.step = next
  }

  mutating func refuseClearing(_ reason: ClearRefusal) {
    clearing = nil
    jobs &= ~Job.freezeFrame.bit
    events.append(.clearRefused(reason))
  }
}
