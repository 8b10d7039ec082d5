import FleetDomain
import FleetWork
import Telemetry

extension ServiceDue {
  /// Creates the state of a schedule for a vehicle. If no service is recorded yet, intervals count from the creation of
  /// the schedule. Totals that `lastService` does not contain remain unknown.
  init(_ schedule: Stored<ServiceSchedule>, _ vehicle: Vehicle, in zone: ZoneRules) {
    self.init()
    scheduleID = schedule.id
    self.vehicle = vehicle.id
    plan = Self.plan(of: schedule.value)
    if let service = schedule.value.lastService { last = vehicle.lifetime(of: service) }
    lastDate = lastDate ?? zone.day(of: schedule.createdAt)
    due = ServicePlan(schedule.value).due(after: last)
  }

  /// Returns the day of the last service; `nil` if it is unknown, or if there was none.
  func lastServiceDate(of schedule: ServiceSchedule) -> CalendarDate? {
    if schedule.vehicle != nil { return schedule.lastService?.date }
    return lastRecordID == nil ? nil : lastDate
  }

  /// Returns a text with those fields of a schedule that determine when the service is due. If such a field changes,
  /// the text changes, too.
  static func plan(of schedule: ServiceSchedule) -> String {
    JSON.array([schedule.every.json, schedule.basis.json, schedule.lastService.json]).canonicalText
  }

  /// Whether a record of the present cycle is being completed or corrected. Meanwhile no record is opened, and nothing
  /// is announced.
  var isPaused: Bool { openedCycle.map { $0 > cycle } ?? false }

  /// Prevents the opening of a record until ``openedCycle`` is set again.
  mutating func pause() { openedCycle = cycle + 1 }

  /// Begins the next cycle after a completed service.
  mutating func beginCycle(after totals: ServicePlan.Point, of record: UUIDv7, _ plan: ServicePlan) {
    let next = plan.due(after: totals, due: due)
    (previousDue, due) = (due, next)
    (last, lastRecordID) = (totals, record)
    cycle += 1
    openedCycle = nil
    snoozedUntil = nil
  }

  /// Replaces unknown totals of the last service, and computes the due readings that were unknown because of them.
  ///
  /// - Parameter totals: the totals from which the distances and hours until the next service are counted.
  mutating func fill(from totals: ServicePlan.Point, _ plan: ServicePlan) {
    let old = last
    lastKilometers = lastKilometers ?? totals.kilometers
    lastEngineHours = lastEngineHours ?? totals.engineHours
    guard last != old else { return }
    let fresh = plan.due(after: last)
    dueKilometers = dueKilometers ?? fresh.kilometers
    dueEngineHours = dueEngineHours ?? fresh.engineHours
  }
}

extension FleetView {
  /// Selects the services whose state or forecast may have changed, because a new day has begun in one of the tenant's
  /// time zones.
  public func servicesToCheck(at now: Timestamp) throws(ThingError) -> ThingQuery<ServiceDue> {
    var latest = try zone(ofFleet: nil).day(of: now)
    for name in Set(try values(["timeZone"], ThingQuery<Fleet>()).compactMap { $0[0].textValue }) {
      latest = max(latest, zone(name).day(of: now))
    }
    return ThingQuery<ServiceDue>(.below(key: "checkDate", latest.adding(days: 1).json), order: [.init("checkDate")])
  }

  /// Whether the day on which a service must be checked has begun in the time zone of its vehicle.
  public func isToCheck(_ due: ServiceDue, at now: Timestamp) throws(ThingError) -> Bool {
    guard let date = due.checkDate else { return false }
    return date <= (try zone(ofVehicle: due.vehicle).day(of: now))
  }

  /// The maximum number of completed records from which a new state is computed, if each due date depends on the
  /// previous one.
  private static var mostServices: Int { 50 }

