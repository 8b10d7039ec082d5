import OBDWire

/// From the open port to an adapter with all its settings.
extension AdapterSession {
  /// In the order of how many adapters speak them.
  private static let bauds: InlineArray<8, Int> = [38400, 115_200, 9600, 230_400, 57600, 500_000, 1_000_000, 2_000_000]

  /// The baud to try: the one that worked before, then the list.
  var currentBaud: Int {
    if baudIndex < 0 { return memory.baud > 0 ? memory.baud : Self.bauds[0] }
    return baudIndex < Self.bauds.count ? Self.bauds[baudIndex] : configuration.preferredBaud ?? Self.bauds[0]
  }

  /// The preferred speed is the last: an adapter may have been left there.
  private var candidateCount: Int { Self.bauds.count + (configuration.preferredBaud == nil ? 0 : 1) }

  var looksForBaud: Bool { configuration.transport == .serial(baud: nil) }

  mutating func setBaud(_ baud: Int) {
    linkBaud = baud
    pendingAction = .setBaud(baud)
  }

  /// ATZ, and everything behind it.
  mutating func beginProbing() {
    stage = .probing
    resets = 0
    if clearing != nil { refuseClearing(.notConnected) }
  }

  func decideProbe() -> Decision {
    // ATZ gives a line that was made faster its own speed back; ATWS does not.
    let isFaster = formerBaud != 0
    let command = Command(isFaster ? .warmStart : avoidsReset || triesWithoutReset ? .defaults : .reset)
    let isQuick = isFaster || looksForBaud && baudPass == 0 && (memory.baud == 0 || baudIndex >= 0)
    let isSure = looksForBaud && memory.baud > 0 && baudIndex < 0
    let limit = isQuick ? Limit.resetWhileLooking : isSure ? Limit.resetAtKnownBaud : Limit.reset
    return .send(command, nil, .reset, limit: limit)
  }

  private var avoidsReset: Bool { memory.quirks.contains(.resetLosesLink) }

  /// Twice the link broke at ATZ: now and again ATD is tried instead.
  private var triesWithoutReset: Bool { lostResets % 3 == 2 }

  /// An answer to ATZ with a prompt: the baud is right.
  mutating func handleReset(_ reply: ReplyObserver, at now: Int64) {
    resets += 1
    let isGarbled = reply.failed(.malformed) && !reply.hasBanner
    if !reply.hasBanner, resets < 3 || isGarbled && resets < 6 {
      // `?`: characters of before stood in front; or the banner is still to come.
      settle(at: now)
      return
    }
    if !reply.hasBanner, reply.failed(.unknownCommand), formerBaud == 0 { learn(.noReset) }
    if reply.hasBanner { greet(reply) }
    // ATZ broke the link, and ATD does not.
    if triesWithoutReset { learn(.resetLosesLink) }
    lostResets = 0
    if looksForBaud { memory.baud = currentBaud }
    if !wasFound || lastLoss?.isAdapterAway == true {
      events.append(.found)
      // From here on it may be lost again, or the vehicle may be missing: that is news.
      lastLoss = nil
    }
    wasFound = true
    reopenings = 0
    if !looksForBaud { baudPass = 0 }
    beginInitialising()
  }

  /// No prompt came to ATZ.
  mutating func resetFailed(hadContent: Bool, hasSentences: Bool, at now: Int64) {
    resets = 0
    if hasSentences {
      lose(.gnssReceiver)
      shut(at: now)
      return
    }
    reader = ReplyReader()
    if returnToFormerBaud() || tryNextBaud(hadContent: hadContent) { return }
    baudIndex = -1
    baudPass = 0
    lose(hadContent ? .noAdapter : .silent)
    shut(at: now)
  }

  /// - Returns: false where all were tried.
  private mutating func tryNextBaud(hadContent: Bool) -> Bool {
    if looksForBaud {
      // A device that says nothing is without power rather than at another speed than before: between two tries at its
      // own, one of the others is tried.
      if memory.baud > 0, !hadContent, baudPass == 0 {
        guard baudIndex < 0 else { return false }
        spareBaud = (spareBaud + 1) % candidateCount
        baudIndex = spareBaud
        setBaud(currentBaud)
        return true
      }
      guard baudIndex + 1 < candidateCount || baudPass == 0 else { return false }
      baudIndex += 1
      if baudIndex == candidateCount {
        baudIndex = 0
        baudPass = 1
      }
      setBaud(currentBaud)
      return true
    }
    // Left at the speed of an earlier session, it hears ATZ there, and answers at its own.
    guard case .serial(let fixed?) = configuration.transport, preferredBaud != 0, preferredBaud != fixed, baudPass < 2
    else { return false }
    baudPass += 1
    setBaud(baudPass == 1 ? preferredBaud : fixed)
    return true
  }

  mutating func keepIdentity(_ reply: ReplyObserver) {
    guard reply.textCount > 0 else { return }
    identityText = reply.text
    identityCount = reply.textCount
  }

