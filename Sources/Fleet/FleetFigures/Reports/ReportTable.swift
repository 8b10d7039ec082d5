import FleetDomain
import FleetWork
import Telemetry

/// Computes the rows of a report from the figures of days and from costs.
public struct ReportTable: Sendable {
  /// Minimum distance for which a driver gets a score, km.
  public static let leastScoredDistance = 100.0
  /// The formula of the score.
  public static let scoreFormula =
    "score = 100 - 4 x (harsh braking, harsh acceleration and overspeed per 100 km), at least 0; from 100 km"

  /// The vehicle, fleet and driver to which a figure or cost belongs.
  public struct Subject: Hashable, Sendable {
    public var vehicle: String?
    public var fleet: UUIDv7?
    public var driver: UUIDv7?

    public init(vehicle: String?, fleet: UUIDv7?, driver: UUIDv7?) {
      (self.vehicle, self.fleet, self.driver) = (vehicle, fleet, driver)
    }
  }

  /// The things that a row counts: finished work, remaining work, and expired documents and licences.
  public enum Count: String, Sendable {
    // Numbers of maintenance records.
    case done, open, overdue
    // Numbers of licences and documents that must be valid.
    case licencesExpired, licencesExpiring, documentsExpired, documentsExpiring
    case inspections, inspectionsWithDefects, inspectionsRequired, inspectionsMissing, servicesDueSoon, servicesOverdue
  }

  /// The sums of one row.
  private struct Sums {
    var days: DaySums?
    var counts: [Count: Int64] = [:]
    /// The time for which vehicles were in the workshop, ms.
    var outOfService: Int64 = 0
    var costs = VehicleCosts()
    /// The time in which the vehicles were expected to be used, s; `nil` if it is not known.
    var working: Int64?
    /// The part of ``working`` of the vehicles for which it is known when their engines ran, s.
    var knownWorking: Int64 = 0
    /// The distance that odometer readings show in addition to telemetry, km; `nil` if there is none.
    var odometerDistance: Double?
    /// The vehicles with costs whose distance is not known. It is always empty if the row belongs to one vehicle.
    var withoutDistance: Set<String> = []

    /// The distance of telemetry and odometer readings, km; `nil` if unknown.
    var distance: Double? {
      guard let odometerDistance else { return days?.distance }
      return (days?.distance ?? 0) + odometerDistance
    }

    /// The source of ``distance``; `nil` if the distance is unknown.
    var basis: DrivenDistance.Basis? {
      guard distance != nil else { return nil }
      return odometerDistance == nil ? .telemetry : (days?.distance ?? 0) > 0 ? .mixed : .odometer
    }
  }

  private let topic: Report.Topic
  private let grouping: Report.Grouping
  private var sums: [String: Sums] = [:]

  public init(_ topic: Report.Topic, by grouping: Report.Grouping) { (self.topic, self.grouping) = (topic, grouping) }

  /// Adds the sums of days that belong to one row.
  public mutating func add(_ days: DaySums) {
    let subject = Subject(vehicle: days.vehicle, fleet: days.fleet, driver: days.driver)
    sums[group(days.date, subject), default: Sums()].days = days
  }

  /// Adds the expected working time of vehicles to the row of `subject`, if this row exists.
  ///
  /// - Parameters:
  ///   - seconds: the time of all vehicles together, s.
  ///   - known: the part of `seconds` of the vehicles for which it is known when their engines ran.
  public mutating func addWorkingTime(
    _ seconds: Int64, known: Int64, on date: CalendarDate, of subject: Subject
  ) {
    guard grouping != .driver else { return }
    let group = group(date, subject)
    guard let working = sums[group].map({ $0.working ?? 0 }) else { return }
    sums[group]?.working = working + seconds
    sums[group]?.knownWorking += known
  }

  /// Whether each row belongs to a driver.
  var isByDriver: Bool { grouping == .driver }

