import OBDWire

/// The requests that are made once or at long intervals: identity of the vehicle, trouble codes, voltage of the
/// adapter.
extension AdapterSession {
  /// Maximum number of times that one request is sent if the ECU is busy or its answer is pending.
  private static let pendingTriesLimit = 6
  /// Maximum number of times that one request is sent if every answer is damaged.
  private static let damagedTriesLimit = 3

  mutating func decideJob(_ job: Job, at now: Int64) -> Decision {
    guard let request = request(of: job) else {
      if job.isForAdapter {
        connection?.jobs.isTurn = false
        return .send(Command(job == .voltage ? .voltage : .listParameters), nil, .job(job), limit: Limit.setting)
      }
      // The ECUs reported that they do not support this job's PID or information type.
      if job == .vin { handleMissingVIN() }
      connection?.jobs.finish(job)
      return .again
    }
    // An ECU may take 5 s to compute a calibration verification number, and sends 0x78 meanwhile (SAE J1979, 6.9.5).
    let isSlow = job == .calibrationVerification
    if let change = changeWait(to: isSlow ? AdapterSettings.longestWait : baseWait) { return change }
    connection?.jobs.isTurn = false
    return .send(Command(request), request, .job(job), limit: isSlow ? Limit.slowAnswer : pollLimit)
  }

  /// Returns the request for a job. Returns `nil` if the job is for the adapter, or if no ECU supports the requested
  /// data.
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
    if delayJob(reply, at: now) { return }
    switch job {
    case .informationSupport:
      for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    case .vin: identify(reply)
    case .vinAgain: if reply.vinCount > 0 { identify(reply) }
    case .storedCodes: if Self.hasNewCodes(reply, since: &vehicle.storedCodes) { startFreezeFrame() }
    // When a code becomes pending, the ECU already stores a freeze frame.
    case .pendingCodes: if Self.hasNewCodes(reply, since: &vehicle.pendingCodes) { startFreezeFrame() }
    case .freezeFrame:
      if advanceFreezeFrame(reply) { return }
    case .voltage:
      if reply.failed(.unknownCommand), !isRefusal(.noVoltage) { return }
    case .parameters:
      if reply.failed(.unknownCommand) {
        learn(.noParameterList)
        port.confirmedQuirks.insert(.noParameterList)
      } else {
        unlearn(.noParameterList)
      }
      learnPause(reply)
    case .permanentCodes, .calibrationID, .calibrationVerification, .ecuName, .engineSpeed, .speed: break
    }
    connection?.jobs.finish(job)
  }

  /// Postpones a job whose answer is pending or damaged, so that its request is sent again.
  ///
  /// - Returns: whether the job was postponed.
  private mutating func delayJob(_ reply: ReplyObserver, at now: Int64) -> Bool {
    guard let tries = connection?.jobs.tries else { return false }
    let isBusy = reply.isPending || reply.messages == 0 && reply.negativeCode == 0x21
    if isBusy, tries + 1 < Self.pendingTriesLimit {
      connection?.jobs.notBefore = now + (reply.isPending ? 1000 : 200) * Limit.millisecond
    } else if !reply.isDamaged || reply.messages > 0 || tries + 1 >= Self.damagedTriesLimit {
      return false
    }
    connection?.jobs.tries += 1
    return true
  }

  // MARK: Trouble codes

  /// Whether a reply has trouble codes that differ from those read before. If so, there may be a new freeze frame.
  private static func hasNewCodes(_ reply: ReplyObserver, since hash: inout UInt32) -> Bool {
    guard reply.hasCodeList, !reply.isDamaged else { return false }
    defer { hash = reply.codesDigest }
    return reply.codesDigest != hash && reply.codesDigest != 0
  }
}
