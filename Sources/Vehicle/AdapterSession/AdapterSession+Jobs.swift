import OBDWire

/// What of a freeze frame is asked next.
struct FreezeCursor: BitwiseCopyable {
  enum Step: UInt8, BitwiseCopyable { case code, support, parameters }
  var step = Step.code
  /// Support PID, or the PID behind which to go on.
  var pid: UInt8 = 0
  /// One PID a request: an ECU did not answer three.
  var isSingle = false
}

/// Questions asked once, or at long periods: who the vehicle is, its trouble codes, the adapter's voltage.
extension AdapterSession {
  /// How often a pending or busy ECU is asked again.
  private static let jobTriesLimit = 6

  mutating func decideJob(_ job: Job, at now: Int64) -> Decision {
    guard let request = request(of: job) else {
      if job.isForAdapter {
        isJobsTurn = false
        return .send(Command(job == .voltage ? .voltage : .listParameters), nil, .job(job), limit: Limit.setting)
      }
      // It said that it has none.
      if job == .vin { missVIN() }
      finish(job)
      return .again
    }
    // The verification number may take 5 s to compute, with 0x78 in between (SAE J1979, 6.9.5).
    let isSlow = job == .calibrationVerification
    if let change = changeWait(to: isSlow ? Self.longestWait : baseWait) { return change }
    isJobsTurn = false
    return .send(Command(request), request, .job(job), limit: isSlow ? Limit.slowAnswer : pollLimit)
  }

  /// nil: nothing is to be asked of the vehicle.
  private func request(of job: Job) -> ReadRequest? {
    switch job {
    case .informationSupport: information(0x00)
    case .vin, .vinAgain: information(0x02)
    case .calibrationID: information(0x04)
    case .calibrationVerification: information(0x06)
    case .ecuName: information(0x0A)
    case .storedCodes: car.isUDS ? .confirmedCodesUDS : .storedCodes
    case .pendingCodes: car.isUDS ? .pendingCodesUDS : .pendingCodes
    case .permanentCodes: car.isUDS ? .permanentCodesUDS : .permanentCodes
    case .freezeFrame: freezeRequest()
    case .engineSpeed: parameter(0x0C)
    case .speed: parameter(0x0D)
    case .voltage, .parameters: nil
    }
  }

  private func parameter(_ pid: UInt8) -> ReadRequest? {
    guard car.ecus(supporting: pid) != 0 else { return nil }
    return car.isUDS ? .dataIdentifier(0xF400 | UInt16(pid)) : .currentData(pid)
  }

  private func information(_ type: UInt8) -> ReadRequest? {
    if type != 0, isInformationKnown, !car.anyHas(information: type) { return nil }
    return car.isUDS ? .dataIdentifier(0xF800 | UInt16(type)) : .vehicleInformation(type)
  }

  private var isInformationKnown: Bool {
    for ecu in 0..<car.ecuCount where !car.information(of: ecu).isEmpty { return true }
    return false
  }

  mutating func handleJob(_ job: Job, _ reply: ReplyObserver, at now: Int64) {
    if reply.isPending || reply.messages == 0 && reply.negativeCode == 0x21, jobTries + 1 < Self.jobTriesLimit {
      jobTries += 1
      jobNotBefore = now + (reply.isPending ? 1000 : 200) * Limit.millisecond
      return
    }
    if reply.isDamaged, reply.messages == 0, jobTries < 2 {
      jobTries += 1
      return
    }
    switch job {
    case .informationSupport:
      for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    case .vin: identify(reply)
    case .storedCodes: if Self.appeared(reply, since: &storedDigest) { startFreezeFrame() }
    // A frame is stored as soon as a code is pending.
    case .pendingCodes: if Self.appeared(reply, since: &pendingDigest) { startFreezeFrame() }
    case .freezeFrame:
      if advanceFreezeFrame(reply) { return }
    case .voltage:
      if reply.failed(.unknownCommand), !isRefusal(.noVoltage) { return }
    case .parameters:
      if reply.failed(.unknownCommand) {
        learn(.noParameterList)
        retested.insert(.noParameterList)
      } else {
        unlearn(.noParameterList)
      }
      learnPause(reply)
    case .vinAgain: if reply.vinCount > 0 { identify(reply) }
    default: break
    }
    finish(job)
  }

  mutating func finish(_ job: Job) {
    jobs &= ~job.bit
    jobTries = 0
    jobNotBefore = 0
  }

  // MARK: Trouble codes

  /// Whether the codes are others than before, so that a freeze frame may be new.
  private static func appeared(_ reply: ReplyObserver, since digest: inout UInt32) -> Bool {
    guard reply.hasCodeList, !reply.isDamaged else { return false }
    defer { digest = reply.codesDigest }
    return reply.codesDigest != digest && reply.codesDigest != 0
  }

  /// Of OBDonUDS none is read: it has no service 02.
  mutating func startFreezeFrame() {
    guard !car.isUDS else { return }
    car.forgetFreezeFrame()
    freezeCursor = FreezeCursor()
    jobs |= Job.freezeFrame.bit
  }

  func freezeRequest() -> ReadRequest? {
    switch freezeCursor.step {
    case .code: return .freezeFrame(0x02)
    case .support: return .freezeFrame(freezeCursor.pid)
    case .parameters:
      var request: ReadRequest?
      var pid = Int(freezeCursor.pid) + 1
      while pid <= 0xFF {
        let candidate = UInt8(truncatingIfNeeded: pid)
        pid += 1
        guard candidate & 0x1F != 0, candidate != 0x02, car.anyFreezes(candidate),
          ReplyObserver.dataLength(UInt16(candidate), .freezeFrame) > 0
        else { continue }
        if request == nil {
          request = .freezeFrame(candidate)
        } else if freezeCursor.isSingle || !bus.isCAN || !request!.add(UInt16(candidate)) {
          break
        }
      }
      return request
    }
  }

  /// - Returns: whether more of the frame is to be asked.
  mutating func advanceFreezeFrame(_ reply: ReplyObserver) -> Bool {
    jobTries = 0
    switch freezeCursor.step {
    case .code:
      // 0000: no frame is stored.
      guard reply.messages > 0, reply.codesDigest != 0 else { return false }
      freezeCursor = FreezeCursor(step: .support, pid: 0)
    case .support:
      for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
      let next = freezeCursor.pid &+ 0x20
      freezeCursor =
        next != 0 && car.anyFreezes(next)
        ? FreezeCursor(step: .support, pid: next) : FreezeCursor(step: .parameters, pid: 0)
    case .parameters:
      guard let asked = freezeRequest() else { return false }
      let isShort = reply.answeredPlaces.nonzeroBitCount < asked.identifierCount
      if asked.identifierCount > 1, isShort, !freezeCursor.isSingle {
        freezeCursor.isSingle = true
        return true
      }
      freezeCursor.pid = UInt8(truncatingIfNeeded: asked.identifier(at: asked.identifierCount - 1))
    }
    return freezeRequest() != nil
  }
}
