import OBDWire

/// From a ready adapter to a vehicle that answers.
extension AdapterSession {
  /// Starts a round of tries: the first on the protocol that is set, the others by hand.
  mutating func beginSearch() {
    let isByHand =
      searchRound > 0 && configuration.protocolDigit == nil && !memory.quirks.contains(.noProtocolSelection)
    let first = isByHand ? SearchStep.first(round: searchRound, known: memory.protocolDigit) : nil
    stage = .searching(first ?? SearchStep(isUDS: power.state != .awake && car.isUDS))
    tries = 0
    silentReplies = 0
    lastFailure = nil
  }

  func decideSearch(_ step: SearchStep, at now: Int64) -> Decision {
    if !step.isSelected, let digit = step.digit {
      return .send(Command(.selectProtocol(digit)), nil, .selectProtocol, limit: Limit.setting)
    }
    let request: ReadRequest = step.isUDS ? .dataIdentifier(0xF400) : .currentData(0x00)
    let isOne = step.digit.map { $0 != UInt8(ascii: "0") } ?? (configuration.protocolDigit != nil)
    return .send(Command(request), request, .search, limit: isOne ? Limit.searchOne : Limit.search)
  }

  mutating func handleSelection(_ reply: ReplyObserver, at now: Int64) {
    guard case .searching(var step) = stage else { return }
    if reply.failed(.unknownCommand) {
      guard isRefusal(.noProtocolSelection) else { return }
    } else if reply.isOK {
      unlearn(.noProtocolSelection)
    }
    isBetweenTries = false
    step.isSelected = true
    selectedDigit = step.digit ?? selectedDigit
    stage = .searching(step)
  }

  mutating func handleSearch(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .searching(let step) = stage else { return }
    isBetweenTries = true
    if reply.supportCount > 0 {
      found(reply, isUDS: step.isUDS)
      return
    }
    if reply.failed(.unknownCommand) || reply.failed(.stopped), tries < 1 {
      tries += 1
      return
    }
    tries = 0
    if searchedKind != nil {
      searchedKind = nil
      distrustsNumber = true
      return
    }
    noteFailure(reply, isTimeout: isTimeout)
    if reply.negatives > 0, !step.isUDS {
      // Someone is there and refuses service 01: it may speak OBDonUDS alone (SAE J1979-2).
      stage = .searching(SearchStep(index: step.index, digit: step.digit, isUDS: true, wasRefused: true))
      return
    }
    let round = memory.quirks.contains(.noProtocolSelection) ? 0 : searchRound
    if let next = step.next(configured: configuration.protocolDigit, round: round, known: memory.protocolDigit) {
      // Behind a refusal no other protocol is tried: this one is right.
      if !step.wasRefused {
        stage = .searching(next)
        return
      }
    }
    if endProbe(at: now) { return }
    searchRound += 1
    lose(step.wasRefused ? .refused : lastFailure ?? .noData)
    let pause = max(configuration.searchPause - (now - searchBegan), Limit.shortestSearchPause)
    stage = .resting(until: now + min(pause, configuration.searchPause), then: .search)
  }

  /// Remembers what the first try of a round failed of: that is the vehicle's own protocol, or the adapter's search.
  private mutating func noteFailure(_ reply: ReplyObserver, isTimeout: Bool) {
    guard lastFailure == nil else { return }
    lastFailure = isTimeout ? .silent : Self.reason(of: reply)
  }

  static func reason(of reply: ReplyObserver) -> LossReason {
    switch reply.lastFailure {
    case .unableToConnect: .unableToConnect
    case .busInit: .busInit
    case .busBusy, .busError: .busError
    case .canError: .canError
    case .adapterError, .bufferFull, .unknownCommand: .adapterError
    case nil where reply.negatives > 0: .refused
    default: .noData
    }
  }

  /// After a pause. Now and again the adapter starts anew: whatever was set and forgotten is gone then.
  mutating func searchAgain(at now: Int64) {
    searchBegan = now
    if searchRound % 8 == 0 { beginProbing() } else { beginSearch() }
  }

  private mutating func found(_ reply: ReplyObserver, isUDS: Bool) {
    // Its VIN is read anew: a vehicle without one would else go by that of the one before.
    let former = car
    if former.vinCount > 0 { named.car = former }
    car = CarKnowledge()
    car.isUDS = isUDS
    for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    plan.forgetPresence(sameOrder: car.sharesOrder(with: former))
    isSupportDamaged = reply.isDamaged
    searchRound = 0
    stage = .naming
    tries = 0
  }

  // MARK: Which protocol

  func decideNaming() -> Decision {
    .send(Command(.protocolNumber), nil, .protocolNumber, limit: Limit.setting)
  }

  mutating func handleProtocolNumber(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    if isTimeout, tries < 1 {
      tries += 1
      return
    }
    var digit: UInt8 = 0
    // `A6`: the letter says that it was found automatically; `A` alone is J1939, and so is `AA`.
    if reply.textCount > 0 { digit = reply.text[reply.textCount - 1] }
    let isNamed = digit > UInt8(ascii: "0") && digit <= UInt8(ascii: "9")
    if digit == UInt8(ascii: "A"), reply.textCount <= 2 {
      suspectJ1939()
      return
    }
    if stage == .idle {
      // Another vehicle, or a damaged character when J1939 was told.
      beginSearch()
      return
    }
    // Once may be a damaged character.
    if !isNamed, tries < 1 {
      tries += 1
      return
    }
    if isNamed { unlearn(.noProtocolNumber) } else { learn(.noProtocolNumber) }
    bus = isNamed ? BusProtocol(elmDigit: digit) : busByAddress
    let kind = car.address(of: 0).kind
    if kind != .unknown, bus.addressKind != kind {
      guard distrustsNumber else { return searchByNumber() }
      bus = busByAddress
    }
    searchedKind = nil
    protocolDigit = isNamed ? digit : UInt8(ascii: "0")
    if isNamed { memory.protocolDigit = digit }
    connect(at: now)
  }

