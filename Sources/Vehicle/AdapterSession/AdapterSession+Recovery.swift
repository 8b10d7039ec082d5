import OBDWire

/// After a reset, a lost prompt, an interrupted command or noise: makes sure that each further reply is taken as the
/// answer to the right command.
extension AdapterSession {
  /// After this many lost prompts in a row, the port is closed and opened again.
  private static let lostPromptsLimit = 3

  /// Sends the settings again without ATZ, because the adapter lost them but still answers.
  mutating func restart(_ reason: LossReason, at now: Int64) {
    if power.isAsleep { power.adapterReturned(at: now) } else { reportLoss(reason) }
    dialogue.observer = ReplyObserver()
    // Perhaps the adapter has kept its settings after all. If these settings address a single ECU, the adapter would
    // discard the answers of all other ECUs. ATZ prevents this.
    let wasFunctional = settings.addressing.isFunctional
    beginInitializing()
    if !wasFunctional { beginProbing() }
    dialogue.drain(at: now)
  }

  /// Handles a command without a reply: its time limit has passed, and no prompt was read.
  mutating func handleTimeout<H: ReplyHandler & ~Copyable>(
    of purpose: Purpose, at now: Int64, into handler: inout H
  ) {
    switch purpose {
    case .reset:
      let bytes = dialogue.bytes
      dialogue.exchange = .ready
      handleResetTimeout(hadContent: bytes.hasContent, hasSentences: bytes.sentences >= 2, at: now)
    case .baud(.announcement), .baud(.confirmation): rollBackBaud(at: now)
    case .quiet(.lowPower):
      dialogue.exchange = .ready
      enterLowPower(at: now)
    case .quiet(.wakeAdapter):
      dialogue.exchange = .ready
      handleFailedWake()
    default:
      events.append(.promptLost)
      recoverPrompt(interrupted: purpose, at: now, into: &handler)
    }
  }

  /// Handles the end of the time limit for the answer to ATI, which was sent to resynchronize the dialogue.
  mutating func handleTimeout<H: ReplyHandler & ~Copyable>(
    of attempt: Resynchronization, at now: Int64, into handler: inout H
  ) {
    guard attempt.hasPrompt else { return recoverPrompt(interrupted: attempt.interrupted, at: now, into: &handler) }
    // The adapter answered, though not with its name. Any answer is sufficient.
    dialogue.observer = ReplyObserver(expectsBanner: true)
    dialogue.drain(at: now, interrupted: attempt.interrupted)
  }

  private mutating func recoverPrompt<H: ReplyHandler & ~Copyable>(
    interrupted: Purpose?, at now: Int64, into handler: inout H
  ) {
    let bytes = dialogue.bytes
    let hasSentences = bytes.sentences >= 2
    dialogue.alignment.lostPrompts += 1
    if dialogue.alignment.lostPrompts > 1, returnToFormerBaud() {
      dialogue.alignment.lostPrompts = 0
      dialogue.exchange = .ready
      reportLoss(.adapterReset)
      beginProbing()
      return
    }
    guard dialogue.alignment.lostPrompts <= Self.lostPromptsLimit, !hasSentences else {
      reportLoss(hasSentences ? .gnssReceiver : bytes.hasContent ? .noAdapter : .silent)
      reopen(at: now)
      return
    }
    resynchronize(interrupted: interrupted, at: now, into: &handler)
  }

  private mutating func resynchronize<H: ReplyHandler & ~Copyable>(
    interrupted: Purpose?, at now: Int64, into handler: inout H
  ) {
    let attempt = Resynchronization(deadline: now + Limit.setting, interrupted: interrupted)
    begin(Command(.identify), nil, .resynchronizing(attempt), into: &handler)
    dialogue.pendingAction = .send(dialogue.command)
  }

  /// Handles a prompt during a resynchronization. The prompt may belong to an earlier command. Only the answer to ATI
  /// (the adapter's name or `?`) shows that commands and replies match again.
  mutating func endResynchronization<H: ReplyHandler & ~Copyable>(
    _ attempt: Resynchronization, at now: Int64, into handler: inout H
  ) {
    let reply = dialogue.observer
    let isEchoed = dialogue.bytes.isEchoed
    dialogue.observer = ReplyObserver(expectsBanner: true)
    guard reply.hasBanner || reply.failed(.unknownCommand) || isEchoed else {
      var attempt = attempt
      attempt.hasPrompt = true
      dialogue.exchange = .resynchronizing(attempt)
      announceCommand(into: &handler)
      dialogue.bytes.beginReply()
      return
    }
    dialogue.drain(at: now, interrupted: attempt.interrupted)
    if isEchoed, expectsNoEcho { restart(.adapterReset, at: now) }
  }

  /// Handles replies that each answer the previous command instead of the current one. At first, the dialogue is
  /// resynchronized. If this happens repeatedly, the adapter is reset, and finally its port is closed and opened again.
  mutating func realign<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    events.append(.outOfStep)
    switch dialogue.alignment.recordMisalignment(at: now) {
    case 1, 2: resynchronize(interrupted: nil, at: now, into: &handler)
    case 3:
      reportLoss(.outOfStep)
      beginProbing()
      dialogue.drain(at: now)
    default:
      reportLoss(.outOfStep)
      reopen(at: now)
    }
  }

  /// Ends a drain, because no bytes have arrived for some time or the drain has reached its time limit. If a prompt was
  /// lost before the drain, its command counts as unanswered.
  mutating func endDrain(_ drain: Drain, at now: Int64) {
    dialogue.exchange = .ready
    dialogue.bytes.beginReply()
    if let interrupted = drain.interrupted { handle(ReplyObserver(), interrupted, isTimeout: true, at: now) }
  }
}
