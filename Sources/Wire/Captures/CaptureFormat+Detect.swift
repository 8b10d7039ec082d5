extension CaptureFormat {
  /// Detects the format of a capture by its content.
  ///
  /// - Parameters:
  ///   - head: the first bytes of the capture. Lines that belong to no format may precede the first event; `head` must
  ///     then also contain this event.
  ///   - isWhole: whether `head` is the whole capture. If it is, a last line without a line end is examined as well.
  /// - Throws: `empty`, `binary`, `unsupportedVersion`, `lineTooLong`, or `unknownFormat` with the first line that
  ///   matches no format.
  public static func detect(_ head: Span<UInt8>, isWhole: Bool) throws(CaptureError) -> CaptureFormat {
    guard head.count > 0 else { throw CaptureError(.empty) }
    if BinaryContent.isLikely(head) { throw CaptureError(.binary) }
    var evidence = Evidence()
    var lines = LineCursor(in: head, isWhole: isWhole)
    while let range = lines.next(in: head) {
      let line = head.extracting(range).trimmingEnd()
      if line.count == 0 { continue }
      if let format = try evidence.add(line, number: lines.number) { return format }
    }
    if evidence.hasBothMarks { return .appLog }
    return try detectStream(head, isWhole: isWhole)
  }

  /// Decides whether the content is an adapter's byte stream, with one or both directions, or has an unknown format.
  private static func detectStream(_ head: Span<UInt8>, isWhole: Bool) throws(CaptureError) -> CaptureFormat {
    var transcript = TranscriptEvidence()
    var start = 0
    var number = 1
    while start < head.count {
      var end = start
      while end < head.count, !StreamState.endsLine(head[end]) {
        if end - start > CaptureReader.lineLimit {
          // The bytes before the invalid line are a dialogue. Let the reader process them; it then reports that line as
          // an error.
          if transcript.hasDialogue { return transcript.hasEchoTwice ? .obdgpslogger : .raw }
          throw CaptureError(.lineTooLong, line: number, text: head.extracting(start..<head.count))
        }
        end += 1
      }
      if end < head.count || isWhole || start == 0 {
        transcript.add(head.extracting(start..<end), endedBy: end < head.count ? head[end] : 0, number: number)
      }
      if end < head.count, head[end] == 0x0A || head[end] == 0x0D && !(end + 1 < head.count && head[end + 1] == 0x0A) {
        number += 1
      }
      start = end + 1
    }
    if let stranger = transcript.stranger, !transcript.isDialogue {
      throw CaptureError(.unknownFormat, line: stranger.number, text: head.extracting(stranger.range))
    }
    return transcript.hasEchoTwice ? .obdgpslogger : .raw
  }
}

/// Iterates over LF-terminated lines.
private struct LineCursor {
  let isWhole: Bool
  private(set) var number = 0
  private var position = 0

  /// Creates a cursor before the first line. A byte order mark is skipped.
  init(in text: Span<UInt8>, isWhole: Bool) {
    self.isWhole = isWhole
    position = text.has("\u{FEFF}") ? 3 : 0
  }

  /// Returns the range of the next line without its LF; `nil` at the end, or if the last line is incomplete.
  mutating func next(in text: Span<UInt8>) -> Range<Int>? {
    guard position < text.count else { return nil }
    let start = position
    let end = text.index(of: 0x0A, from: start)
    if end == nil, !isWhole, start > 0 { return nil }
    position = (end ?? text.count) + 1
    number += 1
    return start..<(end ?? text.count)
  }
}

/// Evidence of the format in the lines that were examined so far.
private struct Evidence {
  private var sent = false
  private var received = false

  /// Whether there was a plausible command in a line with a mark for sent text, and a plausible reply in a line with a
  /// mark for received text.
  var hasBothMarks: Bool { sent && received }

  /// Examines a line.
  ///
  /// - Returns: the format if this line shows it; otherwise `nil`.
  mutating func add(_ line: Span<UInt8>, number: Int) throws(CaptureError) -> CaptureFormat? {
    if number == 1, line.has("# obdgate-capture ") {
      guard line.count == 19, line[18] == UInt8(ascii: "1") else {
        throw CaptureError(.unsupportedVersion, line: 1, format: .capture, text: line)
      }
      return .capture
    }
    if line.has("# obd2-raw v") || OBD2RawEvent(line) != nil { return .obd2raw }
    if number == 1, TerminalState.begins(line) { return .appLog }
    if SocatHeader(line) != nil { return .socat }
    if CRTDRecord(line) != nil { return .crtd }
    if CandumpLine(line) != nil { return .candump }
    if PythonOBDEvent(line) != nil || line.has("[obd.obd]") || line.has("[obd.elm327]") { return .pythonOBD }
    if EmulatorEvent(line) != nil { return .elm327Emulator }
    if AndrOBDEvent(line) != nil { return .androbd }
    if Self.isSentence(line) { return .nmea }
    readMark(line)
    return nil
  }

