import OBDWire

/// The steps of a change of the baud rate (ELM327 data sheet, Using Higher RS232 Baud Rates). The host and the adapter
/// send alternately:
///
///     ATBRD23\r        host, at the old baud rate
///     OK\r             adapter, at the old rate, without a prompt; both sides then change to the new rate
///     ELM327 v1.5\r    adapter, at the new rate, after the host has had time to change
///     \r               host: confirms that it has read the name at the new rate
///     OK\r\r>          adapter: confirms that it has read the CR at the new rate
///
/// If any step fails, both the adapter and the host return to the old baud rate by themselves.
enum BaudStep: BitwiseCopyable, Equatable {
  /// Sends ATBRT or STBRT, which sets how long the adapter waits for the host during the change.
  case timeLimit
  case request
  /// Waits for the adapter's name at the new baud rate.
  case announcement
  /// Sends a CR, which confirms the new baud rate.
  case confirmation
  /// Sends ATI at the new baud rate, to check whether the adapter answers at this rate.
  case verification
  /// Sends ATI at the old baud rate, after the change has failed.
  case rollback
}

extension AdapterSession {
  /// Time for which the adapter waits for the host during a change, in steps of 5 ms: 64 × 5 ms = 320 ms. The adapter's
  /// default of 75 ms is too short, because a USB bridge may delay bytes by 16 ms and the host may be busy.
  private static let trialSteps: UInt8 = 0x40
  /// If the adapter has stopped answering after a change of its baud rate this many times, the session does not change
  /// its rate again.
  private static let baudReturnsLimit = 3
  private static let trial: Int64 = 5 * Int64(trialSteps) * Limit.millisecond

  /// Begins to change the baud rate if a different rate is configured and supported. Otherwise, begins the search for a
  /// vehicle.
  mutating func finishInitializing() {
    guard changesBaud, let preferredBaud, adapterCommand(changing: preferredBaud) != nil else { return beginSearch() }
    enter(.changingBaud(BaudChange()))
  }

  /// The configured baud rate to change to; `nil` if none is configured or the port has no baud rate.
  var preferredBaud: Int? { port.baud == nil ? nil : configuration.preferredBaud }

  private var changesBaud: Bool { preferredBaud != port.baud && !isConfirmed(.noBaudChange) }

  /// Returns the command that changes the adapter to a baud rate. Returns `nil` if the rate is outside the adapter's
  /// range, or if no divisor of 4 MHz gives a rate within 3 % of it.
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
    // Normally, these steps are started when bytes are received (`followBaudChange`), not here. ATI is sent only if a
    // step is repeated.
    case .announcement, .confirmation, .verification, .rollback:
      return .send(Command(.identify), nil, .baud(step), limit: Limit.setting)
    }
  }

  /// Handles the two replies during a change of the baud rate that have no prompt: `OK` and the adapter's name.
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

  /// Handles a reply with a prompt during a change of the baud rate, or a missing reply.
  mutating func handleBaud(_ step: BaudStep, _ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .changingBaud(var change) = state else { return }
    switch step {
    case .timeLimit:
      // If the adapter refuses to change its time limit, continue: the default time limit may be long enough.
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

  /// Handles a failed ``SessionAction/setBaud(_:)``: the port could not be set to the requested baud rate, and keeps
  /// its former rate. Before this call, discard the bytes that were to be sent at the requested rate.
  public mutating func rateRefused(at now: Int64) {
    if case .closed = state { return }
    // The adapter has already accepted the change. It sends its name at the new baud rate, receives no answer, and
    // returns to the old rate.
    if dialogue.purpose == .baud(.announcement) { return rollBackBaud(at: now) }
    dialogue.exchange = .ready
    dialogue.bytes.beginReply()
    beginProbing()
    // Forget the stored baud rate, because it belonged to another port.
    if searchesBaud, baudSearch.index == nil { memory.baud = 0 }
    handleResetTimeout(hadContent: false, hasSentences: false, at: now)
  }

  /// Sets the port back to the old baud rate. The adapter does the same by itself. Bytes that the adapter still sends
  /// at the new rate are discarded.
  mutating func rollBackBaud(at now: Int64) {
    learn(.noBaudChange)
    if let former = port.formerBaud { setBaud(former) }
    port.formerBaud = nil
    enter(.changingBaud(BaudChange(step: .rollback)))
    dialogue.drain(at: now, for: Self.trial + Limit.quiet)
  }

  /// Sets the port to the baud rate that it had before the change, because the adapter no longer answers and has
  /// probably restarted.
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
