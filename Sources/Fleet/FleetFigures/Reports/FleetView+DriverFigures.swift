import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Returns the figures of one driver: those of the report of drivers, and the sums of the journeys that began on
  /// `dates`. Private journeys, and days with private journeys, count for no driver. The member `pending` contains the
  /// days on which the figures of the driver's vehicles do not include all records yet. The member `withoutRecords`
  /// contains the days without records that count for the driver, so that nobody takes the sums for complete.
  ///
  /// - Parameters:
  ///   - zone: the time zone in which the days begin.
  ///   - now: the current time. Its day and later days do not lack records yet.
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
    let journeys = try journeys(of: driver, on: dates, in: zone)
    members.merge(Self.figures(of: journeys)) { $1 }
    let vehicles = try assignedTimes(of: [driver])[driver] ?? [:]
    let pending = try pendingDays(of: vehicles, on: dates, in: zone)
    if !pending.isEmpty { members["pending"] = .array(pending.sorted().map(\.json)) }
    let found = try daysWithRecords(of: vehicles, on: dates, in: zone)
    let expected = Self.days(of: vehicles, journeys, on: dates, before: zone.day(of: now), in: zone)
      .union(found).union(pending)
    members["days"] = .integer(Int64(expected.count))
    members["daysWithRecords"] = .integer(Int64(found.count))
    let missing = expected.subtracting(found).subtracting(pending)
    if !missing.isEmpty { members["withoutRecords"] = .array(missing.sorted().map(\.json)) }
    return .object(members)
  }

  /// Returns the days whose figures are incomplete: a vehicle was assigned to the driver on the day, and the vehicle's
  /// figures of this day do not include all records yet.
  ///
  /// - Parameter vehicles: the times of the driver's assignments; the keys are vehicle ids.
  private func pendingDays(
    of vehicles: [String: [VehicleWindow]], on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> Set<CalendarDate> {
    guard !vehicles.isEmpty else { return [] }
    var pending: Set<CalendarDate> = []
    for (vehicle, days) in try pendingDays(fleet: nil, on: dates) {
      guard let windows = vehicles[vehicle] else { continue }
      pending.formUnion(days.filter { day in windows.contains { $0.overlaps(day, in: zone) } })
    }
    return pending
  }

  /// Returns the days with records that are included in the driver's figures. A day of a vehicle is included if the
  /// vehicle was assigned to the driver at the times of the day's first and last record, and was on no private journey
  /// on this day.
  private func daysWithRecords(
    of vehicles: [String: [VehicleWindow]], on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> Set<CalendarDate> {
    let hidden = try privateTimes(on: dates)
    var found: Set<CalendarDate> = []
    for (vehicle, day) in try days(of: vehicles.keys.sorted(), from: dates.lowerBound, through: dates.upperBound)
    where vehicles[vehicle]?.contains(where: { $0.contains(day.firstTime) && $0.contains(day.lastTime) }) ?? false {
      if !hidden.overlaps(day.date, of: vehicle, in: zone) { found.insert(day.date) }
    }
    return found
  }

  /// Returns the days before `today` on which a vehicle was assigned to the driver, or on which the driver had a
  /// journey.
  private static func days(
    of vehicles: [String: [VehicleWindow]], _ journeys: [DriverJourney], on dates: ClosedRange<CalendarDate>,
    before today: CalendarDate, in zone: ZoneRules
  ) -> Set<CalendarDate> {
    let windows = vehicles.values.flatMap { $0 }
    var found: Set<CalendarDate> = []
    var date = dates.lowerBound
    while date <= dates.upperBound, date < today {
      let (start, end) = (zone.start(of: date), zone.start(of: date.next))
      let hasJourney = journeys.contains { journey in
        let first = journey.start.milliseconds
        return first < end && max(journey.end?.milliseconds ?? first, first + 1) > start
      }
      if hasJourney || windows.contains(where: { $0.overlaps(date, in: zone) }) { found.insert(date) }
      date = date.next
    }
    return found
  }

  /// Returns the journeys of a driver that began on some days and were neither cancelled nor private.
  private func journeys(
    of driver: UUIDv7, on dates: ClosedRange<CalendarDate>, in zone: ZoneRules
  ) throws(ThingError) -> [DriverJourney] {
    func time(_ date: CalendarDate) -> JSON { Timestamp(limiting: zone.start(of: date)).json }
    let query = ThingQuery<Journey>(
      .oneOf(key: "driverId", [driver.json]),
      .oneOf(key: "purpose", [Journey.Purpose.business, .commute].map(\.json)),
      .atLeast(key: "startTime", time(dates.lowerBound)),
      .below(key: "startTime", time(dates.upperBound.next)),
      .oneOf(key: "status", [Journey.Status.inProgress, .paused, .completed].map(\.json)))
    let keys = ["startTime", "endTime", "startOdometer", "endOdometer", "needsReview"]
    return try values(keys, query).compactMap { row in
      guard let start = try? Timestamp(json: row[0]) else { return nil }
      var journey = DriverJourney(start: start, end: try? Timestamp(json: row[1]), needsReview: row[4] == .bool(true))
      if let first = row[2].numberValue, let last = row[3].numberValue { journey.kilometers = last - first }
      return journey
    }
  }

  /// Returns the sums of journeys.
  private static func figures(of journeys: [DriverJourney]) -> [String: JSON] {
    let ended = journeys.compactMap { journey in journey.end.map { (journey, milliseconds: $0.milliseconds) } }
    let milliseconds = ended.reduce(Int64(0)) { $0 + $1.milliseconds - $1.0.start.milliseconds }
    let kilometers = ended.reduce(0.0) { $0 + ($1.0.kilometers ?? 0) }
    return [
      "journeys": .integer(Int64(journeys.count)),
      "journeysInProgress": .integer(Int64(journeys.count - ended.count)),
      "journeysToReview": .integer(Int64(journeys.count { $0.needsReview })),
      "journeySeconds": (Double(milliseconds) / 1_000).json,
      "journeyKilometers": ((kilometers * 1_000).rounded() / 1_000).json,
    ]
  }
}

/// A journey of a driver.
private struct DriverJourney {
  let start: Timestamp
  /// `nil` if it has not ended.
  let end: Timestamp?
  let needsReview: Bool
  /// The distance between the odometer readings, km; `nil` if a reading is missing.
  var kilometers: Double?
}

extension VehicleWindow {
  /// Whether the period contains a part of a day.
  fileprivate func overlaps(_ day: CalendarDate, in zone: ZoneRules) -> Bool {
    from.milliseconds < zone.start(of: day.next) && (to?.milliseconds ?? .max) > zone.start(of: day)
  }
}