  private mutating func readMark(_ line: Span<UInt8>) {
    guard let event = AppLogEvent(line) else { return }
    let payload = line.extracting(event.payload)
    var text = payload.trimmingEnd()
    // Ignore escape sequences at the end of the text.
    if let escape = text.index(of: 0x5C) { text = text.extracting(first: escape) }
    if event.direction == .toAdapter {
      if AdapterSpeech.isCommand(text) { sent = true }
    } else if text.count > 0, AdapterSpeech.isReply(text) || AdapterSpeech.isCommand(text) {
      received = true
    }
  }

  /// Whether the line begins like an NMEA sentence, `$GPRMC,…` or `!AIVDM,…` (NMEA 0183, section 5.3): `$` or `!`,
  /// three to ten capital letters or digits, and a comma.
  private static func isSentence(_ line: Span<UInt8>) -> Bool {
    guard line.count >= 6, line[0] == UInt8(ascii: "$") || line[0] == UInt8(ascii: "!") else { return false }
    guard let comma = line.index(of: UInt8(ascii: ",")), (4...11) ~= comma else { return false }
    for i in 1..<comma where !((0x41...0x5A) ~= line[i] || line[i].isDigit) { return false }
    return true
  }
}

/// Evidence of whether a byte stream is an adapter's dialogue, from the content so far. The stream is examined in parts
/// that end with CR, LF or a prompt.
private struct TranscriptEvidence {
  /// A piece of the text that is neither a command nor the answer of an adapter, with its line number.
  struct UnknownLine {
    var range: Range<Int>
    var number: Int
  }

  /// The first piece of the text that is neither a command nor the answer of an adapter; `nil` if there is none.
  private(set) var stranger: UnknownLine?
  /// Whether a command occurred twice after a prompt: once as sent, and once as the adapter's echo.
  private(set) var hasEchoTwice = false

  private var known = 0
  private var strange = 0
  private var prompts = 0
  private var position = 0
  /// Range in `recent` of the previous part, if that was an `AT` command after a prompt or at the start; otherwise
  /// empty.
  private var command = 0..<0
  private var isBehindPrompt = true
  private var followsAT = false
  private var recent = InlineArray<24, UInt8>(repeating: 0)

  /// Whether the parts so far are an adapter's dialogue (``isDialogue``) with at least one prompt.
  var hasDialogue: Bool { prompts > 0 && isDialogue }
  /// Whether the parts so far are an adapter's dialogue. Before the first prompt, each part must be a command or a
  /// reply. After the first prompt, it is sufficient that at least half of the parts are commands or replies, because
  /// the answer to `AT@1` may contain any text.
  var isDialogue: Bool { prompts > 0 ? known >= strange && known > 0 : strange == 0 }

  /// Examines a part. `end` is the byte that ends it (0 at the end of the content), and `number` its line number.
  mutating func add(_ piece: Span<UInt8>, endedBy end: UInt8, number: Int) {
    defer { position += piece.count + 1 }
    let text = piece.trimmingEnd()
    if end == UInt8(ascii: ">") { prompts += 1 }
    if text.count > 0 {
      let isCommand = AdapterSpeech.isCommand(text)
      if isCommand || AdapterSpeech.isReply(text) || followsAT { known += 1 } else { record(piece, number) }
      if isRepeated(text) { hasEchoTwice = true }
      // Compare only settings. Other texts may occur twice for other reasons, for example if two ECUs send one value.
      let isSetting = isCommand && text.hasIgnoringCase("AT")
      remember(isBehindPrompt && isSetting ? text : text.extracting(first: 0))
      followsAT = text.hasIgnoringCase("AT") || text.hasIgnoringCase("ST")
      isBehindPrompt = false
    } else if end != 0x0A {
      remember(text)
    }
    if end == UInt8(ascii: ">") { isBehindPrompt = true }
  }

  private mutating func record(_ piece: Span<UInt8>, _ number: Int) {
    strange += 1
    if stranger == nil { stranger = UnknownLine(range: position..<position + piece.count, number: number) }
  }

  private mutating func remember(_ text: Span<UInt8>) {
    command = 0..<min(text.count, 24)
    for i in command { recent[i] = text[i] }
  }

  private func isRepeated(_ text: Span<UInt8>) -> Bool {
    guard command.count > 0, command.count == text.count else { return false }
    for i in command where recent[i] != text[i] { return false }
    return true
  }
}
