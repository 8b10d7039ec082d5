/// The output of can-utils' `candump`: its log format (`-l`, `-L`), or the default format with or without `-t`.
///
///     (1436509052.249713) can0 7E8#064100BE3FA813
///     (1436509052.249713) can0 18DB33F1#02010C R
///     (1436509053.000000) can0 7DF##1020100        CAN FD, flags 1
///     (1436509053.000000) can0 123#R               remote request
///       can0  7E8   [8]  06 41 00 BE 3F A8 13 00
///      (000.100000)  can0  RX - -  18DAF110   [8]  06 41 00 BE 3F A8 13 00   '.A..?...'
///      (2015-07-10 05:57:32.249713)  can0  123   [0]  remote request
///
/// An identifier of three digits has 11 bits; an identifier of eight digits has 29 bits. With the option `-t z`, times
/// count from the first frame. With `-t d`, they count from the previous frame; the reader recognizes this option by a
/// time that is less than the previous time. With `-t A`, they are local times without a zone and are treated as UTC.
/// Remote requests, error frames and frames longer than 8 bytes are dropped, because an ELM327 prints nothing for them.
/// ``BusDialogue`` converts the other frames.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if it is not a frame, a comment or a count of dropped frames.
  mutating func candumpLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    let text = line.trimmingEnd()
    if text.count == 0 || text[0] == UInt8(ascii: "#") || text.has("DROPCOUNT:") { return }
    guard let frame = CandumpLine(text) else { throw damaged(line) }
    let time = frame.stamp.map { busTime($0) } ?? .none
    guard frame.carriesData else { return }
    bus.receive(frame.frame, at: time, into: &consumer)
  }

  /// Converts the time of a frame. Once a time is less than the previous one, this and all later times count from the
  /// previous frame and are added up (option `-t d`).
  private mutating func busTime(_ stamp: LogStamp) -> CaptureTime {
    guard case .seconds(let time) = stamp, time < LogClock.firstWall else { return clock.time(stamp) }
    if time < bus.lastStamp, !bus.hasDeltas {
      bus.hasDeltas = true
      bus.elapsed = bus.lastStamp
    }
    bus.lastStamp = time
    if bus.hasDeltas { bus.elapsed += time } else { bus.elapsed = time }
    return clock.time(.seconds(bus.elapsed))
  }
}

/// A parsed line of candump's output.
struct CandumpLine {
  private(set) var stamp: LogStamp?
  private(set) var frame = LoggedFrame()
  /// Whether the line is a data frame of at most 8 bytes; `false` for remote requests, error frames and longer CAN FD
  /// frames.
  private(set) var carriesData = true

  init?(_ line: Span<UInt8>) {
    var i = line.skippingBlanks(from: 0)
    if i < line.count, line[i] == UInt8(ascii: "(") {
      i += 1
      guard let stamp = LogStamp.parse(line, at: &i), i < line.count, line[i] == UInt8(ascii: ")") else { return nil }
      self.stamp = stamp
      i = line.skippingBlanks(from: i + 1)
    }
    guard let interface = Self.word(line, at: &i), line[interface.lowerBound].isLetter else { return nil }
    guard var word = Self.word(line, at: &i) else { return nil }
    if let hash = line.extracting(word).index(of: UInt8(ascii: "#")) {
      guard stamp != nil, frame.setIdentifier(line.extracting(word).extracting(first: hash)) else { return nil }
      guard readLog(line.extracting(word.lowerBound + hash + 1..<word.upperBound)) else { return nil }
      readDirection(line, from: i)
      return
    }
    // With the option `-x`, candump writes direction, bit rate switch and error state before the identifier.
    if line.extracting(word).has("RX") || line.extracting(word).has("TX"), word.count == 2 {
      frame.isTransmitted = line[word.lowerBound] == UInt8(ascii: "T")
      guard Self.word(line, at: &i) != nil, Self.word(line, at: &i) != nil, let next = Self.word(line, at: &i)
      else { return nil }
      word = next
    }
    guard frame.setIdentifier(line.extracting(word)), let size = Self.word(line, at: &i) else { return nil }
    guard readDefault(line, size: line.extracting(size), from: i) else { return nil }
  }

  /// Reads the data after the identifier in the log format: `064100BE3FA813`, `#1020100` (CAN FD), `R` or `R8`. Eight
  /// bytes may be followed by `_D`, a data length code greater than 8. It is ignored.
  private mutating func readLog(_ text: Span<UInt8>) -> Bool {
    var i = 0
    if text.count > 0, text[0] == UInt8(ascii: "R") || text[0] == UInt8(ascii: "r") {
      carriesData = false
      return true
    }
    if text.count > 0, text[0] == UInt8(ascii: "#") {
      guard text.count > 1, text[1].isHexDigit else { return false }
      i = 2
    }
    while i < text.count, text[i] != UInt8(ascii: "_") {
      guard i + 1 < text.count, let high = text[i].hexValue, let low = text[i + 1].hexValue else { return false }
      if !frame.append(high << 4 | low) { carriesData = false }
      i += 2
    }
    return true
  }

  private mutating func readDirection(_ line: Span<UInt8>, from index: Int) {
    var i = index
    guard let word = Self.word(line, at: &i), word.count == 1 else { return }
    if line[word.lowerBound] == UInt8(ascii: "T") { frame.isTransmitted = true }
    if line[word.lowerBound] == UInt8(ascii: "R") { frame.isTransmitted = false }
  }

  /// Reads the data after the identifier in the default format: `[8]`, or `[08]` for CAN FD, then the bytes, then
  /// optionally text in quotes.
  private mutating func readDefault(_ line: Span<UInt8>, size: Span<UInt8>, from index: Int) -> Bool {
    var i = 1
    guard size.count >= 3, size[0] == UInt8(ascii: "["), let length = LogStamp.digits(size, at: &i), i < size.count,
      size[i] == UInt8(ascii: "]"), length.value <= 64
    else { return false }
    i = line.skippingBlanks(from: index)
    if line.has("remote request", at: i) || line.index(of: "ERRORFRAME", from: i) != nil {
      carriesData = false
      return true
    }
    for _ in 0..<length.value {
      guard i + 1 < line.count, let high = line[i].hexValue, let low = line[i + 1].hexValue else { return false }
      guard i + 2 == line.count || line[i + 2].isBlank else { return false }
      if !frame.append(high << 4 | low) { carriesData = false }
      i = line.skippingBlanks(from: i + 2)
    }
    return i == line.count || line[i] == UInt8(ascii: "'")
  }

  /// Returns the next word and moves `index` after it; `nil` at the end of the line.
  static func word(_ line: Span<UInt8>, at index: inout Int) -> Range<Int>? {
    let start = line.skippingBlanks(from: index)
    var end = start
    while end < line.count, !line[end].isBlank { end += 1 }
    guard end > start else { return nil }
    index = end
    return start..<end
  }
}
