import FleetDomain
import Telemetry

/// Days and a time of day, in the format of cron: `0 6 * * 1` is every Monday at 06:00.
public struct CronTimes: Equatable, Sendable {
  /// The description of the format in error messages.
  public static let expected =
    "minute, hour, days of the month, months and days of the week like \"0 6 * * 1\", with one minute and one hour"

  /// The time of day, s since midnight.
  public let secondsOfDay: Int64
  /// Days of the month, 1 to 31; `nil` for all.
  private let days: Set<Int>?
  /// Months, 1 to 12; `nil` for all.
  private let months: Set<Int>?
  /// Days of the week, 0 (Sunday) to 6; `nil` for all.
  private let weekdays: Set<Int>?

  /// Parses a text in the format of cron. Each field is `*`, a number, a range (`1-5`), a step (`*/2`) or a list of
  /// these (`1,15`). Returns `nil` for any other text, and for a date that never comes.
  public init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 5, let minute = Self.number(parts[0], 0...59), let hour = Self.number(parts[1], 0...23) else {
      return nil
    }
    secondsOfDay = Int64(hour * 3_600 + minute * 60)
    guard let days = Self.values(parts[2], 1...31), let months = Self.values(parts[3], 1...12),
      let weekdays = Self.values(parts[4], 0...7)
    else { return nil }
    self.days = parts[2] == "*" ? nil : days
    self.months = parts[3] == "*" ? nil : months
    self.weekdays = parts[4] == "*" ? nil : Set(weekdays.map { $0 % 7 })
    let start = CalendarDate(dayNumber: 0)
    guard (0...(366 * 4)).contains(where: { contains(start.adding(days: $0)) }) else { return nil }
  }

  private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
    guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      let number = Int(text), range.contains(number)
    else { return nil }
    return number
  }

  private static func values(_ text: Substring, _ range: ClosedRange<Int>) -> Set<Int>? {
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "/", omittingEmptySubsequences: false)
      guard (1...2).contains(pieces.count), let first = pieces.first else { return nil }
      var step = 1
      if pieces.count == 2 {
        guard let number = number(pieces[1], 1...range.upperBound) else { return nil }
        step = number
      }
      var bounds = range
      if first != "*" {
        let ends = first.split(separator: "-", omittingEmptySubsequences: false).map { number($0, range) }
        guard (1...2).contains(ends.count), let low = ends[0], let high = ends[ends.count - 1], low <= high else {
          return nil
        }
        bounds = low...(ends.count == 1 && pieces.count == 2 ? range.upperBound : high)
      }
      values.formUnion(stride(from: bounds.lowerBound, through: bounds.upperBound, by: step))
    }
    return values
  }

  /// Whether the times include one on this date. As in cron, if both the days of the month and the days of the week are
  /// restricted, a date needs to match only one of the two.
  public func contains(_ date: CalendarDate) -> Bool {
    guard months?.contains(date.month) ?? true else { return false }
    // 1970-01-01 was a Thursday.
    let weekday = ((date.dayNumber + 4) % 7 + 7) % 7
    return switch (days, weekdays) {
    case (nil, nil): true
    case (let days?, nil): days.contains(date.day)
    case (nil, let weekdays?): weekdays.contains(weekday)
    case (let days?, let weekdays?): days.contains(date.day) || weekdays.contains(weekday)
    }
  }

  /// The approximate period between two successive times: a month, a week or a day.
  public var period: Report.Schedule.Period { days != nil ? .month : weekdays != nil ? .week : .day }

  /// Returns the first time after the end of `day`; `nil` if there is none in the next eight years.
  public func next(after day: CalendarDate, in zone: ZoneRules) -> Timestamp? {
    for number in 1...(366 * 8) {
      let date = day.adding(days: number)
      if contains(date) { return zone.time(secondsOfDay, on: date) }
    }
    return nil
  }

  /// Returns the first time after `time`; `nil` if there is none. A day has at most one such time, even if clocks show
  /// the time of day twice on that day.
  public func next(after time: Timestamp, in zone: ZoneRules) -> Timestamp? {
    let today = zone.day(of: time)
    let first = zone.time(secondsOfDay, on: today)
    return contains(today) && first > time ? first : next(after: today, in: zone)
  }
}
