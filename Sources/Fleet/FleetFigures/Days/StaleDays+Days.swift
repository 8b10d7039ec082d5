import FleetDomain
import Telemetry

extension StaleDays {
  private static var hour: Int64 { 3_600_000 }

  /// Returns the days whose figures must be computed next, and the range of stale hours that these figures will
  /// include. Returns `nil` if there are no such days.
  ///
  /// Records close to midnight also affect the figures of the next or the previous day.
  ///
  /// - Parameters:
  ///   - start: the first hour to use; `nil` for all hours.
  ///   - most: maximum number of days. More days are returned only if a single hour affects more than `most` days.
  public func nextDays(
    in zone: ZoneRules, from start: Int64? = nil, most: Int
  ) -> (hours: ClosedRange<Int64>, days: [CalendarDate])? {
    var days: [CalendarDate] = []
    var range: ClosedRange<Int64>?
    for hour in hours where hour >= start ?? .min {
      let added = Self.days(of: hour, in: zone).filter { !days.contains($0) }
      if let range, days.count + added.count > most { return (range, days) }
      days += added
      range = (range?.lowerBound ?? hour)...hour
    }
    return range.map { ($0, days) }
  }

  /// Returns the days whose figures depend on the records of an hour.
  public static func days(of hour: Int64, in zone: ZoneRules) -> [CalendarDate] {
    func day(_ milliseconds: Int64) -> CalendarDate { zone.day(of: Timestamp(limiting: milliseconds)) }
    let start = hour * Self.hour
    let last = day(start + Self.hour - 1 + DayBuilder.margin)
    var days = [day(start - DayBuilder.margin)]
    while let day = days.last, day < last { days.append(day.next) }
    return days
  }
}
