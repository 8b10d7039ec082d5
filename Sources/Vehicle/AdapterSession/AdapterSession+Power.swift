import OBDWire

/// Commands that stop the adapter's own traffic on the bus, so that the vehicle can sleep, and commands that undo this.
enum QuietStep: BitwiseCopyable, Equatable {
  /// Sends ATPC (`closeProtocol`) or, if ATPC is refused, ATSW00 (`stopWakeups`). Without this command, the adapter's
  /// wake-up messages would keep a vehicle with a K-line awake.
  case closeProtocol, stopWakeups
  /// Sends ATSW92: one wake-up message every 3 s, the default of the data sheet.
  case restoreWakeups
  /// Sends ATLP, which starts the adapter's low-power mode (`lowPower`), or ATI, whose first character ends this mode
  /// (`wakeAdapter`).
  case lowPower, wakeAdapter
}

/// Stops all requests when the vehicle is parked, and resumes them later.
extension AdapterSession {
  /// Whether the session takes the vehicle to be asleep. Nothing is then sent on its bus.
  public var isAsleep: Bool { power.isAsleep }

  /// Requests one probe of a sleeping vehicle, for example because the GNSS receiver is moving. Has no effect if the
  /// vehicle is awake.
  public mutating func wake() { power.request() }

  // MARK: Observations

  /// Stores what a reply shows about the voltage, the motion and the presence of the vehicle.
  mutating func observePower(_ reply: ReplyObserver, _ purpose: Purpose, isTimeout: Bool, at now: Int64) {
    if purpose.asksVoltage || reply.voltage != nil { power.voltage(reply.voltage, at: now) }
    if memory.measuresVoltage != power.gauge.hasMoved {
      memory.measuresVoltage = power.gauge.hasMoved
      events.append(.memoryChanged)
    }
    guard purpose.asksVehicle, !isTimeout else { return }
    guard reply.messages > 0 || reply.negatives > 0 else {
      power.activity.unanswered(at: now)
      return
    }
    if let reason = power.answered() { wakeUp(reason, at: now) }
    if vehicle.swapDetector.hasJumped(reply.slowValues, at: now) { connection?.jobs.insert(Job.vinAgain.bit) }
    if let speed = reply.motion.speed { power.activity.speed(speed, at: now) }
    if let speed = reply.motion.engineSpeed { power.activity.engineSpeed(speed, at: now) }
    if let code = reply.fuelType { power.activity.fuelType(code) }
    guard let volts = reply.controlModuleVoltage else { return }
    power.controlModule(volts, at: now)
    memory.voltageOffset = power.gauge.offset
  }

  /// Determines whether the vehicle may drive with its engine off. This is so if its ECUs support signals of hybrid
  /// vehicles (PIDs 5B and 9A), or do not support the engine speed (PID 0C).
  mutating func learnDrive() {
    power.activity.mayDriveElectrically =
      car.ecus(supporting: 0x5B) | car.ecus(supporting: 0x9A) != 0 || car.ecus(supporting: 0x0C) == 0
  }

  // MARK: Changes

  /// Applies a change that the power watch returns: stops the requests, or starts a probe.
  ///
  /// - Returns: whether something changed.
  mutating func applyPowerChange(at now: Int64) -> Bool {
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
    // Forget the last loss, so that the next loss is reported.
    history.lastLoss = nil
    enterStandby(at: now)
    events.append(.sleeping(reason))
  }

  /// Prepares a single attempt to find the vehicle, which is made as soon as a probe is allowed.
  private mutating func enterStandby(at now: Int64) {
    enter(.searching(Search(step: SearchStep(isUDS: car.isUDS))))
    searchRounds.count = 0
    nextVoltage = now + configuration.power.asleepPeriod
  }

  private mutating func probeVehicle() {
    guard settings.addressing.isFunctional else { return beginProbing() }
    // The adapter may still be set to the protocol that an earlier round tried last.
    let known = memory.protocolDigit
    let selected = settings.selectedProtocol
    let isAsWanted = selected == UInt8(ascii: "0") || known != 0 && selected == known
    guard !isAsWanted, configuration.protocolDigit == nil, !memory.quirks.contains(.noProtocolSelection) else { return }
    let digit = car.isUDS && known != 0 ? known : UInt8(ascii: "0")
    enter(.searching(Search(step: SearchStep(digit: digit, isSelected: false, isUDS: car.isUDS))))
  }

