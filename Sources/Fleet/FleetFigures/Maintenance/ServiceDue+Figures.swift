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

  /// The fields of a schedule that decide when it is due.
  static func plan(of schedule: ServiceSchedule) -> String {
    JSON.array([schedule.every.json, schedule.basis.json, schedule.lastService.json]).canonicalText
  }

  /// Replaces unknown totals of the last service.
  ///
  /// - Parameter totals: the totals from which distances and hours count.
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

  /// Creates the state of a schedule for a vehicle, with the totals from which distances and hours count.
  func newDue(_ schedule: Stored<ServiceSchedule>, _ vehicle: Vehicle) throws(ThingError) -> ServiceDue {
    var due = ServiceDue(schedule, vehicle, in: try zone(of: vehicle))
    try fill(&due, from: vehicle, ServicePlan(schedule.value))
    return due
  }

  /// Replaces unknown totals of the last service with the totals that are known for the day of the service or, if none
  /// are, the next earlier ones. A service is then rather due too early than too late.
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
