/// Support for adapters that print each byte on a separate text line.
extension LineMachine {
  mutating func join<H: ReplyHandler & ~Copyable>(
    in context: LineContext, into handler: inout H
  ) {
    if joinedCount == 64 { flushJoined(in: context, into: &handler) }
    let byte = hex.bytes[0]
    joined[joinedCount] = byte
    joinedText[2 * joinedCount] = Hex.digit(byte >> 4)
    joinedText[2 * joinedCount + 1] = Hex.digit(byte)
    joinedCount += 1
  }

  mutating func flushJoined<H: ReplyHandler & ~Copyable>(
    in context: LineContext, into handler: inout H
  ) {
    let count = joinedCount
    joinedCount = 0
    let isNumber = count == 1 && core.decoder.request.kind == .unknown && Self.isProtocolNumber(joined[0])
    if isNumber { core.link.hinted = BusProtocol(elmDigit: joinedText[1]) }
    let text = joinedText.span.extracting(first: 2 * count)
    if isNumber {
      handler.adapter(.protocolNumber, text, origin: context.origin)
      return
    }
    // A separate value is needed, because `hex` may contain the text line that follows the single bytes.
    var row = HexLine()
    row.set(joined.span.extracting(first: count))
    var context = LineContext(text, loaded: context.loaded, origin: context.origin)
    core.dataLine(&row, in: &context, into: &handler)
  }

  /// Whether a byte is `A0`…`AC`, which is the answer to ATDPN if the adapter chose the protocol itself.
  static func isProtocolNumber(_ byte: UInt8) -> Bool { byte >> 4 == 0xA && byte & 0x0F <= 0x0C }
}
