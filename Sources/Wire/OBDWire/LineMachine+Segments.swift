/// Processes messages without headers, which the adapter prints in numbered segments.
extension LineMachine {
  /// Processes segments such as `0: 49 02 01 31 44 34`. Segments may also be joined with the length and with each
  /// other: `0140:4902…1:4750…2:4231…`.
  ///
  /// - Returns: `false` if the text line has no segments.
  mutating func segments<H: ReplyHandler & ~Copyable>(
    from first: Int, in context: LineContext, into handler: inout H
  ) -> Bool {
    let text = context.line
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
    guard core.link.headers != .on, !core.link.stated.isLegacy else {
      handler.failure(WireError(.malformed, origin: context.origin, offset: UInt16(clamping: firstColon)), line: text)
      return true
    }
    let before = firstColon - 1 - first
    if before > 0 {
      guard before <= 4, hex.read(text, from: first, to: firstColon - 1) else { return false }
      let length = hex.hasIdentifier ? Int(hex.identifier) : -1
      guard length > 0, hex.count == 0 else { return false }
      core.announce(length, in: context, into: &handler)
    }
    var colon = firstColon
    while colon < text.count {
      let index = Hex.value(text[colon - 1])
      var next = colon + 1
      while next < text.count, text[next] != UInt8(ascii: ":") { next += 1 }
      // The digit before the next colon is the number of the next segment.
      let end = next < text.count ? next - 1 : text.count
      guard index < 16, hex.read(text, from: min(colon + 1, end), to: end), !hex.hasIdentifier else {
        handler.failure(WireError(.malformed, origin: context.origin, offset: UInt16(clamping: colon)), line: text)
        return true
      }
      core.segment(index, &hex, in: context, into: &handler)
      colon = next
    }
    return true
  }
}
