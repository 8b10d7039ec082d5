/// A parsed line of an app's log that has a mark for sent or received text.
struct AppLogEvent {
  private(set) var stamp: LogStamp?
  /// Time from the command to its reply, ns, which only ddt4all logs; `nil` if it is not in the line.
  private(set) var elapsed: Int64?
  let direction: CaptureDirection
  private(set) var payload: Range<Int>

  /// Parses a line; `nil` if the line does not show whether its text was sent or received.
  init?(_ line: Span<UInt8>) {
    var i = line.skippingBlanks(from: 0)
    if let stamp = Self.stamp(line, at: &i) {
      self.stamp = stamp
      while i < line.count, line[i].isBlank || Self.isSeparator(line[i], before: i + 1 < line.count ? line[i + 1] : 0) {
        i += 1
      }
    }
    guard let (direction, end) = Self.mark(line, at: i) else { return nil }
    self.direction = direction
    i = end
    if i < line.count, line[i] == UInt8(ascii: "["), let stamp = Self.stamp(line, at: &i) {
      if direction == .fromAdapter, case .seconds(let time) = stamp {
        elapsed = time
      } else {
        self.stamp = stamp
      }
    }
    i = line.skippingBlanks(from: i)
    payload = i..<line.count
  }

  /// Reads the time at `index`, which may be in brackets; `nil` if there is none.
  private static func stamp(_ line: Span<UInt8>, at index: inout Int) -> LogStamp? {
    var i = index
    guard i < line.count else { return nil }
    let close: UInt8? =
      switch line[i] {
      case UInt8(ascii: "["): UInt8(ascii: "]")
      case UInt8(ascii: "("): UInt8(ascii: ")")
      default: nil
      }
    if close != nil { i += 1 }
    guard let stamp = LogStamp.parse(line, at: &i) else { return nil }
    if let close {
      guard i < line.count, line[i] == close else { return nil }
      i += 1
    }
    index = i
    return stamp
  }

  /// Whether a line begins with a date, or with a time of day that has seconds. A time without seconds does not count,
  /// because adapter output such as `18:00 F` looks like one.
  static func beginsWithTime(_ line: Span<UInt8>) -> Bool {
    var i = line.skippingBlanks(from: 0)
    let start = i
    guard let stamp = stamp(line, at: &i), i - start >= 8 else { return false }
    if case .seconds = stamp { return false }
    return true
  }

  /// Whether a byte is `:`, `|`, `,`, `;` or a dash that does not belong to an arrow.
  private static func isSeparator(_ byte: UInt8, before next: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "|"), UInt8(ascii: ","), UInt8(ascii: ";"): true
    case UInt8(ascii: "-"): next == 0x20
    default: false
    }
  }

  private static func mark(_ line: Span<UInt8>, at i: Int) -> (CaptureDirection, end: Int)? {
    if line.has("-->", at: i) { return (.toAdapter, i + 3) }
    if line.has("<--", at: i) { return (.fromAdapter, i + 3) }
    if line.has(">>", at: i) || line.has("->", at: i) { return (.toAdapter, i + 2) }
    if line.has("<<", at: i) || line.has("<-", at: i) { return (.fromAdapter, i + 2) }
    if line.has(">", at: i) { return (.toAdapter, i + 1) }
    // The ELM327 itself prints "<DATA ERROR" and "<RX ERROR" after or instead of a line.
    if line.has("<DATA ERROR", at: i) || line.has("<RX ERROR", at: i) { return nil }
    if line.has("<", at: i) { return (.fromAdapter, i + 1) }
    if line.hasIgnoringCase("TX:", at: i) { return (.toAdapter, i + 3) }
    if line.hasIgnoringCase("RX:", at: i) { return (.fromAdapter, i + 3) }
    return nil
  }

  /// Whether the text contains the escape sequence `\r` or `\n`.
  static func isEscaped(_ text: Span<UInt8>) -> Bool {
    var from = 0
    while let slash = text.index(of: 0x5C, from: from) {
      if slash + 1 < text.count, text[slash + 1] == UInt8(ascii: "r") || text[slash + 1] == UInt8(ascii: "n") {
        return true
      }
      from = slash + 2
    }
    return false
  }
}

/// A request on a K-line in hexadecimal: header, data, checksum (ISO 14230-2:2013, section 5.2; ISO 9141-2:1994,
/// section 11.1).
///
///     C2 33 F1 01 0C F3      format and length, target, source, service 01 PID 0C, checksum
///     68 6A F1 01 0C D0      ISO 9141-2: fixed header
struct KLineRequest {
  private var bytes = InlineArray<12, UInt8>(repeating: 0)
  private var length = 0

  /// Number of data bytes, without header and checksum.
  var count: Int { length - 4 }
  subscript(index: Int) -> UInt8 { bytes[index + 3] }

  /// Parses bytes in hexadecimal; `nil` unless header, length and checksum are consistent.
  init?(_ text: Span<UInt8>) {
    var i = 0
    while i < text.count {
      guard length < 12, i + 1 < text.count, let high = text[i].hexValue, let low = text[i + 1].hexValue else {
        return nil
      }
      bytes[length] = high << 4 | low
      length += 1
      i = text.skippingBlanks(from: i + 2)
    }
    guard length >= 5 else { return nil }
    var sum: UInt8 = 0
    for i in 0..<length - 1 { sum &+= bytes[i] }
    guard sum == bytes[length - 1] else { return nil }
    let format = bytes[0]
    let isKWP = format & 0xC0 >= 0x80 && Int(format & 0x3F) == length - 4
    let is9141 = (format == 0x68 || format == 0x61) && bytes[1] == 0x6A
    guard isKWP || is9141 else { return nil }
  }
}
