import FleetDomain
import Telemetry

extension Report.Schedule {
  /// Returns the newest time of the schedule that has passed, and the number of earlier times that are left out.
  ///
  /// - Parameters:
  ///   - first: the first time for which no report was made. It has passed.
  ///   - now: the current time.
  ///   - zone: the time zone of the schedule.
  public func newestDue(
    since first: Timestamp, at now: Timestamp, in zone: ZoneRules
  ) -> (at: Timestamp, missed: Int64) {
    var (at, missed) = (first, Int64(0))
    guard let times = CronTimes(cron) else { return (at, missed) }
    while let next = times.next(after: zone.day(of: at), in: zone), next <= now {
      at = next
      missed += 1
    }
    return (at, missed)
  }
}
