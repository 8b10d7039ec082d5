/// Reads one capture in chunks of any size and passes its events to a ``CaptureConsumer``.
///
/// The events do not depend on how the content is divided into chunks, except for the formats `raw` and `nmea`, in
/// which each chunk is one event. Lines are numbered from 1 and have at most 1 MiB. A leading byte order mark is
/// skipped. After an error the reader cannot be used again.
///
/// Reading an event allocates no memory: a line within one chunk is read in place, and a line that continues in another
/// chunk is copied to a reused buffer.
public struct CaptureReader: ~Copyable {
  /// Maximum length of a line without its line end, bytes.
  public static let lineLimit = 1 << 20

  /// The format of the capture.
  public let format: CaptureFormat
  /// Number of the current line, from 1.
  public internal(set) var lineNumber = 1

  /// Whether the current line ends with LF; `false` for a last line without a line end.
  private(set) var lineIsEnded = true
  /// The beginning of the current line, if it was in earlier chunks.
  private var unfinished: [UInt8] = []
  /// The bytes of an event, if they differ from those in the log, for example because escape sequences were decoded.
  var scratch: [UInt8] = []
  var clock = LogClock()

  // State for reading individual formats. Each format uses only its own state.
  var header = CaptureHeader()
  var stream = StreamState()
  var python = PythonOBDState()
  var androbd = AndrOBDState()
  var app = AppLogState()
  var terminal = TerminalState()
  var socat = SocatState()
  var bus = BusDialogue()

  /// Creates a reader that expects the first bytes of a capture.
  public init(format: CaptureFormat) {
    self.format = format
    scratch.reserveCapacity(4096)
  }

  /// Reads the next bytes of the capture.
  ///
  /// - Throws: `lineTooLong`, or `damagedLine` for a line that does not conform to the format.
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

  /// Ends the capture: reads a last line without a line end, and passes events that are not complete yet.
  ///
  /// This does not throw if a reply is incomplete. The consumer recognizes such a reply by its missing prompt.
  ///
  /// - Throws: `lineTooLong` or `damagedLine`, like ``receive(_:into:)``.
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
        try store(part)
        try finishLine(into: &consumer)
      }
      start = end + 1
    }
    if start < chunk.count { try store(chunk.extracting(start..<chunk.count)) }
  }

  private mutating func store(_ part: Span<UInt8>) throws(CaptureError) {
    if unfinished.isEmpty {
      try checkLength(part.count, part)
    } else {
      try checkLength(unfinished.count + part.count, unfinished.span)
    }
    unfinished.append(bytes: part)
  }

  private mutating func finishLine<C: CaptureConsumer & ~Copyable>(into consumer: inout C) throws(CaptureError) {
    // Move the buffer to a variable during the call, and back afterwards, so that its memory is used again.
    var whole: [UInt8] = []
    swap(&whole, &unfinished)
    try line(whole.span, into: &consumer)
    lineNumber += 1
    whole.removeAll(keepingCapacity: true)
    swap(&whole, &unfinished)
  }

  private func checkLength(_ length: Int, _ text: Span<UInt8>) throws(CaptureError) {
    // The limit does not count a CR before the LF.
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

  /// Returns the error for a line that does not conform to the capture's format.
  func damaged(_ line: Span<UInt8>) -> CaptureError {
    CaptureError(.damagedLine, line: lineNumber, format: format, text: line)
  }

  /// Passes the bytes in `scratch` to the consumer as one event, unless `scratch` is empty.
  func deliver<C: CaptureConsumer & ~Copyable>(
    _ direction: CaptureDirection, at time: CaptureTime, into consumer: inout C
  ) {
    if !scratch.isEmpty { consumer.bytes(direction, at: time, scratch.span) }
  }
}

extension [UInt8] {
  /// Appends all bytes of a span to this array.
  mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { buffer in unsafe append(contentsOf: buffer) }
  }

  /// Appends the characters of a string to this array.
  mutating func append(text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
