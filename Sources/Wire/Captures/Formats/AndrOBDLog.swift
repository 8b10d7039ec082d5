/// The log file of AndrOBD (`AndrOBD.log.*`).
///
///     2017-11-09⇥06:25:41.243⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 TX:'ATZ'
///     2017-11-09⇥06:25:41.286⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'ELM327v2.1'
///     2017-11-09⇥06:25:41.294⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'>'
///     2015-09-21 19:34:39,693 - [INFO::com.fr3ts0n.prot::com.fr3ts0n.ecu.prot.ElmProt] - ELM rx:'SEARCHING...' (0900)
///
/// Log level FINE (DEBUG in older versions) writes `TX:'…'` for each command and `RX:'…'` for each received line,
/// without spaces and line ends. The reader adds a CR to each of them except the prompt. Log level INFO of older
/// versions writes only `ELM rx:` lines, with the command in parentheses and without prompts. The reader uses these
/// lines only if there was no `TX:` or `RX:` line. The hexadecimal lines of level FINER, `TX:41 54` and `RX: '4F : O'`,
/// repeat these data and are skipped, like all other lines.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if the text of an event is cut off.
  mutating func androbdLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard let event = AndrOBDEvent(line) else { return }
    guard let payload = event.payload else { throw damaged(line) }
    var time = clock.now
    var start = 0
    if let stamp = LogStamp.parse(line, at: &start) { time = clock.time(stamp) }
    let text = line.extracting(payload)
    switch event.kind {
    case .sent:
      androbd.hasPrompts = true
      deliver(text, .toAdapter, at: time, into: &consumer)
    case .received:
      androbd.hasPrompts = true
      deliver(text, .fromAdapter, at: time, into: &consumer)
    case .answered(let command):
      guard !androbd.hasPrompts else { return }
      try deliverAnswer(text, to: line.extracting(command), of: line, at: time, into: &consumer)
    }
  }

  /// Adds the prompt after the last reply of a log without prompts.
  mutating func finishAndrOBD<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    guard androbd.commandCount > 0, !androbd.hasPrompts else { return }
    closeReply(at: clock.now, into: &consumer)
  }

  /// Passes the content of an `ELM rx:` line to the consumer. The line contains a received text and the command that it
  /// answers. If this command differs from that of the previous line, a prompt and the command are passed first.
  private mutating func deliverAnswer<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, to command: Span<UInt8>, of line: Span<UInt8>, at time: CaptureTime, into consumer: inout C
  ) throws(CaptureError) {
    guard command.count <= AndrOBDState.commandLimit else { throw damaged(line) }
    if !androbd.isCommand(command) {
      if androbd.commandCount > 0 { closeReply(at: time, into: &consumer) }
      androbd.setCommand(command)
      deliver(command, .toAdapter, at: time, into: &consumer)
    }
    deliver(text, .fromAdapter, at: time, into: &consumer)
  }

  private mutating func deliver<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, _ direction: CaptureDirection, at time: CaptureTime, into consumer: inout C
  ) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(bytes: text)
    if direction == .toAdapter || text.count != 1 || text[0] != UInt8(ascii: ">") { scratch.append(0x0D) }
    deliver(direction, at: time, into: &consumer)
  }

  /// Adds a prompt after a reply, because the log contains none.
  mutating func closeReply<C: CaptureConsumer & ~Copyable>(at time: CaptureTime, into consumer: inout C) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(text: "\r>")
    deliver(.fromAdapter, at: time, into: &consumer)
  }
}

/// State of the reader of an AndrOBD log.
struct AndrOBDState {
  static let commandLimit = 32
  /// Whether there were `TX:` or `RX:` lines. They contain all data, including prompts.
  var hasPrompts = false
  private(set) var commandCount = 0
  private var command = InlineArray<32, UInt8>(repeating: 0)

  /// Whether `text` equals the current command.
  func isCommand(_ text: Span<UInt8>) -> Bool {
    guard text.count == commandCount else { return false }
    for i in 0..<commandCount where command[i] != text[i] { return false }
    return true
  }

  /// Sets the current command, which must have at most ``commandLimit`` characters.
  mutating func setCommand(_ text: Span<UInt8>) {
    commandCount = text.count
    for i in 0..<text.count { command[i] = text[i] }
  }
}

/// A parsed line of a log of AndrOBD that contains a command or a reply.
struct AndrOBDEvent {
  /// The kind of event.
  enum Kind {
    case sent, received
    /// An answer. The value is the range of the answered command in the line.
    case answered(Range<Int>)
  }
  let kind: Kind
  /// Range of the command or reply in the line; `nil` if the line ends before the closing quote.
  let payload: Range<Int>?

  init?(_ line: Span<UInt8>) {
    if let found = line.index(of: " TX:'") {
      kind = .sent
      payload = Self.quoted(line, from: found + 5, to: line.trimmingEnd().count)
    } else if let found = line.index(of: " RX:'") {
      kind = .received
      payload = Self.quoted(line, from: found + 5, to: line.trimmingEnd().count)
    } else if let found = line.index(of: "ELM rx:'") {
      let text = line.trimmingEnd()
      guard let open = text.index(of: "' (", from: found + 8), text[text.count - 1] == UInt8(ascii: ")") else {
        kind = .received
        payload = nil
        return
      }
      kind = .answered(open + 3..<text.count - 1)
      payload = found + 8..<open
    } else {
      return nil
    }
  }

  /// Returns the range of the text up to the closing quote; `nil` if the last character of the line is not this quote.
  private static func quoted(_ line: Span<UInt8>, from start: Int, to end: Int) -> Range<Int>? {
    end > start && line[end - 1] == UInt8(ascii: "'") ? start..<end - 1 : nil
  }
}
