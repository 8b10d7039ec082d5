/// The log file of AndrOBD (`AndrOBD.log.*`).
///
///     2017-11-09⇥06:25:41.243⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 TX:'ATZ'
///     2017-11-09⇥06:25:41.286⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'ELM327v2.1'
///     2017-11-09⇥06:25:41.294⇥FINE⇥com.fr3ts0n.prot⇥com.fr3ts0n.ecu.prot.obd.ElmProt@3536fcc3 RX:'>'
///     2015-09-21 19:34:39,693 - [INFO::com.fr3ts0n.prot::com.fr3ts0n.ecu.prot.ElmProt] - ELM rx:'SEARCHING...' (0900)
///
/// Level FINE (DEBUG in older versions) has `TX:'…'` for each command and `RX:'…'` for each line received, without
/// spaces and line ends. A CR is added to each line except the prompt. Level INFO of older versions has only `ELM rx:`
/// with the command in parentheses, without prompts; it is used if there was no `RX:`. The hexadecimal `TX:41 54` and
/// `RX: '4F : O'` of level FINER repeat the same data and are skipped, as are all other lines.
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

  /// Ends the last reply of a log without prompts.
  mutating func finishAndrOBD<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    guard androbd.commandCount > 0, !androbd.hasPrompts else { return }
    closeReply(at: clock.now, into: &consumer)
  }

  /// Passes an `ELM rx:` line. It names the command that it answers; another command begins the next exchange.
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
  /// Whether there were `TX:` or `RX:` lines, which contain everything including prompts.
  var hasPrompts = false
  private(set) var commandCount = 0
  private var command = InlineArray<32, UInt8>(repeating: 0)

  /// Whether `text` is the current command.
  func isCommand(_ text: Span<UInt8>) -> Bool {
    guard text.count == commandCount else { return false }
    for i in 0..<commandCount where command[i] != text[i] { return false }
    return true
  }

  /// Sets the current command, at most ``commandLimit`` characters.
  mutating func setCommand(_ text: Span<UInt8>) {
    commandCount = text.count
    for i in 0..<text.count { command[i] = text[i] }
  }
}

/// A parsed line of AndrOBD's dialogue.
struct AndrOBDEvent {
  /// The kind of event.
  enum Kind {
    case sent, received
    /// An answer to the command in this range.
    case answered(Range<Int>)
  }
  let kind: Kind
  /// Range of the text; `nil` if the line is cut off within it.
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

  /// Returns the text up to the closing quote, which must be the last character of the line; otherwise `nil`.
  private static func quoted(_ line: Span<UInt8>, from start: Int, to end: Int) -> Range<Int>? {
    end > start && line[end - 1] == UInt8(ascii: "'") ? start..<end - 1 : nil
  }
}
