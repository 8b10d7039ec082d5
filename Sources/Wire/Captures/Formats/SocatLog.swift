/// The output of `socat -v` (or `-x`) between a program and an adapter.
///
///     > 2015/07/10 05:57:32.249713  length=5 from=0 to=4
///     010C\r< 2015/07/10 05:57:32.331020  length=12 from=0 to=11
///     41 0C 0A A0\r> 2015/07/10 …
///
/// Each transfer begins with a header that contains the `length` of the following data in bytes. With the option `-v`,
/// the data is text with the escape sequences `\r \\ \t \a \b \f \v`; a LF is written as a line end, and any other
/// unprintable byte as `.`. The next header follows the last byte directly or in the next line. With the option `-x`,
/// the data is hexadecimal. With both options, each line contains 16 bytes in hexadecimal and then as text, and `--`
/// ends the transfer.
///
/// Whether `>` or `<` marks bytes to the adapter follows from the first transfer, because an adapter sends nothing
/// before it receives a command. Times are local without a zone and are treated as UTC. socat 1.7.4 pads the
/// microseconds to nine digits.
extension CaptureReader {
  /// Reads a line, which may contain data and the next header.
  ///
  /// - Throws: `damagedLine` if the data does not have the length that its header states.
  mutating func socatLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    var i = 0
    while i < line.count {
      if socat.remaining > 0 {
        guard readTransfer(line, at: &i) else { throw damaged(line) }
        if socat.remaining == 0 { flushTransfer(into: &consumer) }
        continue
      }
      let rest = line.extracting(i..<line.count)
      // With the options `-x -v`, socat writes "--" between transfers. Messages of socat itself ("2026/11/21 09:41:10
      // socat[69] E …") begin with neither `>` nor `<`.
      if i == 0, rest.has("--") || SocatHeader.isMessage(rest) { return }
      guard let header = SocatHeader(rest) else { throw damaged(line) }
      i += header.end
      scratch.removeAll(keepingCapacity: true)
      guard socat.begin(header, lineLimit: Self.lineLimit) else { throw damaged(line) }
      // Nothing may follow a header in its line.
      guard line.skippingBlanks(from: i) == line.count else { throw damaged(line) }
      socat.time = clock.time(.wall(socat.wall(header)))
      return
    }
    // While bytes of the transfer are missing, the line's end is a LF of the data, except with the option `-x`.
    if socat.remaining > 0, socat.style == .text, lineIsEnded {
      scratch.append(0x0A)
      socat.remaining -= 1
      if socat.remaining == 0 { flushTransfer(into: &consumer) }
    }
  }

  /// Reads the part of the current transfer's data that is in this line.
  ///
  /// - Returns: `false` if the line is neither text nor hexadecimal.
  private mutating func readTransfer(_ line: Span<UInt8>, at i: inout Int) -> Bool {
    if i == 0, socat.style == .unknown { socat.style = SocatState.looksHex(line, socat.remaining) ? .hex : .text }
    guard socat.style == .hex else { return readText(line, at: &i) }
    while socat.remaining > 0, i < line.count {
      guard line[i] == 0x20 else { return false }
      // Two spaces separate the bytes from the text that repeats them.
      if i + 1 < line.count, line[i + 1] == 0x20 { break }
      guard i + 2 < line.count, let high = line[i + 1].hexValue, let low = line[i + 2].hexValue else { return false }
      scratch.append(high << 4 | low)
      socat.remaining -= 1
      i += 3
    }
    i = line.count
    return true
  }

  private mutating func readText(_ line: Span<UInt8>, at i: inout Int) -> Bool {
    // A header before the end of the data means that the stated length is wrong.
    if i == 0, SocatHeader(line) != nil { return false }
    while socat.remaining > 0, i < line.count {
      let length = line[i] == 0x5C ? 2 : 1
      guard i + length <= line.count, Escapes.undo(line.extracting(i..<i + length), into: &scratch) else {
        return false
      }
      socat.remaining -= 1
      i += length
    }
    return true
  }

  /// Passes the bytes of the current transfer to the consumer, even if the log ends within the transfer.
  mutating func flushTransfer<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    defer { scratch.removeAll(keepingCapacity: true) }
    guard !scratch.isEmpty else { return }
    if socat.isRightToAdapter == nil { socat.isRightToAdapter = socat.isRight == Self.isCommand(scratch.span) }
    deliver(socat.isRight == socat.isRightToAdapter ? .toAdapter : .fromAdapter, at: socat.time, into: &consumer)
  }

  /// Whether the bytes may be a command: they contain no prompt, and a CR only at the end.
  private static func isCommand(_ bytes: Span<UInt8>) -> Bool {
    if bytes.index(of: UInt8(ascii: ">")) != nil { return false }
    guard let end = bytes.index(of: 0x0D) else { return true }
    return end > 0 && (end == bytes.count - 1 || end == bytes.count - 2 && bytes[end + 1] == 0x0A)
  }
}