  /// Adds a distance that odometer readings show in addition to telemetry.
  ///
  /// - Parameter kilometers: the distance, km. It is negative if the distance of telemetry is longer.
  mutating func addOdometerDistance(_ kilometers: Double, on date: CalendarDate, of subject: Subject) {
    let group = group(date, subject)
    sums[group, default: Sums()].odometerDistance = (sums[group]?.odometerDistance ?? 0) + kilometers
    if let vehicle = subject.vehicle { sums[group]?.withoutDistance.remove(vehicle) }
  }

  /// Whether the distance of a vehicle with costs is not known in a period.
  ///
  /// - Parameter period: one of the ranges of days that ``periods(in:)`` returned.
  func lacksDistance(in period: ClosedRange<CalendarDate>) -> Bool {
    groups(in: period).contains { !(sums[$0]?.withoutDistance.isEmpty ?? true) }
  }

  /// Marks the distance of vehicles in a period as known. The distances themselves are in the sums of days.
  ///
  /// - Parameter period: one of the ranges of days that ``periods(in:)`` returned.
  mutating func addKnownDistances(of vehicles: Set<String>, in period: ClosedRange<CalendarDate>) {
    for group in groups(in: period) {
      guard let unknown = sums[group]?.withoutDistance else { continue }
      sums[group]?.withoutDistance = unknown.filter { !vehicles.contains($0) }
    }
  }

  /// Returns the groups of the rows that contain a period.
  private func groups(in period: ClosedRange<CalendarDate>) -> [String] {
    switch grouping {
    case .vehicle, .driver, .fleet: Array(sums.keys)
    case .day, .week, .month: [group(period.lowerBound, Subject(vehicle: nil, fleet: nil, driver: nil))]
    }
  }

  public mutating func count(_ count: Count, on date: CalendarDate, of subject: Subject) {
    sums[group(date, subject), default: Sums()].counts[count, default: 0] += 1
  }

  /// Adds the time for which a vehicle was in the workshop.
  ///
  /// - Parameters:
  ///   - from: the start in ms since 1970; `to` is the end.
  ///   - zone: the time zone in which days begin.
  ///   - dates: the days of the report.
  public mutating func addOutOfService(
    from: Int64, to: Int64, in zone: ZoneRules, within dates: ClosedRange<CalendarDate>, of subject: Subject
  ) {
    var date = max(zone.day(of: Timestamp(limiting: from)), dates.lowerBound)
    while date <= dates.upperBound {
      let start = zone.start(of: date)
      guard start < to else { return }
      let time = min(to, zone.start(of: date.next)) - max(from, start)
      if time > 0 { sums[group(date, subject), default: Sums()].outOfService += time }
      date = date.next
    }
  }

  /// Adds a cost.
  ///
  /// - Parameter amount: `nil` if the amount is unknown.
  public mutating func add(_ amount: Money?, category: String, on date: CalendarDate, of subject: Subject) {
    let group = group(date, subject)
    sums[group, default: Sums()].costs.add(amount, category: category)
    if grouping != .vehicle, let vehicle = subject.vehicle, amount.map({ $0.tenThousandths != 0 }) ?? false {
      sums[group]?.withoutDistance.insert(vehicle)
    }
  }

  /// Adds the costs of a maintenance record that was completed.
  public mutating func add(_ record: MaintenanceRecord, on date: CalendarDate, of subject: Subject) {
    for amount in record.costs { add(amount, category: VehicleCosts.maintenance, on: date, of: subject) }
  }

