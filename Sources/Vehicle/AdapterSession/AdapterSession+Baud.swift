import OBDWire

/// Another speed of the line, step by step (ELM327 data sheet, Using Higher RS232 Baud Rates):
///
///     ATBRD23\r        at the old speed
///     OK\r             at the old speed, and no prompt; both sides change now
///     ELM327 v1.5\r    at the new speed, when the host has had time
///     \r               the host could read it
///     OK\r\r>          the adapter could read that
///
/// Where any of it fails the adapter falls back by itself, and so does the host.
enum BaudStep: BitwiseCopyable, Equatable {
  /// ATBRT, STBRT: how long each side waits for the other.
  case timeLimit
  case request
  /// The adapter's name is awaited at the new speed.
  case announcement
  /// The CR is sent.
  case confirmation
  /// ATI, to be sure.
  case verification
  /// ATI at the old speed.
  case rollback
}

extension AdapterSession {
  /// Steps of 5 ms that each side waits: 320 ms, since a USB bridge may hold bytes back for 16 ms and a host may be busy;
  /// the default is 75 ms.
  private static let trialSteps: UInt8 = 0x40
  /// An adapter that falls silent so often at another speed is left at its own.
  private static let baudReturnsLimit = 3
  private static let trial: Int64 = 5 * Int64(trialSteps) * Limit.millisecond

  /// The settings are made: another speed, where one is wanted, or the search.
  mutating func finishInitialising() {
    guard changesBaud, adapterCommand(changing: preferredBaud) != nil else { return beginSearch() }
    tries = 0
    stage = .changingBaud(.timeLimit)
  }

  /// 0: none.
  var preferredBaud: Int { linkBaud == 0 ? 0 : configuration.preferredBaud ?? 0 }

  private var changesBaud: Bool {
    preferredBaud != 0 && preferredBaud != linkBaud && !memory.quirks.contains(.noBaudChange)
  }

  /// nil: no divisor of 4 MHz comes within 3 % of it, or it is beyond the adapter.
  private func adapterCommand(changing baud: Int) -> AdapterCommand? {
    if memory.quirks.contains(.stnChip) {
      return baud >= 38 && baud <= 10_000_000 ? .tryBaudSTN(UInt32(baud)) : nil
    }
    guard baud > 0, baud <= 500_000 else { return nil }
    let divisor = (4_000_000 + baud / 2) / baud
    guard divisor >= 8, divisor <= 0xFF, abs(divisor * baud - 4_000_000) <= 3 * 40_000 else { return nil }
    return .tryBaudDivisor(UInt8(divisor))
  }

  mutating func decideBaud(_ step: BaudStep) -> Decision {
    switch step {
    case .timeLimit:
      let isSTN = memory.quirks.contains(.stnChip)
      let command: AdapterCommand =
        isSTN ? .baudTimeoutSTN(UInt16(Self.trial / Limit.millisecond)) : .baudTimeout(Self.trialSteps)
      return .send(Command(command), nil, .baud(step), limit: Limit.setting)
    case .request:
      guard let command = adapterCommand(changing: preferredBaud) else {
        beginSearch()
        return .again
      }
      return .send(Command(command), nil, .baud(step), limit: Limit.setting)
    // The steps between go from one to the next by what is read.
    case .announcement, .confirmation, .verification, .rollback:
      return .send(Command(.identify), nil, .baud(step), limit: Limit.setting)
    }
  }

  /// Something of the handshake was read, and no prompt yet.
  mutating func followBaudChange(at now: Int64) {
    switch purpose {
    case .baud(.request) where observer.isOK:
      formerBaud = linkBaud
      purpose = .baud(.announcement)
      exchange = .awaiting(deadline: now + 2 * Self.trial + Limit.setting)
      setBaud(preferredBaud)
    case .baud(.announcement) where observer.hasBanner && pendingAction == nil:
      command = .confirmation
      purpose = .baud(.confirmation)
      observer = ReplyObserver(expectsBanner: true)
      exchange = .awaiting(deadline: now + Limit.setting)
      pendingAction = .send(command)
    default: break
    }
  }

  /// A prompt was read.
  mutating func handleBaud(_ step: BaudStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    switch step {
    case .timeLimit:
      // Refused, its own limit may do.
      stage = .changingBaud(.request)
    case .request:
      if isTimeout || tries > 0 {
        learn(.noBaudChange)
        beginSearch()
      }
      // Once may be a damaged character.
      tries += 1
    case .announcement: rollBack(at: now)
    case .confirmation:
      guard reply.isOK else { return rollBack(at: now) }
      tries = 0
      stage = .changingBaud(.verification)
    case .verification:
      if reply.hasBanner { return beginSearch() }
      tries += 1
      if tries >= 2 { rollBack(at: now) }
    case .rollback:
      if reply.hasBanner { beginSearch() } else { beginProbing() }
    }
  }

  /// The port cannot make the speed that it was last asked for: the line has the one before, and what was sent behind the
  /// change has not left.
  public mutating func rateRefused(at now: Int64) {
    guard stage != .closed else { return }
    // The adapter has agreed already: it says its name at the new speed, and falls back.
    if purpose == .baud(.announcement) { return rollBack(at: now) }
    exchange = .ready
    purpose = .none
    interrupted = .none
    forgetReply()
    beginProbing()
    // What worked before worked on another port.
    if looksForBaud, baudIndex < 0 { memory.baud = 0 }
    resetFailed(hadContent: false, hasSentences: false, at: now)
  }

  /// Both sides go back; what the adapter still says at the new speed, or of it, passes by.
  mutating func rollBack(at now: Int64) {
    learn(.noBaudChange)
    setBaud(formerBaud)
    formerBaud = 0
    purpose = .none
    interrupted = .none
    stage = .changingBaud(.rollback)
    settle(at: now, for: Self.trial + Limit.quiet)
  }

  /// The adapter does not answer at the speed that it was changed to: it started anew, and has its own.
  ///
  /// - Returns: false where the speed was not changed.
  mutating func returnToFormerBaud() -> Bool {
    guard formerBaud != 0 else { return false }
    baudReturns += 1
    if stage == .changingBaud(.verification) || baudReturns >= Self.baudReturnsLimit { learn(.noBaudChange) }
    setBaud(formerBaud)
    formerBaud = 0
    return true
  }
}
