/// Processes a text line after its echo was removed: digits, segments, or a message of the adapter.
extension LineMachine {
  /// Processes the content of a text line, which begins at `first`.
  ///
  /// - Parameter end: index after the last character that is not noise.
  mutating func content<H: ReplyHandler & ~Copyable>(
    from first: Int, to end: Int, in context: LineContext, into handler: inout H
  ) {
    let line = context.line
    var context = context
    context.line = line.extracting(0..<end)
    if core.decoder.request.kind == .adapter {
      adapterAnswer(from: first, in: context, into: &handler)
      return
    }
    if hex.read(context.line, from: first, to: end) {
      if hex.count == 1, !hex.hasIdentifier {
        join(in: context, into: &handler)
        return
      }
      if joinedCount > 0 { flushJoined(in: context, into: &handler) }
      // Keep one space after the digits. ``digitLine(in:into:)`` also keeps it in errors.
      if end + 1 == line.count, line[end] == space { context.line = line }
      data(in: context, into: &handler)
      return
    }
    if joinedCount > 0 { flushJoined(in: context, into: &handler) }
    if segments(from: first, in: context, into: &handler) { return }
    words(from: first, in: context, into: &handler)
  }

  mutating func data<H: ReplyHandler & ~Copyable>(in context: LineContext, into handler: inout H) {
    let bus = core.link.stated
    if hex.hasIdentifier, hex.count > 0, bus == .can29 || bus == .auto && startsWith18DA {
      _ = hex.rereadWithLengthCode(context.line)
    }
    var context = context
    context.start = hex.start
    core.dataLine(&hex, in: &context, into: &handler)
  }

  private var startsWith18DA: Bool {
    mutating get { hex.identifier == 0x18D && hex.count > 0 && hex.bytes[0] >> 4 == 0xA }
  }
}
