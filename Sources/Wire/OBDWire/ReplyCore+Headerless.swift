/// Text lines without headers (ATH0). They contain only data; a longer message is printed as its length and numbered
/// segments.
///
///     41 0C 1A F8
///     014
///     0: 49 02 01 31 44 34
///     1: 47 50 30 30 52 35 35
///     2: 42 31 32 33 34 35 36
///
/// Segments do not show who sent them. If the segments of two messages are interleaved, both messages are rejected.
extension ReplyCore {
  mutating func headerlessLine<H: ReplyHandler & ~Copyable>(
    _ hex: inout HexLine, in context: inout LineContext, into handler: inout H
  ) {
    _ = table.slot(for: .unknown, reply: reply)
    if hex.bytes[0] < 0x40 {
      // Answers begin with 0x40 or more (ISO 14229-1, 8.2). A lower value is a protocol control byte, which is printed
      // after ATCAF0.
      guard hex.count <= 8, link.isCAN != false || link.seenCAN == nil else {
        fail(.malformed, byte: 0, &hex, in: context, into: &handler)
        return
      }
      canFrame(&hex, first: 0, end: hex.count, in: &context, into: &handler)
      return
    }
    guard hex.bytes[0] < 0x80 else {
      fail(.malformed, byte: 0, &hex, in: context, into: &handler)
      return
    }
    let stride = repeatedLength(&hex)
    var start = 0
    while start < hex.count {
      let end = stride > 0 ? start + stride : unpaddedEnd(&hex)
      context.firstDigit = hex.digitIndex(ofByte: start)
      let payload = hex.bytes.span.extracting(start..<end)
      if isLegacyForm(payload) {
        legacyPayload(payload, in: context, into: &handler)
      } else {
        deliver(payload, in: context, into: &handler)
      }
      start = stride > 0 ? end : hex.count
    }
  }

  /// If the answers of several ECUs are joined in one text line, returns the length of each answer. Returns 0 if the
  /// text line is one message.
  ///
  /// Answers count as joined if the service and the PID occur again after as many data bytes as the PID has.
  private mutating func repeatedLength(_ hex: inout HexLine) -> Int {
    guard hex.count > 7, hex.bytes[0] == 0x41 else { return 0 }
    let length = decoder.parameterLength(hex.bytes[1])
    guard length > 0 else { return 0 }
    let stride = 2 + length
    guard stride <= 7, hex.count % stride == 0 else { return 0 }
    var start = 0
    while start < hex.count {
      if hex.bytes[start] != hex.bytes[0] || hex.bytes[start + 1] != hex.bytes[1] { return 0 }
      start += stride
    }
    return stride
  }

  /// Returns where the answer in a text line ends, without the padding that some clones print. A text line is padded if
  /// it has seven bytes, and all bytes after the complete answer are equal.
  private mutating func unpaddedEnd(_ hex: inout HexLine) -> Int {
    guard hex.count == 7 else { return hex.count }
    var end: Int
    switch hex.bytes[0] {
    case 0x41:
      let length = decoder.parameterLength(hex.bytes[1])
      guard length > 0 else { return 7 }
      end = 2 + length
      // If several PIDs were requested, another PID may follow.
      while end < 7, decoder.request.kind == .data && decoder.request.identifierCount > 1,
        decoder.request.asks(for: UInt16(hex.bytes[end]))
      {
        let next = decoder.parameterLength(hex.bytes[end])
        guard next > 0, end + 1 + next <= 7 else { return 7 }
        end += 1 + next
      }
    case 0x43, 0x47, 0x4A:
      guard link.isCAN == true else { return 7 }
      end = 2 + 2 * Int(hex.bytes[1])
    case 0x7F: end = 3
    default: return 7
    }
    guard end < 7 else { return 7 }
    let filler = hex.bytes[end]
    guard filler == 0x00 || filler == 0x55 || filler == 0xAA || filler == 0xCC || filler == 0xFF else { return 7 }
    for i in end..<7 where hex.bytes[i] != filler { return 7 }
    return end
  }

  /// Whether data without a header belong to an answer of several text lines on a bus older than CAN. If the bus is
  /// unknown, the length decides: the bus is older than CAN if an answer of this service cannot have this length on
  /// CAN.
  private mutating func isLegacyForm(_ payload: Span<UInt8>) -> Bool {
    if let isCAN = link.isCAN { return !isCAN }
    switch payload[0] {
    case 0x43, 0x47, 0x4A: return payload.count & 1 == 1
    case 0x49:
      // On CAN, seven bytes would be one item of information type 06 (CVN). On older buses, text lines are numbered.
      guard payload.count == 7 else { return false }
      return payload[1] != 0x06 && payload[1] & 1 == 0 && payload[1] != 0 && payload[1] != 0x08
        || payload[1] == 0x08 && payload[2] <= 0x0A
    default: return false
    }
  }

  /// Processes a text line such as `014`: the length of the message in the segments that follow.
  mutating func announce<H: ReplyHandler & ~Copyable>(
    _ length: Int, in context: LineContext, into handler: inout H
  ) {
    let slot = ECUTable.unknown
    _ = table.slot(for: .unknown, reply: reply)
    switch table.slots[slot].phase {
    case .broken where table.slots[slot].length > 0: return
    case .assembling:
      // Two messages are in progress, and the segments that follow could belong to either.
      table.slots[slot].phase = .broken
      handler.failure(WireError(.sequence, origin: context.origin), line: context.line)
      return
    default: break
    }
    guard length > 0 else {
      handler.failure(WireError(.malformed, origin: context.origin), line: context.line)
      return
    }
    link.seenCAN = true
    begin(slot, length: length, nextIndex: 0)
    table.slots[slot].store(context)
  }

  /// Processes a numbered segment. The segment `0:` has six bytes, the others have seven. Bytes after the announced
  /// length are padding.
  mutating func segment<H: ReplyHandler & ~Copyable>(
    _ index: UInt8, _ hex: inout HexLine, in context: LineContext, into handler: inout H
  ) {
    let slot = ECUTable.unknown
    _ = table.slot(for: .unknown, reply: reply)
    switch table.slots[slot].phase {
    case .broken: return
    case .assembling: break
    case .idle, .gathering:
      // Without the announced length, it cannot be known whether the message is complete.
      table.slots[slot].phase = .broken
      table.slots[slot].length = 0
      handler.failure(WireError(.sequence, origin: context.origin), line: context.line)
      return
    }
    guard index == table.slots[slot].nextIndex else {
      table.slots[slot].phase = .broken
      handler.failure(WireError(.sequence, origin: context.origin), line: context.line)
      return
    }
    let isFirst = table.slots[slot].received == 0
    let needed = min(isFirst ? 6 : 7, table.slots[slot].length - table.slots[slot].received)
    guard hex.count >= needed else {
      table.slots[slot].phase = .broken
      fail(.truncated, byte: hex.count, &hex, in: context, into: &handler)
      return
    }
    guard hex.count <= 8 else {
      table.slots[slot].phase = .broken
      fail(.malformed, byte: 8, &hex, in: context, into: &handler)
      return
    }
    table.slots[slot].nextIndex = (index + 1) & 0x0F
    table.append(hex.bytes.span, from: 0, count: needed, to: slot)
    completeIfWhole(in: context, into: &handler)
  }
}
