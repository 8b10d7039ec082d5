import FleetDomain
import Telemetry

extension StoreSession {
  /// Returns SQL for those days with figures on which vehicles were on private journeys. Its columns are `vehicle`,
  /// `day`, and `is_open`, which is 1 if the day has not ended.
  ///
  /// These are the days that the periods of `FleetView.privateTimes(of:from:to:)` overlap. In this function, the
  /// database computes them, because a report may be about a thousand vehicles and a year.
  ///
  /// - Parameters:
  ///   - values: the values of the parameters before: $1 is the tenant, $2 and $3 are the numbers of the days.
  /// - Returns: the SQL, and the values of all parameters. The SQL is `nil` if there are no private journeys at this
  ///   time.
  func privateDays(
    from first: CalendarDate, through last: CalendarDate, at now: Timestamp, after values: [SQLValue]
  ) throws(StoreFailure) -> (sql: String?, values: [SQLValue]) {
    let count = values.count
    // In every time zone, the days are between these times.
    let range = [Int64(first.dayNumber) - 1, Int64(last.dayNumber) + 2].map { SQLValue.integer($0 * 86_400_000) }
    /// Returns SQL for the private journeys at this time.
    ///
    /// - Parameter number: the number of the SQL parameter for the start of `range`. The next parameter is the end of
    ///   `range`.
    func periods(_ number: Int) -> String {
      let journeys = """
        SELECT tenant, vehicle_id, driver_id, confirmed, start_time, end_time FROM journey
        WHERE tenant = $1 AND purpose = 'private' AND start_time < $\(number + 1)
        """
      return """
        (\(journeys) AND end_time >= $\(number) AND status NOT IN ('planned', 'cancelled')
        UNION ALL \(journeys) AND end_time IS NULL AND status IN ('inProgress', 'paused')) AS j
        """
    }
    // The cross joins make SQLite begin with the journeys.
    let zones = try rows(
      """
      SELECT DISTINCT coalesce(v.day_zone, 'UTC') FROM \(periods(2)) CROSS JOIN vehicle AS v
      WHERE v.tenant = j.tenant AND v.id = j.vehicle_id
      """, [values[0]] + range
    ).map { $0.text(0) }.sorted()
    guard !zones.isEmpty else { return (nil, values) }
    let bound = values + range + [.integer(now.milliseconds)] + zones.map { .text($0) }
    let starts = zones.enumerated().map { index, name in
      (
        parameter: "$\(count + 4 + index)",
        starts: DayStarts(from: first, through: last, in: ZoneFiles.machine.rules(name))
      )
    }
    /// Returns SQL for the start of a day of the vehicle `v`, ms since 1970.
    func start(_ day: String) -> String {
      let offsets = starts.map { "WHEN \($0.parameter) THEN \($0.starts.offset(of: day))" }.joined(separator: " ")
      return "(CAST(\(day) AS bigint) * 86400000 - CASE coalesce(v.day_zone, 'UTC') \(offsets) ELSE 0 END)"
    }
    let (begin, end) = (start("d.day"), start("d.day + 1"))
    let sql = """
      SELECT d.vehicle, d.day, max(CASE WHEN \(end) > $\(count + 3) THEN 1 ELSE 0 END) AS is_open
      FROM \(periods(count + 1)) CROSS JOIN vehicle AS v CROSS JOIN vehicle_day AS d
      WHERE v.tenant = j.tenant AND v.id = j.vehicle_id AND d.vehicle = v.key AND d.day >= $2 AND d.day <= $3
        AND d.day >= j.start_time / 86400000 - 1 AND d.day <= coalesce(j.end_time / 86400000 + 1, $3)
        AND j.start_time < \(end) AND (j.end_time IS NULL OR j.end_time >= \(begin))
        AND (j.confirmed = 1 OR EXISTS (SELECT 1 FROM assignment AS b
          WHERE b.tenant = j.tenant AND b.driver_id = j.driver_id AND b.vehicle_id = j.vehicle_id
            AND b.status IN ('active', 'completed') AND b."void" = 0
            AND (j.end_time IS NULL OR b."from" < j.end_time) AND (b."to" IS NULL OR b."to" > j.start_time)
            AND b."from" < \(end) AND (b."to" IS NULL OR b."to" >= \(begin))))
      GROUP BY d.vehicle, d.day
      """
    return (sql, bound)
  }
}

/// The offsets from UTC at the starts of some days in a time zone.
private struct DayStarts {
  /// The offsets, ms. Each offset applies to days before the day with the number `before`.
  private var changes: [(before: Int, offset: Int64)] = []
  /// The offset of the last days, ms.
  private var last: Int64 = 0

  /// Reads the offsets of the days from `first` to the day after `last`.
  init(from first: CalendarDate, through last: CalendarDate, in zone: ZoneRules) {
    var date = first
    while date <= last.next {
      let offset = Int64(date.dayNumber) * 86_400_000 - zone.start(of: date)
      if date > first, offset != self.last { changes.append((date.dayNumber, self.last)) }
      self.last = offset
      date = date.next
    }
  }

  /// Returns SQL for the offset of a day.
  ///
  /// - Parameter day: SQL for the number of the day.
  func offset(of day: String) -> String {
    if changes.isEmpty { return "\(last)" }
    let cases = changes.map { "WHEN \(day) < \($0.before) THEN \($0.offset)" }.joined(separator: " ")
    return "CASE \(cases) ELSE \(last) END"
  }
}
