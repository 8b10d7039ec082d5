/// A day of the Gregorian calendar, in UTC.
public struct CalendarDate: BitwiseCopyable, Equatable, Sendable {
  /// Year: 1980...2079 if the sentence has two digits (RMC), 1...9999 if it has four (ZDA).
  public let year: Int
  /// Month, 1...12.
  public let month: Int
  /// Day of the month, from 1 to the month's length.
  public let day: Int

  /// Creates a date; `nil` if it is not in the calendar, such as 31 June or 29 February 2025.
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
  /// Hour, 0...23.
  public let hour: Int
  /// Minute, 0...59.
  public let minute: Int
  /// Second, 0...60. 60 occurs only in 23:59:60, the leap second.
  public let second: Int
  /// Nanosecond, 0...999,999,999. Decimals after the ninth are truncated.
  public let nanosecond: Int

  /// Creates a time of day; `nil` if a value is out of range.
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
