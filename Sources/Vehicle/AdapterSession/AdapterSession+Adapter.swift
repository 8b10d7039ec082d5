import OBDWire

/// Finds the adapter: sends ATZ at one baud rate after another until the adapter answers.
extension AdapterSession {
  /// Baud rates of adapters, the most common one first.
  private static let bauds: InlineArray<8, Int> = [38400, 115_200, 9600, 230_400, 57600, 500_000, 1_000_000, 2_000_000]

  /// The baud rate to try: first the rate that worked in an earlier session, then the rates of `bauds`.
  var currentBaud: Int {
    guard let index = baudSearch.index else { return memory.baud > 0 ? memory.baud : Self.bauds[0] }
    return index < Self.bauds.count ? Self.bauds[index] : configuration.preferredBaud ?? Self.bauds[0]
  }

  /// Number of baud rates to try. If a rate is configured (`preferredBaud`), that rate is tried last, because an
  /// earlier session may have changed the adapter to it.
  private var candidateCount: Int { Self.bauds.count + (configuration.preferredBaud == nil ? 0 : 1) }

  var searchesBaud: Bool { configuration.transport == .serial(baud: nil) }

  mutating func setBaud(_ baud: Int) {
    port.baud = baud
    dialogue.pendingAction = .setBaud(baud)
  }

  /// Begins to find the adapter, usually by ATZ, which restarts it.
  mutating func beginProbing() { enter(.probing(Probe())) }

  func decideProbe() -> Decision {
    // ATZ resets a baud rate that was set by ATBRD; ATWS does not.
    let isFaster = port.formerBaud != nil
    let command = Command(isFaster ? .warmStart : avoidsReset || triesWithoutReset ? .defaults : .reset)
    let isKnown = memory.baud > 0 && baudSearch.index == nil
    let isQuick = isFaster || searchesBaud && baudSearch.pass == 0 && !isKnown
    let limit = isQuick ? Limit.resetWhileLooking : searchesBaud && isKnown ? Limit.resetAtKnownBaud : Limit.reset
    return .send(command, nil, .reset, limit: limit)
  }

  private var avoidsReset: Bool { memory.quirks.contains(.resetLosesLink) }

  /// Whether to send ATD instead of ATZ. If ATZ repeatedly breaks the link, every third try sends ATD.
  private var triesWithoutReset: Bool { history.lostResets % 3 == 2 }

  /// Handles a reply to ATZ that ends with a prompt. The prompt shows that the baud rate is right.
  mutating func handleReset(_ reply: ReplyObserver, at now: Int64) {
    guard case .probing(var probe) = state else { return }
    probe.replies += 1
    state = .probing(probe)
    let isGarbled = reply.failed(.malformed) && !reply.hasBanner
    if !reply.hasBanner, probe.replies < 3 || isGarbled && probe.replies < 6 {
      // Discard bytes for some time, then send the command again. Either the banner may still follow, or the adapter
      // had received other characters before the command and answered `?`.
      dialogue.drain(at: now)
      return
    }
    if !reply.hasBanner, reply.failed(.unknownCommand), port.formerBaud == nil { learn(.noReset) }
    if reply.hasBanner { storeBanner(reply) }
    // ATZ broke the link, and ATD did not.
    if triesWithoutReset { learn(.resetLosesLink) }
    history.lostResets = 0
    if searchesBaud { memory.baud = currentBaud } else { baudSearch.pass = 0 }
    if !history.wasFound || history.lastLoss?.isAdapterAway == true {
      events.append(.found)
      // Forget the last loss, so that the next loss is reported.
      history.lastLoss = nil
    }
    history.wasFound = true
    history.reopenings = 0
    beginInitializing()
  }

  /// Handles a missing answer to ATZ: no prompt was read within the time limit.
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

  /// Changes to the next baud rate for ATZ. Returns `false` if all rates of this search were tried.
  private mutating func tryNextBaud(hadContent: Bool) -> Bool {
    if searchesBaud {
      // A device that sends nothing is probably without power and still uses the known baud rate. After each try at
      // the known rate, try only one of the listed rates.
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
    // The adapter may still use the baud rate that an earlier session set. ATZ at that rate returns the adapter to
    // its default rate.
    guard case .serial(let fixed?) = configuration.transport, let preferredBaud, preferredBaud != fixed,
      baudSearch.pass < 2
    else { return false }
    baudSearch.pass += 1
    setBaud(baudSearch.pass == 1 ? preferredBaud : fixed)
    return true
  }

  /// Stores the adapter's name. If the name differs from the stored one, this is a different adapter, and the quirks of
  /// the previous adapter are discarded.
  private mutating func storeBanner(_ reply: ReplyObserver) {
    guard adapterIdentity.storeBanner(reply) else { return }
    memory.quirks = []
    memory.voltageOffset = 0
    memory.measuresVoltage = false
    power.forgetAdapter()
  }

  /// Asks the caller to close the port, and to open it again after a pause of at most 1 s. ATZ is then sent, with a
  /// time limit of at most 4 s. Therefore, an adapter that has just become ready waits at most 5 s for the next ATZ.
  mutating func reopen(at now: Int64) {
    let pause = (history.reopenings == 0 ? 500 : 1_000) * Limit.millisecond
    history.reopenings += 1
    enter(.closed)
    dialogue.exchange = .ready
    dialogue.pendingAction = .reopen(notBefore: now + pause)
  }

  /// Reports why the adapter or the vehicle no longer answers. Until one of them answers again, further reasons are not
  /// reported.
  mutating func reportLoss(_ reason: LossReason) {
    if history.lastLoss == nil { events.append(.lost(reason)) }
    history.lastLoss = reason
  }
}
