import OBDWire

/// A change of the baud rate, step by step (ELM327 data sheet, Using Higher RS232 Baud Rates):
///
///     ATBRD23\r        at the old speed
///     OK\r             at the old speed, without a prompt; both sides change now
///     ELM327 v1.5\r    at the new speed, after the host has had time to change
///     \r               from the host: it has read the name at the new speed
///     OK\r\r>          from the adapter: it has read the CR at the new speed
///
/// If any step fails, the adapter returns to the old speed by itself, and so does the host.
enum BaudStep: BitwiseCopyable, Equatable {
  /// ATBRT or STBRT: sets how long each side waits for the other.
  case timeLimit
  case request
  /// Waits for the adapter's name at the new baud rate.
  case announcement
  /// Sends a CR, which confirms the new baud rate.
  case confirmation
  /// Sends ATI at the new baud rate.
  case verification
  /// Sends ATI at the old baud rate.
  case rollback
}

extension AdapterSession {
  /// Time that each side waits, in steps of 5 ms: 320 ms. The default of 75 ms is too short, because a USB bridge may
  /// delay bytes by 16 ms and a host may be busy.
  private static let trialSteps: UInt8 = 0x40
  /// Number of times that the adapter may stop answering at a changed baud rate. After that, its rate is not changed
  /// any more.
  private static let baudReturnsLimit = 3
  private static let trial: Int64 = 5 * Int64(trialSteps) * Limit.millisecond

  /// Begins to change the baud rate if a different rate is configured and supported. Otherwise, begins the search.
  mutating func finishInitializing() {
    guard changesBaud, let preferredBaud, adapterCommand(changing: preferredBaud) != nil else { return beginSearch() }
    enter(.changingBaud(BaudChange()))
  }

  /// The configured baud rate to change to; `nil` if none is configured or the port has no baud rate.
  var preferredBaud: Int? { port.baud == nil ? nil : configuration.preferredBaud }

  private var changesBaud: Bool { preferredBaud != port.baud && !isConfirmed(.noBaudChange) }

  /// The command that changes the baud rate; `nil` if no divisor of 4 MHz is within 3 % of the speed, or the rate is
  /// outside the adapter's range.
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
    // Normally, a received reply starts these steps. If a step is repeated, ATI is sent.
    case .announcement, .confirmation, .verification, .rollback:
      return .send(Command(.identify), nil, .baud(step), limit: Limit.setting)
    }
  }

  /// Handles those bytes of the handshake that no prompt follows.
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

  /// Handles a reply that ends with a prompt.
  mutating func handleBaud(_ step: BaudStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .changingBaud(var change) = state else { return }
    switch step {
    case .timeLimit:
      // If the adapter refuses to change its time limit, the default may be long enough.
      change.step = .request
    case .request:
      if isTimeout || change.tries > 0 {
        learn(.noBaudChange)
        return beginSearch()
      }
      // A single refusal may be due to a damaged character.
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

  /// Call this if the port could not be set to the baud rate that was last requested. The port keeps its former rate,
  /// and bytes that were to be sent after the change were discarded.
  public mutating func rateRefused(at now: Int64) {
    if case .closed = state { return }
    // The adapter has already agreed to change. It sends its name at the new speed, receives no answer, and returns to
    // the old speed.
    if dialogue.purpose == .baud(.announcement) { return rollBackBaud(at: now) }
    dialogue.exchange = .ready
    dialogue.bytes.beginReply()
    beginProbing()
    // Forget the stored speed, because it belonged to another port.
    if searchesBaud, baudSearch.index == nil { memory.baud = 0 }
    handleResetTimeout(hadContent: false, hasSentences: false, at: now)
  }

  /// Returns both sides to the old baud rate. Bytes that the adapter still sends at the new rate are discarded.
  mutating func rollBackBaud(at now: Int64) {
    learn(.noBaudChange)
    if let former = port.formerBaud { setBaud(former) }
    port.formerBaud = nil
    enter(.changingBaud(BaudChange(step: .rollback)))
    dialogue.drain(at: now, for: Self.trial + Limit.quiet)
  }

  /// Returns to the baud rate before the change if the adapter no longer answers, because it then has probably
  /// restarted.
  ///
  /// - Returns: `false` if the baud rate had not been changed.
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
