import Telemetry

/// A day of the Gregorian calendar, without a time zone.
public struct CalendarDate: FieldValue, Hashable, Comparable, Sendable {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates a date; `nil` if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9_999).contains(year), (1...12).contains(month),
      (1...Self.days(in: month, of: year)).contains(day)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Parses `2026-05-04` (RFC 3339, full-date); `nil` for any other text.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      var number = 0
      for byte in bytes[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return number
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Creates the date that a time has in UTC.
  public init(utc time: Timestamp) {
    self.init(dayNumber: Int((Double(time.milliseconds) / 86_400_000).rounded(.down)))
  }

  /// Creates a date from the number of days since 1970-01-01, which may be negative; the inverse of ``dayNumber``.
  public init(dayNumber: Int) {
    // The inverse of the algorithm "days from civil". Its years begin in March, so that the leap day is the last day of
    // a year.
    let days = dayNumber + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days from 1970-01-01 to this date; negative for earlier dates.
  public var dayNumber: Int { Timestamp.days(year: year, month: month, day: day) }

  /// The day after this one.
  public var next: CalendarDate { CalendarDate(dayNumber: dayNumber + 1) }

  /// The date as text, for example `2026-05-04`.
  public var text: String {
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// Returns the date that is a number of days later. Results are limited to 0001-01-01 to 9999-12-31.
  ///
  /// - Parameter days: negative for an earlier date.
  public func adding(days: Int) -> CalendarDate {
    CalendarDate(dayNumber: min(max(dayNumber + days, Self.first), Self.last))
  }

  /// Returns the same day of the month, some months later. If that month is shorter, returns its last day. The latest
  /// result is 9999-12-31.
  ///
  /// - Parameter months: 0 or more.
  public func adding(months: Int) -> CalendarDate {
    let count = year * 12 + month - 1 + months
    let (year, month) = (count / 12, count % 12 + 1)
    guard year <= 9_999 else { return CalendarDate(dayNumber: Self.last) }
    return CalendarDate(year: year, month: month, day: min(day, Self.days(in: month, of: year))) ?? self
  }

  /// The day numbers of 0001-01-01 and 9999-12-31.
  private static let (first, last) = (-719_162, 2_932_896)

  /// Returns the number of days in a month.
  ///
  /// - Parameter month: 1 to 12.
  public static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  public static var type: FieldType { .text }
  public static var schema: String { #"{"type":"string","format":"date"}"# }

  public init(json: JSON) throws(FieldError) {
    guard let text = json.textValue, let date = CalendarDate(text) else {
      throw FieldError("", "expected a date like \"2026-05-04\", found \(json.summary)")
    }
    self = date
  }

  /// Parses a date that a client sent. The times of other dates cannot be represented.
  public static func parsed(client json: JSON) throws(FieldErrors) -> CalendarDate {
    do throws(FieldError) {
      let date = try CalendarDate(json: json)
      guard date.canBeStated else { throw FieldError("", "expected a date from 1679 to 2261, found \(json.summary)") }
      return date
    } catch {
      throw FieldErrors([error])
    }
  }

  /// Whether clients may state this date: in every time zone, its times are in ``Timestamp/stated``.
  public var canBeStated: Bool { (1_679...2_261).contains(year) }

  public var json: JSON { .text(text) }
}
