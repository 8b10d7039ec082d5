import OBDWire

/// Decides which command is sent in each state, and passes each reply to the method that handles it.
extension AdapterSession {
  mutating func decide(at now: Int64) -> Decision {
    if state.asksVehicle, pollsVehicle, applyPowerChange(at: now) { return .again }
    switch state {
    case .closed: return .wait(until: Int64.max)
    case .probing: return decideProbe()
    case .initializing(let initialization): return decideSetting(initialization.step)
    case .changingBaud(let change): return decideBaud(change.step)
    case .unsupportedBus(let nextCheck): return decideUnsupportedBus(nextCheck: nextCheck, at: now)
    case .resting(let until, let then):
      guard now >= until else { return decideRest(until: until, then, at: now) }
      switch then {
      case .probe: beginProbing()
      case .search: searchAgain(at: now)
      }
      return .again
    case .searching(let search):
      if let decision = decidePermission(at: now) { return decision }
      return search.mayReadVoltage && isVoltageDue(at: now) ? decideVoltage(at: now) : decideSearch(search.step)
    case .naming: return decidePermission(at: now) ?? decideNaming()
    case .connected(let connection):
      if let decision = decidePermission(at: now) { return decision }
      let earliest = earliestRequest(connection)
      guard now >= earliest else { return .wait(until: earliest) }
      switch connection.phase {
      case .greeting(let firstBase): return decideGreeting(firstBase: firstBase)
      case .discovering(let base, _): return decideDiscovery(base, at: now)
      case .polling: return decidePolling(connection, at: now)
      }
    }
  }

  /// Checks whether requests to the vehicle are allowed now.
  ///
  /// - Returns: `nil` if they are allowed. Otherwise, a decision that replaces the request, or a command that must be
  ///   sent before it.
  private mutating func decidePermission(at now: Int64) -> Decision? {
    guard pollsVehicle, !power.isAsleep else { return decideQuiet(at: now) }
    return endQuiet()
  }

  /// Decides what to do during a pause between two tries to find the vehicle: read the adapter's voltage, or wait. The
  /// voltage shows whether another try is useful.
  private mutating func decideRest(until: Int64, _ then: AfterRest, at now: Int64) -> Decision {
    guard then == .search, !memory.quirks.contains(.noVoltage) else { return .wait(until: until) }
    guard now >= nextVoltage else { return .wait(until: min(until, nextVoltage)) }
    return decideVoltage(at: now)
  }

  private func isVoltageDue(at now: Int64) -> Bool { now >= nextVoltage && !memory.quirks.contains(.noVoltage) }

  /// Decides what to do while the vehicle's bus is not supported. Only the adapter is queried: for its voltage, and for
  /// the number of the protocol, which may have changed.
  private mutating func decideUnsupportedBus(nextCheck: Int64, at now: Int64) -> Decision {
    if now >= nextCheck {
      state = .unsupportedBus(nextCheck: now + configuration.codesPeriod)
      return decideNaming()
    }
    let decision = decideVoltage(at: now)
    if case .wait(let until) = decision { return .wait(until: min(until, nextCheck)) }
    return decision
  }

  /// Decides what to do while only the adapter's voltage is read: read it if it is due, or wait until then.
  mutating func decideVoltage(at now: Int64) -> Decision {
    guard !memory.quirks.contains(.noVoltage) else { return .wait(until: probeTime) }
    guard now >= nextVoltage else { return .wait(until: min(nextVoltage, probeTime)) }
    if case .searching(var search) = state {
      search.mayReadVoltage = false
      state = .searching(search)
    }
    nextVoltage = now + (power.isAsleep ? configuration.power.asleepPeriod : configuration.voltagePeriod)
    return .send(Command(.voltage), nil, .job(.voltage), limit: Limit.setting)
  }

  /// Handles the reply to a command, or a missing reply.
  ///
  /// - Parameter isTimeout: whether no reply was read within the time limit; `reply` is then empty.
  mutating func handle(_ reply: ReplyObserver, _ purpose: Purpose, isTimeout: Bool, at now: Int64) {
    observePower(reply, purpose, isTimeout: isTimeout, at: now)
    switch purpose {
    case .baud(let step): handleBaud(step, reply, isTimeout: isTimeout, at: now)
    case .quiet(let step): handleQuiet(step, reply, isTimeout: isTimeout, at: now)
    case .reset: handleReset(reply, at: now)
    case .setting(let step): handleSetting(step, reply, isTimeout: isTimeout, at: now)
    case .selectProtocol: handleSelection(reply)
    case .search: handleSearch(reply, isTimeout: isTimeout, at: now)
    case .protocolNumber: handleProtocolNumber(reply, isTimeout: isTimeout, at: now)
    case .greeting: countSilence(reply, isAlive: reply.messages > 0, at: now)
    case .support: handleSupport(reply, at: now)
    case .poll(let index, let suffix): handlePoll(index, suffix: suffix, reply, at: now)
    case .arbitration: handleArbitration(reply, at: now)
    case .presenceCheck: handlePresenceCheck(reply, isTimeout: isTimeout, at: now)
    case .job(let job): handleJob(job, reply, at: now)
    case .wait(let steps): handleWait(steps, reply)
    case .address: handleAddress(reply, isTimeout: isTimeout, at: now)
    case .clearing(let step): handleClearing(step, reply, at: now)
    }
  }
}
