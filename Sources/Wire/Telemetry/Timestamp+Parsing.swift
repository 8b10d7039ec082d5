extension Timestamp {
  /// The reason why a text is not a timestamp, and the position of the fault.
  public struct ParsingError: Error, Equatable, Sendable {
    /// The kind of fault.
    public enum Kind: Sendable {
      /// A digit or separator is missing or wrong.
      case malformed
      /// A month, day, hour, minute, second or offset is out of range.
      case outOfRange
      /// The timestamp is followed by further text.
      case trailing
    }
    /// The kind of fault.
    public let kind: Kind
    /// Index in the text of the byte at fault.
    public let offset: Int
  }

  /// Parses an RFC 3339 timestamp.
  ///
  ///     2024-12-18T08:41:06.25+01:00
  ///
  /// `T` and `Z` may be lower case, and a space may replace the `T`. Any number of decimals is accepted; those after
  /// the ninth are truncated. Second 60 is accepted only as a possible leap second, 23:59:60 UTC on 30 June or 31
  /// December (RFC 3339, section 5.7). It becomes the first second of the next minute. The offset from UTC is required,
  /// because a local time does not identify a moment.
  ///
  /// - Throws: ``ParsingError`` if the text is not a timestamp of the years 1677 to 2262.
  public init(parsing text: Span<UInt8>) throws(ParsingError) {
    var reader = DigitReader(text)
    let year = try reader.number(digits: 4, in: 0...9_999)
    try reader.separator(UInt8(ascii: "-"))
    let month = try reader.number(digits: 2, in: 1...12)
    try reader.separator(UInt8(ascii: "-"))
    let day = try reader.number(digits: 2, in: 1...Self.daysIn(month: month, year: year))
    try reader.separator(UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " "))
    let hour = try reader.number(digits: 2, in: 0...23)
    try reader.separator(UInt8(ascii: ":"))
    let minute = try reader.number(digits: 2, in: 0...59)
    try reader.separator(UInt8(ascii: ":"))
    let secondOffset = reader.index
    let second = try reader.number(digits: 2, in: 0...60)
    let nanosecond = try reader.decimals()
    let offset = try reader.offsetMinutes()
    guard reader.isAtEnd else { throw ParsingError(kind: .trailing, offset: reader.index) }
    guard
      let moment = Timestamp(
        year: year, month: month, day: day, hour: hour, minute: minute - offset, second: second,
        nanosecond: nanosecond)
    else { throw ParsingError(kind: .outOfRange, offset: 0) }
    if second == 60, !Self.mayFollowLeapSecond(moment.nanoseconds - Int64(nanosecond)) {
      throw ParsingError(kind: .outOfRange, offset: secondOffset)
    }
    self = moment
  }

  /// Whether the second before a moment may be a leap second, because the moment is midnight UTC on 1 January or 1
  /// July.
  private static func mayFollowLeapSecond(_ nanoseconds: Int64) -> Bool {
    let day: Int64 = 86_400_000_000_000
    guard nanoseconds % day == 0 else { return false }
    let date = date(days: Int(nanoseconds / day))
    return date.day == 1 && (date.month == 1 || date.month == 7)
  }

  private static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Reads the parts of a timestamp in order.
private struct DigitReader: ~Escapable {
  let text: Span<UInt8>
  var index = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  /// Reads a number that has exactly `digits` digits.
  mutating func number(digits: Int, in range: ClosedRange<Int>) throws(Timestamp.ParsingError) -> Int {
    let start = index
    var number = 0
    for _ in 0..<digits { number = number * 10 + (try digit()) }
    guard range.contains(number) else { throw Timestamp.ParsingError(kind: .outOfRange, offset: start) }
    return number
  }

  /// Reads one character, which must be one of the given separators.
  mutating func separator(
    _ first: UInt8, _ second: UInt8? = nil, _ third: UInt8? = nil
  ) throws(Timestamp.ParsingError) {
    guard index < text.count, text[index] == first || text[index] == second || text[index] == third else {
      throw Timestamp.ParsingError(kind: .malformed, offset: index)
    }
    index += 1
  }

  /// Reads the decimals of a second, and returns them in nanoseconds; 0 if there are none.
  mutating func decimals() throws(Timestamp.ParsingError) -> Int {
    guard index < text.count, text[index] == UInt8(ascii: ".") else { return 0 }
    index += 1
    var nanoseconds = try digit() * 100_000_000
    var unit = 10_000_000
    while index < text.count, let digit = Self.value(text[index]) {
      nanoseconds += digit * unit
      unit /= 10
      index += 1
    }
    return nanoseconds
  }

  /// Reads `Z` or an offset from UTC, and returns the offset in minutes, positive to the east.
  mutating func offsetMinutes() throws(Timestamp.ParsingError) -> Int {
    guard index < text.count else { throw Timestamp.ParsingError(kind: .malformed, offset: index) }
    let sign = text[index]
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") {
      index += 1
      return 0
    }
    try separator(UInt8(ascii: "+"), UInt8(ascii: "-"))
    let hours = try number(digits: 2, in: 0...23)
    try separator(UInt8(ascii: ":"))
    let minutes = try number(digits: 2, in: 0...59)
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  private mutating func digit() throws(Timestamp.ParsingError) -> Int {
    guard index < text.count, let digit = Self.value(text[index]) else {
      throw Timestamp.ParsingError(kind: .malformed, offset: index)
    }
    index += 1
    return digit
  }

  private static func value(_ byte: UInt8) -> Int? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
  }
}
