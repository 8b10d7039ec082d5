import OBDWire

/// Finding the adapter: ATZ at one speed after another.
extension AdapterSession {
  /// The speeds, in the order of how many adapters use them.
  private static let bauds: InlineArray<8, Int> = [38400, 115_200, 9600, 230_400, 57600, 500_000, 1_000_000, 2_000_000]

  /// The speed to try: first the one that worked before, then those of the list.
  var currentBaud: Int {
    guard let index = baudSearch.index else { return memory.baud > 0 ? memory.baud : Self.bauds[0] }
    return index < Self.bauds.count ? Self.bauds[index] : configuration.preferredBaud ?? Self.bauds[0]
  }

  /// Number of speeds to try. The preferred speed is the last one, because an earlier session may have set it.
  private var candidateCount: Int { Self.bauds.count + (configuration.preferredBaud == nil ? 0 : 1) }

  var searchesBaud: Bool { configuration.transport == .serial(baud: nil) }

  mutating func setBaud(_ baud: Int) {
    port.baud = baud
    dialogue.pendingAction = .setBaud(baud)
  }

  /// Starts the adapter again by ATZ.
  mutating func beginProbing() { enter(.probing(Probe())) }

  func decideProbe() -> Decision {
    // ATZ resets a speed that was set by ATBRD; ATWS does not.
    let isFaster = port.formerBaud != nil
    let command = Command(isFaster ? .warmStart : avoidsReset || triesWithoutReset ? .defaults : .reset)
    let isKnown = memory.baud > 0 && baudSearch.index == nil
    let isQuick = isFaster || searchesBaud && baudSearch.pass == 0 && !isKnown
    let limit = isQuick ? Limit.resetWhileLooking : searchesBaud && isKnown ? Limit.resetAtKnownBaud : Limit.reset
    return .send(command, nil, .reset, limit: limit)
  }

  private var avoidsReset: Bool { memory.quirks.contains(.resetLosesLink) }

  /// Whether to send ATD instead of ATZ: on every third try after ATZ has broken the link twice.
  private var triesWithoutReset: Bool { history.lostResets % 3 == 2 }

  /// Handles a reply to ATZ with a prompt: the speed is right.
  mutating func handleReset(_ reply: ReplyObserver, at now: Int64) {
    guard case .probing(var probe) = state else { return }
    probe.replies += 1
    state = .probing(probe)
    let isGarbled = reply.failed(.malformed) && !reply.hasBanner
    if !reply.hasBanner, probe.replies < 3 || isGarbled && probe.replies < 6 {
      // With `?`, earlier characters were sent before the command. Otherwise the banner may still follow.
      dialogue.drain(at: now)
      return
    }
    if !reply.hasBanner, reply.failed(.unknownCommand), port.formerBaud == nil { learn(.noReset) }
    if reply.hasBanner { storeBanner(reply) }
    // ATZ broke the link, and ATD does not.
    if triesWithoutReset { learn(.resetLosesLink) }
    history.lostResets = 0
    if searchesBaud { memory.baud = currentBaud } else { baudSearch.pass = 0 }
    if !history.wasFound || history.lastLoss?.isAdapterAway == true {
      events.append(.found)
      // Report a later loss again.
      history.lastLoss = nil
    }
    history.wasFound = true
    history.reopenings = 0
    beginInitializing()
  }

  /// Handles the time limit of ATZ: no prompt was read.
  mutating func handleResetTimeout(hadContent: Bool, hasSentences: Bool, at now: Int64) {
    if hasSentences {
      reportLoss(.gnssReceiver)
      reopen(at: now)
      return
    }
    state = .probing(Probe())
    dialogue.reader = ReplyReader()
    if returnToFormerBaud() || tryNextBaud(hadContent: hadContent) { return }
    baudSearch.index = nil
    baudSearch.pass = 0
    reportLoss(hadContent ? .noAdapter : .silent)
    reopen(at: now)
  }

  /// - Returns: false if all speeds were tried.
  private mutating func tryNextBaud(hadContent: Bool) -> Bool {
    if searchesBaud {
      // A silent device has probably lost its power, but not changed its speed. After each try at its own speed, try
      // one of the others.
      if memory.baud > 0, !hadContent, baudSearch.pass == 0 {
        guard baudSearch.index == nil else { return false }
        baudSearch.spare = (baudSearch.spare + 1) % candidateCount
        baudSearch.index = baudSearch.spare
        setBaud(currentBaud)
        return true
      }
      var following = baudSearch.index.map { $0 + 1 } ?? 0
      guard following < candidateCount || baudSearch.pass == 0 else { return false }
      if following == candidateCount {
        following = 0
        baudSearch.pass = 1
      }
      baudSearch.index = following
      setBaud(currentBaud)
      return true
    }
    // An adapter that still uses the speed of an earlier session receives ATZ at that speed and answers at its default
    // speed.
    guard case .serial(let fixed?) = configuration.transport, let preferredBaud, preferredBaud != fixed,
      baudSearch.pass < 2
    else { return false }
    baudSearch.pass += 1
    setBaud(baudSearch.pass == 1 ? preferredBaud : fixed)
    return true
  }

  /// Stores the adapter's name. A different banner means a different adapter, whose quirks are unknown.
  private mutating func storeBanner(_ reply: ReplyObserver) {
    guard adapterIdentity.storeBanner(reply) else { return }
    memory.quirks = []
    memory.voltageOffset = 0
    memory.measuresVoltage = false
    power.forgetAdapter()
  }

  /// Requests to close the port, and to open it again after a short pause. The pause and the time limit of the ATZ that
  /// follows must together be less than 5 s, so that a device that is starting is not disturbed for longer.
  mutating func reopen(at now: Int64) {
    let pause = (history.reopenings == 0 ? 500 : 1_000) * Limit.millisecond
    history.reopenings += 1
    enter(.closed)
    dialogue.exchange = .ready
    dialogue.pendingAction = .reopen(notBefore: now + pause)
  }

  /// Reports the reason of a loss once, until the adapter or the vehicle answers again.
  mutating func reportLoss(_ reason: LossReason) {
    if history.lastLoss == nil { events.append(.lost(reason)) }
    history.lastLoss = reason
  }
}
