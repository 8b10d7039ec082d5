/// Decides what each line of a reply is: echo, data, segment, or a word of the adapter's.
struct LineMachine: ~Copyable {
  /// Where in an exchange the reader stands.
  private enum Phase: UInt8 { case start, answering }

  var hex = HexLine()
  var core = ReplyCore()
  /// Index of the line being read.
  var line: UInt32 = 0
  private var phase: Phase = .start
  /// The command known, upper case without spaces; empty where none is.
  private var commandText = InlineArray<64, UInt8>(repeating: 0)
  private var commandCount = 0
  /// A command was given by the caller: its echo may still come.
  private var awaitsEcho = false
  /// Bytes of an adapter that prints each on a line of its own, and their digits.
  private var joined = InlineArray<64, UInt8>(repeating: 0)
  private var joinedText = InlineArray<128, UInt8>(repeating: 0)
  private var joinedCount = 0
  /// A line of three digits is the echo of a command (`031`: service 03, one answer) or the length of a message whose
  /// segments follow; the next line tells. Its value; 0: none waits.
  private var undecided: UInt16 = 0
  private var undecidedOrigin = Origin(ecu: .unknown, line: 0, position: 0)

  /// Something of a reply was read, or is awaited.
  var isAnswering: Bool { phase == .answering || awaitsEcho || undecided > 0 }

  // MARK: Commands

  mutating func command<H: ReplyHandler & ~Copyable>(
    _ command: Span<UInt8>, position: UInt64, into handler: inout H
  ) {
    core.decoder.request = Request(command: command, formatsCAN: core.link.formatsCAN, link: &core.link)
    commandCount = 0
    for i in 0..<command.count {
      var c = command[i]
      if c <= space || c >= 0x7F { continue }
      if c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") { c -= 32 }
      guard commandCount < 64 else { break }
      commandText[commandCount] = c
      commandCount += 1
    }
    guard commandCount > 0 else { return }
    awaitsEcho = true
    phase = .start
    handler.request(command, position: position)
  }

  /// How an adapter repeats a command: `010C`, `010C010C`, or, where both it and the link echo, `001100CC`.
  private enum Echo: UInt8 { case once, twice, characterTwice }

  /// How many characters of the line repeat the command, spaces and noise between them included; 0: none.
  private mutating func echoLength(_ line: Span<UInt8>, _ echo: Echo) -> Int {
    let wanted = echo == .once ? commandCount : 2 * commandCount
    var matched = 0
    var i = 0
    while i < line.count, matched < wanted {
      var c = line[i]
      i += 1
      if c <= space || c >= 0x7F { continue }
      if c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") { c -= 32 }
      guard c == commandText[echo == .characterTwice ? matched / 2 : matched % commandCount] else { return 0 }
      matched += 1
    }
    return matched == wanted ? i : 0
  }

  // MARK: Lines

  /// The commonest echo, `010C` and CR, where the line at `first` is one: the command is known, with nothing copied.
  @inline(__always)
  mutating func takeShortEcho<H: ReplyHandler & ~Copyable>(
    _ stream: Span<UInt8>, from first: Int, position: UInt64, into handler: inout H
  ) -> Bool {
    guard phase == .start, !awaitsEcho, undecided == 0, core.link.formatsCAN else { return false }
    guard first + 5 <= stream.count, stream[first + 4] == carriageReturn, stream[first] == UInt8(ascii: "0") else {
      return false
    }
    let service = Hex.value(stream[first + 1])
    guard service == 0x01 || service == 0x09 else { return false }
    let high = Hex.value(stream[first + 2])
    let low = Hex.value(stream[first + 3])
    guard high | low < 16 else { return false }
    core.decoder.request.set(service: service, identifier: high << 4 | low)
    phase = .answering
    line &+= 1
    handler.request(stream.extracting(first..<first + 4), position: position)
    return true
  }

