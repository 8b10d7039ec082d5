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
    case .resynchronise where hasHeardPrompt:
      // It answered something, and is not known to say who it is.
      self.purpose = .none
      observer = ReplyObserver(expectsBanner: true)
      settle(at: now)
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
    resynchronise(at: now, into: &handler)
  }

  private mutating func resynchronise<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    hasHeardPrompt = false
    begin(Command(.identify), nil, .resynchronise, deadline: now + Limit.setting, into: &handler)
    pendingAction = .send(command)
  }

  /// While the dialogue is put right, a prompt may be that of an earlier command: only ATI's own answer, its name or `?`,
  /// shows that both sides are in step.
  ///
  /// - Returns: whether it is still to come.
  mutating func awaitsOwnAnswer<H: ReplyHandler & ~Copyable>(_ reply: ReplyObserver, into handler: inout H) -> Bool {
    guard !reply.hasBanner, !reply.failed(.unknownCommand), !isEchoed else { return false }
    hasHeardPrompt = true
    announce(into: &handler)
    observer = ReplyObserver(expectsBanner: true)
    forgetReply()
    return true
  }

  // MARK: One answer behind

  /// Replies in a row that answer the request before.
  private static let behindLimit = 2
  /// A dialogue that is out of step again within this time is the adapter's fault.
  private static let misalignmentTime: Int64 = 60_000 * Limit.millisecond

  /// Counts replies that answer what was asked before.
  ///
  /// - Returns: whether the dialogue is out of step.
  mutating func isBehind(_ reply: ReplyObserver) -> Bool {
    if reply.answeredPlaces != 0 || reply.refusals > 0 { repliesBehind = 0 }
    guard reply.answersPrevious else { return false }
    repliesBehind += 1
    return repliesBehind >= Self.behindLimit
  }

  /// Puts a dialogue right in which each answer is that of the command before. An adapter that falls behind again is
  /// reset, and in the end its port is opened again.
  mutating func getInStep<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    repliesBehind = 0
    misalignments = now - misalignedAt <= Self.misalignmentTime ? misalignments + 1 : 1
    misalignedAt = now
    events.append(.outOfStep)
    switch misalignments {
    case 1, 2: resynchronise(at: now, into: &handler)
    case 3:
      lose(.outOfStep)
      beginProbing()
      settle(at: now)
    default:
      lose(.outOfStep)
      shut(at: now)
    }
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
