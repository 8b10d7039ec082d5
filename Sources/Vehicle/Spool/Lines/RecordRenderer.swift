import Telemetry

/// Turns a stored line into the line that sinks receive.
///
/// The same stored line, epoch, sequence number and date always result in the same bytes.
struct RecordRenderer: ~Copyable {
  private var scratch = JSONLineEncoder(capacity: 256)

  /// Appends the line of one record, with its line feed, to `out`.
  ///
  /// - Parameters:
  ///   - stored: the bytes of a ``StoredLine``.
  ///   - time: time of the record, ns since boot.
  ///   - wall: the date at the start of the boot (time 0).
  mutating func write(
    _ stored: Span<UInt8>, epoch: UUIDv7, sequence: UInt64, time: Int64, wall: WallTime, to out: inout [UInt8]
  ) {
    let moment: RecordTime =
      wall.quality == .unset
      ? .elapsed(nanoseconds: time) : .wall(Timestamp(nanoseconds: time &+ wall.offset), wall.quality)
    var from = 0
    var index = 0
    while index < stored.count {
      let byte = stored[index]
      if byte >= 0x20 {
        index += 1
        continue
      }
      Self.copy(stored, from..<index, to: &out)
      switch byte {
      case StoredLine.timeMark: fields(to: &out) { line in moment.write(to: &line) }
      case StoredLine.numberMark:
        fields(to: &out) { line in
          line.field("epoch", epoch)
          line.field("seq", sequence)
        }
      case StoredLine.momentMark: index = writeMoment(stored, from: index + 1, moment, to: &out)
      default: break
      }
      index += 1
      from = index
    }
    Self.copy(stored, from..<stored.count, to: &out)
    out.append(UInt8(ascii: "\n"))
  }

  private mutating func fields(to out: inout [UInt8], _ write: (inout JSONLineEncoder) -> Void) {
    scratch.begin()
    write(&scratch)
    // Leave out the opening brace, because the fields are appended to an object that has already begun.
    let line = scratch.line
    Self.copy(line, 1..<line.count, to: &out)
  }

  /// Writes the key of a time in a trip record, and the time as a date, for example `,"startTime":"…"`. Writes nothing
  /// if the date is unknown.
  ///
  /// - Returns: the index of the byte 03 that ends this time in the stored line.
  private mutating func writeMoment(
    _ stored: Span<UInt8>, from start: Int, _ moment: RecordTime, to out: inout [UInt8]
  ) -> Int {
    var end = start
    while end < stored.count, stored[end] != StoredLine.momentMark { end += 1 }
    let words = stored.extracting(start..<end)
    guard case .wall(let own, _) = moment,
      let colon = words.indices.first(where: { words[$0] == UInt8(ascii: ":") }),
      let distance = Self.number(words.extracting((colon + 1)..<words.count))
    else { return end }
    let then = Timestamp(nanoseconds: own.milliseconds &* 1_000_000 &+ distance &* 1_000_000)
    out.append(UInt8(ascii: ","))
    fields(to: &out) { line in
      line.key(words.extracting(0..<colon))
      _ = then.write(to: &line)
    }
    return end
  }

  private static func number(_ digits: Span<UInt8>) -> Int64? {
    var text = ""
    for index in digits.indices { text.append(Character(Unicode.Scalar(digits[index]))) }
    return Int64(text)
  }

  private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>, to out: inout [UInt8]) {
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
  }
}
