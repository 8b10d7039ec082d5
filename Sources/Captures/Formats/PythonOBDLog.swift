/// python-OBD's debug log (`obd.logger.setLevel(obd.logging.DEBUG)`).
///
///     [obd.elm327] write: b'010C\r'
///     [obd.elm327] read: b'7E8 04 41 0C 14 5F \r\r>'
///     DEBUG:obd.elm327:read: b'7E8 04 41 0C 14 5F \r\r>'
///     2020-09-04 11:38:32,463 - obd.elm327 - DEBUG - write: '010C\r\n'
///
/// The library's own handler prints the first two; a program's logging set-up others, with or without a time. The
/// bytes are as Python's `repr` writes them, `b'…'` or (Python 2) `'…'`. Where a program has both handlers each event
/// stands there twice: the style of the log's first event is the one that counts. All other lines are passed over.
/// A reply may lack its prompt: the library stops reading when it has seen `OK`.
extension CaptureReader {
  mutating func pythonOBDLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard let event = PythonOBDEvent(line) else { return }
    guard python.bracketed ?? event.isBracketed == event.isBracketed else { return }
    guard let payload = event.payload else { throw damaged(line) }
    python.bracketed = event.isBracketed
    var time = clock.now
    var start = 0
    if let stamp = Self.leadingStamp(line, at: &start) { time = clock.time(stamp) }
    scratch.removeAll(keepingCapacity: true)
    guard Escapes.undo(line.extracting(payload), into: &scratch) else { throw damaged(line) }
    deliver(event.direction, at: time, into: &consumer)
  }

  /// The time in front of a line, in brackets or not.
  static func leadingStamp(_ line: Span<UInt8>, at index: inout Int) -> LogStamp? {
    var i = line.skippingBlanks(from: index)
    let open = i < line.count && (line[i] == UInt8(ascii: "[") || line[i] == UInt8(ascii: "("))
    if open { i += 1 }
    guard let stamp = LogStamp.parse(line, at: &i) else { return nil }
    if open {
      guard i < line.count, line[i] == UInt8(ascii: "]") || line[i] == UInt8(ascii: ")") else { return nil }
      i += 1
    }
    index = i
    return stamp
  }
}

/// What python-OBD's reader remembers.
struct PythonOBDState {
  /// Whether the log's events begin with `[obd.elm327]`; nil before the first.
  var bracketed: Bool?
}

/// One line of python-OBD's adapter module, taken apart.
struct PythonOBDEvent {
  let direction: CaptureDirection
  let isBracketed: Bool
  /// The bytes, still escaped; nil where the line was cut within them.
  let payload: Range<Int>?

  /// Nil for a line that is no `write:` or `read:` of `obd.elm327`.
  init?(_ line: Span<UInt8>) {
    guard let module = line.index(of: "obd.elm327") else { return nil }
    isBracketed = module > 0 && line[module - 1] == UInt8(ascii: "[")
    var start: Int
    if let write = line.index(of: "write: ", from: module + 10) {
      direction = .toAdapter
      start = write + 7
    } else if let read = line.index(of: "read: ", from: module + 10) {
      direction = .fromAdapter
      start = read + 6
    } else {
      return nil
    }
    // Between the module and the word stand only level, colons, dashes and brackets: not the text of a message.
    guard start - module <= 48 else { return nil }
    start = line.skippingBlanks(from: start)
    payload = Escapes.pythonLiteral(line, at: start)
  }
}