/// State of the reader of a socat log.
struct SocatState {
  /// How the log writes the bytes of a transfer.
  enum Style { case unknown, text, hex }
  /// How this log writes bytes. Only the first transfer is examined: it is a command, and a command never begins with a
  /// space. Later transfers may be parts of replies, such as ` 0C 0A A0 \r`, which look like bytes written in
  /// hexadecimal.
  var style = Style.unknown
  /// Number of bytes of the current transfer that were not read yet.
  var remaining = 0
  var isRight = true
  /// Whether `>` marks bytes sent to the adapter; `nil` before the first transfer.
  var isRightToAdapter: Bool?
  var time = CaptureTime.none
  /// Whether a time in the log has real nanoseconds, not microseconds padded to nine digits.
  private var hasNanoseconds = false

  /// Begins to read a transfer.
  ///
  /// - Returns: `false` if its length is 0 or exceeds the limit.
  mutating func begin(_ header: SocatHeader, lineLimit: Int) -> Bool {
    guard (1...lineLimit) ~= header.length else { return false }
    remaining = header.length
    isRight = header.isRight
    return true
  }

  /// Returns the time of a header, ns since 1970. socat 1.7.4 writes 249,713 µs as `.000249713`. Such decimals are read
  /// as microseconds, unless the log has real nanoseconds.
  mutating func wall(_ header: SocatHeader) -> Int64 {
    let part = header.time % LogStamp.second
    if header.places == 9, part >= 1_000_000 { hasNanoseconds = true }
    return header.places == 9 && !hasNanoseconds ? header.time - part + part * 1000 : header.time
  }

  /// Whether a line consists of hexadecimal bytes such as ` 30 31 30 43 0d`, each after a space.
  static func looksHex(_ line: Span<UInt8>, _ remaining: Int) -> Bool {
    var i = 0
    var bytes = 0
    while i + 2 < line.count, line[i] == 0x20, line[i + 1].isHexDigit, line[i + 2].isHexDigit {
      i += 3
      bytes += 1
    }
    guard bytes > 0 else { return false }
    return i == line.count ? bytes <= remaining : line[i] == 0x20
  }
}

/// A parsed header such as `> 2015/07/10 05:57:32.249713  length=5 from=0 to=4`.
struct SocatHeader {
  let isRight: Bool
  /// Time as the log states it, ns since 1970. ``SocatState/wall(_:)`` corrects decimals that socat has padded.
  let time: Int64
  /// Number of decimals of the time.
  let places: Int
  let length: Int
  /// Index of the first byte after the header.
  let end: Int

  init?(_ line: Span<UInt8>) {
    guard line.count > 2, line[0] == UInt8(ascii: ">") || line[0] == UInt8(ascii: "<"), line[1] == 0x20 else {
      return nil
    }
    isRight = line[0] == UInt8(ascii: ">")
    var i = 2
    guard case .wall(let time)? = LogStamp.parse(line, at: &i) else { return nil }
    self.time = time
    var places = 0
    while line[i - 1 - places].isDigit { places += 1 }
    self.places = places
    i = line.skippingBlanks(from: i)
    guard line.has("length=", at: i) else { return nil }
    i += 7
    guard let length = LogStamp.digits(line, at: &i) else { return nil }
    self.length = Int(length.value)
    guard Self.skip(" from=", line, &i), Self.skip(" to=", line, &i) else { return nil }
    end = i
  }

  /// Skips a key and its number.
  private static func skip(_ key: StaticString, _ line: Span<UInt8>, _ i: inout Int) -> Bool {
    guard line.has(key, at: i) else { return false }
    i += key.utf8CodeUnitCount
    return LogStamp.digits(line, at: &i) != nil
  }

  /// Whether a line is a message of socat itself.
  static func isMessage(_ line: Span<UInt8>) -> Bool {
    var i = 0
    guard case .wall? = LogStamp.parse(line, at: &i) else { return false }
    return line.has(" socat[", at: i)
  }
}
