import Telemetry

/// The rules of a time zone: the offset of local time from UTC at every time.
///
/// Days are days of local time. A day begins at the first moment at which the local date is that day or a later one. In
/// most zones, a day has 23, 24 or 25 hours.
public struct ZoneRules: Equatable, Sendable {
  /// A time from which local time has a certain offset.
  private struct Change: Equatable, Sendable {
    /// Time of the change, s since 1970.
    let from: Int64
    /// Offset after the change, s east of UTC.
    let offset: Int64
  }

  /// The offset before the first change, s east of UTC.
  private let first: Int64
  /// The changes in ascending order.
  private var changes: [Change] = []

  public static let utc = ZoneRules(first: 0)

  private init(first: Int64) { self.first = first }

  /// Reads a file of the IANA time zone database (TZif, RFC 8536, version 2 and later).
  ///
  /// - Returns: `nil` if the file is not valid.
  public init?(tzif bytes: [UInt8]) {
    var reader = ZoneFileReader(bytes)
    guard let header = reader.header(), header.version >= 2 else { return nil }
    reader.skip(header.blockCount(timeSize: 4))
    guard let counts = reader.header(), let block = reader.block(counts), let first = block.offsets.first else {
      return nil
    }
    self.first = first
    for (time, index) in zip(block.times, block.indexes) {
      guard index < block.offsets.count else { return nil }
      changes.append(Change(from: time, offset: block.offsets[index]))
    }
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0.from < $1.from }) else { return nil }
    guard let footer = reader.footer() else { return nil }
    if !footer.isEmpty {
      guard let rule = ZoneRule(footer) else { return nil }
      extend(by: rule)
    }
  }

  /// Adds the changes that a rule describes: from the last change in the file to the end of the range of
  /// ``Telemetry/Timestamp``.
  private mutating func extend(by rule: ZoneRule) {
    let last = changes.last?.from ?? Int64.min
    let start = changes.isEmpty ? 1_678 : CalendarDate(dayNumber: Int(last / 86_400)).year
    for year in start...2_262 {
      for (from, offset) in rule.changes(in: year) where from > last {
        changes.append(Change(from: from, offset: offset))
      }
    }
  }

  /// Returns the offset of local time from UTC at a time, in s; positive to the east of UTC.
  ///
  /// - Parameter seconds: the time, s since 1970.
  public func offset(at seconds: Int64) -> Int64 {
    let next = index(after: seconds)
    return next == 0 ? first : changes[next - 1].offset
  }

  /// Returns the index of the first change after a time (s since 1970); the number of changes if there is none.
  private func index(after seconds: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].from > seconds { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the first moment of a day, ms since 1970.
  public func start(of day: CalendarDate) -> Int64 { start(ofDay: day.dayNumber) }

  private func start(ofDay day: Int) -> Int64 { first(local: Int64(day) * 86_400) }

  /// Returns the first moment of a day at which clocks show a certain time. If clocks skip this time, returns the
  /// moment at which they skip it.
  ///
  /// - Parameter seconds: the time that clocks show, s since midnight.
  public func time(_ seconds: Int64, on day: CalendarDate) -> Timestamp {
    Timestamp(limiting: first(local: Int64(day.dayNumber) * 86_400 + seconds))
  }

  /// Whether clocks show a time of a day exactly once.
  public enum ClockChange: Sendable {
    /// Clocks show it once.
    case none
    /// Clocks were set forward, and do not show it.
    case skipped
    /// Clocks were set back, and show it twice.
    case repeated
  }

  /// Returns whether clocks show a given time of day exactly once on that day.
  ///
  /// - Parameters:
  ///   - time: the moment that ``time(_:on:)`` returned for `seconds`.
  ///   - seconds: the time that clocks show, s since midnight.
  public func clockChange(at time: Timestamp, secondsOfDay seconds: Int64) -> ClockChange {
    guard secondsOfDay(at: time) == seconds else { return .skipped }
    let moment = time.milliseconds / 1_000
    // Clocks are set by at most a day. If they were set back after the moment, they show the time again.
    let difference = offset(at: moment) - offset(at: moment + 86_400)
    guard difference > 0 else { return .none }
    return offset(at: moment + difference) == offset(at: moment) - difference ? .repeated : .none
  }

  /// Returns the time that clocks show at a moment, in s since midnight.
  public func secondsOfDay(at time: Timestamp) -> Int64 {
    let milliseconds = time.milliseconds
    let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    let local = seconds + offset(at: seconds)
    return (local % 86_400 + 86_400) % 86_400
  }

  /// Returns the first moment at which clocks show a given time or a later one, ms since 1970-01-01 00:00 UTC.
  ///
  /// - Parameter local: the time that clocks show, s since 1970-01-01 00:00 of local time.
  private func first(local: Int64) -> Int64 {
    // No offset exceeds 26 hours. Therefore, the search begins with the offset that is valid 26 hours before `local`.
    var next = index(after: local - 93_600)
    var from = Int64.min
    while true {
      let offset = next == 0 ? first : changes[next - 1].offset
      let candidate = max(local - offset, from)
      guard next < changes.count, candidate >= changes[next].from else { return candidate * 1_000 }
      from = changes[next].from
      next += 1
    }
  }

  /// Returns the day that contains a time.
  public func day(of time: Timestamp) -> CalendarDate {
    let milliseconds = time.milliseconds
    let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    var day = Int(((Double(seconds) + Double(offset(at: seconds))) / 86_400).rounded(.down))
    while start(ofDay: day) > milliseconds { day -= 1 }
    while start(ofDay: day + 1) <= milliseconds { day += 1 }
    return CalendarDate(dayNumber: day)
  }
}

