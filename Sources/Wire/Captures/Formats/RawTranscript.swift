/// The bytes of a serial line as a terminal program or a port monitor saved them: the dialogue with an adapter, or the
/// sentences of a GNSS receiver.
///
///     ATE0⏎ATE0⏎OK⏎⏎>010C⏎41 0C 1A F8 ⏎⏎>
///     $GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A⏎␊
///
/// Each chunk is passed on unchanged. The consumer distinguishes echo, replies, prompts and line ends.
extension CaptureReader {
  /// Passes a chunk to the consumer unchanged.
  ///
  /// - Throws: `lineTooLong`.
  mutating func passThrough<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, as direction: CaptureDirection, into consumer: inout C
  ) throws(CaptureError) {
    guard chunk.count > 0 else { return }
    guard stream.readLines(chunk, limit: Self.lineLimit) else {
      throw CaptureError(.lineTooLong, format: format, text: chunk)
    }
    consumer.bytes(direction, at: .none, chunk)
  }
}

/// The state of a reader of a byte stream: the length of the current line, and the direction of the next byte.
struct StreamState {
  /// Number of bytes since the last CR, LF or prompt.
  private(set) var sinceBreak = 0
  /// Direction of the next byte, in a log with both directions in one stream.
  var direction = CaptureDirection.toAdapter

  /// Whether a byte ends a line: CR, LF or the prompt.
  static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A || byte == UInt8(ascii: ">") }

  /// Updates ``sinceBreak`` after a chunk.
  ///
  /// The search for a line end goes backwards from the byte at which the line would be too long. It therefore reads
  /// only a few bytes of each chunk.
  ///
  /// - Returns: `false` if a line exceeds the limit.
  mutating func readLines(_ chunk: Span<UInt8>, limit: Int) -> Bool {
    var position = 0
    while chunk.count - position > limit - sinceBreak {
      let reach = position + limit - sinceBreak
      guard let end = Self.lastBreak(chunk, from: position, through: reach) else { return false }
      position = end + 1
      sinceBreak = 0
    }
    if let end = Self.lastBreak(chunk, from: position, through: chunk.count - 1) {
      sinceBreak = chunk.count - 1 - end
    } else {
      sinceBreak += chunk.count - position
    }
    return true
  }

  private static func lastBreak(_ chunk: Span<UInt8>, from start: Int, through end: Int) -> Int? {
    var i = end
    while i >= start {
      if endsLine(chunk[i]) { return i }
      i -= 1
    }
    return nil
  }
}