  /// Who answered has no address of the bus that the adapter names: one of both is wrong, and the vehicle is asked again.
  private mutating func searchByNumber() {
    searchedKind = bus.addressKind
    stage = .searching(SearchStep(isUDS: car.isUDS))
    tries = 0
  }

  /// Told twice, it is believed.
  private mutating func suspectJ1939() {
    guard stage != .idle else { return }
    tries += 1
    guard tries >= 2 else { return }
    stage = .idle
    protocolDigit = UInt8(ascii: "A")
    events.append(.notPolledJ1939)
  }

  /// What the ECUs' addresses tell of the bus, where the adapter does not; the most careful of the legacy ones.
  private var busByAddress: BusProtocol {
    switch car.address(of: 0).kind {
    case .can11: .can11
    case .can29: .can29
    case .legacy: .iso9141
    case .unknown: .auto
    }
  }

  private mutating func connect(at now: Int64) {
    isConnected = true
    distrustsNumber = false
    connectedAt = now
    rollCall = nil
    lastLoss = nil
    // Frames have shown their headers: from now on a line without one is damaged.
    reader.state(.auto, headers: car.address(of: 0) == .unknown ? .auto : .on)
    events.append(wasConnected ? .recovered(protocolDigit: protocolDigit) : .connected(protocolDigit: protocolDigit))
    wasConnected = true
    silentReplies = 0
    discoveriesLeft = Self.discoveriesLimit
    isPlanOutdated = true
    jobs = Job.identification | Job.codes
    jobTries = 0
    jobNotBefore = 0
    isJobsTurn = false
    nextCodes = now + configuration.codesPeriod
    // An adapter that started anew may be another one, or have other parameters.
    keepsPause = false
    if isKLine, !memory.quirks.contains(.breaksPause), !isKnownToRefuse(.noParameterList) {
      jobs |= Job.parameters.bit
    }
    baseWait = waitForECUs
    stage = .greeting
  }

  /// The first readings: what needs no scaling that another PID tells.
  mutating func decideGreeting() -> Decision {
    stage = .discovering(base: isSupportDamaged ? 0x00 : 0x20)
    let candidates: InlineArray<6, UInt8> = [0x0C, 0x0D, 0x05, 0x04, 0x11, 0x0F]
    var request: ReadRequest?
    let carries = bus.isCAN && !memory.quirks.contains(.noMultiPID) ? plan.identifierLimit : 1
    for i in 0..<6 {
      let pid = candidates[i]
      guard car.ecus(supporting: pid) != 0, wishes.period(of: pid) != PollWishes.never else { continue }
      let identifier = car.isUDS ? 0xF400 | UInt16(pid) : UInt16(pid)
      if request == nil {
        request = .one(car.isUDS ? .dataIdentifier : .currentData, identifier)
      } else if request!.identifierCount < carries {
        _ = request!.add(identifier)
      }
    }
    guard let request else { return .again }
    return .send(Command(request), request, .greeting, limit: pollLimit)
  }

  /// How long a reply of the vehicle may take.
  var pollLimit: Int64 {
    if wait == Self.longestWait { return Limit.slowAnswer }
    return bus.isCAN || bus == .auto ? Limit.poll : Limit.pollKLine
  }

  // MARK: Supported PIDs

  mutating func decideDiscovery(_ base: UInt8, at now: Int64) -> Decision {
    guard base == 0 || car.ecus(supporting: base) != 0 else {
      finishDiscovery(at: now)
      return .again
    }
    let request: ReadRequest = car.isUDS ? .dataIdentifier(0xF400 | UInt16(base)) : .currentData(base)
    return .send(Command(request), request, .support, limit: pollLimit)
  }

  mutating func handleSupport(_ reply: ReplyObserver, at now: Int64) {
    guard case .discovering(let base) = stage else { return }
    for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    // A damaged line may have been one ECU's whole answer.
    if reply.supportCount == 0 || reply.isDamaged, tries < 2 {
      tries += 1
      return
    }
    tries = 0
    if base < 0xE0 { stage = .discovering(base: base + 0x20) } else { finishDiscovery(at: now) }
  }

  private mutating func finishDiscovery(at now: Int64) {
    guard car.ecuCount > 0 else { return loseVehicle(.noData, at: now) }
    events.append(.supportKnown)
    learnDrive()
    isPlanOutdated = true
    stage = .running
  }

  /// An ECU answers that was not there when all were asked what they support: it woke late, or its answer was lost.
  mutating func meetStrangers(_ reply: ReplyObserver) {
    guard discoveriesLeft > 0, car.ecuCount < CarKnowledge.ecuCapacity else { return }
    for i in 0..<reply.senderCount where reply.sender(i) != .unknown && car.index(of: reply.sender(i)) == nil {
      discoveriesLeft -= 1
      tries = 0
      stage = .discovering(base: 0)
      return
    }
  }
}
