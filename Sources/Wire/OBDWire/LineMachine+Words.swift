/// Processes text: messages of the adapter about itself or the bus, and texts before data.
extension LineMachine {
  /// Processes the adapter's answer to a command: identification, voltage, protocol, `OK`.
  mutating func adapterAnswer<H: ReplyHandler & ~Copyable>(
    from first: Int, in context: LineContext, into handler: inout H
  ) {
    let text = context.line
    var words = AdapterText(text, from: first)
    let origin = context.origin
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

  mutating func hintProtocol(_ text: Span<UInt8>) {
    let last = text[text.count - 1]
    guard text.count <= 2 else { return }
    core.link.hinted = BusProtocol(elmDigit: last)
  }

  mutating func voltage<H: ReplyHandler & ~Copyable>(_ millivolts: Int, _ origin: Origin, into handler: inout H) {
    handler.reading(
      Reading(
        origin: origin, signal: core.decoder.batteryVoltage, service: 0, identifier: 0,
        value: Double(millivolts) / 1000))
  }

  /// Processes a text line with characters that are not digits: a message of the adapter, perhaps before or after data.
  mutating func words<H: ReplyHandler & ~Copyable>(
    from first: Int, in context: LineContext, into handler: inout H
  ) {
    let text = context.line
    var words = AdapterText(text, from: first)
    let origin = context.origin
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
      data(in: context, into: &handler)
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

  /// Returns where the adapter's message begins in a text line that begins with data, such as `43 01 33 00 <RX ERROR`.
  static func wordOffset(_ text: Span<UInt8>, _ first: Int) -> UInt16 {
    for i in first..<text.count where text[i] == UInt8(ascii: "<") { return UInt16(clamping: i) }
    return UInt16(clamping: first)
  }

  /// Returns where the data begin after a message: `SEARCHING...41 00 …`, `BUS INIT: OK86 F1 …`, `ELM327 v1.541 00 …`.
  /// If the text before them is not a known message, returns the length of the text line.
  static func dataStart(_ text: Span<UInt8>, from first: Int) -> Int {
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
    // The line must begin with a message. If it begins with a digit, it is damaged data.
    guard !(text[first] >= UInt8(ascii: "0") && text[first] <= UInt8(ascii: "9")) else { return text.count }
    var start = last + 1
    // After the dot of a version, one digit and perhaps a letter belong to the message: v1.5, v1.3a.
    if text[last] == UInt8(ascii: "."), last >= 2, text[last - 2] & 0xDF == UInt8(ascii: "V") {
      start = min(start + 1, text.count)
      if start < text.count, text[start] >= UInt8(ascii: "a"), text[start] <= UInt8(ascii: "z") { start += 1 }
    }
    while start < text.count, text[start] == space { start += 1 }
    return start
  }
}
