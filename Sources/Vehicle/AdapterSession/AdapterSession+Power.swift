import OBDWire

/// What the adapter is told when the vehicle is left alone, and when it is asked again.
enum QuietStep: BitwiseCopyable, Equatable {
  /// ATPC, or where that is refused ATSW00: on a K-line the adapter would keep the vehicle awake by itself.
  case closeProtocol, stopWakeups
  /// ATSW92, the data sheet's default: wakeups as they were.
  case restoreWakeups
  /// ATLP, and the character that ends it.
  case lowPower, wakeAdapter
}

/// The vehicle left alone, and woken.
extension AdapterSession {
  /// The vehicle is left alone: nothing reaches the bus.
  public var isAsleep: Bool { power.isAsleep }

  /// Asks a sleeping vehicle once, though nothing speaks for it: a receiver that moves may. No effect while awake.
  public mutating func wake() { power.request() }

  // MARK: What is learned

  /// Hands on what a reply tells of voltage, motion and life.
  mutating func observePower(_ reply: ReplyObserver, _ purpose: Purpose, isTimeout: Bool, at now: Int64) {
    if purpose.asksVoltage || reply.voltage != nil { power.voltage(reply.voltage, at: now) }
    if memory.measuresVoltage != power.gauge.hasMoved {
      memory.measuresVoltage = power.gauge.hasMoved
      events.append(.memoryChanged)
    }
    guard purpose.asksVehicle, !isTimeout else { return }
    guard reply.messages > 0 || reply.negatives > 0 else {
      power.signs.unanswered(at: now)
      return
    }
    if let reason = power.answered() { wakeUp(reason, at: now) }
    if steadiness.hasJumped(reply.steadyValues, at: now), isConnected { jobs |= Job.vinAgain.bit }
    if let speed = reply.motion.speed { power.signs.speed(speed, at: now) }
    if let speed = reply.motion.engineSpeed { power.signs.engineSpeed(speed, at: now) }
    if let code = reply.fuelType { power.signs.fuelType(code) }
    guard let volts = reply.controlModuleVoltage else { return }
    power.controlModule(volts, at: now)
    memory.voltageOffset = power.gauge.offset
  }

  /// What the ECUs support says whether the engine may stand while the vehicle drives: hybrid signals (PIDs 5B and 9A), or
  /// no engine speed at all.
  mutating func learnDrive() {
    power.signs.mayDriveElectrically =
      car.ecus(supporting: 0x5B) | car.ecus(supporting: 0x9A) != 0 || car.ecus(supporting: 0x0C) == 0
  }

  // MARK: What changes

  /// - Returns: whether something changed.
  mutating func followPower(at now: Int64) -> Bool {
    if isPollingResumed {
      isPollingResumed = false
      if power.isAsleep { power.request() } else { power.restart(at: now) }
    }
    switch power.decide(at: now) {
    case nil: return false
    case .sleep(let reason)?: fallAsleep(reason, at: now)
    case .probe?: probeVehicle()
    }
    return true
  }

  private mutating func fallAsleep(_ reason: SleepReason, at now: Int64) {
    if clearing != nil { refuseClearing(.notConnected) }
    jobs = 0
    isConnected = false
    // An adapter that is lost from here on is news again.
    lastLoss = nil
    standBy(at: now)
    events.append(.sleeping(reason))
  }

  /// Ready to look for the vehicle when that is allowed. No round of all protocols then: one try.
  private mutating func standBy(at now: Int64) {
    stage = .searching(SearchStep(isUDS: car.isUDS))
    searchRound = 0
    tries = 0
    nextVoltage = now + configuration.power.asleepPeriod
  }

  private mutating func probeVehicle() {
    lastFailure = nil
    silentReplies = 0
    if address >= 0 || addressChange != nil { return beginProbing() }
    // Rounds by hand may have left any protocol set.
    let known = memory.protocolDigit
    let isAsWanted = selectedDigit == UInt8(ascii: "0") || known != 0 && selectedDigit == known
    guard !isAsWanted, configuration.protocolDigit == nil, !memory.quirks.contains(.noProtocolSelection) else { return }
    let digit = car.isUDS && known != 0 ? known : UInt8(ascii: "0")
    stage = .searching(SearchStep(digit: digit, isSelected: false, isUDS: car.isUDS))
  }

