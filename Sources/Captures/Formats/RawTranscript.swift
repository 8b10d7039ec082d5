/// Bytes as a terminal program or a port monitor saved them: an adapter's dialogue, or a receiver's sentences.
///
///     ATE0⏎ATE0⏎OK⏎⏎>010C⏎41 0C 1A F8 ⏎⏎>
///     $GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A⏎␊
///
/// The chunks go through as they come, untouched: what is echo, reply or prompt, CR or LF, is the business of
/// whoever reassembles replies.
extension CaptureReader {
  mutating func passThrough<C: CaptureConsumer & ~Copyable>(
    _ chunk: Span<UInt8>, as direction: CaptureDirection, into consumer: inout C
  ) throws(CaptureError) {
    guard chunk.count > 0 else { return }
    guard stream.takeAll(chunk, limit: Self.lineLimit) else {
      throw CaptureError(.lineTooLong, format: format, text: chunk)
    }
    consumer.bytes(direction, at: .none, chunk)
  }
}

/// Where a byte stream stands in its lines.
struct StreamState {
  /// Bytes since the last CR, LF or prompt.
  private(set) var sinceBreak = 0
  /// What a byte of a log with both sides in one stream belongs to.
  var direction = CaptureDirection.toAdapter

  static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A || byte == UInt8(ascii: ">") }

  /// Counts the chunk in; false if it makes a line longer than the limit.
  ///
  /// Only the last line end within each limit's reach matters, so it is looked for from behind: a handful of bytes a
  /// chunk are read, not all.
  mutating func takeAll(_ chunk: Span<UInt8>, limit: Int) -> Bool {
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
