/// Determines the kind of each text line of a reply: an echo, data, a segment, or a message of the adapter.
struct LineMachine: ~Copyable {
  /// Whether the first text line of a reply has not arrived yet (`start`), or the reply is in progress (`answering`).
  enum Phase: UInt8 { case start, answering }

  var hex = HexLine()
  var core = ReplyCore()
  /// Index of the current text line.
  var line: UInt32 = 0
  var phase: Phase = .start
  /// The command, if it is known; otherwise empty.
  var commandText = InlineArray<64, UInt8>(repeating: 0)
  var commandCount = 0
  /// Whether ``commandText`` is already in upper case and without spaces.
  var isCommandPlain = false
  /// Whether the caller has stated a command whose echo may still arrive.
  var awaitsEcho = false
  /// Bytes from an adapter that prints each byte on a separate text line.
  var joined = InlineArray<64, UInt8>(repeating: 0)
  /// The digits of the text lines whose bytes are in ``joined``.
  var joinedText = InlineArray<128, UInt8>(repeating: 0)
  /// Number of bytes in ``joined``.
  var joinedCount = 0
  /// Value of a text line of three digits whose meaning is not known yet; 0 if there is none. It is either the echo of
  /// a command (`031`: service 03, one answer) or the length of a message in segments. The next text line shows which.
  var undecided: UInt16 = 0
  var undecidedOrigin = Origin(ecu: .unknown, line: 0, position: 0)

  /// Whether a part of a reply was read, or a reply is expected.
  var isAnswering: Bool { phase == .answering || awaitsEcho || undecided > 0 }

  // MARK: Commands

  mutating func command<H: ReplyHandler & ~Copyable>(
    _ command: Span<UInt8>, position: UInt64, into handler: inout H
  ) {
    core.decoder.request = Request(command: command, formatsCAN: core.link.formatsCAN, link: &core.link)
    var first = 0
    while first < command.count, Self.isNoise(command[first]) { first &+= 1 }
    guard first < command.count else {
      commandCount = 0
      return
    }
    // Only store the command here. It is compared later, with a text line that may be its echo.
    commandCount = min(command.count &- first, 64)
    isCommandPlain = false
    commandText.copy(command, from: first, count: commandCount)
    awaitsEcho = true
    phase = .start
    handler.request(command, position: position)
  }

  // MARK: Text lines

  /// Processes a text line that ``HexLine/readWords(_:from:)`` has read.
  @inline(__always)
  mutating func digitLine<H: ReplyHandler & ~Copyable>(in context: inout LineContext, into handler: inout H) {
    if phase == .start, undecided == 0 {
      if isAnswer {
        awaitsEcho = false
        phase = .answering
      } else if isShortEcho {
        core.decoder.request.set(&hex)
        phase = .answering
        handler.request(context.line, position: context.origin.position)
        return
      }
    }
    if phase == .start || hex.count == 1 || core.decoder.request.kind == .adapter || mayHoldLengthCode {
      anyLine(in: context, into: &handler)
      return
    }
    if joinedCount > 0 { flushJoined(in: context, into: &handler) }
    core.dataLine(&hex, in: &context, into: &handler)
  }

  /// Whether the current text line, such as `010C`, is the echo of a request for one to six identifiers of one byte. It
  /// is `true` only if the command is unknown and the adapter formats CAN frames. No answer of such an adapter begins
  /// with 01 or 09, so a line that does must be an echo.
  private var isShortEcho: Bool {
    @inline(__always)
    mutating get {
      !awaitsEcho && core.link.formatsCAN && !hex.hasIdentifier && !hex.isSpaced && hex.count >= 2 && hex.count <= 7
        && (hex.bytes[0] == 0x01 || hex.bytes[0] == 0x09)
    }
  }

  /// Whether the current text line may have an odd number of digits because of a DLC digit, not because of an 11-bit
  /// identifier: `18DAF110` `8` `0441…`.
  private var mayHoldLengthCode: Bool {
    @inline(__always)
    mutating get {
      hex.hasIdentifier && !hex.isSpaced && (hex.identifier == 0x18D || core.link.stated == .can29)
    }
  }

  /// Whether the current text line must be an answer and cannot be an echo, because no request begins with its first
  /// bytes.
  var isAnswer: Bool {
    @inline(__always)
    mutating get {
      // The echo of a request of service 18 may look like a 29-bit identifier.
      if awaitsEcho,
        core.decoder.request.kind != .data || core.decoder.request.service >= 0x40
          || core.decoder.request.service == 0x18
      {
        return false
      }
      if hex.hasIdentifier { return hex.identifier >= 0x400 }
      return hex.bytes[0] >= 0x40 || hex.count >= 5 && hex.bytes[0] == 0x18 && hex.bytes[1] == 0xDA
    }
  }

