import OBDWire

/// Back into step: after a reset, a lost prompt, a stop, noise.
extension AdapterSession {
  /// Settings are lost, the adapter itself is there: they are made again, without another ATZ.
  mutating func restart(_ reason: LossReason, at now: Int64) {
    if power.isAsleep { power.adapterReturned(at: now) } else { lose(reason) }
    observer = ReplyObserver()
    interrupted = .none
    // With one ECU addressed, a reset that was none would leave all others unheard: then ATZ makes sure.
    let isAddressed = address >= 0 || addressChange != nil
    beginInitialising()
    if isAddressed { beginProbing() }
    settle(at: now)
  }

  /// The time limit passed without a prompt.
  mutating func expire<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    let purpose = self.purpose
    let hasSentences = sentences >= 2
    let hadContent = sawContent
    switch purpose {
    case .reset:
      exchange = .ready
      self.purpose = .none
      resetFailed(hadContent: hadContent, hasSentences: hasSentences, at: now)
      return
    case .baud(.announcement), .baud(.confirmation):
      rollBack(at: now)
      return
    case .quiet(.lowPower), .quiet(.wakeAdapter):
      exchange = .ready
      self.purpose = .none
      if purpose == .quiet(.wakeAdapter) { wakingFailed() } else { enterLowPower(at: now) }
      return
    case .resynchronise: break
    default:
      interrupted = purpose
      events.append(.promptLost)
    }
    resynchronisations += 1
    if resynchronisations > 1, returnToFormerBaud() {
      resynchronisations = 0
      interrupted = .none
      self.purpose = .none
      exchange = .ready
      lose(.adapterReset)
      beginProbing()
      return
    }
    guard resynchronisations <= 3, !hasSentences else {
      lose(hasSentences ? .gnssReceiver : hadContent ? .noAdapter : .silent)
      shut(at: now)
      return
    }
    begin(Command(.identify), nil, .resynchronise, deadline: now + Limit.setting, into: &handler)
    pendingAction = .send(command)
  }

  /// What still comes passes by, until nothing does. A device that never stops talking is not waited for for ever: what
  /// is asked of it next fails in its own time.
  mutating func settle(at now: Int64, for time: Int64 = Limit.quiet) {
    exchange = .settling(until: now + time)
    settlingEnds = now + Limit.longestSettling
  }

  /// It has been quiet: after a lost prompt, the command before counts as unanswered.
  mutating func settled(at now: Int64) {
    exchange = .ready
    forgetReply()
    let purpose = interrupted
    interrupted = .none
    guard purpose != .none else { return }
    handle(ReplyObserver(), purpose, isTimeout: true, at: now)
  }
}