/// Reads the parts of a TZif file.
private struct ZoneFileReader {
  struct Header {
    let version: Int
    /// Counts in the order of the file: isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt.
    let counts: [Int]

    func blockCount(timeSize: Int) -> Int {
      counts[3] * (timeSize + 1) + counts[4] * 6 + counts[5] + counts[2] * (timeSize + 4) + counts[1] + counts[0]
    }
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) { position += count }

  mutating func header() -> Header? {
    guard position + 44 <= bytes.count, bytes[position..<(position + 4)].elementsEqual("TZif".utf8) else { return nil }
    let version = Int(bytes[position + 4]) - 48
    position += 20
    var counts: [Int] = []
    for _ in 0..<6 { counts.append(Int(number(4))) }
    guard counts.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
    return Header(version: version, counts: counts)
  }

  /// Reads the data block with times of 8 bytes (TZif version 2 or later); `nil` if the file is too short.
  mutating func block(_ header: Header) -> (times: [Int64], indexes: [Int], offsets: [Int64])? {
    let end = position + header.blockCount(timeSize: 8)
    guard end <= bytes.count else { return nil }
    let times = (0..<header.counts[3]).map { _ in number(8) }
    let indexes = (0..<header.counts[3]).map { _ in Int(number(1)) & 0xFF }
    let offsets = (0..<header.counts[4]).map { _ in
      let offset = number(4)
      position += 2
      return offset
    }
    position = end
    return (times, indexes, offsets)
  }

  /// Reads the text between the two line feeds at the end of the file; `nil` if a line feed is missing.
  mutating func footer() -> [UInt8]? {
    guard position < bytes.count, bytes[position] == 0x0A, let end = bytes[(position + 1)...].firstIndex(of: 0x0A)
    else { return nil }
    return Array(bytes[(position + 1)..<end])
  }

  /// Reads a signed big-endian number that has `count` bytes.
  private mutating func number(_ count: Int) -> Int64 {
    var number = Int64(Int8(bitPattern: bytes[position]))
    for index in 1..<max(count, 1) { number = number << 8 | Int64(bytes[position + index]) }
    position += count
    return number
  }
}

/// The rule of a time zone for all years after the last known change, such as `CET-1CEST,M3.5.0,M10.5.0/3`
/// (POSIX.1-2017, 8.3, with the extensions of RFC 8536, 3.3.1).
private struct ZoneRule {
  /// The day of a year on which the offset changes.
  private enum Day {
    /// A day of the week in a month: month, week (5 means the last one), and day of the week (0 is Sunday).
    case weekday(month: Int, week: Int, day: Int)
    /// The day of the year, 1 to 365; 29 February is not counted.
    case withoutLeapDay(Int)
    /// The day of the year, 0 to 365; 29 February is counted.
    case withLeapDay(Int)

