import FleetDomain
import Telemetry

/// The character that a file writes between the whole part of a number and its decimals.
public enum DecimalMark: String, CaseIterable, Sendable {
  case point, comma
}

/// The order in which a file writes the parts of dates.
public enum DateOrder: String, CaseIterable, Sendable {
  case dayFirst = "dmy"
  case monthFirst = "mdy"
}

/// Parses numbers in files of other programs, for example `1.234,50 €` and `$1,234.56`.
enum ImportNumber {
  /// The maximum length of a number with its currency in bytes. A longer text is not a number.
  private static let mostBytes = 64

  /// Returns the digits, separators and sign of a number, without a currency before or after it; `nil` if the text has
  /// other characters.
  static func core(_ text: String) -> String? {
    guard text.utf8.count <= mostBytes else { return nil }
    let characters = text.filter { !$0.isWhitespace && !"€£$¥¤'’".contains($0) }
    func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }
    let start = characters.drop(while: isLetter)
    let rest = String(start.reversed().drop(while: isLetter).reversed())
    // A currency is written with three letters or, as `kr`, with two.
    guard characters.count - rest.count <= 3, !rest.isEmpty, rest.allSatisfy({ "0123456789.,-".contains($0) }),
      rest.dropFirst().allSatisfy({ $0 != "-" })
    else { return nil }
    return rest
  }

  /// Returns the decimal mark that can be derived from a number; `nil` if both are possible.
  ///
  /// - Returns: the point for `1,234.5`; the comma for `1,5`; `nil` for `1,234`, for `7` and for a text that is not a
  ///   number.
  static func mark(in text: String) -> DecimalMark? {
    guard let core = core(text), let last = core.lastIndex(where: { ".,".contains($0) }) else { return nil }
    let mark: DecimalMark = core[last] == "," ? .comma : .point
    let other: DecimalMark = mark == .comma ? .point : .comma
    let groups = core.split(separator: core[last], omittingEmptySubsequences: false)
    if groups.count > 2 {
      // Only groups of thousands have several separators of one kind.
      return groups.dropFirst().allSatisfy { $0.count == 3 && $0.allSatisfy(\.isNumber) } ? other : nil
    }
    if core.contains(core[last] == "," ? "." : ",") { return mark }
    let digits = core[core.index(after: last)...].count
    let before = core[..<last].drop { $0 == "-" }
    return digits == 3 && (1...3).contains(before.count) && before != "0" ? nil : mark
  }

  /// Whether a number has two possible values, such as `1,234`.
  static func isAmbiguous(_ text: String) -> Bool {
    guard let core = core(text), core.count(where: { ".,".contains($0) }) == 1 else { return false }
    return mark(in: text) == nil
  }

  /// Returns the number as JSON text, with the same digits; `nil` if the text is not a number.
  static func decimal(_ text: String, _ mark: DecimalMark) -> String? {
    guard let core = core(text) else { return nil }
    let (point, group): (Character, Character) = mark == .point ? (".", ",") : (",", ".")
    let parts = core.filter { $0 != group }.split(separator: point, omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = parts.first else { return nil }
    let sign = whole.hasPrefix("-") ? "-" : ""
    var digits = whole.drop { $0 == "-" }.drop { $0 == "0" }
    if digits.isEmpty { digits = "0" }
    guard parts.count == 2, !parts[1].isEmpty else { return sign + digits }
    return "\(sign)\(digits).\(parts[1])"
  }
}

/// A date, with or without a time, in a file of another program, for example `06.10.2026`, `1/19/2024` and `2024-03-10
/// 16:01`.
struct ImportDate: Equatable {
  /// The three numbers of the date. One of `first` and `second` is the day, the other the month; it may be unknown
  /// which.
  let numbers: (first: Int, second: Int, year: Int)
  let isYearFirst: Bool
  /// Seconds since midnight.
  let seconds: Int
  let hasPoints: Bool

  /// Parses a date.
  ///
  /// - Returns: `nil` if the text is not a date.
  init?(_ text: String) {
    guard text.utf8.count <= 40 else { return nil }
    let halves = text.trimmed.split(maxSplits: 1) { $0 == " " || $0 == "T" || $0 == "," }
    guard let date = halves.first else { return nil }
    let parts = date.split(omittingEmptySubsequences: false) { "-/.".contains($0) }
    let values = parts.compactMap { part in part.allSatisfy(\.isASCII) ? Int(part) : nil }
    guard parts.count == 3, values.count == 3, values.allSatisfy({ $0 >= 0 }) else { return nil }
    isYearFirst = parts[0].count == 4
    hasPoints = date.contains(".")
    numbers = isYearFirst ? (values[1], values[2], values[0]) : (values[0], values[1], values[2])
    guard isYearFirst || parts[2].count == 4 else { return nil }
    guard halves.count == 2 else {
      seconds = 0
      return
    }
    guard let seconds = Self.seconds(String(halves[1]).trimmed) else { return nil }
    self.seconds = seconds
  }

  static func == (left: ImportDate, right: ImportDate) -> Bool {
    left.numbers == right.numbers && left.isYearFirst == right.isYearFirst && left.seconds == right.seconds
  }

  /// The order of day and month that can be derived from the date; `nil` if both are possible.
  var order: DateOrder? {
    if isYearFirst { return nil }
    if hasPoints || numbers.first > 12 { return .dayFirst }
    return numbers.second > 12 ? .monthFirst : nil
  }

  var isAmbiguous: Bool { !isYearFirst && order == nil && numbers.first != numbers.second }

  /// Returns the date as a calendar day; `nil` if the calendar has no such day.
  func day(_ order: DateOrder) -> CalendarDate? {
    let isMonthFirst = isYearFirst || order == .monthFirst
    let (month, day) = isMonthFirst ? (numbers.first, numbers.second) : (numbers.second, numbers.first)
    return CalendarDate(year: numbers.year, month: month, day: day)
  }

  /// Returns the time; `nil` if there is no such day.
  ///
  /// - Parameter zone: the time zone in which the date and the time are written.
  func time(_ order: DateOrder, in zone: ZoneRules = .utc) -> Timestamp? {
    day(order).map { zone.time(Int64(seconds), on: $0) }
  }

  /// Returns the seconds since midnight for a text such as `16:01`, `8:12:00` or `8:12:00 AM`; `nil` for any other
  /// text.
  private static func seconds(_ text: String) -> Int? {
    var clock = text.uppercased()
    var shift: Int?
    for (mark, hours) in [("AM", 0), ("PM", 12)] where clock.hasSuffix(mark) {
      shift = hours
      clock = String(clock.dropLast(2)).trimmed
    }
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    let values = parts.compactMap { Int($0.prefix { $0 != "." }) }
    guard (2...3).contains(parts.count), values.count == parts.count else { return nil }
    let second = values.count == 3 ? values[2] : 0
    var hour = values[0]
    guard (0...59).contains(values[1]), (0...59).contains(second) else { return nil }
    if let shift {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + shift
    }
    guard (0...23).contains(hour) else { return nil }
    return hour * 3_600 + values[1] * 60 + second
  }
}
