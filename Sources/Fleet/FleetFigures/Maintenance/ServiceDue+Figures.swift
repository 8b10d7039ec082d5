import FleetDomain
import FleetWork
import Telemetry

extension ServiceDue {
  /// Creates the state of a schedule for a vehicle. If no service is recorded yet, intervals count from the creation of
  /// the schedule.
  init(_ schedule: Stored<ServiceSchedule>, _ vehicle: Vehicle, in zone: ZoneRules) {
    self.init()
    scheduleID = schedule.id
    self.vehicle = vehicle.id
    plan = Self.plan(of: schedule.value)
    if let service = schedule.value.lastService { last = vehicle.lifetime(of: service) }
    lastDate = lastDate ?? zone.day(of: schedule.createdAt)
    due = ServicePlan(schedule.value).due(after: last)
    fill(from: vehicle, ServicePlan(schedule.value))
  }

  /// Selects the services whose state may have changed because a new day has begun in some time zone.
  public static func toCheck(at now: Timestamp) -> ThingQuery<ServiceDue> {
    // No time zone is more than 14 hours ahead of UTC.
    let latest = CalendarDate(utc: Timestamp(nanoseconds: now.nanoseconds + 50_400_000_000_000))
    return ThingQuery<ServiceDue>(.below(key: "checkDate", latest.adding(days: 1).json), order: [.init("checkDate")])
  }

  /// The fields of a schedule that decide when it is due.
  static func plan(of schedule: ServiceSchedule) -> String {
    JSON.array([schedule.every.json, schedule.basis.json, schedule.lastService.json]).canonicalText
  }

  /// Replaces unknown totals of the last service with the current totals, so that distances and hours count from now
  /// on.
  mutating func fill(from vehicle: Vehicle, _ plan: ServicePlan) {
    let (old, now) = (last, vehicle.servicePoint(on: lastDate ?? CalendarDate(utc: Timestamp(nanoseconds: 0))))
    lastKilometers = lastKilometers ?? now.kilometers
    lastEngineHours = lastEngineHours ?? now.engineHours
    guard last != old else { return }
    let fresh = plan.due(after: last)
    dueKilometers = dueKilometers ?? fresh.kilometers
    dueEngineHours = dueEngineHours ?? fresh.engineHours
  }
}
