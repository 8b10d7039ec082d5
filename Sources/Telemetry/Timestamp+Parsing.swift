extension Timestamp {
  /// Why a text is no timestamp, and which byte of it showed it.
  public struct ParsingError: Error, Equatable, Sendable {
    /// What is wrong.
    public enum Kind: Sendable {
      /// A digit or separator missing or of the wrong kind.
      case malformed
      /// A month, day, hour, minute, second or offset that does not exist.
      case outOfRange
      /// The text goes on behind the timestamp.
      case trailing
    }
    /// What is wrong.
    public let kind: Kind
    /// Index of the byte that showed it.
    public let offset: Int
  }

  /// Reads an RFC 3339 timestamp.
  ///
  ///     2024-12-18T08:41:06.25+01:00
  ///
  /// `T` and `Z` in either case, or a space for the `T`; any number of decimals, those behind the ninth are cut;
  /// second 60 is read as the first of the next minute. The offset is needed: a time without one is not a moment.
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
    let second = try reader.number(digits: 2, in: 0...60)
    let nanosecond = try reader.decimals()
    let offset = try reader.offsetMinutes()
    guard reader.isAtEnd else { throw ParsingError(kind: .trailing, offset: reader.index) }
    guard
      let moment = Timestamp(
        year: year, month: month, day: day, hour: hour, minute: minute - offset, second: second,
        nanosecond: nanosecond)
    else { throw ParsingError(kind: .outOfRange, offset: 0) }
    self = moment
  }

  private static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Reads the parts of a timestamp one after the other.
private struct DigitReader: ~Escapable {
  let text: Span<UInt8>
  var index = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  /// A number of exactly `digits` digits.
  mutating func number(digits: Int, in range: ClosedRange<Int>) throws(Timestamp.ParsingError) -> Int {
    let start = index
    var number = 0
    for _ in 0..<digits { number = number * 10 + (try digit()) }
    guard range.contains(number) else { throw Timestamp.ParsingError(kind: .outOfRange, offset: start) }
    return number
  }

  /// One of the given separators.
  mutating func separator(
    _ first: UInt8, _ second: UInt8? = nil, _ third: UInt8? = nil
  ) throws(Timestamp.ParsingError) {
    guard index < text.count, text[index] == first || text[index] == second || text[index] == third else {
      throw Timestamp.ParsingError(kind: .malformed, offset: index)
    }
    index += 1
  }

  /// The decimals of a second as nanoseconds; 0 where there are none.
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

  /// `Z`, or a difference from UTC in minutes, positive in the east.
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
