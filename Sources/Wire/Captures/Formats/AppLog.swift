/// Logs with `>` before sent text and `<` before received text.
///
///     >[10:36:51.339]ATE1                       ddt4all: time sent, then the duration of the reply in seconds;
///     <[0.016]ATE1                              the reply continues without a mark, with CRs as line ends,
///     OK                                        and with its prompt on a separate line
///     ␊
///     >
///     # KeepAlive                               a comment
///     2024-11-04 16:50:01⇥>>⇥⇥0105              K-line readers: doubled marks, tabs
///     2024-11-04 16:50:01⇥<<⇥⇥83 F1 11 41 05 52 1D
///     12:34:56.789 > 010C                       others: an optional time, a mark, text
///     12:34:56.901 < 41 0C 0A A0\r\r>           with or without `\r` escapes
///
/// Some logs lack the CRs between the lines of a reply; see ``JoinedFrames``.
///
/// The marks are `>`, `>>`, `->`, `-->` or `TX:` for sent text, and `<`, `<<`, `<-`, `<--` or `RX:` for received text.
/// If a text contains the escape sequences `\r` or `\n`, they are decoded and nothing is added. Otherwise, the reader
/// adds the CR that the log omits, to each line and before a prompt. In a log without prompts, a command ends the
/// preceding reply with `⏎>`. A K-line request with header and checksum (`C2 33 F1 01 0C F3`) becomes the command that
/// makes an ELM327 send it (`010C`).
///
/// Times of day count from the first event, also across midnight. Dates without a zone are treated as UTC. Car
/// Scanner's log has no marks; see ``TerminalState``.
extension CaptureReader {
  /// Reads a line.
  mutating func appLogLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    if app.style == nil {
      if line.trimmingEnd().count == 0 { return }
      app.style = TerminalState.begins(line) ? .terminal : .marked
    }
    if app.style == .terminal { return terminalLine(line, into: &consumer) }
    if line.count > 0, line[0] == UInt8(ascii: "#") { return }
    guard let event = AppLogEvent(line) else { return continueReply(line, into: &consumer) }
    let payload = line.extracting(event.payload)
    if event.direction == .fromAdapter {
      app.isInReply = true
      app.now = appTime(event)
      deliverReply(payload, at: app.now, into: &consumer)
      return
    }
    // A mark without text after a reply is the adapter's prompt.
    if payload.trimmingEnd().count == 0 { return continueReply(line, into: &consumer) }
    let time = appTime(event)
    app.now = time
    if app.isOpen, !app.showsPrompts { closeReply(at: time, into: &consumer) }
    app.isOpen = true
    app.isInReply = false
    deliverCommand(payload, at: time, into: &consumer)
  }

  /// Adds the prompt after the last reply of a log without prompts.
  mutating func finishAppLog<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    if app.style == .marked, app.isOpen, !app.showsPrompts { closeReply(at: app.now, into: &consumer) }
  }

  /// Adds a line without a mark to the current reply, unless the reply's prompt was read already. A line that begins
  /// with a time is a message of the app and is skipped.
  private mutating func continueReply<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) {
    guard app.isInReply, !AppLogEvent.beginsWithTime(line) else { return }
    deliverReply(line, at: app.now, into: &consumer)
  }

  private mutating func appTime(_ event: AppLogEvent) -> CaptureTime {
    if let stamp = event.stamp {
      app.sent = clock.time(stamp)
      return app.sent
    }
    // ddt4all logs the seconds between command and reply. More than a day is implausible and could cause an overflow.
    guard let elapsed = event.elapsed, elapsed <= Self.longestReply else { return app.now }
    switch app.sent {
    case .none: return .none
    case .offset(let time): return .offset(time + elapsed)
    case .wall(let time): return .wall(time + elapsed)
    }
  }

  private static var longestReply: Int64 { 86_400_000_000_000 }

  private mutating func deliverReply<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, at time: CaptureTime, into consumer: inout C
  ) {
    scratch.removeAll(keepingCapacity: true)
    if AppLogEvent.isEscaped(text), Escapes.undo(text, into: &scratch) {
      if scratch.last == UInt8(ascii: ">") { endReply() }
      deliver(.fromAdapter, at: time, into: &consumer)
      return
    }
    scratch.removeAll(keepingCapacity: true)
    let line = text.droppingCR()
    if JoinedFrames.split(line, into: &scratch) {
      deliver(.fromAdapter, at: time, into: &consumer)
      return
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(bytes: line)
    if line.count > 0, line[line.count - 1] == UInt8(ascii: ">") {
      endReply()
      if line.count > 1, line[line.count - 2] != 0x0D { scratch.insert(0x0D, at: line.count - 1) }
    } else {
      scratch.append(0x0D)
    }
    deliver(.fromAdapter, at: time, into: &consumer)
  }

  private mutating func endReply() {
    app.showsPrompts = true
    app.isInReply = false
    app.isOpen = false
  }

  private mutating func deliverCommand<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, at time: CaptureTime, into consumer: inout C
  ) {
    scratch.removeAll(keepingCapacity: true)
    if AppLogEvent.isEscaped(text), Escapes.undo(text, into: &scratch) {
      deliver(.toAdapter, at: time, into: &consumer)
      return
    }
    scratch.removeAll(keepingCapacity: true)
    let command = text.trimmingEnd()
    if let payload = KLineRequest(command) {
      for i in 0..<payload.count {
        scratch.append(hexDigit(payload[i] >> 4))
        scratch.append(hexDigit(payload[i] & 0x0F))
      }
    } else {
      scratch.append(bytes: command)
    }
    scratch.append(0x0D)
    deliver(.toAdapter, at: time, into: &consumer)
  }
}

/// State of the reader of an app's log.
struct AppLogState {
  /// The kind of log: one whose lines have marks, or Car Scanner's terminal log.
  enum Style { case marked, terminal }
  var style: Style?
  /// Whether a reply has begun and its prompt was not read yet. Lines without a mark belong to it.
  var isInReply = false
  /// Whether a command was read and no prompt followed.
  var isOpen = false
  /// Whether the log contains prompts, so that the reader adds none.
  var showsPrompts = false
  /// Time of the last event.
  var now = CaptureTime.none
  /// Time of the last event that has a time of day or a date in the log.
  var sent = CaptureTime.none
}
