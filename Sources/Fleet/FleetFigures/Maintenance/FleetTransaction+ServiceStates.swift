import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Computes the due dates and states of a vehicle's services again. Call this function after a new meter reading, and
  /// after the vehicle has moved to another fleet.
  public func evaluateServices(of vehicle: Stored<Vehicle>) throws(ThingError) {
    try evaluateServices(of: [vehicle])
  }

  /// Computes the due dates and states of many vehicles' services again, for example after new meter readings. Vehicles
  /// that do not exist are ignored.
  public func evaluateServices(ofVehicles names: Set<String>) throws(ThingError) {
    let names = names.sorted()
    for start in stride(from: 0, to: names.count, by: 500) {
      let some = names[start..<min(start + 500, names.count)].map { JSON.text($0) }
      try evaluateServices(of: try listAll(ThingQuery<Vehicle>(.oneOf(key: "id", some))))
    }
  }

  /// - Parameter vehicles: at most some hundred, because all their services are in memory together.
  private func evaluateServices(of vehicles: [Stored<Vehicle>]) throws(ThingError) {
    let names = vehicles.map { JSON.text($0.value.id) }
    let fleets = Set(vehicles.compactMap(\.value.fleetID))
    var alternatives: [[ThingQuery<ServiceSchedule>.Condition]] = [[.oneOf(key: "vehicleId", names)]]
    if !fleets.isEmpty { alternatives.append([.oneOf(key: "fleetId", fleets.map(\.json))]) }
    var ofVehicle: [String: [Stored<ServiceSchedule>]] = [:]
    var ofFleet: [UUIDv7: [Stored<ServiceSchedule>]] = [:]
    for schedule in try listAll(ThingQuery<ServiceSchedule>(.anyOf(alternatives))) {
      if let name = schedule.value.vehicle { ofVehicle[name, default: []].append(schedule) }
      if let fleet = schedule.value.fleet { ofFleet[fleet, default: []].append(schedule) }
    }
    let known = try listAll(ThingQuery<ServiceDue>(.oneOf(key: "vehicleId", names)))
    let dues = Dictionary(grouping: known) { $0.value.vehicle }
    var changed: Set<UUIDv7> = []
    for vehicle in vehicles {
      let schedules =
        (ofVehicle[vehicle.value.id] ?? []) + (vehicle.value.fleetID.flatMap { ofFleet[$0] } ?? [])
      var own = Dictionary(
        (dues[vehicle.value.id] ?? []).map { ($0.value.scheduleID, $0) }, uniquingKeysWith: { first, _ in first })
      for schedule in schedules {
        let due: Stored<ServiceDue>
        if let known = own.removeValue(forKey: schedule.id) {
          due = known
        } else {
          due = try insert(try newDue(schedule, vehicle.value))
        }
        try evaluate(due, schedule, vehicle, changed: &changed)
      }
      // The vehicle has left the fleets of these schedules.
      for due in own.values { try end(due) }
    }
    for id in changed { try showMostUrgentState(of: id) }
  }

  /// Updates the state and the forecast of a service, which may have changed because a new day has begun.
  public func evaluateServiceByDate(_ id: UUIDv7) throws(ThingError) {
    guard let due = try find(id, ServiceDue.self), let date = due.value.checkDate else { return }
    guard let schedule = try find(due.value.scheduleID, ServiceSchedule.self),
      let vehicle = try vehicle(named: due.value.vehicle), try applies(schedule.value, to: due.value.vehicle)
    else { return try end(due) }
    if date <= (try today(of: vehicle.value)) { try evaluate(due, schedule, vehicle) }
  }

  /// Updates the state of a schedule for a vehicle. When the service becomes overdue, a maintenance record is opened,
  /// unless there is an open one.
  @discardableResult
  func evaluate(
    _ due: Stored<ServiceDue>, _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>
  ) throws(ThingError) -> Stored<ServiceDue> {
    var changed: Set<UUIDv7> = []
    let evaluated = try evaluate(due, schedule, vehicle, changed: &changed)
    for id in changed { try showMostUrgentState(of: id) }
    return evaluated
  }

  /// Updates the state of a schedule for a vehicle, but not the state that a fleet's schedule shows for all its
  /// vehicles.
  ///
  /// - Parameter ids: receives the id of the schedule if it is a fleet's schedule, and if the most urgent state of the
  ///   fleet's vehicles may have changed.
  @discardableResult
  func evaluate(
    _ due: Stored<ServiceDue>, _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>,
    changed ids: inout Set<UUIDv7>
  ) throws(ThingError) -> Stored<ServiceDue> {
    var changed = due.value
    let plan = ServicePlan(schedule.value)
    let zone = try zone(of: vehicle.value)
    let today = zone.day(of: now)
    try fill(&changed, from: vehicle.value, plan)
    // No service is due for a retired vehicle. The last service is kept, in case the vehicle comes back.
    let isRetired = vehicle.value.status == .retired
    changed.state =
      isRetired
      ? .ok : plan.state(changed.due, at: vehicle.value.servicePoint(on: today), snoozedUntil: changed.snoozedUntil)
    let figures = ServiceFigures(schedule, changed, vehicle.value, on: today, in: zone)
    changed.checkDate =
      isRetired ? nil : plan.checkDate(changed.due, after: today, snoozedUntil: changed.snoozedUntil)
    // Only the schedules of single vehicles store a forecast.
    if !isRetired, schedule.value.vehicle != nil {
      let next = ServiceFigures.forecastChanges(
        after: figures.forecastDate, of: vehicle.value, on: today, in: zone
      ).first {
        ServiceFigures(schedule, changed, vehicle.value, on: $0, in: zone).forecastDate != figures.forecastDate
      }
      changed.checkDate = [changed.checkDate, next].compactMap { $0 }.min()
    }
    // No service is announced while a record of this cycle is being completed.
    let isNew = !changed.isPaused && changed.openedCycle != changed.cycle
    if changed.state == .dueSoon, due.value.state != .dueSoon, isNew {
      // A service that is due soon by distance or engine hours may have a due date that is far away.
      let isSoonByDate = changed.dueDate.map { today >= $0.adding(days: -Int(plan.dueSoon.days)) } ?? false
      try emit(.serviceDueSoon, changed, schedule, on: isSoonByDate ? changed.dueDate : nil)
    }
    let isAgain = try lacksRecord(changed, since: due.value)
    if changed.state == .overdue, isNew || isAgain {
      let day = try dueDay(of: changed, on: today, in: zone)
      try openRecord(changed, schedule, on: day)
      try emit(.serviceOverdue, changed, schedule, on: day)
      changed.openedCycle = changed.cycle
    }
    let stored = try update(due, to: changed, action: "change")
    if schedule.value.vehicle != nil {
      var shown = schedule.value
      (shown.next, shown.state, shown.forecastDate) =
        isRetired ? (nil, .ok, nil) : (figures.next, figures.state, figures.forecastDate)
      shown.dueDate = shown.next?.dueDate
      try refresh(schedule, to: shown)
    } else if due.value.state != changed.state {
      ids.insert(schedule.id)
    }
    return stored
  }

  /// Whether a service has become overdue again, but has no open record. This happens if the cycle's record was
  /// cancelled while the service was not overdue: because the vehicle was retired, the service was snoozed, or a
  /// reading was wrong.
  private func lacksRecord(_ due: ServiceDue, since old: ServiceDue) throws(ThingError) -> Bool {
    guard due.state == .overdue, old.state != .overdue, !due.isPaused else { return false }
    return try openRecord(of: due.scheduleID, vehicle: due.vehicle) == nil
  }

  /// Removes the state of a schedule for a vehicle to which the schedule no longer applies, and cancels the vehicle's
  /// scheduled record. Work in progress continues. If the schedule applies again, its state is computed from the
  /// completed records (``FleetView/newDue(_:_:)``).
  func end(_ due: Stored<ServiceDue>) throws(ThingError) {
    let scheduled = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "scheduleId", [due.value.scheduleID.json]), .oneOf(key: "vehicleId", [.text(due.value.vehicle)]),
      .oneOf(key: "status", [MaintenanceRecord.Status.scheduled.json]))
    if let record = try first(scheduled) { _ = try cancel(record, reason: "the schedule no longer applies") }
    try remove(due, action: "remove")
    if due.value.state != .ok, try find(due.value.scheduleID, ServiceSchedule.self)?.value.fleet != nil {
      try showMostUrgentState(of: due.value.scheduleID)
    }
  }

  /// Stores in a fleet's schedule the most urgent state of the fleet's vehicles.
  private func showMostUrgentState(of schedule: UUIDv7) throws(ThingError) {
    let current = try existing(schedule, ServiceSchedule.self)
    var shown = current.value
    shown.state = try mostUrgentState(of: schedule)
    try refresh(current, to: shown)
  }

  private func mostUrgentState(of schedule: UUIDv7) throws(ThingError) -> ServiceSchedule.State {
    for state in [ServiceSchedule.State.overdue, .dueSoon, .snoozed] {
      let query = ThingQuery<ServiceDue>(
        .oneOf(key: "scheduleId", [schedule.json]), .oneOf(key: "state", [state.json]))
      if try first(query) != nil { return state }
    }
    return .ok
  }

  private func emit(
    _ event: FleetEvent.Event, _ due: ServiceDue, _ schedule: Stored<ServiceSchedule>, on day: CalendarDate?
  ) throws(ThingError) {
    var new = FleetEvent(event, ServiceSchedule.self, schedule.id)
    (new.vehicleID, new.item, new.day) = (due.vehicle, schedule.value.name ?? schedule.value.serviceType, day)
    try emit(new)
  }

  /// Returns the day on which an overdue service was due: its due date, or the day of the first reading that reached the
  /// due distance or engine hours, whichever is earlier.
  private func dueDay(
    of due: ServiceDue, on today: CalendarDate, in zone: ZoneRules
  ) throws(ThingError) -> CalendarDate {
    var day = min(due.dueDate ?? today, today)
    for (meter, total) in [(Meter.odometer, due.dueKilometers), (Meter.engineHours, due.dueEngineHours)] {
      guard let total else { continue }
      let reached = ThingQuery<MeterReading>(
        .oneOf(key: "vehicleId", [.text(due.vehicle)]), .isSet(key: meter.rawValue),
        .atLeast(key: "lifetime", total.json), .atMost(key: "at", Self.latest.json), order: [.init("at")])
      if let reading = try first(reached) { day = min(day, zone.day(of: reading.value.at)) }
    }
    return day
  }

  private func openRecord(
    _ due: ServiceDue, _ schedule: Stored<ServiceSchedule>, on day: CalendarDate
  ) throws(ThingError) {
    guard try openRecord(of: schedule.id, vehicle: due.vehicle) == nil else { return }
    var record = MaintenanceRecord()
    record.vehicle = due.vehicle
    record.serviceType = schedule.value.serviceType
    record.scheduledDate = day
    record.scheduleID = schedule.id
    record.cycle = due.cycle
    record.notes = schedule.value.name
    try insert(record, id: nil, action: "open")
  }
}
