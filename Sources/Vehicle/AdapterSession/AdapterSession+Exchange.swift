import OBDWire

/// Sends commands and receives their replies, one command at a time.
extension AdapterSession {
  /// Begins the dialogue with ATZ. Call it when the port is open.
  public mutating func opened(at now: Int64) {
    port = OpenPort(openedAt: now)
    dialogue.restart()
    power.adapterReturned(at: now)
    beginProbing()
    if case .serial(let baud) = configuration.transport { setBaud(baud ?? currentBaud) }
  }

  /// Ends the dialogue. Call it when the port can no longer be used: the adapter was unplugged or is out of range, or
  /// the peer closed the connection.
  public mutating func closed(at now: Int64) {
    if case .closed = state { return }
    // If the peer closes the connection within 200 ms of its opening, ATZ is not the cause: another client is probably
    // using the adapter.
    if dialogue.purpose == .reset, configuration.transport == .stream, now - port.openedAt >= Limit.hangUpAtOnce {
      history.lostResets += 1
    }
    reportLoss(.portClosed)
    reopen(at: now)
  }

  /// Handles bytes from the adapter.
  ///
  /// - Parameters:
  ///   - now: time at which the read(2) of these bytes returned.
  ///   - loaded: definitions of the signals of the loaded signal sets, sorted as ``OBDWire/ReplyReader`` requires.
  public mutating func received<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, at now: Int64, loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    if case .closed = state { return }
    var first = 0
    while first < bytes.count {
      var end = first
      while end < bytes.count, bytes[end] != UInt8(ascii: ">") {
        dialogue.bytes.record(bytes[end], of: dialogue.command, at: now)
        end += 1
      }
      let isPrompt = end < bytes.count
      if isPrompt { end += 1 }
      parse(bytes.extracting(first..<end), loaded: loaded, into: &handler)
      if case .baud? = dialogue.purpose { followBaudChange(at: now) }
      if isPrompt { handlePrompt(at: now, into: &handler) }
      first = end
    }
    dialogue.extendDrain(at: now)
  }

  /// Returns the next action. Perform the action and call this method again, until the action is `wait`.
  public mutating func next<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) -> SessionAction {
    while true {
      if let event = events.next() { return .report(event) }
      if let action = dialogue.pendingAction {
        dialogue.pendingAction = nil
        return action
      }
      if case .closed = state { return .wait(until: Int64.max) }
      switch dialogue.exchange {
      case .awaiting(let purpose, let deadline):
        guard now >= deadline else { return .wait(until: deadline) }
        handleTimeout(of: purpose, at: now, into: &handler)
      case .resynchronizing(let attempt):
        guard now >= attempt.deadline else { return .wait(until: attempt.deadline) }
        handleTimeout(of: attempt, at: now, into: &handler)
      case .draining(let drain):
        guard now >= drain.until else { return .wait(until: drain.until) }
        endDrain(drain, at: now)
      case .ready:
        if dialogue.observer.isAlarming {
          // The adapter sent this alarm without a command. The prompt that follows belongs to no command and is
          // ignored.
          let alarm = dialogue.observer
          dialogue.observer = ReplyObserver()
          dialogue.drain(at: now)
          _ = handleAlarm(alarm, isEchoed: false, at: now)
          continue
        }
        switch decide(at: now) {
        case .send(let command, let request, let purpose, let limit):
          begin(command, request, .awaiting(purpose, deadline: now + limit), into: &handler)
          return .send(command)
        case .wait(let until):
          return .wait(until: max(until, now + 1))
        case .again: break
        }
      }
    }
  }

  // MARK: Bytes

  private mutating func parse<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var tap = ReplyTap(observer: dialogue.observer, handler: handler, filter: senderFilter)
    dialogue.reader.receive(bytes, loaded: loaded, into: &tap)
    dialogue.observer = tap.observer
    handler = tap.handler
  }

  /// Passes the current command to the reader and the handler. They take the next reply as the answer to this command.
  mutating func announceCommand<H: ReplyHandler & ~Copyable>(into handler: inout H) {
    var tap = ReplyTap(observer: ReplyObserver(), handler: handler, filter: senderFilter)
    dialogue.reader.sent(dialogue.command.text, into: &tap)
    handler = tap.handler
  }

  /// The filter that accepts only senders that can answer the command in progress.
  private var senderFilter: SenderFilter {
    let isAddressed = settings.addressing.row != nil
    switch state {
    case .connected: return SenderFilter(kind: vehicle.bus.addressKind, isAddressed: isAddressed)
    case .searching(let search):
      if case .verifying(let kind) = search.numberTrust { return SenderFilter(kind: kind, isAddressed: isAddressed) }
    default: break
    }
    return SenderFilter(isAddressed: isAddressed)
  }

  // MARK: Exchange

  mutating func begin<H: ReplyHandler & ~Copyable>(
    _ command: Command, _ request: ReadRequest?, _ exchange: Exchange, into handler: inout H
  ) {
    dialogue.command = command
    dialogue.exchange = exchange
    announceCommand(into: &handler)
    dialogue.observer = ReplyObserver(
      request: request, previous: dialogue.alignment.previousRequest, expectsBanner: command.expectsBanner,
      isClearing: dialogue.purpose == .clearing(.clear))
    dialogue.alignment.previousRequest = request
    dialogue.bytes.beginReply()
  }

  private mutating func handlePrompt<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    let hasContent = dialogue.bytes.hasContent
    switch dialogue.exchange {
    case .ready:
      // A prompt without content that belongs to no command is a second prompt of the previous reply.
      if !hasContent { learn(.strayPrompts) }
      dialogue.bytes.beginReply()
    case .draining: dialogue.bytes.beginReply()
    case .awaiting(let purpose, _):
      // A prompt without content is no answer. It is a second or late prompt of the previous reply.
      guard hasContent else {
        if purpose != .reset { learn(.strayPrompts) }
        announceCommand(into: &handler)
        return
      }
      endReply(to: purpose, at: now, into: &handler)
    case .resynchronizing(let attempt):
      guard hasContent else { return announceCommand(into: &handler) }
      endResynchronization(attempt, at: now, into: &handler)
    }
  }

  private mutating func endReply<H: ReplyHandler & ~Copyable>(
    to purpose: Purpose, at now: Int64, into handler: inout H
  ) {
    let reply = dialogue.observer
    let isEchoed = dialogue.bytes.isEchoed
    // Bytes that are read after this prompt belong to no reply.
    dialogue.observer = ReplyObserver()
    dialogue.exchange = .ready
    dialogue.alignment.lostPrompts = 0
    dialogue.bytes.beginReply()
    if dialogue.alignment.isBehind(reply) { return realign(at: now, into: &handler) }
    // The reply is noise, or the rest of an interrupted reply, and more bytes may come.
    let isMalformed = reply.failed(.malformed) && reply.messages == 0 && purpose != .reset
    if reply.failed(.stopped) || isMalformed { dialogue.drain(at: now) }
    if purpose != .reset, handleAlarm(reply, isEchoed: isEchoed, at: now) { return }
    handle(reply, purpose, isTimeout: false, at: now)
  }

  /// Whether the adapter's echo is off, as far as the session knows. If the adapter then echoes a command, it lost its
  /// settings.
  var expectsNoEcho: Bool { !memory.quirks.contains(.noEchoOff) && state.isPastEchoOff }

  /// Handles a reply that shows that the adapter lost its settings or is unreliable.
  ///
  /// - Returns: `false` if the reply shows neither.
  private mutating func handleAlarm(_ reply: ReplyObserver, isEchoed: Bool, at now: Int64) -> Bool {
    if reply.failed(.lowVoltage) {
      restart(.lowVoltage, at: now)
    } else if reply.hasSurpriseBanner {
      restart(.adapterReset, at: now)
    } else if reply.isFatal {
      reportLoss(.adapterError)
      beginProbing()
    } else if reply.failed(.lowPower) || reply.failed(.activityAlert) {
      reportLoss(.lowPower)
      enter(.resting(until: now + configuration.searchPause, then: .probe))
    } else if isEchoed, expectsNoEcho {
      if case .initializing = state {
        // The adapter accepted ATE0 and still echoes.
        learn(.noEchoOff)
        return false
      }
      restart(.adapterReset, at: now)
    } else {
      return false
    }
    return true
  }
}
