import OBDWire

/// The way to service 04, step by step; no step can be left out.
enum ClearStep: UInt8, BitwiseCopyable {
  /// Is the vehicle standing, its engine off? If not, nothing more is asked.
  case engineSpeedBefore, speedBefore
  /// All that 04 will wipe out is read, and goes to the handler.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// Is it still?
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// A clearing under way.
struct Clearing: BitwiseCopyable {
  let permission: ClearPermission
  var step = ClearStep.engineSpeedBefore
  var motion = Motion()
  var isFreezing = false
}

extension AdapterSession {
  mutating func decideClearing(at now: Int64) -> Decision {
    guard let clearing else { return .again }
    if let change = changeWait(to: baseWait) { return change }
    let request: ReadRequest
    switch clearing.step {
    case .engineSpeedBefore, .engineSpeed: request = .currentData(0x0C)
    case .speedBefore, .speed: request = .currentData(0x0D)
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
    case .storedCodes, .pendingCodes, .permanentCodes:
      // NO DATA and refusals mean that there are none: older vehicles have no service 0A.
      let isRead = reply.hasCodeList || reply.failed(.noData) || reply.negatives > 0 && !reply.isPending
      guard isRead, !reply.isDamaged else { return refuseClearing(.notSaved) }
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

  private mutating func advanceClearing() {
    guard let step = clearing?.step, let next = step.next else { return }
    if step == .freezeFrame { finish(.freezeFrame) }
    clearing?.step = next
  }

  mutating func refuseClearing(_ reason: ClearRefusal) {
    clearing = nil
    jobs &= ~Job.freezeFrame.bit
    events.append(.clearRefused(reason))
  }
}
