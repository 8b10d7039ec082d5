import FleetDomain
import FleetWork
import Telemetry

/// The state of a schedule for one vehicle, as clients receive it.
public struct ServiceFigures: Equatable, Sendable {
  public let schedule: Stored<ServiceSchedule>
  public let state: ServiceSchedule.State
  public let next: ServiceSchedule.Next
  public let remainingKilometers: Double?
  public let remainingEngineHours: Double?
  public let forecastDate: CalendarDate?

  /// - Parameter zone: the time zone in which the vehicle's days begin.
  init(
    _ schedule: Stored<ServiceSchedule>, _ due: ServiceDue, _ vehicle: Vehicle, on today: CalendarDate,
    in zone: ZoneRules
  ) {
    let now = vehicle.servicePoint(on: today)
    self.schedule = schedule
    state = ServicePlan(schedule.value).state(due.due, at: now, snoozedUntil: due.snoozedUntil)
    var next = ServiceSchedule.Next()
    next.dueDate = due.dueDate
    // The readings of the current odometer and hour meter at which the service is due.
    next.dueOdometer = vehicle.shown(due.dueKilometers, on: .odometer)
    next.dueEngineHours = vehicle.shown(due.dueEngineHours, on: .engineHours)
    self.next = next
    func difference(_ due: Double?, _ now: Double?) -> Double? {
      guard let due, let now else { return nil }
      return ((due - now) * 1_000).rounded() / 1_000
    }
    remainingKilometers = difference(due.dueKilometers, now.kilometers)
    remainingEngineHours = difference(due.dueEngineHours, now.engineHours)
    // Old use of a vehicle does not show how much it is used today.
    func recent(_ daily: Double?, _ readOn: CalendarDate?) -> Double? {
      readOn.map { $0 >= today.adding(days: -Meter.usageDays) } ?? false ? daily : nil
    }
    let readOn = (
      kilometers: vehicle.odometerAt.map(zone.day(of:)), engineHours: vehicle.engineHoursAt.map(zone.day(of:))
    )
    forecastDate = ServicePlan.forecast(
      due.due, at: now, readOn: readOn,
      daily: (
        kilometers: recent(vehicle.dailyKilometers, readOn.kilometers),
        engineHours: recent(vehicle.dailyEngineHours, readOn.engineHours)
      ))
  }

  /// Returns the days after `today` on which the forecast may change without a new reading, in ascending order. These
  /// are the day after the date in `forecast`, and the days on which the newest odometer or engine hours reading
  /// becomes too old for a forecast.
  static func forecastChanges(
    after forecast: CalendarDate?, of vehicle: Vehicle, on today: CalendarDate, in zone: ZoneRules
  ) -> [CalendarDate] {
    let tooOld = [vehicle.odometerAt, vehicle.engineHoursAt].compactMap { at in
      at.map { zone.day(of: $0).adding(days: Meter.usageDays + 1) }
    }
    return (tooOld + [forecast?.next].compactMap { $0 }).filter { $0 > today }.sorted()
  }

  /// The JSON for clients.
  public var json: JSON {
    var members: [String: JSON] = [
      "scheduleId": schedule.id.json, "serviceType": .text(schedule.value.serviceType), "state": state.json,
      "name": schedule.value.name.json, "remainingKilometers": remainingKilometers.json,
      "remainingEngineHours": remainingEngineHours.json, "forecastDate": forecastDate.json,
    ]
    if case .object(let due) = next.json { members.merge(due) { $1 } }
    return .object(members.filter { $0.value != .null })
  }
}

extension ServiceDue {
  /// The date and the totals at which the service is due.
  var due: ServicePlan.Point {
    get {
      ServicePlan.Point(
        date: dueDate, monthDay: dueMonthDay.map { Int($0) }, kilometers: dueKilometers, engineHours: dueEngineHours)
    }
    set {
      (dueDate, dueKilometers, dueEngineHours) = (newValue.date, newValue.kilometers, newValue.engineHours)
      dueMonthDay = newValue.monthDay.map { Int64($0) }
    }
  }

  /// The date and the totals at which the last service was due.
  var previousDue: ServicePlan.Point {
    get {
      ServicePlan.Point(
        date: previousDueDate, monthDay: previousDueMonthDay.map { Int($0) }, kilometers: previousDueKilometers,
        engineHours: previousDueEngineHours)
    }
    set {
      (previousDueDate, previousDueKilometers, previousDueEngineHours) = (
        newValue.date, newValue.kilometers, newValue.engineHours
      )
      previousDueMonthDay = newValue.monthDay.map { Int64($0) }
    }
  }

  /// The date and the totals of the last service.
  var last: ServicePlan.Point {
    get { ServicePlan.Point(date: lastDate, kilometers: lastKilometers, engineHours: lastEngineHours) }
    set { (lastDate, lastKilometers, lastEngineHours) = (newValue.date, newValue.kilometers, newValue.engineHours) }
  }
}

extension Vehicle {
  /// Returns a date with the current totals of the vehicle's odometers and hour meters.
  func servicePoint(on today: CalendarDate) -> ServicePlan.Point {
    ServicePlan.Point(date: today, kilometers: lifetimeKilometers, engineHours: lifetimeEngineHours)
  }

  /// Converts the total of all odometers or hour meters of the vehicle (``Meter/Point/lifetime``) to the reading that
  /// the current one then shows; `nil` if `lifetime` is `nil`. Before the first reading, both are the same.
  func shown(_ lifetime: Double?, on meter: Meter) -> Double? {
    guard let lifetime else { return nil }
    let difference = point(of: meter).map { $0.value - $0.lifetime } ?? 0
    return ((lifetime + difference) * 1_000).rounded() / 1_000
  }

  /// Converts the reading `value` of the current odometer or hour meter to the total of all odometers or hour meters
  /// that the vehicle has had; `nil` if `value` is `nil`.
  func lifetime(_ value: Double?, on meter: Meter) -> Double? {
    guard let value, let point = point(of: meter) else { return value }
    return value + point.lifetime - point.value
  }

  /// Returns the date of a service, and the totals of all odometers and hour meters of the vehicle at that time.
  func lifetime(of service: ServiceSchedule.Service) -> ServicePlan.Point {
    ServicePlan.Point(
      date: service.date, kilometers: lifetime(service.odometer, on: .odometer),
      engineHours: lifetime(service.engineHours, on: .engineHours))
  }
}