  private mutating func wakeUp(_ reason: AwakeReason, at now: Int64) {
    power.restart(at: now)
    nextVoltage = now + configuration.voltagePeriod
    events.append(.awake(reason))
  }

  /// The search found nothing.
  ///
  /// - Returns: whether it was a probe: then the vehicle sleeps on, and nobody is told.
  mutating func endProbe(at now: Int64) -> Bool {
    guard power.isProbing else { return false }
    power.probeFailed(at: now)
    standBy(at: now)
    return true
  }

  // MARK: Quiet

  /// The vehicle is left alone: what would keep it awake is switched off, then only the voltage is read.
  mutating func decideQuiet(at now: Int64) -> Decision {
    if isInLowPower {
      let until = min(nextVoltage, probeTime)
      guard now >= until else { return .wait(until: until) }
      return .send(Command(.identify), nil, .quiet(.wakeAdapter), limit: Limit.reset)
    }
    if isKLine, !isProtocolClosed {
      let isRefused = memory.quirks.contains(.noProtocolClose)
      let command: AdapterCommand = isRefused ? .wakeup(0) : .closeProtocol
      return .send(Command(command), nil, .quiet(isRefused ? .stopWakeups : .closeProtocol), limit: Limit.setting)
    }
    if usesLowPower { return .send(Command(.lowPower), nil, .quiet(.lowPower), limit: Limit.setting) }
    return decideVoltage(at: now)
  }

  /// When the vehicle may be asked without anything else happening.
  var probeTime: Int64 { pollsVehicle ? power.deadline : Int64.max }

  /// A character wakes a sleeping adapter only where it is long enough: 128 µs (data sheet, Power Control).
  private var usesLowPower: Bool {
    power.isAsleep && configuration.power.usesLowPower && linkBaud <= 57600 && !memory.quirks.contains(.noLowPower)
  }

  /// Before the vehicle is asked again; nil: nothing stands in the way.
  mutating func endQuiet() -> Decision? {
    if isInLowPower { return .send(Command(.identify), nil, .quiet(.wakeAdapter), limit: Limit.reset) }
    isProtocolClosed = false
    guard areWakeupsStopped else { return nil }
    return .send(Command(.wakeup(Self.usualWakeup)), nil, .quiet(.restoreWakeups), limit: Limit.setting)
  }

  mutating func handleQuiet(_ step: QuietStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    let isRefused = reply.failed(.unknownCommand)
    switch step {
    case .closeProtocol:
      if isRefused { _ = isRefusal(.noProtocolClose) } else if !isTimeout { isProtocolClosed = true }
    case .stopWakeups:
      // Refused as well: there is no other way.
      if !isTimeout { isProtocolClosed = true }
      areWakeupsStopped = !isRefused
    case .restoreWakeups: areWakeupsStopped = false
    case .lowPower:
      if isRefused { _ = isRefusal(.noLowPower) } else { enterLowPower(at: now) }
    case .wakeAdapter:
      // Its banner tells that it started anew. Whatever it made of the command's other characters passes by.
      isInLowPower = false
      beginInitialising()
      settle(at: now)
      if !reply.hasBanner { beginProbing() }
    }
  }

  /// ATLP is answered by OK, at some adapters without a prompt.
  mutating func enterLowPower(at now: Int64) {
    isInLowPower = true
    nextVoltage = now + max(configuration.power.asleepPeriod, Limit.lowPower)
  }

  /// No character wakes it: ATLP is not for this one.
  mutating func wakingFailed() {
    isInLowPower = false
    learn(.noLowPower)
    beginProbing()
  }
}

extension Purpose {
  /// Its reply says whether the vehicle lives.
  var asksVehicle: Bool {
    switch self {
    case .search, .greeting, .support, .poll, .arbitration, .rollCall, .clearing: true
    case .job(let job): !job.isForAdapter
    default: false
    }
  }

  /// Its reply is the adapter's voltage, or should be.
  var asksVoltage: Bool { self == .job(.voltage) || self == .setting(.voltage) }
}
