/// CAN logs of the Open Vehicle Monitoring System (CRTD 1.0–3.1).
///
///     1320745424.000 CXX OVMS CRTD
///     1320745424.002 1R11 7E8 06 41 00 BE 3F A8 13
///     1320745424.013 1T11 7DF 02 01 0C 00 00 00 00 00
///     1320745424.020 R29 18DAF110 06 41 00 BE 3F A8 13
///
/// A record has a time in seconds, an optional bus number, `R` (received) or `T` (transmitted), an 11- or 29-bit
/// identifier and up to 8 bytes. Times count from 1970. If the OVMS module does not know the date, they count from its
/// start, and the reader converts them to times since the first record. Records whose type begins with `C` (comments,
/// events, errors, statistics, commands) are skipped. ``BusDialogue`` converts the frames.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if it is not a record.
  mutating func crtdLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    let text = line.trimmingEnd()
    if text.count == 0 { return }
    guard let record = CRTDRecord(text) else { throw damaged(line) }
    let time = clock.timeFromFirst(record.stamp)
    if record.isFrame { bus.receive(record.frame, at: time, into: &consumer) }
  }
}

/// A parsed record of a CRTD log.
struct CRTDRecord {
  let stamp: LogStamp
  /// Whether the record is a CAN frame; `false` for a record that is skipped.
  private(set) var isFrame = false
  private(set) var frame = LoggedFrame()

  init?(_ line: Span<UInt8>) {
    var i = 0
    guard case .seconds(let time)? = LogStamp.parse(line, at: &i), i < line.count, line[i] == 0x20 else { return nil }
    stamp = .seconds(time)
    guard let range = CandumpLine.word(line, at: &i) else { return nil }
    var kind = range.lowerBound
    while kind < range.upperBound, line[kind].isDigit { kind += 1 }
    let type = line.extracting(kind..<range.upperBound)
    guard type.count == 3 else { return nil }
    if type[0] == UInt8(ascii: "C"), type[1].isLetter, type[2].isLetter { return }
    let isExtended = type.has("29", at: 1)
    guard type[0] == UInt8(ascii: "R") || type[0] == UInt8(ascii: "T"), isExtended || type.has("11", at: 1) else {
      return nil
    }
    isFrame = true
    frame.isTransmitted = type[0] == UInt8(ascii: "T")
    guard let identifier = CandumpLine.word(line, at: &i),
      frame.setIdentifier(line.extracting(identifier), isExtended: isExtended)
    else { return nil }
    while let byte = CandumpLine.word(line, at: &i) {
      guard byte.count == 2, let high = line[byte.lowerBound].hexValue, let low = line[byte.lowerBound + 1].hexValue,
        frame.append(high << 4 | low)
      else { return nil }
    }
  }
}
