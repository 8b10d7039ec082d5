import OBDWire

/// A change of the line's speed, step by step (ELM327 data sheet, Using Higher RS232 Baud Rates):
///
///     ATBRD23\r        at the old speed
///     OK\r             at the old speed, without a prompt; both sides change now
///     ELM327 v1.5\r    at the new speed, after the host has had time to change
///     \r               the host could read it
///     OK\r\r>          the adapter could read that
///
/// If any step fails, the adapter returns to the old speed by itself, and so does the host.
enum BaudStep: BitwiseCopyable, Equatable {
  /// ATBRT, STBRT: how long each side waits for the other.
  case timeLimit
  case request
  /// The adapter's name is expected at the new speed.
  case announcement
  /// The CR is sent.
  case confirmation
  /// ATI at the new speed.
  case verification
  /// ATI at the old speed.
  case rollback
}

extension AdapterSession {
  /// Time that each side waits, in steps of 5 ms: 320 ms. The default of 75 ms is too short, because a USB bridge may
  /// delay bytes by 16 ms and a host may be busy.
  private static let trialSteps: UInt8 = 0x40
  /// Number of failures at another speed after which the adapter stays at its own speed.
  private static let baudReturnsLimit = 3
  private static let trial: Int64 = 5 * Int64(trialSteps) * Limit.millisecond

  /// Begins the change of the speed if one is wanted, otherwise the search.
  mutating func finishInitializing() {
    guard changesBaud, let preferredBaud, adapterCommand(changing: preferredBaud) != nil else { return beginSearch() }
    enter(.changingBaud(BaudChange()))
  }

  /// The speed that the line should have; `nil` if it should stay as it is or cannot be set.
  var preferredBaud: Int? { port.baud == nil ? nil : configuration.preferredBaud }

  private var changesBaud: Bool { preferredBaud != port.baud && !isConfirmed(.noBaudChange) }

  /// - Returns: `nil` if no divisor of 4 MHz is within 3 % of the speed, or the adapter does not support it.
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
      guard let preferredBaud, let command = adapterCommand(changing: preferredBaud) else {
        beginSearch()
        return .again
      }
      return .send(Command(command), nil, .baud(step), limit: Limit.setting)
    // A received reply, not a command, leads from each of these steps to the next.
    case .announcement, .confirmation, .verification, .rollback:
      return .send(Command(.identify), nil, .baud(step), limit: Limit.setting)
    }
  }

  /// Handles bytes of the handshake that have no prompt.
  mutating func followBaudChange(at now: Int64) {
    switch dialogue.purpose {
    case .baud(.request) where dialogue.observer.isOK:
      guard let preferredBaud else { return }
      port.formerBaud = port.baud
      dialogue.exchange = .awaiting(.baud(.announcement), deadline: now + 2 * Self.trial + Limit.setting)
      setBaud(preferredBaud)
    case .baud(.announcement) where dialogue.observer.hasBanner && dialogue.pendingAction == nil:
      dialogue.command = .confirmation
      dialogue.observer = ReplyObserver(expectsBanner: true)
      dialogue.exchange = .awaiting(.baud(.confirmation), deadline: now + Limit.setting)
      dialogue.pendingAction = .send(dialogue.command)
    default: break
    }
  }

  /// Handles a reply with a prompt.
  mutating func handleBaud(_ step: BaudStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .changingBaud(var change) = state else { return }
    switch step {
    case .timeLimit:
      // If the adapter refuses the time limit, its own limit may be sufficient.
      change.step = .request
    case .request:
      if isTimeout || change.tries > 0 {
        learn(.noBaudChange)
        return beginSearch()
      }
      // A single refusal may be a damaged character.
      change.tries += 1
    case .announcement: return rollBackBaud(at: now)
    case .confirmation:
      guard reply.isOK else { return rollBackBaud(at: now) }
      change = BaudChange(step: .verification)
    case .verification:
      if reply.hasBanner {
        unlearn(.noBaudChange)
        return beginSearch()
      }
      change.tries += 1
      if change.tries >= 2 { return rollBackBaud(at: now) }
    case .rollback:
      if reply.hasBanner { beginSearch() } else { beginProbing() }
      return
    }
    state = .changingBaud(change)
  }

  /// The port cannot be set to the speed that was last requested. The line keeps the speed before, and bytes that were to
  /// be sent after the change were discarded.
  public mutating func rateRefused(at now: Int64) {
    if case .closed = state { return }
    // The adapter has already agreed: it sends its name at the new speed, then returns to the old one.
    if dialogue.purpose == .baud(.announcement) { return rollBackBaud(at: now) }
    dialogue.exchange = .ready
    dialogue.bytes.beginReply()
    beginProbing()
    // The stored speed was that of another port.
    if searchesBaud, baudSearch.index == nil { memory.baud = 0 }
    handleResetTimeout(hadContent: false, hasSentences: false, at: now)
  }

  /// Both sides return to the old speed. What the adapter still sends at the new one is discarded.
  mutating func rollBackBaud(at now: Int64) {
    learn(.noBaudChange)
    if let former = port.formerBaud { setBaud(former) }
    port.formerBaud = nil
    enter(.changingBaud(BaudChange(step: .rollback)))
    dialogue.drain(at: now, for: Self.trial + Limit.quiet)
  }

  /// Returns to the speed before the change: the adapter does not answer at the new speed, so it has restarted.
  ///
  /// - Returns: `false` if the speed was not changed.
  mutating func returnToFormerBaud() -> Bool {
    guard let former = port.formerBaud else { return false }
    history.baudReturns += 1
    var isVerifying = false
    if case .changingBaud(let change) = state { isVerifying = change.step == .verification }
    if isVerifying || history.baudReturns >= Self.baudReturnsLimit { learn(.noBaudChange) }
    setBaud(former)
    port.formerBaud = nil
    return true
  }
}