  /// Adds a vehicle's loss of value, divided among the rows. The sum of the rows' amounts is exactly the loss in the
  /// whole range.
  ///
  /// - Parameters:
  ///   - periods: the ranges of days that ``periods(in:)`` returned.
  ///   - today: the current day.
  public mutating func addLossOfValue(
    of vehicle: Vehicle, in periods: [ClosedRange<CalendarDate>], subject: Subject, today: CalendarDate
  ) {
    guard let first = periods.first?.lowerBound else { return }
    var added: Int128 = 0
    for period in periods {
      guard
        VehicleCosts.lossOfValue(
          of: vehicle, from: period.lowerBound, through: period.upperBound, today: today) != nil,
        let until = VehicleCosts.lossOfValue(of: vehicle, from: first, through: period.upperBound, today: today)
      else { continue }
      // Compute each amount as the difference of two rounded sums, so that rounding errors do not add up.
      let amount = Money(tenThousandths: until.tenThousandths - added, currency: until.currency)
      add(amount, category: VehicleCosts.lossOfValue, on: period.lowerBound, of: subject)
      if vehicle.disposedOn == nil { sums[group(period.lowerBound, subject), default: Sums()].costs.markEstimated() }
      added = until.tenThousandths
    }
  }

  /// Divides a range of days into parts. For one vehicle, fleet and driver, all days of a part belong to the same row.
  public func periods(in dates: ClosedRange<CalendarDate>) -> [ClosedRange<CalendarDate>] {
    let none = Subject(vehicle: nil, fleet: nil, driver: nil)
    var periods: [ClosedRange<CalendarDate>] = []
    var (start, date) = (dates.lowerBound, dates.lowerBound)
    while date < dates.upperBound {
      if group(date.next, none) != group(start, none) {
        periods.append(start...date)
        start = date.next
      }
      date = date.next
    }
    return periods + [start...dates.upperBound]
  }

  /// The names of the members that the rows of a report on `topic` can have, in addition to the member `group`.
  public static func metrics(of topic: Report.Topic) -> Set<String> {
    let table = ReportTable(topic, by: .vehicle)
    return Set(table.members(Sums()).keys).union(topic == .drivers ? ["score", "note"] : [])
  }

  /// The number of rows so far.
  public var count: Int { sums.count }

  /// The rows, sorted by their groups.
  public var rows: [JSON] {
    sums.sorted { $0.key < $1.key }.map { group, sums in
      var row = members(sums).filter { $0.value != .null }
      row["group"] = .text(group)
      // Nobody is responsible for the driving in the row without a driver.
      if isByDriver, group.isEmpty { (row["score"], row["note"]) = (nil, nil) }
      return .object(row)
    }
  }

  /// Returns the group of the row for a date and a subject: an ID, a date, an ISO week (2026-W18) or a month (2026-05).
  /// It is empty if the subject has no ID of the kind by which the report is grouped.
  private func group(_ date: CalendarDate, _ subject: Subject) -> String {
    switch grouping {
    case .vehicle: subject.vehicle ?? ""
    case .driver: subject.driver?.string ?? ""
    case .fleet: subject.fleet?.string ?? ""
    case .day: date.text
    case .week: Self.week(of: date)
    case .month: String(date.text.prefix(7))
    }
  }

  /// Returns the ISO 8601 week of a date. A week begins on Monday, and belongs to the year of its Thursday.
  static func week(of date: CalendarDate) -> String {
    // 1970-01-01 was a Thursday.
    let day = date.dayNumber
    let weekday = ((day + 3) % 7 + 7) % 7
    let thursday = CalendarDate(dayNumber: day - weekday + 3)
    let first = Timestamp.days(year: thursday.year, month: 1, day: 1)
    let number = (thursday.dayNumber - first) / 7 + 1
    return "\(thursday.text.prefix(4))-W\(number < 10 ? "0" : "")\(number)"
  }

