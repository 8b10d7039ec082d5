/// A day of the Gregorian calendar, in UTC.
public struct CalendarDate: BitwiseCopyable, Equatable, Sendable {
  /// 1980...2079 where the sentence has two digits (RMC), 1...9999 where it has four (ZDA).
  public let year: Int
  /// 1...12.
  public let month: Int
  /// 1...31, and never beyond the month's end.
  public let day: Int

  /// A day that the calendar has; nil for any other (31 June, 29 February 2025).
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
    guard day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A UTC time of day.
public struct TimeOfDay: BitwiseCopyable, Equatable, Sendable {
  /// 0...23.
  public let hour: Int
  /// 0...59.
  public let minute: Int
  /// 0...60: 60 only in 23:59:60, the leap second.
  public let second: Int
  /// 0...999,999,999: the sentence's decimals; those past the ninth are cut.
  public let nanosecond: Int

  /// A time that UTC has; nil for any other.
  public init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...999_999_999).contains(nanosecond) else { return nil }
    guard (0...59).contains(second) || (hour == 23 && minute == 59 && second == 60) else { return nil }
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }

  /// Whole seconds since midnight, 0...86,400.
  public var secondOfDay: Int { (hour * 60 + minute) * 60 + second }
}
