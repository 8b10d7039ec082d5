import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Returns the figures of one driver: those of the report of drivers, and the sums of the journeys that began on the
  /// days. Private journeys and days with private journeys count for no driver. `pending` contains the days on which the figures of a vehicle of the driver do not include all records yet.
  ///
  /// - Parameters:
  ///   - zone: the time zone in which the days begin.
  ///   - now: the current time.
  public func figures(
    ofDriver driver: UUIDv7, on dates: ClosedRange<CalendarDate>, in zone: ZoneRules, at now: Timestamp
  ) throws(ThingError) -> JSON {
    let days = try daySums(by: .driver, fleet: nil, from: dates.lowerBound, through: dates.upperBound, at: now)
      .first { $0.driver == driver }
    var table = ReportTable(.drivers, by: .driver)
    var sums = days ?? DaySums(date: dates.lowerBound)
    sums.driver = driver
    table.add(sums)
    var members: [String: JSON] = [:]
    if case .object(let row)? = table.rows.first { members = row }
    members["group"] = nil
    members["driverId"] = driver.json
    (members["from"], members["to"]) = (dates.lowerBound.json, dates.upperBound.json)
    members["formula"] = .text(ReportTable.scoreFormula)
    if sums.hasTimes { members["engineOnSeconds"] = (Double(sums.engineOn) / 1_000).json }
    members.merge(try journeyFigures(of: driver, on: dates, in: zone)) { $1 }
    let pending = try pendingDays(ofDriver: driver, on: dates, in: zone)
    if !pending.isEmpty { members["pending"] = .array(pending.map(\.json)) }
    return .object(members)
  }

  /// Returns the days whose figures do not include all records yet, of the vehicles that are or were assigned to a
  /// driver on these days.
  private func pendingDays(
    ofDriver driver: UUIDv7, on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> [CalendarDate] {
    guard let vehicles = try assignedTimes(of: [driver])[driver] else { return [] }
    var pending: Set<CalendarDate> = []
    for (vehicle, days) in try pendingDays(fleet: nil, on: dates) {
      guard let windows = vehicles[vehicle] else { continue }
      pending.formUnion(
        days.filter { day in
          windows.contains { window in
            window.from.milliseconds < zone.start(of: day.next)
              && (window.to?.milliseconds ?? .max) > zone.start(of: day)
          }
        })
    }
    return pending.sorted()
  }

  private func journeyFigures(
    of driver: UUIDv7, on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> [String: JSON] {
    func time(_ date: CalendarDate) -> JSON { Timestamp(limiting: zone.start(of: date)).json }
    let query = ThingQuery<Journey>(
      .oneOf(key: "driverId", [driver.json]),
      .oneOf(key: "purpose", [Journey.Purpose.business, .commute].map(\.json)),
      .atLeast(key: "startTime", time(dates.lowerBound)),
      .below(key: "startTime", time(dates.upperBound.next)),
      .oneOf(key: "status", [Journey.Status.inProgress, .paused, .completed].map(\.json)))
    let keys = ["startTime", "endTime", "startOdometer", "endOdometer", "needsReview"]
    var (count, open, review, milliseconds, kilometers) = (Int64(0), Int64(0), Int64(0), Int64(0), 0.0)
    for row in try values(keys, query) {
      count += 1
      if row[4] == .bool(true) { review += 1 }
      guard let end = try? Timestamp(json: row[1]), let start = try? Timestamp(json: row[0]) else {
        open += 1
        continue
      }
      milliseconds += end.milliseconds - start.milliseconds
      if let first = row[2].numberValue, let last = row[3].numberValue { kilometers += last - first }
    }
    return [
      "journeys": .integer(count), "journeysInProgress": .integer(open), "journeysToReview": .integer(review),
      "journeySeconds": (Double(milliseconds) / 1_000).json,
      "journeyKilometers": ((kilometers * 1_000).rounded() / 1_000).json,
    ]
  }
}