  /// Processes a text line of any format: removes noise and the echo of the command, then processes the content.
  mutating func anyLine<H: ReplyHandler & ~Copyable>(in context: LineContext, into handler: inout H) {
    let text = context.line
    var first = 0
    var end = text.count
    while first < end, Self.isNoise(text[first]) { first += 1 }
    while end > first, Self.isNoise(text[end - 1]) { end -= 1 }
    guard first < end else { return }
    if Self.holdsNUL(text.extracting(first..<end)) {
      var context = context
      context.line = text.extracting(first..<end)
      lineWithoutNULs(in: context, into: &handler)
      return
    }
    if undecided > 0 {
      decide(isLength: Self.holdsColon(text.extracting(first..<end)), into: &handler)
    }
    if phase == .start {
      if awaitsEcho {
        awaitsEcho = false
        phase = .answering
        makeCommandPlain()
        let trimmed = text.extracting(first..<end)
        var consumed = echoLength(trimmed, .twice)
        if consumed == 0 { consumed = echoLength(trimmed, .characterTwice) }
        if consumed == 0 { consumed = echoLength(trimmed, .once) }
        if consumed > 0 {
          first += consumed
          while first < end, Self.isNoise(text[first]) || text[first] == promptCharacter { first += 1 }
          guard first < end else { return }
        }
      } else if readEcho(from: first, to: end, in: context, into: &handler) {
        return
      }
      phase = .answering
    }
    content(from: first, to: end, in: context, into: &handler)
  }

  /// Processes a text line after its NUL characters were removed. An adapter may insert them, and they must be ignored
  /// (ELM327 data sheet).
  mutating func lineWithoutNULs<H: ReplyHandler & ~Copyable>(
    in context: LineContext, into handler: inout H
  ) {
    let text = context.line
    var kept = InlineArray<1024, UInt8>(repeating: 0)
    var count = 0
    for i in 0..<text.count where text[i] != 0 {
      kept[count] = text[i]
      count += 1
    }
    anyLine(
      in: LineContext(kept.span.extracting(first: count), loaded: context.loaded, origin: context.origin),
      into: &handler)
  }

  static func holdsNUL(_ text: Span<UInt8>) -> Bool {
    for i in 0..<text.count where text[i] == 0 { return true }
    return false
  }

  /// Reports a text line that is longer than the reader's buffer. No valid answer is so long.
  mutating func overlong<H: ReplyHandler & ~Copyable>(in context: LineContext, into handler: inout H) {
    if undecided > 0 { decide(isLength: false, into: &handler) }
    phase = .answering
    awaitsEcho = false
    handler.failure(context.errorAtEnd(.malformed), line: context.line)
  }

  /// Ends the reply at the prompt.
  mutating func endReply<H: ReplyHandler & ~Copyable>(
    position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if undecided > 0 { decide(isLength: false, into: &handler) }
    if joinedCount > 0 {
      flushJoined(in: LineContext(Span(), loaded: loaded, origin: origin(position)), into: &handler)
    }
    core.finishReply(loaded: loaded, into: &handler)
    phase = .start
    awaitsEcho = false
    commandCount = 0
    handler.endOfReply(position: position)
  }

  /// Returns the origin of the current text line.
  @inline(__always)
  mutating func origin(_ position: UInt64) -> Origin { Origin(ecu: .unknown, line: line, position: position) }

  /// Whether a character is ignored before or after the content of a text line: NUL, control characters, spaces, and
  /// bytes from 0x7F on.
  static func isNoise(_ c: UInt8) -> Bool { c <= space || c >= 0x7F }

  /// Processes the three digits in ``undecided``: as a length if `isLength` is true, otherwise as an echo.
  mutating func decide<H: ReplyHandler & ~Copyable>(isLength: Bool, into handler: inout H) {
    let value = undecided
    undecided = 0
    var digits = InlineArray<3, UInt8>(repeating: 0)
    for i in 0..<3 { digits[i] = Hex.digit(UInt8(truncatingIfNeeded: value >> UInt16(8 - 4 * i))) }
    if isLength {
      core.announce(
        Int(value), in: LineContext(digits.span, loaded: Span(), origin: undecidedOrigin), into: &handler)
    } else {
      command(digits.span, position: undecidedOrigin.position, into: &handler)
      awaitsEcho = false
    }
    phase = .answering
  }

  static func holdsColon(_ text: Span<UInt8>) -> Bool {
    for i in 0..<text.count where text[i] == UInt8(ascii: ":") { return true }
    return false
  }
}
