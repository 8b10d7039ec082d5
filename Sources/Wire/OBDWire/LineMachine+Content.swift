/// Processing of a text line without its echo: digits, segments, or a message of the adapter.
extension LineMachine {
  /// Processes the content of a text line.
  ///
  /// - Parameter end: index after the last character that is not noise.
  mutating func content<H: ReplyHandler & ~Copyable>(
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
      // Keep a single space after the digits: ``spacedLine(_:position:loaded:into:)`` also shows it in errors.
      let hasSpace = end + 1 == line.count && line[end] == space
      data(hasSpace ? line : text, position: position, loaded: loaded, into: &handler)
      return
    }
    if joinedCount > 0 { flushJoined(position: position, loaded: loaded, into: &handler) }
    if segments(text, from: first, position: position, loaded: loaded, into: &handler) { return }
    words(text, from: first, position: position, loaded: loaded, into: &handler)
  }

  mutating func data<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, position: UInt64, loaded: Span<SignalDefinition>, into handler: inout H
  ) {
    let bus = core.link.stated
    if hex.hasIdentifier, hex.count > 0, bus == .can29 || bus == .auto && startsWith18DA(text) {
      _ = hex.rereadWithLengthCode(text)
    }
    core.decoder.lineStart = hex.start
    core.dataLine(&hex, line: text, origin: origin(position), loaded: loaded, into: &handler)
  }

  mutating func startsWith18DA(_ text: Span<UInt8>) -> Bool {
    hex.identifier == 0x18D && hex.count > 0 && hex.bytes[0] >> 4 == 0xA
  }
}
