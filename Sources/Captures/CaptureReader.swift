/// Reads one capture, given in chunks of any size, and hands its events on.
///
/// Any split of the same bytes gives the same events, but for `raw` and `nmea`, where each chunk is one event. Lines
/// are numbered from 1 and may be 1 MiB long; a byte order mark in front of the first is passed over. Once an error has been thrown the reader is spent.
///
/// No memory is taken for an event: a line within one chunk is read where it lies, one that two chunks share in a
/// buffer that is kept.
public struct CaptureReader: ~Copyable {
  /// The longest line, in bytes, without its line end.
  public static let lineLimit = 1 << 20

  public let format: CaptureFormat
  /// The line being read, from 1.
  public internal(set) var lineNumber = 1

  /// False for a last line that no LF ends.
  private(set) var lineIsEnded = true
  /// What the chunks so far hold of a line that has not ended.
  private var unfinished: [UInt8] = []
  /// The bytes of an event where they are not the log's own: unescaped, or made of a frame.
  var scratch: [UInt8] = []
  var clock = LogClock()

  // What the formats remember from line to line; each uses its own.
  var header = CaptureHeader()
  var stream = StreamState()
  var python = PythonOBDState()
  var androbd = AndrOBDState()
  var app = AppLogState()
  var terminal = TerminalState()
  var socat = SocatState()
  var bus = BusDialogue()

  public init(format: CaptureFormat) {
    self.format = format
    scratch.reserveCapacity(4096)
  }

  /// Reads the next bytes of the capture.
  ///
  /// - Throws: `lineTooLong`, or `damagedLine` for a line that the format does not allow.
  public mutating func receive<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    switch format {
    case .raw: try passThrough(chunk, as: .fromAdapter, into: &consumer)
    case .nmea: try passThrough(chunk, as: .fromGPS, into: &consumer)
    case .obdgpslogger: try receiveBothSides(chunk, into: &consumer)
    default: try receiveLines(chunk, into: &consumer)
    }
  }

  /// Ends the capture: a last line without its line end is a line, and what the format holds back is handed on.
  ///
  /// A reply cut short is not an error here: whoever reassembles replies sees that its prompt lacks.
  public mutating func finish<C: CaptureConsumer & ~Copyable>(into consumer: inout C) throws(CaptureError) {
    if !unfinished.isEmpty {
      lineIsEnded = false
      try finishLine(into: &consumer)
    }
    switch format {
    case .capture, .obd2raw: announceHeader(to: &consumer)
    case .obdgpslogger: flushBothSides(into: &consumer)
    case .socat: flushTransfer(into: &consumer)
    case .candump, .crtd: bus.finish(into: &consumer)
    case .appLog: finishAppLog(into: &consumer)
    case .androbd: finishAndrOBD(into: &consumer)
    case .raw, .nmea, .pythonOBD, .elm327Emulator: break
    }
  }

  private mutating func receiveLines<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    var start = 0
    while let end = chunk.index(of: 0x0A, from: start) {
      let part = chunk.extracting(start..<end)
      if unfinished.isEmpty {
        try checkLength(part.count, part)
        try line(part, into: &consumer)
        lineNumber += 1
      } else {
        try keep(part)
        try finishLine(into: &consumer)
      }
      start = end + 1
    }
    if start < chunk.count { try keep(chunk.extracting(start..<chunk.count)) }
  }

  private mutating func keep(_ part: Span<UInt8>) throws(CaptureError) {
    if unfinished.isEmpty {
      try checkLength(part.count, part)
    } else {
      try checkLength(unfinished.count + part.count, unfinished.span)
    }
    unfinished.append(bytes: part)
  }

  private mutating func finishLine<C: CaptureConsumer & ~Copyable>(into consumer: inout C) throws(CaptureError) {
    // The buffer is lent to the line and comes back empty, with its memory.
    var whole: [UInt8] = []
    swap(&whole, &unfinished)
    try line(whole.span, into: &consumer)
    lineNumber += 1
    whole.removeAll(keepingCapacity: true)
    swap(&whole, &unfinished)
  }

  private func checkLength(_ length: Int, _ text: Span<UInt8>) throws(CaptureError) {
    // The CR of a CR LF may stand one past the limit.
    guard length <= Self.lineLimit + 1 else {
      throw CaptureError(.lineTooLong, line: lineNumber, format: format, text: text)
    }
  }

  private mutating func line<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    var line = text.droppingCR()
    if lineNumber == 1, line.has("\u{FEFF}") { line = line.extracting(3..<line.count) }
    guard line.count <= Self.lineLimit else {
      throw CaptureError(.lineTooLong, line: lineNumber, format: format, text: line)
    }
    switch format {
    case .capture: try captureLine(line, into: &consumer)
    case .obd2raw: try obd2rawLine(line, into: &consumer)
    case .pythonOBD: try pythonOBDLine(line, into: &consumer)
    case .elm327Emulator: try emulatorLine(line, into: &consumer)
    case .androbd: try androbdLine(line, into: &consumer)
    case .appLog: try appLogLine(line, into: &consumer)
    case .candump: try candumpLine(line, into: &consumer)
    case .crtd: try crtdLine(line, into: &consumer)
    case .socat: try socatLine(line, into: &consumer)
    case .raw, .nmea, .obdgpslogger: break
    }
  }

  /// The error of a line that its format does not allow.
  func damaged(_ line: Span<UInt8>) -> CaptureError {
    CaptureError(.damagedLine, line: lineNumber, format: format, text: line)
  }

  /// Hands on what stands in `scratch`; nothing for no bytes.
  func deliver<C: CaptureConsumer & ~Copyable>(
    _ direction: CaptureDirection, at time: CaptureTime, into consumer: inout C
  ) {
    if !scratch.isEmpty { consumer.bytes(direction, at: time, scratch.span) }
  }
}

extension [UInt8] {
  /// Appends all bytes of the span.
  mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { buffer in unsafe append(contentsOf: buffer) }
  }

  /// Appends the characters.
  mutating func append(text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