  private mutating func wakeUp(_ reason: AwakeReason, at now: Int64) {
    power.restart(at: now)
    nextVoltage = now + configuration.voltagePeriod
    events.append(.awake(reason))
  }

  /// Ends a probe that found no vehicle. The vehicle is still taken to be asleep, and no event is reported.
  ///
  /// - Returns: `false` if the current search is not a probe; nothing is changed then.
  mutating func endProbe(at now: Int64) -> Bool {
    guard power.isProbing else { return false }
    power.probeFailed(at: now)
    enterStandby(at: now)
    return true
  }

  // MARK: Quiet

  /// Decides the next command for a sleeping vehicle: first the commands that disable the adapter's own traffic, then
  /// only readings of the voltage.
  mutating func decideQuiet(at now: Int64) -> Decision {
    if settings.busActivity == .lowPower {
      let until = min(nextVoltage, probeTime)
      guard now >= until else { return .wait(until: until) }
      return .send(Command(.identify), nil, .quiet(.wakeAdapter), limit: Limit.reset)
    }
    let isActive = settings.busActivity == .active || settings.busActivity == .wakeupsUnknown
    if vehicle.isKLine, isActive {
      let isRefused = memory.quirks.contains(.noProtocolClose)
      let command: AdapterCommand = isRefused ? .wakeup(0) : .closeProtocol
      return .send(Command(command), nil, .quiet(isRefused ? .stopWakeups : .closeProtocol), limit: Limit.setting)
    }
    if usesLowPower { return .send(Command(.lowPower), nil, .quiet(.lowPower), limit: Limit.setting) }
    return decideVoltage(at: now)
  }

  /// Time of the next probe, unless an event causes an earlier one; `Int64.max` for never.
  var probeTime: Int64 { pollsVehicle ? power.deadline : Int64.max }

  /// Whether to use the adapter's low-power mode. It ends only when the adapter receives a character that lasts at
  /// least 128 µs. Therefore, the mode is not used above 57,600 baud (data sheet, Power Control).
  private var usesLowPower: Bool {
    power.isAsleep && configuration.power.usesLowPower && (port.baud ?? 0) <= 57600
      && !memory.quirks.contains(.noLowPower)
  }

  /// Undoes the settings that ``decideQuiet(at:)`` made for a sleeping vehicle.
  ///
  /// - Returns: the command to send before the next request to the vehicle; `nil` if none is needed.
  mutating func endQuiet() -> Decision? {
    switch settings.busActivity {
    case .lowPower: return .send(Command(.identify), nil, .quiet(.wakeAdapter), limit: Limit.reset)
    case .wakeupsStopped, .wakeupsUnknown:
      settings.busActivity = .wakeupsUnknown
      return .send(
        Command(.wakeup(AdapterSettings.usualWakeup)), nil, .quiet(.restoreWakeups), limit: Limit.setting)
    case .active, .protocolClosed:
      settings.busActivity = .active
      return nil
    }
  }

  mutating func handleQuiet(_ step: QuietStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    let isRefused = reply.failed(.unknownCommand)
    switch step {
    case .closeProtocol:
      if isRefused {
        _ = isRefusal(.noProtocolClose)
      } else if !isTimeout {
        settings.busActivity = settings.busActivity == .wakeupsUnknown ? .wakeupsStopped : .protocolClosed
      }
    case .stopWakeups:
      // If ATSW00 is refused, too, no other command can stop the wake-up messages.
      settings.busActivity = isTimeout ? .wakeupsUnknown : isRefused ? .protocolClosed : .wakeupsStopped
    case .restoreWakeups: settings.busActivity = .active
    case .lowPower:
      if isRefused { _ = isRefusal(.noLowPower) } else { enterLowPower(at: now) }
    case .wakeAdapter:
      // The first character of ATI woke the adapter, which then restarts and sends its banner. Replies to the other
      // characters are discarded.
      beginInitializing()
      dialogue.drain(at: now)
      if !reply.hasBanner { beginProbing() }
    }
  }

  /// Remembers that the adapter is now in low-power mode. This is called after the `OK` to ATLP, which some adapters
  /// send without a prompt.
  mutating func enterLowPower(at now: Int64) {
    settings.busActivity = .lowPower
    nextVoltage = now + max(configuration.power.asleepPeriod, Limit.lowPower)
  }

  /// Handles a failed attempt to end the low-power mode: learns that no character wakes this adapter, so that ATLP is
  /// not used again.
  mutating func handleFailedWake() {
    learn(.noLowPower)
    beginProbing()
  }
}
