/// The log of Ircama's ELM327-emulator (`elm.log`, or its console at level DEBUG).
///
///     2026-11-21 09:41:34,434  root       run             DEBUG    Received '010C'
///     2026-11-21 09:41:34,434  root       handle_response DEBUG    Write: '7E8 04 41 0C 14 5F \r\r>'
///     CMD> 2022-01-02 09:29:01,777 - root - DEBUG - Received 'ATZ'
///     2022-01-02 09:29:02,558 - root - DEBUG - repeating previous command: '010C'
///
/// The emulator logs commands without their CR, and replies in the form of Python's `repr`. It logs no echo. All other
/// lines are skipped. Times are local without a zone and treated as UTC.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if the text of an event is cut off.
  mutating func emulatorLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard let event = EmulatorEvent(line) else { return }
    guard let payload = event.payload else { throw damaged(line) }
    var time = clock.now
    var start = line.has("CMD> ") ? 5 : 0
    if let stamp = LogStamp.parse(line, at: &start) { time = clock.time(stamp) }
    scratch.removeAll(keepingCapacity: true)
    switch event.kind {
    case .received:
      guard Escapes.undo(line.extracting(payload), into: &scratch) else { throw damaged(line) }
      scratch.append(0x0D)
    case .repeated: scratch.append(0x0D)
    case .written:
      guard Escapes.undo(line.extracting(payload), into: &scratch) else { throw damaged(line) }
    }
    deliver(event.kind == .written ? .fromAdapter : .toAdapter, at: time, into: &consumer)
  }
}

/// A parsed line of the emulator's log that contains a command or a reply.
struct EmulatorEvent {
  /// The kind of event.
  enum Kind { case received, repeated, written }
  let kind: Kind
  /// Range of the text in the line, with its escape sequences; `nil` if the line ends before the closing quote.
  let payload: Range<Int>?

  init?(_ line: Span<UInt8>) {
    guard let level = line.index(of: "DEBUG"), line.index(of: "obd.elm327") == nil else { return nil }
    var start = level + 5
    while start < line.count, line[start].isBlank || line[start] == UInt8(ascii: "-") { start += 1 }
    if line.has("Received ", at: start) {
      kind = .received
      start += 9
    } else if line.has("Write: ", at: start) {
      kind = .written
      start += 7
    } else if line.has("repeating previous command: ", at: start) {
      kind = .repeated
      start += 28
    } else {
      return nil
    }
    payload = Escapes.pythonLiteral(line, at: start)
  }
}
