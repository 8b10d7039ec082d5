/// Captures that the logging transport of the program obd2-core writes (`.obd2raw`).
///
///     # obd2-raw v1
///     # transport=serial port=/dev/ttyUSB0 baud=115200
///     # started=2026-06-27T04:04:59.906Z
///     0.200 W 010C\r
///     0.310 R.chunk 41 0C 0A
///     0.331 R 41 0C 0A A0\r\r>
///     0.400 N command=0100
///
/// Times are seconds since `started`. `W` marks bytes sent to the adapter and `R` a complete reply, both with the
/// escape sequences `\r \n \t \\ \xHH`. `R.chunk` marks a part of the following `R`, and `N` a note; both are skipped.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if it is not an event or a valid header.
  mutating func obd2rawLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard line.count > 0 else { return }
    if line[0] == UInt8(ascii: "#") {
      if !header.isAnnounced, !readOBD2RawHeader(line) { throw damaged(line) }
      return
    }
    announceHeader(to: &consumer)
    guard let event = OBD2RawEvent(line) else { throw damaged(line) }
    guard let direction = event.direction else { return }
    scratch.removeAll(keepingCapacity: true)
    guard Escapes.undo(line.extracting(event.payload), into: &scratch) else { throw damaged(line) }
    deliver(direction, at: .offset(event.time), into: &consumer)
  }

  /// Reads the time when the recording began (`started=`) and the adapter (`port=` or `device=`) from a comment.
  ///
  /// - Returns: `false` if `started` is not a date with a time.
  private mutating func readOBD2RawHeader(_ line: Span<UInt8>) -> Bool {
    if let found = line.index(of: "started=") {
      var i = found + 8
      guard case .wall(let time)? = LogStamp.parse(line, at: &i) else { return false }
      header.recorded = time
    }
    for key: StaticString in ["port=", "device="] {
      guard let found = line.index(of: key) else { continue }
      let start = found + key.utf8CodeUnitCount
      let end = line.index(of: " baud=", from: start) ?? line.count
      header.adapter.removeAll(keepingCapacity: true)
      header.adapter.append(bytes: line.extracting(start..<end).trimmingEnd())
    }
    return true
  }
}

/// A parsed line of an `.obd2raw` file.
struct OBD2RawEvent {
  /// Time of the event, ns since the recording began.
  let time: Int64
  /// Direction of the bytes; `nil` for a note, and for a part of a reply. Both are skipped.
  let direction: CaptureDirection?
  let payload: Range<Int>

  init?(_ line: Span<UInt8>) {
    var i = 0
    guard case .seconds(let time)? = LogStamp.parse(line, at: &i), i < line.count, line[i] == 0x20 else { return nil }
    self.time = time
    let mark = i + 1
    let end = line.index(of: 0x20, from: mark) ?? line.count
    let word = line.extracting(mark..<end)
    if word.count == 1, word[0] == UInt8(ascii: "W") {
      direction = .toAdapter
    } else if word.count == 1, word[0] == UInt8(ascii: "R") {
      direction = .fromAdapter
    } else if word.count == 7, word.has("R.chunk") {
      direction = nil
    } else if word.count == 1, word[0] == UInt8(ascii: "N") {
      direction = nil
    } else {
      return nil
    }
    payload = min(end + 1, line.count)..<line.count
  }
}