  /// Creates the state of a schedule for a vehicle, and sets the totals from which the distances and hours until the
  /// next service are counted. If a fleet's schedule applied to the vehicle earlier, the state continues after the
  /// services that were completed then.
  func newDue(_ schedule: Stored<ServiceSchedule>, _ vehicle: Vehicle) throws(ThingError) -> ServiceDue {
    let plan = ServicePlan(schedule.value)
    var due = ServiceDue(schedule, vehicle, in: try zone(of: vehicle))
    try fill(&due, from: vehicle, plan)
    // The schedule of a single vehicle itself contains the last service.
    guard schedule.value.fleet != nil else { return due }
    for record in try services(of: schedule, vehicle.id) {
      guard let date = record.value.completedDate, due.lastServiceDate(of: schedule.value).map({ $0 <= date }) ?? true
      else { continue }
      let totals = try totals(on: date, try readings(of: record.id), of: vehicle)
      due.beginCycle(after: totals, of: record.id, plan)
    }
    return due
  }

  /// Returns the completed records that determine when a service is due, in the order in which the state is computed
  /// from them.
  private func services(
    of schedule: Stored<ServiceSchedule>, _ vehicle: String
  ) throws(ThingError) -> [Stored<MaintenanceRecord>] {
    // With a fixed basis, each service moves the due date one interval on, in the order in which the services were
    // entered. Otherwise, only the newest service and the one before it matter.
    let isFixed = schedule.value.basis == .fixed
    return try list(
      ThingQuery<MaintenanceRecord>(
        .oneOf(key: "scheduleId", [schedule.id.json]), .oneOf(key: "vehicleId", [.text(vehicle)]),
        .oneOf(key: "status", [MaintenanceRecord.Status.completed.json]),
        order: [.init(isFixed ? "createdAt" : "completedDate", isDescending: true)],
        limit: isFixed ? Self.mostServices : 2)
    ).items.reversed()
  }

  /// Returns the meter readings that a maintenance record contains.
  func readings(of record: UUIDv7) throws(ThingError) -> [MeterReading] {
    try list(ThingQuery<MeterReading>(.oneOf(key: "originId", [record.json]), limit: 100)).items.map(\.value)
  }

  /// Returns the totals of a vehicle's odometers and hour meters at a service.
  ///
  /// - Parameter readings: the meter readings in the maintenance record of the service. If they contain no usable
  ///   reading of a meter, the total that is known for the day is used.
  func totals(
    on date: CalendarDate, _ readings: [MeterReading], of vehicle: Vehicle
  ) throws(ThingError) -> ServicePlan.Point {
    var totals = ServicePlan.Point(date: date)
    for meter in Meter.allCases {
      let point = try self.point(of: meter, near: date, of: vehicle)
      let total = meter.usable(readings).map { $0 + (point.map { $0.lifetime - $0.value } ?? 0) } ?? point?.lifetime
      if meter == .odometer { totals.kilometers = total } else { totals.engineHours = total }
    }
    return totals
  }

  /// Sets the totals (kilometres, engine hours) of the last service if they are unknown. The new value is the last
  /// total that was read up to the end of the service's day or, if there is none, the first total that was read later.
  /// If the total was read before the service, the next service is due too early rather than too late.
  func fill(_ due: inout ServiceDue, from vehicle: Vehicle, _ plan: ServicePlan) throws(ThingError) {
    guard let date = due.lastDate else { return }
    var totals = ServicePlan.Point()
    if due.lastKilometers == nil { totals.kilometers = try point(of: .odometer, near: date, of: vehicle)?.lifetime }
    if due.lastEngineHours == nil {
      totals.engineHours = try point(of: .engineHours, near: date, of: vehicle)?.lifetime
    }
    due.fill(from: totals, plan)
  }
}

extension Meter {
  /// Returns the reading of this meter among the readings of a record; `nil` if there is none, or if it is impossible.
  /// An impossible reading must not determine when the next service is due.
  func usable(_ readings: [MeterReading]) -> Double? {
    readings.first { Meter(of: $0) == self && ($0.flag == nil || $0.flag == .outOfOrder) }.flatMap { value(of: $0) }
  }
}
