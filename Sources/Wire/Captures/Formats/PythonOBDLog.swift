/// The debug log of python-OBD (`obd.logger.setLevel(obd.logging.DEBUG)`).
///
///     [obd.elm327] write: b'010C\r'
///     [obd.elm327] read: b'7E8 04 41 0C 14 5F \r\r>'
///     DEBUG:obd.elm327:read: b'7E8 04 41 0C 14 5F \r\r>'
///     2020-09-04 11:38:32,463 - obd.elm327 - DEBUG - write: '010C\r\n'
///
/// The library's own log handler prints lines like the first two above; the log handler of a program that uses the
/// library prints other forms, with or without a time. The bytes are written as by Python's `repr`: `b'…'`, or `'…'`
/// in Python 2. If both handlers write to the log, each event occurs twice; the reader uses only events in the form of
/// the log's first event. All other lines are skipped. A reply may lack its prompt, because the library stops reading
/// after `OK`.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if the bytes of an event are cut off or contain an invalid escape sequence.
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

  /// Reads the time at the start of a line, with or without brackets; `nil` if there is none.
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

/// State of the reader of a python-OBD log.
struct PythonOBDState {
  /// Whether the events begin with `[obd.elm327]`, the form of the library's own handler; `nil` before the first event.
  var bracketed: Bool?
}

/// A parsed line of the log of python-OBD's module `elm327` that contains a command or a reply.
struct PythonOBDEvent {
  let direction: CaptureDirection
  let isBracketed: Bool
  /// Range of the bytes in the line, with their escape sequences; `nil` if the line ends before the closing quote.
  let payload: Range<Int>?

  /// Parses a line; `nil` if it is not a line with `write:` or `read:` of `obd.elm327`.
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
    // Only a log level, colons, dashes and brackets may stand between `obd.elm327` and `write:` or `read:`. If there is
    // more, the line is another message.
    guard start - module <= 48 else { return nil }
    start = line.skippingBlanks(from: start)
    payload = Escapes.pythonLiteral(line, at: start)
  }
}
