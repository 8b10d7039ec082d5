import OBDWire

/// Searches for a vehicle after the adapter was initialized.
extension AdapterSession {
  /// Starts a round of tries to find a vehicle. The first round uses the protocol that the adapter's settings select;
  /// later rounds select one protocol after another.
  mutating func beginSearch() {
    let isByHand =
      searchRounds.count > 0 && configuration.protocolDigit == nil && !memory.quirks.contains(.noProtocolSelection)
    let first = isByHand ? SearchStep.first(round: searchRounds.count, known: memory.protocolDigit) : nil
    enter(.searching(Search(step: first ?? SearchStep(isUDS: power.state != .awake && car.isUDS))))
  }

  func decideSearch(_ step: SearchStep) -> Decision {
    if !step.isSelected, let digit = step.digit {
      return .send(Command(.selectProtocol(digit)), nil, .selectProtocol, limit: Limit.setting)
    }
    let request: ReadRequest = step.isUDS ? .dataIdentifier(0xF400) : .currentData(0x00)
    let isOne = step.digit.map { $0 != UInt8(ascii: "0") } ?? (configuration.protocolDigit != nil)
    return .send(Command(request), request, .search, limit: isOne ? Limit.searchOne : Limit.search)
  }

  mutating func handleSelection(_ reply: ReplyObserver) {
    guard case .searching(var search) = state else { return }
    if reply.failed(.unknownCommand) {
      guard isRefusal(.noProtocolSelection) else { return }
    } else if reply.isOK {
      unlearn(.noProtocolSelection)
    }
    search.mayReadVoltage = false
    search.step.isSelected = true
    settings.selectedProtocol = search.step.digit ?? settings.selectedProtocol
    state = .searching(search)
  }

  mutating func handleSearch(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .searching(var search) = state else { return }
    if reply.supportCount > 0 { return storeFound(reply, search) }
    search.mayReadVoltage = true
    if reply.failed(.unknownCommand) || reply.failed(.stopped), search.tries < 1 {
      search.tries += 1
      state = .searching(search)
      return
    }
    search.tries = 0
    if case .verifying = search.numberTrust {
      search.numberTrust = .distrusted
      state = .searching(search)
      return
    }
    search.firstFailure = search.firstFailure ?? (isTimeout ? .silent : Self.reason(of: reply))
    guard let next = nextStep(after: search.step, reply) else { return endRound(search, at: now) }
    search.step = next
    state = .searching(search)
  }

  /// Returns the attempt that follows `step` in the round; `nil` if `step` was the last one.
  private func nextStep(after step: SearchStep, _ reply: ReplyObserver) -> SearchStep? {
    if reply.negatives > 0, !step.isUDS {
      // An ECU that refuses service 01 may support only OBDonUDS (SAE J1979-2).
      return SearchStep(index: step.index, digit: step.digit, isUDS: true, wasRefused: true)
    }
    // If ECUs refused service 01, the protocol is right, so no other protocol is tried.
    guard !step.wasRefused else { return nil }
    let round = memory.quirks.contains(.noProtocolSelection) ? 0 : searchRounds.count
    return step.next(configured: configuration.protocolDigit, round: round, known: memory.protocolDigit)
  }

  private mutating func endRound(_ search: Search, at now: Int64) {
    if endProbe(at: now) { return }
    searchRounds.count += 1
    reportLoss(search.step.wasRefused ? .refused : search.firstFailure ?? .noData)
    let pause = max(configuration.searchPause - (now - searchRounds.began), Limit.shortestSearchPause)
    enter(.resting(until: now + min(pause, configuration.searchPause), then: .search))
  }

  static func reason(of reply: ReplyObserver) -> LossReason {
    switch reply.lastFailure {
    case .unableToConnect: .unableToConnect
    case .busInit: .busInit
    case .busBusy, .busError: .busError
    case .canError: .canError
    case .adapterError, .bufferFull, .unknownCommand: .adapterError
    case nil: reply.negatives > 0 ? .refused : .noData
    default: .noData
    }
  }

  /// Starts the next round after a pause. Before every eighth round, the adapter is restarted, which also resets
  /// settings that the session does not know.
  mutating func searchAgain(at now: Int64) {
    searchRounds.began = now
    if searchRounds.count % 8 == 0 { beginProbing() } else { beginSearch() }
  }

  private mutating func storeFound(_ reply: ReplyObserver, _ search: Search) {
    // The VIN of the former vehicle is not copied but read again. Otherwise, a vehicle without a VIN would get the VIN
    // of the former vehicle.
    let former = car
    if former.vinCount > 0 { vehicle.named.car = former }
    car = VehicleCapabilities()
    car.isUDS = search.step.isUDS
    for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    plan.forgetPresence(sameOrder: car.sharesOrder(with: former))
    searchRounds.count = 0
    enter(.naming(Naming(isSupportDamaged: reply.isDamaged, numberTrust: search.numberTrust)))
  }
}
