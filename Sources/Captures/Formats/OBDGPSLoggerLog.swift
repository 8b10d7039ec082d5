/// The serial log of obdgpslogger (`obdgpslogger -l FILE`).
///
///     ⏎?⏎⏎>ATZ⏎ATZ⏎⏎⏎ELM327 v1.5⏎⏎>0100⏎0100⏎SEARCHING...⏎41 00 BE 3F A8 13 ⏎⏎>ATE0⏎ATE0⏎OK⏎⏎>010C1⏎410C1AF8⏎⏎>
///
/// One stream without times: each command as it is written, up to its CR, then what is read, up to the prompt. Until
/// `ATE0` a command therefore stands there twice, the second time as the adapter's echo. The first command is an empty
/// one. A LF behind a prompt is the adapter's.
extension CaptureReader {
  /// A reply longer than this (a monitored bus) is handed on in parts.
  private static var replyPart: Int { 1 << 16 }

  mutating func receiveBothSides<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard stream.takeAll(chunk, limit: Self.lineLimit) else {
      throw CaptureError(.lineTooLong, format: format, text: chunk)
    }
    for i in 0..<chunk.count {
      let byte = chunk[i]
      scratch.append(byte)
      switch (stream.direction, byte) {
      case (.toAdapter, 0x0D):
        flushBothSides(into: &consumer)
        stream.direction = .fromAdapter
      case (.toAdapter, 0x0A) where scratch.count == 1:
        // With line feeds on, the adapter follows its last CR with a LF; it came after the prompt was seen.
        deliver(.fromAdapter, at: .none, into: &consumer)
        scratch.removeAll(keepingCapacity: true)
      case (.toAdapter, UInt8(ascii: ">")):
        // No command holds a prompt: the adapter printed another one unasked (a reset, a second read).
        deliver(.fromAdapter, at: .none, into: &consumer)
        scratch.removeAll(keepingCapacity: true)
      case (.fromAdapter, UInt8(ascii: ">")):
        flushBothSides(into: &consumer)
        stream.direction = .toAdapter
      case (.fromAdapter, _) where scratch.count == Self.replyPart:
        flushBothSides(into: &consumer)
      default: break
      }
    }
  }

  /// Hands on what stands behind the last CR of a command or the last prompt.
  mutating func flushBothSides<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    deliver(stream.direction, at: .none, into: &consumer)
    scratch.removeAll(keepingCapacity: true)
  }
}
