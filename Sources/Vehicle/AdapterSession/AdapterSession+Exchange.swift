import OBDWire

/// Commands out, bytes in: one exchange at a time.
extension AdapterSession {
  /// The port is open: the dialogue begins with ATZ.
  public mutating func opened(at now: Int64) {
    openedAt = now
    retested = []
    reader = ReplyReader()
    exchange = .ready
    resynchronisations = 0
    pendingAction = nil
    forgetReply()
    observer = ReplyObserver()
    formerBaud = 0
    power.adapterReturned(at: now)
    beginProbing()
    switch configuration.transport {
    case .stream: linkBaud = 0
    case .serial(let baud): setBaud(baud ?? currentBaud)
    }
  }

  /// The port is gone: unplugged, out of range, the peer hung up.
  public mutating func closed(at now: Int64) {
    guard stage != .closed else { return }
    // A peer that hangs up at once does so whatever it is sent: somebody else has it.
    if purpose == .reset, case .awaiting = exchange, configuration.transport == .stream,
      now - openedAt >= Limit.hangUpAtOnce
    {
      lostResets += 1
    }
    lose(.portClosed)
    shut(at: now)
  }

  /// Bytes came from the adapter.
  ///
  /// - Parameters:
  ///   - now: when the read(2) that brought them returned.
  ///   - loaded: definitions of the signal sets in use, sorted as ``OBDWire/ReplyReader`` wants them.
  public mutating func received<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, at now: Int64, loaded: Span<SignalDefinition> = Span(), into handler: inout H
  ) {
    guard stage != .closed else { return }
    var first = 0
    while first < bytes.count {
      var end = first
      while end < bytes.count, bytes[end] != UInt8(ascii: ">") {
        note(bytes[end], at: now)
        end += 1
      }
      let isPrompt = end < bytes.count
      if isPrompt { end += 1 }
      feed(bytes.extracting(first..<end), loaded: loaded, into: &handler)
      if case .baud = purpose { followBaudChange(at: now) }
      if isPrompt { promptRead(at: now, into: &handler) }
      first = end
    }
    // The adapter is not quiet yet.
    if case .settling = exchange { exchange = .settling(until: min(now + Limit.quiet, settlingEnds)) }
  }

  /// What to do now. Ask again after each answer but `wait`.
  public mutating func next<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) -> SessionAction {
    while true {
      if let event = events.next() { return .report(event) }
      if let action = pendingAction {
        pendingAction = nil
        return action
      }
      guard stage != .closed else { return .wait(until: Int64.max) }
      switch exchange {
      case .awaiting(let deadline):
        guard now >= deadline else { return .wait(until: deadline) }
        expire(at: now, into: &handler)
      case .settling(let until):
        guard now >= until else { return .wait(until: until) }
        settled(at: now)
      case .ready:
        if observer.isAlarming {
          // Said between two commands: it ends with a prompt that nobody waits for.
          let alarm = observer
          observer = ReplyObserver()
          settle(at: now)
          _ = startsAnew(alarm, isEchoed: false, at: now)
          continue
        }
        switch decide(at: now) {
        case .send(let command, let request, let purpose, let limit):
          begin(command, request, purpose, deadline: now + limit, into: &handler)
          return .send(command)
        case .wait(let until):
          return .wait(until: max(until, now + 1))
        case .again: break
        }
      }
    }
  }

  // MARK: Bytes

  /// Notes what the bytes themselves tell: that something was said, an echo, a GNSS receiver's sentences.
  private mutating func note(_ byte: UInt8, at now: Int64) {
    if byte > 0x20, byte < 0x7F {
      lastContentAt = now
      sawContent = true
      // The echo is what comes first; `count` behind a mismatch.
      if echoMatched < command.count - 1 {
        echoMatched = byte == command.bytes[echoMatched] ? echoMatched + 1 : command.count
        if echoMatched == command.count - 1 { isEchoed = true }
      }
    }
    if previousByte == UInt8(ascii: "$"), byte == UInt8(ascii: "G") || byte == UInt8(ascii: "B") { sentences += 1 }
    previousByte = byte
  }

  mutating func forgetReply() {
    sawContent = false
    isEchoed = false
    echoMatched = 0
    sentences = 0
  }

  private mutating func feed<H: ReplyHandler & ~Copyable>(
    _ bytes: Span<UInt8>, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var tap = ReplyTap(observer: observer, handler: handler, filter: senderFilter)
    reader.receive(bytes, loaded: loaded, into: &tap)
    observer = tap.observer
    handler = tap.handler
  }

  mutating func announce<H: ReplyHandler & ~Copyable>(into handler: inout H) {
    var tap = ReplyTap(observer: ReplyObserver(), handler: handler, filter: senderFilter)
    reader.sent(command.text, into: &tap)
    handler = tap.handler
  }

  // MARK: Exchange

  mutating func begin<H: ReplyHandler & ~Copyable>(
    _ command: Command, _ request: ReadRequest?, _ purpose: Purpose, deadline: Int64, into handler: inout H
  ) {
    self.command = command
    self.purpose = purpose
    exchange = .awaiting(deadline: deadline)
    announce(into: &handler)
    var isClearing = false
    if case .clearing(.clear) = purpose { isClearing = true }
    observer = ReplyObserver(
      request: request, previous: previousRequest, expectsBanner: command.expectsBanner, isClearing: isClearing)
    previousRequest = request
    forgetReply()
  }

  /// Who can answer the command under way.
  private var senderFilter: SenderFilter {
    SenderFilter(kind: isConnected ? bus.addressKind : searchedKind, isAddressed: address >= 0)
  }

  private mutating func promptRead<H: ReplyHandler & ~Copyable>(at now: Int64, into handler: inout H) {
    guard case .awaiting = exchange else {
      // Nothing was asked, and nothing stands in front of it: the prompt before came twice.
      if case .ready = exchange, !sawContent { learn(.strayPrompts) }
      forgetReply()
      return
    }
    // A prompt with nothing in front answers nothing: the one before came twice, or late.
    guard sawContent else {
      if purpose != .reset, purpose != .resynchronise { learn(.strayPrompts) }
      announce(into: &handler)
      return
    }
    let reply = observer
    let purpose = self.purpose
    if purpose == .resynchronise, awaitsOwnAnswer(reply, into: &handler) { return }
    self.purpose = .none
    // Surprises from here on belong to no reply.
    observer = ReplyObserver()
    if purpose == .resynchronise {
      observer = ReplyObserver(expectsBanner: true)
      settle(at: now)
      if isEchoed, expectsSilence { restart(.adapterReset, at: now) }
      return
    }
    exchange = .ready
    resynchronisations = 0
    let isEchoed = self.isEchoed
    forgetReply()
    if isBehind(reply) { return getInStep(at: now, into: &handler) }
    if isOutOfStep(reply, purpose) { settle(at: now) }
    if purpose != .reset, startsAnew(reply, isEchoed: isEchoed, at: now) { return }
    handle(reply, purpose, isTimeout: false, at: now)
  }

  /// ATE0 was accepted: an echo now means that the settings are lost.
  private var expectsSilence: Bool {
    if memory.quirks.contains(.noEchoOff) { return false }
    switch stage {
    case .probing, .initialising(.echoOff), .closed, .resting: return false
    default: return true
    }
  }

  /// Noise, or the end of something that was stopped: more may come.
  private func isOutOfStep(_ reply: ReplyObserver, _ purpose: Purpose) -> Bool {
    reply.failed(.stopped) || reply.failed(.malformed) && reply.messages == 0 && purpose != .reset
  }

  /// Whether the reply shows that the adapter lost its settings, or cannot be relied on.
  private mutating func startsAnew(_ reply: ReplyObserver, isEchoed: Bool, at now: Int64) -> Bool {
    if reply.failed(.lowVoltage) {
      restart(.lowVoltage, at: now)
    } else if reply.hasSurpriseBanner {
      restart(.adapterReset, at: now)
    } else if reply.isFatal {
      lose(.adapterError)
      beginProbing()
    } else if reply.failed(.lowPower) || reply.failed(.activityAlert) {
      lose(.lowPower)
      stage = .resting(until: now + configuration.searchPause, then: .probe)
    } else if isEchoed, expectsSilence {
      if case .initialising = stage {
        // It said OK to ATE0 and echoes on.
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
