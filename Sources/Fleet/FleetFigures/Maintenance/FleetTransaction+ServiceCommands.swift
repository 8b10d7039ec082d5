import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Completes a maintenance record: adds its meter readings, and begins the next cycle of its schedule. If the command
  /// has an ID and was executed before, changes nothing.
  ///
  /// - Throws: the errors of ``complete(_:with:on:)``; `exists` if the ID belongs to the completion of another record,
  ///   or to a command with other values.
  public func complete(
    _ record: Stored<MaintenanceRecord>, with completion: MaintenanceCompletion
  ) throws(ThingError) -> Stored<MaintenanceRecord> {
    if let done = try self.record(completedBy: completion) {
      guard done.id == record.id else { throw .exists(id: completion.id?.string ?? "") }
      return done
    }
    return try close(
      try complete(record, with: completion, on: try zone(ofVehicle: record.value.vehicle).day(of: now)))
  }

  /// Adds the meter readings of a completed record, and begins the next cycle of its schedule. If a newer service of
  /// the schedule is known, the record changes neither the last service nor the due date.
  @discardableResult
  public func close(_ record: Stored<MaintenanceRecord>) throws(ThingError) -> Stored<MaintenanceRecord> {
    let done = record.value
    guard let date = done.completedDate else { return record }
    guard let (due, schedule, _) = try service(of: done) else {
      try followReadings(of: record)
      return record
    }
    if let last = due.value.lastServiceDate(of: schedule.value), date < last {
      try followReadings(of: record)
      if record.version > 1 { try reopenIfOverdue(done) }
      return record
    }
    // Adding this record's readings must not open another record for the same cycle.
    var closed = due.value
    closed.pause()
    try update(due, to: closed, action: "complete")
    let readings = try followReadings(of: record).map(\.value)
    guard let current = try service(of: done) else { return record }
    try beginCycle(
      after: try service(on: date, readings, of: current.vehicle.value), of: record.id, current.due, current.schedule,
      current.vehicle)
    return record
  }

  /// Opens another record for the present cycle of a schedule if the service is still overdue. Call this function if
  /// the cycle's own record was completed with a date before the last service, because such a record begins no new
  /// cycle.
  private func reopenIfOverdue(_ record: MaintenanceRecord) throws(ThingError) {
    guard let (due, schedule, vehicle) = try service(of: record), due.value.openedCycle == due.value.cycle else {
      return
    }
    var open = due.value
    open.openedCycle = nil
    try evaluate(try update(due, to: open, action: "change"), schedule, vehicle)
  }

  /// Corrects the meter readings of a changed record. If the last service of a schedule came from this record, or the
  /// record is now newer than the last service, also corrects the last service, and computes again when the next
  /// service is due.
  public func correct(_ record: Stored<MaintenanceRecord>) throws(ThingError) {
    guard let date = record.value.completedDate, let (due, present, _) = try service(of: record.value),
      due.value.lastRecordID == record.id || due.value.lastServiceDate(of: present.value).map({ $0 < date }) ?? false
    else {
      try followReadings(of: record)
      return
    }
    // While the readings are being corrected, the old due values must not open a record.
    var paused = due.value
    paused.pause()
    try update(due, to: paused, action: "correct")
    let before = try readings(of: record.id)
    var after = try followReadings(of: record).map(\.value)
    guard let (current, schedule, vehicle) = try service(of: record.value) else { return }
    var last = (id: record.id, date: date)
    if let newer = try newestRecord(of: schedule.id, vehicle: record.value.vehicle), newer.id != record.id,
      let completed = newer.value.completedDate, completed > date
    {
      last = (newer.id, completed)
      after = try readings(of: newer.id)
    }
    var next = current.value
    (next.openedCycle, next.state) = (due.value.openedCycle, due.value.state)
    let isSame = due.value.lastRecordID == last.id && due.value.lastDate == last.date
    let found = try service(on: last.date, after, of: vehicle.value)
    var service = schedule.value.lastService ?? ServiceSchedule.Service()
    (service.date, next.lastDate, next.lastRecordID) = (last.date, last.date, last.id)
    for meter in Meter.allCases {
      let (old, new) = (before.first { Meter(of: $0) == meter }, after.first { Meter(of: $0) == meter })
      guard !isSame || old.flatMap({ meter.value(of: $0) }) != new.flatMap({ meter.value(of: $0) }) else { continue }
      switch meter {
      case .odometer: (service.odometer, next.lastKilometers) = (found.shown.odometer, found.totals.kilometers)
      case .engineHours:
        (service.engineHours, next.lastEngineHours) = (found.shown.engineHours, found.totals.engineHours)
      }
    }
    var stored = schedule
    if next.last != current.value.last || next.lastRecordID != current.value.lastRecordID {
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

  /// Returns the newest completed record of a schedule and a vehicle, by the day of the completion; `nil` if there is
  /// none.
  private func newestRecord(of schedule: UUIDv7, vehicle: String) throws(ThingError) -> Stored<MaintenanceRecord>? {
    try first(
      ThingQuery<MaintenanceRecord>(
        .oneOf(key: "scheduleId", [schedule.json]), .oneOf(key: "vehicleId", [.text(vehicle)]),
        .oneOf(key: "status", [MaintenanceRecord.Status.completed.json]),
        order: [.init("completedDate", isDescending: true)]))
  }

  /// Returns a service as clients see it, and the totals of the vehicle's odometers and hour meters at the service.
  ///
  /// - Parameter readings: the meter readings in the maintenance record of the service. If they contain no usable
  ///   reading of a meter, the reading that is known for the day is used.
  private func service(
    on date: CalendarDate, _ readings: [MeterReading], of vehicle: Vehicle
  ) throws(ThingError) -> (shown: ServiceSchedule.Service, totals: ServicePlan.Point) {
    var shown = ServiceSchedule.Service()
    shown.date = date
    let today = try today(of: vehicle)
    for meter in Meter.allCases {
      let known = try reading(of: meter, on: date, today: today, of: vehicle)
      let value = meter.usable(readings) ?? known
      if meter == .odometer { shown.odometer = value } else { shown.engineHours = value }
    }
    return (shown, try totals(on: date, readings, of: vehicle))
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
    after service: (shown: ServiceSchedule.Service, totals: ServicePlan.Point), of record: UUIDv7,
    _ due: Stored<ServiceDue>, _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>
  ) throws(ThingError) {
    var next = due.value
    next.beginCycle(after: service.totals, of: record, ServicePlan(schedule.value))
    var stored = schedule
    if schedule.value.vehicle != nil {
      var changed = schedule.value
      changed.lastService = service.shown
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
    return try insert(try newDue(schedule, vehicle.value))
  }

  /// Completes the due service of a schedule: completes the open record or, if there is none, adds a completed record.
  /// If the command has an ID and was executed before, changes nothing.
  ///
  /// - Throws: `invalid`; `exists` if the ID belongs to the completion of another service, or to a command with other
  ///   values.
  public func complete(
    _ schedule: Stored<ServiceSchedule>, with completion: MaintenanceCompletion
  ) throws(ThingError) -> Stored<ServiceSchedule> {
    let vehicle = try vehicle(of: schedule.value, named: completion.vehicle)
    if let done = try record(completedBy: completion) {
      guard done.value.scheduleID == schedule.id, done.value.vehicle == vehicle.value.id else {
        throw .exists(id: completion.id?.string ?? "")
      }
      return schedule
    }
    let today = try today(of: vehicle.value)
    let last = try self.due(schedule, vehicle).value.lastServiceDate(of: schedule.value)
    let isOlder = last.map { completion.completedDate ?? today < $0 } ?? false
    // A service before the last one is not the service for which a record is open.
    if !isOlder, let open = try openRecord(of: schedule.id, vehicle: vehicle.value.id) {
      try close(try finish(open, with: completion, on: today))
    } else {
      var record = MaintenanceRecord()
      record.vehicle = vehicle.value.id
      record.serviceType = schedule.value.serviceType
      record.scheduleID = schedule.id
      record = record.completed(by: completion, on: today)
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
