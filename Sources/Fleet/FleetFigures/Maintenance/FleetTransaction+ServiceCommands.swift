import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Completes a maintenance record: adds its meter readings, and begins the next cycle of its schedule.
  ///
  /// - Throws: the errors of ``complete(_:with:on:)``.
  public func complete(
    _ record: Stored<MaintenanceRecord>, with completion: MaintenanceCompletion
  ) throws(ThingError) -> Stored<MaintenanceRecord> {
    try close(try complete(record, with: completion, on: try zone(ofVehicle: record.value.vehicle).day(of: now)))
  }

  /// Adds the meter readings of a completed record, and begins the next cycle of its schedule.
  @discardableResult
  public func close(_ record: Stored<MaintenanceRecord>) throws(ThingError) -> Stored<MaintenanceRecord> {
    let done = record.value
    guard let date = done.completedDate else { return record }
    if let (due, _, _) = try service(of: done) {
      // Adding this record's readings must not open another record for the same cycle.
      var closed = due.value
      closed.openedCycle = closed.cycle
      try update(due, to: closed, action: "complete")
    }
    var service = ServiceSchedule.Service()
    service.date = date
    for reading in try followReadings(of: record).map(\.value) {
      // An impossible reading does not determine when the next service is due.
      guard reading.flag == nil || reading.flag == .outOfOrder else { continue }
      service.odometer = service.odometer ?? reading.odometer
      service.engineHours = service.engineHours ?? reading.engineHours
    }
    guard let (due, schedule, vehicle) = try self.service(of: done) else { return record }
    service.odometer = service.odometer ?? vehicle.value.odometer
    service.engineHours = service.engineHours ?? vehicle.value.engineHours
    try beginCycle(after: service, of: record.id, due, schedule, vehicle)
    return record
  }

  /// Corrects the meter readings of a changed record. If the last service of a schedule came from this record, also
  /// corrects the last service, and computes again when the next service is due.
  public func correct(_ record: Stored<MaintenanceRecord>) throws(ThingError) {
    guard let date = record.value.completedDate, let (due, _, _) = try service(of: record.value),
      due.value.lastRecordID == record.id
    else {
      try followReadings(of: record)
      return
    }
    // While the readings are being corrected, the old due values must not open a record.
    var paused = due.value
    paused.openedCycle = paused.cycle
    try update(due, to: paused, action: "correct")
    let before = try list(ThingQuery<MeterReading>(.oneOf(key: "originId", [record.id.json]), limit: 100)).items
      .map(\.value)
    let after = try followReadings(of: record).map(\.value)
    guard let (current, schedule, vehicle) = try service(of: record.value) else { return }
    var next = current.value
    next.openedCycle = due.value.openedCycle
    var service = schedule.value.lastService ?? ServiceSchedule.Service()
    (service.date, next.lastDate) = (date, date)
    for meter in [Meter.odometer, .engineHours] {
      let (old, new) = (before.first { Meter(of: $0) == meter }, after.first { Meter(of: $0) == meter })
      guard old.flatMap({ meter.value(of: $0) }) != new.flatMap({ meter.value(of: $0) }) else { continue }
      let isUsable = new.map { $0.flag == nil || $0.flag == .outOfOrder } ?? false
      let value = isUsable ? new.flatMap { meter.value(of: $0) } : vehicle.value.point(of: meter)?.value
      let lifetime = vehicle.value.lifetime(value, on: meter)
      switch meter {
      case .odometer: (service.odometer, next.lastKilometers) = (value, lifetime)
      case .engineHours: (service.engineHours, next.lastEngineHours) = (value, lifetime)
      }
    }
    var stored = schedule
    if next.last != current.value.last {
      next.due = ServicePlan(schedule.value).due(after: next.last, due: next.previousDue)
      if schedule.value.vehicle != nil {
        var changed = schedule.value
        changed.lastService = service
        stored = try update(schedule, to: changed, action: "correct")
        next.plan = ServiceDue.plan(of: changed)
      }
    }
    try evaluate(try update(current, to: next, action: "correct"), stored, vehicle)
  }

  /// Returns the schedule of a record with the stored state for the record's vehicle; `nil` if the record has no
  /// schedule, or if the vehicle no longer belongs to the schedule's fleet.
  private func service(
    of record: MaintenanceRecord
  ) throws(ThingError) -> (due: Stored<ServiceDue>, schedule: Stored<ServiceSchedule>, vehicle: Stored<Vehicle>)? {
    guard let id = record.scheduleID, let schedule = try find(id, ServiceSchedule.self),
      try applies(schedule.value, to: record.vehicle), let vehicle = try vehicle(named: record.vehicle)
    else { return nil }
    return (try due(schedule, vehicle), schedule, vehicle)
  }

  private func beginCycle(
    after service: ServiceSchedule.Service, of record: UUIDv7, _ due: Stored<ServiceDue>,
    _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>
  ) throws(ThingError) {
    var next = due.value
    let done = vehicle.value.lifetime(of: service)
    next.due = ServicePlan(schedule.value).due(after: done, due: due.value.due)
    next.previousDue = due.value.due
    next.last = done
    next.lastRecordID = record
    next.cycle += 1
    next.snoozedUntil = nil
    var stored = schedule
    if schedule.value.vehicle != nil {
      var changed = schedule.value
      changed.lastService = service
      stored = try update(schedule, to: changed, action: "complete")
      next.plan = ServiceDue.plan(of: changed)
    }
    try evaluate(try update(due, to: next, action: "complete"), stored, vehicle)
  }

  /// Returns the stored state of a schedule for a vehicle. Adds the state if there is none.
  func due(
    _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>
  ) throws(ThingError) -> Stored<ServiceDue> {
    let query = ThingQuery<ServiceDue>(
      .oneOf(key: "scheduleId", [schedule.id.json]), .oneOf(key: "vehicleId", [.text(vehicle.value.id)]))
    if let known = try first(query) { return known }
    return try insert(ServiceDue(schedule, vehicle.value, in: try zone(of: vehicle.value)))
  }

  /// Completes the due service of a schedule: completes the open record or, if there is none, adds a completed record.
  ///
  /// - Throws: `invalid`.
  public func complete(
    _ schedule: Stored<ServiceSchedule>, with completion: MaintenanceCompletion
  ) throws(ThingError) -> Stored<ServiceSchedule> {
    let vehicle = try vehicle(of: schedule.value, named: completion.vehicle)
    let today = try today(of: vehicle.value)
    if let open = try openRecord(of: schedule.id, vehicle: vehicle.value.id) {
      try close(try finish(open, with: completion, on: today))
    } else {
      var record = MaintenanceRecord()
      record.vehicle = vehicle.value.id
      record.serviceType = schedule.value.serviceType
      record.scheduleID = schedule.id
      record.completedDate = completion.completedDate ?? today
      (record.odometer, record.engineHours) = (completion.odometer, completion.engineHours)
      (record.cost, record.lines, record.notes) = (completion.cost, completion.lines ?? [], completion.notes)
      try check(&record, old: nil)
      try close(try insert(record))
    }
    return try existing(schedule.id, ServiceSchedule.self)
  }

  /// Snoozes a service that is due or due soon: it is not reported as due before a given day.
  ///
  /// - Throws: `invalidState` if nothing is due; `invalid`.
  public func snooze(
    _ schedule: Stored<ServiceSchedule>, with snooze: ServiceSnooze
  ) throws(ThingError) -> Stored<ServiceSchedule> {
    let vehicle = try vehicle(of: schedule.value, named: snooze.vehicle)
    let today = try today(of: vehicle.value)
    let due = try evaluate(try due(schedule, vehicle), schedule, vehicle)
    guard due.value.state != .ok else {
      throw .invalidState(
        state: "ok", allowedFrom: [ServiceSchedule.State.dueSoon, .overdue, .snoozed].map(\.rawValue))
    }
    let until = snooze.until ?? today.adding(days: 7)
    guard until > today, until <= today.adding(days: 366) else {
      throw .invalid(FieldErrors([FieldError("until", "expected a date after today, at most a year ahead")]))
    }
    var snoozed = due.value
    snoozed.snoozedUntil = until
    let current = try existing(schedule.id, ServiceSchedule.self)
    try record(
      "snooze", kind: ServiceSchedule.names.one, thing: schedule.id,
      details: ["until": until.json, "vehicleId": .text(vehicle.value.id)])
    try evaluate(try update(due, to: snoozed, action: "snooze"), current, vehicle)
    return try existing(schedule.id, ServiceSchedule.self)
  }

  private func vehicle(of schedule: ServiceSchedule, named name: String?) throws(ThingError) -> Stored<Vehicle> {
    guard let name = schedule.vehicle ?? name else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "expected a vehicle of the fleet, found none")]))
    }
    let vehicle = try referenced(vehicle: name)
    guard try applies(schedule, to: name) else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "the vehicle is not in the fleet of the schedule")]))
    }
    return vehicle
  }
}
