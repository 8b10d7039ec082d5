/// What `socat -v` (or `-x`) wrote of a link between a program and an adapter.
///
///     > 2015/07/10 05:57:32.249713  length=5 from=0 to=4
///     010C\r< 2015/07/10 05:57:32.331020  length=12 from=0 to=11
///     41 0C 0A A0\r> 2015/07/10 …
///
/// The header's `length` tells how many bytes follow. With `-v` they are text with `\r \\ \t \a \b \f \v` escaped, a
/// LF as the end of the log's line, and anything unprintable already lost to `.`; the next header stands right behind
/// the last byte, or on the next line. With `-x` they are hexadecimal, 16 a line if both options are given, with the
/// text beside them and `--` below.
///
/// Which side is the adapter follows from the first transfer: nobody speaks before the program has sent a command.
/// Times are local without a zone: taken as UTC. socat 1.7.4 pads the microseconds to nine digits.
extension CaptureReader {
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
      // Between transfers `-x -v` puts "--"; socat's own messages ("2026/11/21 09:41:10 socat[69] E …") have no mark.
      if i == 0, rest.has("--") || SocatHeader.isMessage(rest) { return }
      guard let header = SocatHeader(rest) else { throw damaged(line) }
      i += header.end
      scratch.removeAll(keepingCapacity: true)
      guard socat.begin(header, lineLimit: Self.lineLimit) else { throw damaged(line) }
      // A header ends its line.
      guard line.skippingBlanks(from: i) == line.count else { throw damaged(line) }
      socat.time = clock.time(.wall(socat.wall(header)))
      return
    }
    // The end of the log's line is a LF of the data while bytes are still to come, but `-x` has none.
    if socat.remaining > 0, socat.style == .text, lineIsEnded {
      scratch.append(0x0A)
      socat.remaining -= 1
      if socat.remaining == 0 { flushTransfer(into: &consumer) }
    }
  }

  /// Reads what the line holds of the transfer under way; false if it is neither text nor hexadecimal.
  private mutating func readTransfer(_ line: Span<UInt8>, at i: inout Int) -> Bool {
    if i == 0, socat.style == .unknown { socat.style = SocatState.looksHex(line, socat.remaining) ? .hex : .text }
    guard socat.style == .hex else { return readText(line, at: &i) }
    while socat.remaining > 0, i < line.count {
      guard line[i] == 0x20 else { return false }
      // Two spaces begin the text beside the bytes.
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
    // A header within the data means that the length and the bytes do not agree.
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

  /// Hands on the transfer that is complete, or what a cut log holds of it.
  mutating func flushTransfer<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    defer { scratch.removeAll(keepingCapacity: true) }
    guard !scratch.isEmpty else { return }
    if socat.isRightToAdapter == nil { socat.isRightToAdapter = socat.isRight == Self.isCommand(scratch.span) }
    deliver(socat.isRight == socat.isRightToAdapter ? .toAdapter : .fromAdapter, at: socat.time, into: &consumer)
  }

  /// A command has no prompt in it and its CR, if there is one yet, at its end.
  private static func isCommand(_ bytes: Span<UInt8>) -> Bool {
    if bytes.index(of: UInt8(ascii: ">")) != nil { return false }
    guard let end = bytes.index(of: 0x0D) else { return true }
    return end > 0 && (end == bytes.count - 1 || end == bytes.count - 2 && bytes[end + 1] == 0x0A)
  }
}

/// What socat's reader remembers.
struct SocatState {
  enum Style { case unknown, text, hex }
  /// How the log writes bytes. The first transfer tells: a command begins with no space, while a part of a reply may
  /// (` 0C 0A A0 \r`) and looks like hexadecimal then.
  var style = Style.unknown
  /// Bytes of the transfer still to come.
  var remaining = 0
  var isRight = true
  /// Whether `>` goes to the adapter; nil before the first transfer.
  var isRightToAdapter: Bool?
  var time = CaptureTime.none
  /// The log has shown nine digits with nanoseconds in them.
  private var hasNanoseconds = false

  /// False for a transfer of no bytes, or of more than a line may hold.
  mutating func begin(_ header: SocatHeader, lineLimit: Int) -> Bool {
    guard (1...lineLimit) ~= header.length else { return false }
    remaining = header.length
    isRight = header.isRight
    return true
  }

  /// The header's time. `.000249713` is 249,713 µs in socat 1.7.4, unless the log has shown real nanoseconds.
  mutating func wall(_ header: SocatHeader) -> Int64 {
    let part = header.time % LogStamp.second
    if header.places == 9, part >= 1_000_000 { hasNanoseconds = true }
    return header.places == 9 && !hasNanoseconds ? header.time - part + part * 1000 : header.time
  }

  /// ` 30 31 30 43 0d`: a space and two digits for each byte of the line.
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

/// `> 2015/07/10 05:57:32.249713  length=5 from=0 to=4`, taken apart.
struct SocatHeader {
  let isRight: Bool
  /// Nanoseconds since 1970, the fraction as it is written.
  let time: Int64
  /// Digits of the fraction.
  let places: Int
  let length: Int
  /// The index behind the header.
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

  /// Passes over a key and its number.
  private static func skip(_ key: StaticString, _ line: Span<UInt8>, _ i: inout Int) -> Bool {
    guard line.has(key, at: i) else { return false }
    i += key.utf8CodeUnitCount
    return LogStamp.digits(line, at: &i) != nil
  }

  /// socat's own notices and warnings stand between the transfers.
  static func isMessage(_ line: Span<UInt8>) -> Bool {
    var i = 0
    guard case .wall? = LogStamp.parse(line, at: &i) else { return false }
    return line.has(" socat[", at: i)
  }
}