  /// A line that ``HexLine/readSpaced(_:from:)`` has read whole.
  @inline(__always)
  mutating func spacedLine<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if phase == .start, undecided == 0, isAnswer {
      awaitsEcho = false
      phase = .answering
    }
    if phase == .start || hex.count == 1 || core.decoder.request.kind == .adapter {
      anyLine(text, position: position, loaded: loaded, into: &handler)
      return
    }
    if joinedCount > 0 { flushJoined(position: position, loaded: loaded, into: &handler) }
    core.decoder.lineStart = 0
    let origin = origin(position)
    if core.takeSingleFrame(&hex, line: text, origin: origin, loaded: loaded, into: &handler) { return }
    core.dataLine(&hex, line: text, origin: origin, loaded: loaded, into: &handler)
  }

  /// Whether the line just read can be no echo: its first byte is none that a question begins with.
  private var isAnswer: Bool {
    @inline(__always)
    mutating get {
      // A command of service 18 may be echoed with bytes that look like a 29-bit identifier.
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

  /// Any other line.
  mutating func anyLine<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var first = 0
    var end = text.count
    while first < end, Self.isNoise(text[first]) { first += 1 }
    while end > first, Self.isNoise(text[end - 1]) { end -= 1 }
    guard first < end else { return }
    if Self.holdsNUL(text.extracting(first..<end)) {
      lineWithoutNULs(text.extracting(first..<end), position: position, loaded: loaded, into: &handler)
      return
    }
    if undecided > 0 {
      decide(isLength: Self.holdsColon(text.extracting(first..<end)), into: &handler)
    }
    if phase == .start {
      if awaitsEcho {
        awaitsEcho = false
        phase = .answering
        let trimmed = text.extracting(first..<end)
        var consumed = echoLength(trimmed, .twice)
        if consumed == 0 { consumed = echoLength(trimmed, .characterTwice) }
        if consumed == 0 { consumed = echoLength(trimmed, .once) }
        if consumed > 0 {
          first += consumed
          while first < end, Self.isNoise(text[first]) || text[first] == promptCharacter { first += 1 }
          guard first < end else { return }
        }
      } else if takeEcho(text, from: first, to: end, position: position, into: &handler) {
        return
      }
      phase = .answering
    }
    content(text, from: first, to: end, position: position, loaded: loaded, into: &handler)
  }

  /// NULs inside a line are no part of it (ELM327 data sheet: an adapter may insert them, and they are to be ignored).
  private mutating func lineWithoutNULs<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var kept = InlineArray<1024, UInt8>(repeating: 0)
    var count = 0
    for i in 0..<text.count where text[i] != 0 {
      kept[count] = text[i]
      count += 1
    }
    anyLine(kept.span.extracting(first: count), position: position, loaded: loaded, into: &handler)
  }

  private static func holdsNUL(_ text: Span<UInt8>) -> Bool {
    for i in 0..<text.count where text[i] == 0 { return true }
    return false
  }

  /// A line past the reader's capacity: no answer is so long.
  mutating func overlong<H: ReplyHandler & ~Copyable>(_ text: Span<UInt8>, position: UInt64, into handler: inout H) {
    if undecided > 0 { decide(isLength: false, into: &handler) }
    phase = .answering
    awaitsEcho = false
    handler.failure(
      WireError(.malformed, origin: origin(position), offset: UInt16(clamping: text.count)), line: text)
  }

  /// The prompt was read.
  mutating func endReply<H: ReplyHandler & ~Copyable>(
    position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if undecided > 0 { decide(isLength: false, into: &handler) }
    if joinedCount > 0 { flushJoined(position: position, loaded: loaded, into: &handler) }
    core.finishReply(loaded: loaded, into: &handler)
    phase = .start
    awaitsEcho = false
    commandCount = 0
    handler.endOfReply(position: position)
  }

  private mutating func origin(_ position: UInt64) -> Origin { Origin(ecu: .unknown, line: line, position: position) }

  /// NUL, control characters and bytes from 0x80 are noise around a line; spaces are none of its content.
  private static func isNoise(_ c: UInt8) -> Bool { c <= space || c >= 0x7F }

  /// With no command known, whether the line behind a prompt is the echo of one; it is then the command.
  private mutating func takeEcho<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, from first: Int, to end: Int, position: UInt64, into handler: inout H
  ) -> Bool {
    let line = text.extracting(first..<end)
    let isEcho: Bool
    if hex.read(text, from: first, to: end) {
      isEcho = Request.looksLikeEcho(&hex)
      if isEcho, hex.hasIdentifier, hex.count == 0 {
        undecided = hex.identifier
        undecidedOrigin = origin(position)
        return true
      }
    } else {
      isEcho = Self.isAdapterCommand(line) || Self.isAddressedCommand(line)
    }
    guard isEcho else { return false }
    command(line, position: position, into: &handler)
    awaitsEcho = false
    phase = .answering
    return true
  }

  /// Takes the three digits that waited for a length or for an echo.
  private mutating func decide<H: ReplyHandler & ~Copyable>(isLength: Bool, into handler: inout H) {
    let value = undecided
    undecided = 0
    var digits = InlineArray<3, UInt8>(repeating: 0)
    for i in 0..<3 { digits[i] = Hex.digit(UInt8(truncatingIfNeeded: value >> UInt16(8 - 4 * i))) }
    if isLength {
      core.announce(Int(value), line: digits.span, origin: undecidedOrigin, into: &handler)
    } else {
      command(digits.span, position: undecidedOrigin.position, into: &handler)
      awaitsEcho = false
    }
    phase = .answering
  }

  private static func holdsColon(_ text: Span<UInt8>) -> Bool {
    for i in 0..<text.count where text[i] == UInt8(ascii: ":") { return true }
    return false
  }

  /// `ATE0`, `AT SP 0`, `STI`; not `STOPPED`, nor a banner `STN1110`.
  private static func isAdapterCommand(_ line: Span<UInt8>) -> Bool {
    guard line.count >= 3 else { return false }
    let first = line[0] & 0xDF
    guard line[1] & 0xDF == UInt8(ascii: "T") else { return false }
    if first == UInt8(ascii: "A") { return true }
    let third = line[2] & 0xDF
    return first == UInt8(ascii: "S") && third != UInt8(ascii: "O") && third != UInt8(ascii: "N") && line.count <= 24
  }

  /// `7E0.7E8.0144|f=2009-`: header, receiver and command, as signal-set captures write an exchange.
  private static func isAddressedCommand(_ line: Span<UInt8>) -> Bool {
    var dots = 0
    var digits = 0
    for i in 0..<line.count {
      let c = line[i]
      if c == UInt8(ascii: "|") { break }
      if c == UInt8(ascii: ".") {
        guard digits >= 3 || dots == 1 && digits >= 2 else { return false }
        dots += 1
        digits = 0
      } else if Hex.value(c) < 16 {
        digits += 1
      } else {
        return false
      }
    }
    return (dots == 1 || dots == 2) && digits >= 2
  }

  // MARK: Content

  /// - Parameter end: behind the line's last character that is no noise.
  private mutating func content<H: ReplyHandler & ~Copyable>(
    _ line: Span<UInt8>, from first: Int, to end: Int, position: UInt64, loaded: Span<SignalDefinition>,
    into handler: inout H
  ) {
    let text = line.extracting(0..<end)
    if core.decoder.request.kind == .adapter {
      adapterAnswer(text, from: first, position: position, into: &handler)
      return
    }
    if hex.read(text, from: first, to: text.count) {
      if hex.count == 1, !hex.hasIdentifier {
        join(text, first, position: position, loaded: loaded, into: &handler)
        return
      }
      if joinedCount > 0 { flushJoined(position: position, loaded: loaded, into: &handler) }
      // A single space behind the digits stays: the short way (``spacedLine``) shows it in errors, too.
      let hasSpace = end + 1 == line.count && line[end] == space
      data(hasSpace ? line : text, position: position, loaded: loaded, into: &handler)
      return
    }
    if joinedCount > 0 { flushJoined(position: position, loaded: loaded, into: &handler) }
    if segments(text, from: first, position: position, loaded: loaded, into: &handler) { return }
    words(text, from: first, position: position, loaded: loaded, into: &handler)
  }

  private mutating func data<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let bus = core.link.stated
    if hex.hasIdentifier, hex.count > 0, bus == .can29 || bus == .auto && startsWith18DA(text) {
      _ = hex.rereadWithLengthCode(text)
    }
    core.decoder.lineStart = hex.start
    core.dataLine(&hex, line: text, origin: origin(position), loaded: loaded, into: &handler)
  }

  private mutating func startsWith18DA(_ text: Span<UInt8>) -> Bool {
    hex.identifier == 0x18D && hex.count > 0 && hex.bytes[0] >> 4 == 0xA
  }

  /// What the adapter says of itself: banner, voltage, protocol, `OK`.
  private mutating func adapterAnswer<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, from first: Int, position: UInt64, into handler: inout H
  ) {
    var words = AdapterText(text, from: first)
    let origin = origin(position)
    if let kind = words.error {
      handler.failure(WireError(kind, origin: origin, offset: UInt16(clamping: first)), line: text)
      return
    }
    let trimmed = text.extracting(first..<text.count)
    if core.decoder.request.asksVoltage, let millivolts = words.millivolts {
      voltage(millivolts, origin, into: &handler)
    } else if words.isBanner {
      handler.adapter(.identity, trimmed, origin: origin)
    } else {
      let isOK = words.isOK
      if core.decoder.request.answer == .protocolNumber, !isOK { hintProtocol(trimmed) }
      handler.adapter(isOK ? .other : core.decoder.request.answer, trimmed, origin: origin)
    }
  }

  private mutating func hintProtocol(_ text: Span<UInt8>) {
    let last = text[text.count - 1]
    guard text.count <= 2 else { return }
    core.link.hinted = BusProtocol(elmDigit: last)
  }

  private mutating func voltage<H: ReplyHandler & ~Copyable>(_ millivolts: Int, _ origin: Origin, into handler: inout H)
  {
    handler.reading(
      Reading(
        origin: origin, signal: core.decoder.batteryVoltage, service: 0, identifier: 0,
        value: Double(millivolts) / 1000))
  }

  /// A line of other characters: the adapter's words, perhaps with data behind or in front.
  private mutating func words<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, from first: Int, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    var words = AdapterText(text, from: first)
    let origin = origin(position)
    if let kind = words.error {
      if kind == .dataError || kind == .rxError { core.hasDamage = true }
      handler.failure(WireError(kind, origin: origin, offset: Self.wordOffset(text, first)), line: text)
      return
    }
    if words.isProgress {
      if words.isBusInit { core.link.seenCAN = false }
      return
    }
    let trimmed = text.extracting(first..<text.count)
    if core.decoder.request.kind == .unknown {
      if let millivolts = words.millivolts {
        voltage(millivolts, origin, into: &handler)
        return
      }
      if words.isKnownAnswer {
        handler.adapter(words.isBanner ? .identity : .other, trimmed, origin: origin)
        return
      }
    }
    let start = Self.dataStart(text, from: first)
    if start < text.count, hex.read(text, from: start, to: text.count), hex.count > 1 {
      data(text, position: position, loaded: loaded, into: &handler)
      return
    }
    if words.isBanner {
      handler.failure(WireError(.adapterReset, origin: origin, offset: UInt16(clamping: first)), line: text)
      return
    }
    var bad = first
    while bad < text.count, Hex.value(text[bad]) < 16 || text[bad] == space { bad += 1 }
    core.hasDamage = true
    handler.failure(WireError(.malformed, origin: origin, offset: UInt16(clamping: bad)), line: text)
  }

  /// Where the words begin in a line that has data in front of them: `43 01 33 00 <RX ERROR`.
  private static func wordOffset(_ text: Span<UInt8>, _ first: Int) -> UInt16 {
    for i in first..<text.count where text[i] == UInt8(ascii: "<") { return UInt16(clamping: i) }
    return UInt16(clamping: first)
  }

  /// Where data begins behind words: `SEARCHING...41 00 …`, `BUS INIT: OK86 F1 …`, `ELM327 v1.541 00 …`. The line's end
  /// where the words in front are none that an adapter puts there.
  private static func dataStart(_ text: Span<UInt8>, from first: Int) -> Int {
    var last = first
    var letters = 0
    var dots = 0
    for i in first..<text.count {
      let c = text[i]
      if Hex.value(c) < 16 || c == space { continue }
      last = i
      let upper = c & 0xDF
      if upper >= UInt8(ascii: "G"), upper <= UInt8(ascii: "Z") { letters += 1 }
      if c == UInt8(ascii: ".") { dots += 1 }
    }
    guard letters >= 3 || letters == 0 && dots > 0 && text[first] == UInt8(ascii: ".") else { return text.count }
    // Words come first: a line that begins with a digit is damaged data, not a greeting.
    guard !(text[first] >= UInt8(ascii: "0") && text[first] <= UInt8(ascii: "9")) else { return text.count }
    var start = last + 1
    // The dot of a version takes its last digit along, and the letter behind it: v1.5, v1.3a.
    if text[last] == UInt8(ascii: "."), last >= 2, text[last - 2] & 0xDF == UInt8(ascii: "V") {
      start = min(start + 1, text.count)
      if start < text.count, text[start] >= UInt8(ascii: "a"), text[start] <= UInt8(ascii: "z") { start += 1 }
    }
    while start < text.count, text[start] == space { start += 1 }
    return start
  }

  // MARK: Segments

  /// `0: 49 02 01 31 44 34`, also run together with its length and its neighbours: `0140:4902…1:4750…2:4231…`.
  private mutating func segments<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, from first: Int, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) -> Bool {
    var colons = 0
    var firstColon = 0
    for i in first..<text.count {
      let c = text[i]
      if c == UInt8(ascii: ":") {
        colons += 1
        if colons == 1 { firstColon = i }
      } else if c != space, Hex.value(c) >= 16 {
        return false
      }
    }
    guard colons > 0, firstColon > first else { return false }
    let origin = origin(position)
    guard core.link.headers != .on, !core.link.stated.isLegacy else {
      handler.failure(WireError(.malformed, origin: origin, offset: UInt16(clamping: firstColon)), line: text)
      return true
    }
    core.decoder.firstDigit = -1
    let before = firstColon - 1 - first
    if before > 0 {
      guard before <= 4, hex.read(text, from: first, to: firstColon - 1) else { return false }
      let length = hex.hasIdentifier ? Int(hex.identifier) : -1
      guard length > 0, hex.count == 0 else { return false }
      core.announce(length, line: text, origin: origin, into: &handler)
    }
    var colon = firstColon
    while colon < text.count {
      let index = Hex.value(text[colon - 1])
      var next = colon + 1
      while next < text.count, text[next] != UInt8(ascii: ":") { next += 1 }
      // The digit in front of the next colon is that segment's index.
      let end = next < text.count ? next - 1 : text.count
      guard index < 16, hex.read(text, from: min(colon + 1, end), to: end), !hex.hasIdentifier else {
        handler.failure(WireError(.malformed, origin: origin, offset: UInt16(clamping: colon)), line: text)
        return true
      }
      core.segment(index, &hex, line: text, origin: origin, loaded: loaded, into: &handler)
      colon = next
    }
    return true
  }

  // MARK: Bytes on lines of their own

  private mutating func join<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, _ first: Int, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    if joinedCount == 64 { flushJoined(position: position, loaded: loaded, into: &handler) }
    let byte = hex.bytes[0]
    joined[joinedCount] = byte
    joinedText[2 * joinedCount] = Hex.digit(byte >> 4)
    joinedText[2 * joinedCount + 1] = Hex.digit(byte)
    joinedCount += 1
  }

  private mutating func flushJoined<H: ReplyHandler & ~Copyable>(
    position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let count = joinedCount
    joinedCount = 0
    let origin = origin(position)
    let isNumber = count == 1 && core.decoder.request.kind == .unknown && Self.isProtocolNumber(joined[0])
    if isNumber { core.link.hinted = BusProtocol(elmDigit: joinedText[1]) }
    let text = joinedText.span.extracting(first: 2 * count)
    if isNumber {
      handler.adapter(.protocolNumber, text, origin: origin)
      return
    }
    // Of its own: `hex` may hold the line that ended the row of bytes.
    var row = HexLine()
    row.set(joined.span.extracting(first: count))
    core.decoder.lineStart = 0
    core.dataLine(&row, line: text, origin: origin, loaded: loaded, into: &handler)
  }

  /// `A0`…`AC`: what ATDPN answers when the adapter chose the protocol itself.
  private static func isProtocolNumber(_ byte: UInt8) -> Bool { byte >> 4 == 0xA && byte & 0x0F <= 0x0C }
}
