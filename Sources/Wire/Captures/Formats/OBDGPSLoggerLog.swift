/// The serial log of obdgpslogger (`obdgpslogger -l FILE`).
///
///     ⏎?⏎⏎>ATZ⏎ATZ⏎⏎⏎ELM327 v1.5⏎⏎>0100⏎0100⏎SEARCHING...⏎41 00 BE 3F A8 13 ⏎⏎>ATE0⏎ATE0⏎OK⏎⏎>010C1⏎410C1AF8⏎⏎>
///
/// One stream without times: each command up to its CR, then the reply up to its prompt. Until `ATE0`, a command
/// therefore occurs twice, the second time as the adapter's echo. The first command is empty. A LF after a prompt
/// belongs to the adapter's output.
extension CaptureReader {
  /// Maximum number of bytes of a reply that are collected. When a reply has so many bytes, they are passed to the
  /// consumer, even if the reply has not ended. Only an adapter that monitors a bus sends such long replies.
  private static var replyPart: Int { 1 << 16 }

  /// Reads a chunk and divides it into commands and replies.
  ///
  /// - Throws: `lineTooLong`.
  mutating func receiveBothSides<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard stream.readLines(chunk, limit: Self.lineLimit) else {
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
        // If line feeds are on, the adapter sends a LF after its last CR, so this LF follows the prompt.
        deliver(.fromAdapter, at: .none, into: &consumer)
        scratch.removeAll(keepingCapacity: true)
      case (.toAdapter, UInt8(ascii: ">")):
        // A prompt cannot be part of a command, so the adapter has printed a second prompt, for example after a reset.
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

  /// Passes the bytes of the current command or reply to the consumer.
  mutating func flushBothSides<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    deliver(stream.direction, at: .none, into: &consumer)
    scratch.removeAll(keepingCapacity: true)
  }
}