  private func members(_ sums: Sums) -> [String: JSON] {
    func seconds(_ milliseconds: Int64) -> JSON { (Double(milliseconds) / 1_000).json }
    func rounded(_ number: Double?) -> JSON { number.map { (($0 * 1_000).rounded() / 1_000).json } ?? .null }
    func ratio(_ part: Double?, _ whole: Double) -> JSON { rounded(part.flatMap { whole > 0 ? $0 / whole : nil }) }
    func list(_ money: [Money]) -> JSON { .array(money.map(\.json)) }
    func counts(_ names: Count...) -> [String: JSON] {
      names.reduce(into: [:]) { $0[$1.rawValue] = .integer(sums.counts[$1] ?? 0) }
    }
    let days = sums.days ?? DaySums(date: CalendarDate(dayNumber: 0))
    func known(_ milliseconds: Int64) -> JSON { days.hasTimes ? seconds(milliseconds) : .null }
    let idleShare = ratio(Double(days.idle), Double(days.engineOn))
    switch topic {
    case .utilization:
      return [
        "vehicles": .integer(Int64(days.vehicles)), "usedDays": .integer(Int64(days.usedDays)),
        "distance": rounded(days.distance), "engineOnSeconds": known(days.engineOn),
        "movingSeconds": known(days.moving), "idleSeconds": known(days.idle),
        "unknownSeconds": seconds(days.unknown), "idleShare": idleShare, "workingSeconds": sums.working.json,
        "utilization": ratio(days.hasTimes ? Double(days.engineOn) / 1_000 : nil, Double(sums.knownWorking)),
      ]
    case .maintenance:
      return counts(.done, .open, .overdue).merging([
        "cost": list(sums.costs.total), "outOfServiceSeconds": seconds(sums.outOfService),
      ]) { $1 }
    case .trips:
      return [
        "trips": .integer(Int64(days.trips)), "distance": rounded(days.distance), "movingSeconds": known(days.moving),
        "distancePerTrip": ratio(days.distance.map { $0 - days.privateDistance }, Double(days.trips)),
      ]
    case .fuel:
      return [
        "fuelUsed": rounded(days.fuelUsed), "distance": rounded(days.distance),
        "litresPer100km": ratio(days.fuelUsed.map { $0 * 100 }, days.fuelDistance),
      ]
    case .costs:
      return [
        "total": list(sums.costs.total), "byCategory": .object(sums.costs.byCategory.mapValues(list)),
        "perKilometer": list(
          sums.withoutDistance.isEmpty ? sums.costs.total(per: sums.distance) ?? [] : []),
        "distance": rounded(sums.distance),
        "distanceBasis": sums.basis.map { .text($0.rawValue) } ?? .null,
        "estimated": sums.costs.isEstimated ? .bool(true) : .null,
        "withoutAmount": sums.costs.unknown > 0 ? .integer(Int64(sums.costs.unknown)) : .null,
      ]
    case .drivers:
      var members: [String: JSON] = [
        "distance": rounded(days.distance), "drivingEvents": .integer(Int64(days.driverEvents)),
        "idleShare": idleShare,
      ]
      if let score = Self.score(events: days.driverEvents, distance: days.driverDistance) {
        members["score"] = .integer(score)
      } else {
        members["note"] = .text("not enough distance")
      }
      return members
    case .compliance:
      let (required, missing) = (sums.counts[.inspectionsRequired] ?? 0, sums.counts[.inspectionsMissing] ?? 0)
      return counts(
        .licencesExpired, .licencesExpiring, .documentsExpired, .documentsExpiring, .inspections,
        .inspectionsWithDefects, .inspectionsRequired, .inspectionsMissing, .servicesDueSoon, .servicesOverdue
      ).merging(["inspectionsDone": ratio(Double(required - missing), Double(required))]) { $1 }
    }
  }

  /// Returns a driver's score, computed with ``scoreFormula``; `nil` if the distance is too short.
  ///
  /// - Parameters:
  ///   - events: the number of events for which the driver is responsible.
  ///   - distance: the distance, km.
  public static func score(events: Int, distance: Double) -> Int64? {
    guard distance >= leastScoredDistance else { return nil }
    return Int64(max(100 - 4 * Double(events) / distance * 100, 0).rounded())
  }
}