    /// Returns the date in a year, as the number of days since 1970-01-01.
    func number(in year: Int) -> Int {
      let start = Timestamp.days(year: year, month: 1, day: 1)
      switch self {
      case .weekday(let month, let week, let day):
        let first = Timestamp.days(year: year, month: month, day: 1)
        // 1970-01-01 was a Thursday.
        let weekday = ((first + 4) % 7 + 7) % 7
        let date = 1 + (day - weekday + 7) % 7 + (week - 1) * 7
        return first - 1 + (date > CalendarDate.days(in: month, of: year) ? date - 7 : date)
      case .withoutLeapDay(let day):
        return start + day - 1 + (day >= 60 && CalendarDate.days(in: 2, of: year) == 29 ? 1 : 0)
      case .withLeapDay(let day): return start + day
      }
    }
  }

  /// The offset of standard time, s east of UTC.
  private let standard: Int64
  /// The offset of summer time, s east of UTC; `nil` if there is no summer time.
  private var summer: Int64?
  /// The day on which summer time begins, and the local time of this change, s since midnight of standard time.
  private var begin: (day: Day, time: Int64) = (.withLeapDay(0), 0)
  /// The day on which summer time ends, and the local time of this change, s since midnight of summer time.
  private var end: (day: Day, time: Int64) = (.withLeapDay(0), 0)

  init?(_ text: [UInt8]) {
    var rest = text[...]
    guard Self.skipName(&rest), let offset = Self.time(&rest) else { return nil }
    standard = -offset
    guard !rest.isEmpty else { return }
    guard Self.skipName(&rest) else { return nil }
    if rest.first == UInt8(ascii: ",") {
      summer = standard + 3_600
    } else {
      guard let offset = Self.time(&rest) else { return nil }
      summer = -offset
    }
    guard let begin = Self.date(&rest), let end = Self.date(&rest), rest.isEmpty else { return nil }
    (self.begin, self.end) = (begin, end)
  }

  /// Returns the changes of a year in ascending order: for each change its time, s since 1970, and the new offset.
  func changes(in year: Int) -> [(from: Int64, offset: Int64)] {
    guard let summer else { return [] }
    let first = (from: Int64(begin.day.number(in: year)) * 86_400 + begin.time - standard, offset: summer)
    let second = (from: Int64(end.day.number(in: year)) * 86_400 + end.time - summer, offset: standard)
    return first.from < second.from ? [first, second] : [second, first]
  }

  /// Skips the name of an offset, such as `CET` or `<-03>`.
  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if rest.first == UInt8(ascii: "<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  /// Reads a time such as `-1`, `5:30` or `2:00:00`, and returns it in s; `nil` if it is invalid. Hours are 0 to 167.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    var isNegative = false
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = rest.dropFirst()
    }
    guard let hours = number(&rest), hours <= 167 else { return nil }
    var seconds = Int64(hours) * 3_600
    for unit in [60, 1] as [Int64] where rest.first == UInt8(ascii: ":") {
      rest = rest.dropFirst()
      guard let part = number(&rest), part < 60 else { return nil }
      seconds += Int64(part) * unit
    }
    return isNegative ? -seconds : seconds
  }

  /// Reads the date and the time of day of a change, such as `,M3.5.0/3`, `,J60` or `,59`; `nil` if it is invalid. The
  /// default time is 2:00.
  private static func date(_ rest: inout ArraySlice<UInt8>) -> (day: Day, time: Int64)? {
    guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
    let day: Day
    switch rest.first {
    case UInt8(ascii: "M"):
      rest = rest.dropFirst()
      guard let month = number(&rest), (1...12).contains(month), rest.popFirst() == UInt8(ascii: "."),
        let week = number(&rest), (1...5).contains(week), rest.popFirst() == UInt8(ascii: "."),
        let weekday = number(&rest), weekday < 7
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    case UInt8(ascii: "J"):
      rest = rest.dropFirst()
      guard let number = number(&rest), (1...365).contains(number) else { return nil }
      day = .withoutLeapDay(number)
    default:
      guard let number = number(&rest), number <= 365 else { return nil }
      day = .withLeapDay(number)
    }
    guard rest.first == UInt8(ascii: "/") else { return (day, 7_200) }
    rest = rest.dropFirst()
    guard let time = time(&rest) else { return nil }
    return (day, time)
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
