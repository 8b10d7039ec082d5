import OBDWire

/// What each stage sends, and who takes the reply.
extension AdapterSession {
  mutating func decide(at now: Int64) -> Decision {
    if stage.asksVehicle, pollsVehicle, followPower(at: now) { return .again }
    switch stage {
    case .closed: return .wait(until: Int64.max)
    case .probing: return decideProbe()
    case .initialising(let step): return decideSetting(step)
    case .changingBaud(let step): return decideBaud(step)
    case .resting(let until, let then):
      guard now >= until else { return decideResting(until: until, then, at: now) }
      switch then {
      case .probe: beginProbing()
      case .search: searchAgain(at: now)
      }
      return .again
    case .idle: return decideIdle(at: now)
    case .searching, .naming, .greeting, .discovering, .running:
      guard pollsVehicle, !power.isAsleep else { return decideQuiet(at: now) }
      if let decision = endQuiet() { return decision }
      if case .searching = stage, isBetweenTries, isVoltageDue(at: now) { return decideVoltage(at: now) }
      if case .searching = stage {
      } else if case .naming = stage {
      } else if now < earliestRequest {
        return .wait(until: earliestRequest)
      }
      return decideVehicle(at: now)
    }
  }

  private mutating func decideVehicle(at now: Int64) -> Decision {
    switch stage {
    case .searching(let step): decideSearch(step, at: now)
    case .naming: decideNaming()
    case .greeting: decideGreeting()
    case .discovering(let base): decideDiscovery(base, at: now)
    default: decidePolling(at: now)
    }
  }

  /// Between two tries to find the vehicle the voltage is read on: it tells whether the next one is worth while.
  private mutating func decideResting(until: Int64, _ then: AfterRest, at now: Int64) -> Decision {
    guard then == .search, !memory.quirks.contains(.noVoltage) else { return .wait(until: until) }
    guard now >= nextVoltage else { return .wait(until: min(until, nextVoltage)) }
    return decideVoltage(at: now)
  }

  private func isVoltageDue(at now: Int64) -> Bool { now >= nextVoltage && !memory.quirks.contains(.noVoltage) }

  /// On a bus that is not polled only the adapter is asked: its voltage, and whether the bus is still the same.
  private mutating func decideIdle(at now: Int64) -> Decision {
    if now >= nextCodes {
      nextCodes = now + configuration.codesPeriod
      return decideNaming()
    }
    let decision = decideVoltage(at: now)
    if case .wait(let until) = decision { return .wait(until: min(until, nextCodes)) }
    return decision
  }

  /// Nothing but the adapter's own voltage.
  mutating func decideVoltage(at now: Int64) -> Decision {
    guard !memory.quirks.contains(.noVoltage) else { return .wait(until: probeTime) }
    guard now >= nextVoltage else { return .wait(until: min(nextVoltage, probeTime)) }
    isBetweenTries = false
    nextVoltage = now + (power.isAsleep ? configuration.power.asleepPeriod : configuration.voltagePeriod)
    return .send(Command(.voltage), nil, .job(.voltage), limit: Limit.setting)
  }

  mutating func handle(_ reply: ReplyObserver, _ purpose: Purpose, isTimeout: Bool, at now: Int64) {
    observePower(reply, purpose, isTimeout: isTimeout, at: now)
    switch purpose {
    case .none, .resynchronise: break
    case .baud(let step): handleBaud(step, reply, isTimeout: isTimeout, at: now)
    case .quiet(let step): handleQuiet(step, reply, isTimeout: isTimeout, at: now)
    case .reset: handleReset(reply, at: now)
    case .setting(let step): handleSetting(step, reply, isTimeout: isTimeout, at: now)
    case .selectProtocol: handleSelection(reply, at: now)
    case .search: handleSearch(reply, isTimeout: isTimeout, at: now)
    case .protocolNumber: handleProtocolNumber(reply, isTimeout: isTimeout, at: now)
    case .greeting: countSilence(reply, isAlive: reply.messages > 0, at: now)
    case .support: handleSupport(reply, at: now)
    case .poll(let index, let suffix): handlePoll(index, suffix: suffix, reply, at: now)
    case .arbitration: handleArbitration(reply, at: now)
    case .rollCall: handleRollCall(reply, isTimeout: isTimeout, at: now)
    case .job(let job): handleJob(job, reply, at: now)
    case .wait(let steps): handleWait(steps, reply)
    case .address: handleAddress(reply, isTimeout: isTimeout, at: now)
    case .clearing(let step): handleClearing(step, reply, at: now)
    }
  }
}