  /// Another banner than before is another adapter: what was learned of the old one does not hold.
  private mutating func greet(_ reply: ReplyObserver) {
    keepIdentity(reply)
    var digest: UInt32 = 2_166_136_261
    for i in 0..<reply.textCount { digest = (digest ^ UInt32(reply.text[i])) &* 16_777_619 }
    if bannerDigest != 0, bannerDigest != digest {
      memory.quirks = []
      memory.voltageOffset = 0
      memory.measuresVoltage = false
      power.forgetAdapter()
    }
    bannerDigest = digest
  }

  /// The port is closed, and wanted open again after a short pause: ATZ and its time limit follow, and a device that
  /// comes to itself meanwhile is not to be kept waiting for more than 5 s.
  mutating func shut(at now: Int64) {
    let pause = (reopenings == 0 ? 500 : 1_000) * Limit.millisecond
    reopenings += 1
    stage = .closed
    exchange = .ready
    purpose = .none
    interrupted = .none
    pendingAction = .reopen(notBefore: now + pause)
    if clearing != nil { refuseClearing(.notConnected) }
  }

  // MARK: Settings

  mutating func beginInitialising() {
    stage = .initialising(.echoOff)
    reader.state(.auto, headers: .auto)
    tries = 0
    wait = 0
    isProtocolClosed = false
    areWakeupsStopped = false
    isInLowPower = false
    address = -1
    addressChange = nil
    selectedDigit = 0
    if clearing != nil { refuseClearing(.notConnected) }
  }

  func decideSetting(_ step: InitialStep) -> Decision {
    let command: AdapterCommand =
      switch step {
      case .echoOff: .echoOff
      case .selectProtocol: firstProtocol
      case .linefeedsOff: .linefeedsOff
      case .spacesOff: .spacesOff
      case .headersOn: .headersOn
      case .adaptiveTiming: .adaptiveTiming
      case .timeout: .timeout(Self.usualWait)
      case .identity: .identify
      case .description: .describe
      case .stn: .identifySTN
      case .voltage: .voltage
      }
    return .send(Command(command), nil, .setting(step), limit: Limit.setting)
  }

  /// The configured protocol, else the last good one first, else all.
  private var firstProtocol: AdapterCommand {
    if let configured = configuration.protocolDigit { return .selectProtocol(configured) }
    let last = memory.protocolDigit
    guard last > UInt8(ascii: "0"), last <= UInt8(ascii: "9") else { return .selectProtocol(UInt8(ascii: "0")) }
    return memory.quirks.contains(.noPreferredProtocol) ? .selectProtocol(last) : .preferProtocol(last)
  }

  mutating func handleSetting(_ step: InitialStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    let isRefused = reply.failed(.unknownCommand)
    // STOPPED: the adapter was busy, and what was sent only ended that.
    let isLost = isTimeout || reply.failed(.stopped)
    tries += 1
    if isRefused || isLost {
      // Once may be a damaged character; but most chips are no STN.
      if tries < 2, step != .stn { return }
      if step == .selectProtocol, isRefused, case .preferProtocol = firstProtocol {
        learn(.noPreferredProtocol)
        tries = 0
        return
      }
      if isRefused {
        learn(step.quirk)
        retested.insert(step.quirk)
      }
    } else {
      if !isOther(reply, than: step) { unlearn(step.quirk) }
      accept(step, reply)
    }
    tries = 0
    var following = step.next
    // What is known to be refused is not asked each time the adapter starts anew.
    while let step = following, isKnownToRefuse(step.quirk), step.rawValue >= InitialStep.identity.rawValue {
      following = step.next
    }
    if let following {
      stage = .initialising(following)
    } else {
      nextVoltage = now + configuration.voltagePeriod
      finishInitialising()
    }
  }

  /// Whether a quirk is known and was put to the test since the port was opened: what an earlier session learned may have
  /// been an answer to something else.
  func isKnownToRefuse(_ quirk: Quirks) -> Bool {
    !quirk.isEmpty && memory.quirks.contains(quirk) && retested.contains(quirk)
  }

  /// Whether a reply that is no refusal is not one to this setting either.
  private func isOther(_ reply: ReplyObserver, than step: InitialStep) -> Bool {
    switch step {
    case .identity, .description: reply.textCount == 0
    case .stn: true
    case .voltage: reply.voltage == nil
    // ATE0 may be accepted and not carried out: the next echo tells.
    case .echoOff: true
    default: !reply.isOK
    }
  }

  private mutating func accept(_ step: InitialStep, _ reply: ReplyObserver) {
    switch step {
    case .selectProtocol:
      switch firstProtocol {
      case .selectProtocol(let digit), .preferProtocol(let digit): selectedDigit = digit
      default: break
      }
    case .timeout: wait = Self.usualWait
    case .identity where reply.hasBanner && identityCount == 0: keepIdentity(reply)
    case .stn where reply.isSTN:
      // The chip's own name says more than the ELM327 that it imitates.
      learn(.stnChip)
      keepIdentity(reply)
    default: break
    }
  }

  // MARK: Loss

  /// Tells once why nothing is read, until it is again.
  mutating func lose(_ reason: LossReason) {
    if isConnected || lastLoss == nil { events.append(.lost(reason)) }
    lastLoss = reason
    isConnected = false
  }
}
