import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Returns the state of each schedule that applies to a vehicle, sorted by the day on which the service is expected
  /// to be due.
  public func services(of vehicle: Stored<Vehicle>, on today: CalendarDate) throws(ThingError) -> [ServiceFigures] {
    let known = try dues(of: vehicle.value.id)
    let zone = try zone(of: vehicle.value)
    guard vehicle.value.status != .retired else { return [] }
    return try schedules(of: vehicle.value).map { schedule in
      let due = known.first { $0.value.scheduleID == schedule.id }?.value
      return ServiceFigures(schedule, due ?? ServiceDue(schedule, vehicle.value, in: zone), vehicle.value, on: today)
    }.sorted { left, right in
      let last = CalendarDate(year: 9_999, month: 12, day: 31)
      guard let last else { return false }
      return (left.forecastDate ?? last, left.schedule.id.string) < (
        right.forecastDate ?? last, right.schedule.id.string
      )
    }
  }

  /// Returns the schedules of a vehicle, and the schedules of its fleet.
  func schedules(of vehicle: Vehicle) throws(ThingError) -> [Stored<ServiceSchedule>] {
    var alternatives: [[ThingQuery<ServiceSchedule>.Condition]] = [[.oneOf(key: "vehicleId", [.text(vehicle.id)])]]
    if let fleet = vehicle.fleetID { alternatives.append([.oneOf(key: "fleetId", [fleet.json])]) }
    return try list(ThingQuery<ServiceSchedule>(.anyOf(alternatives), limit: 1_000)).items
  }

  func dues(of vehicle: String) throws(ThingError) -> [Stored<ServiceDue>] {
    try list(ThingQuery<ServiceDue>(.oneOf(key: "vehicleId", [.text(vehicle)]), limit: 1_000)).items
  }
}

extension FleetTransaction {
  /// Returns the current day in the time zone of the vehicle's fleet, with which due dates are compared.
  func today(of vehicle: Vehicle) throws(ThingError) -> CalendarDate { try zone(of: vehicle).day(of: now) }

  // MARK: Schedules

  /// The maximum number of schedules per vehicle and per fleet. All of them are computed with each new reading.
  private static var mostSchedules: Int { 50 }

  /// Checks a new or changed schedule.
  ///
  /// - Throws: `invalid`.
  public func check(_ new: inout ServiceSchedule, old: Stored<ServiceSchedule>?) throws(ThingError) {
    guard (new.vehicle == nil) != (new.fleet == nil) else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "expected either vehicleId or fleetId")]))
    }
    if let fleet = new.fleet, try find(fleet, Fleet.self) == nil {
      throw .invalid(FieldErrors([FieldError("fleetId", "no such fleet")]))
    }
    guard new.fleet == nil || new.lastService == nil else {
      throw .invalid(
        FieldErrors([FieldError("lastService", "vehicles of a fleet have their own; complete the schedule of each")]))
    }
    if new.serviceType != old?.value.serviceType { try require(serviceType: new.serviceType) }
    guard old == nil else { return }
    let own: ThingQuery<ServiceSchedule>.Condition =
      if let vehicle = new.vehicle {
        .oneOf(key: "vehicleId", [.text(vehicle)])
      } else {
        .oneOf(key: "fleetId", [new.fleet.json])
      }
    guard try values(["serviceType"], ThingQuery<ServiceSchedule>(own)).count < Self.mostSchedules else {
      throw .rule(
        code: "limitReached", message: "a vehicle and a fleet have at most \(Self.mostSchedules) schedules each")
    }
  }

  /// Computes when a new or changed schedule is due for its vehicles. If the fleet has more than
  /// ``PendingSchedule/mostVehicles`` vehicles, the remaining vehicles are computed later.
  public func follow(_ schedule: Stored<ServiceSchedule>) throws(ThingError) {
    if let vehicle = schedule.value.vehicle { try follow(schedule, for: vehicle) }
    guard let fleet = schedule.value.fleet else { return }
    let names = try vehicles(of: fleet)
    for vehicle in names.prefix(PendingSchedule.mostVehicles) { try follow(schedule, for: vehicle) }
    if names.count > PendingSchedule.mostVehicles {
      try markPending(schedule.id, after: PendingSchedule.mostVehicles)
    }
  }

  /// Computes when a schedule is due for a vehicle.
  func follow(_ schedule: Stored<ServiceSchedule>, for id: String) throws(ThingError) {
    guard let vehicle = try vehicle(named: id) else { return }
    let fresh = ServiceDue(schedule, vehicle.value, in: try zone(of: vehicle.value))
    var due = try due(schedule, vehicle)
    if due.value.plan != fresh.plan {
      var changed = due.value
      changed.plan = fresh.plan
      if schedule.value.lastService != nil, changed.last != fresh.last {
        // A person has set the last service.
        changed.last = fresh.last
        changed.lastRecordID = nil
      }
      changed.due = ServicePlan(schedule.value).due(after: changed.last)
      due = try update(due, to: changed, action: "change")
    }
    try evaluate(due, schedule, vehicle)
  }

  // MARK: Evaluation

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
      try evaluateServices(of: try all(ThingQuery<Vehicle>(.oneOf(key: "id", some))))
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
    for schedule in try all(ThingQuery<ServiceSchedule>(.anyOf(alternatives))) {
      if let name = schedule.value.vehicle { ofVehicle[name, default: []].append(schedule) }
      if let fleet = schedule.value.fleet { ofFleet[fleet, default: []].append(schedule) }
    }
    let known = try all(ThingQuery<ServiceDue>(.oneOf(key: "vehicleId", names)))
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
          due = try insert(ServiceDue(schedule, vehicle.value, in: try zone(of: vehicle.value)))
        }
        try evaluate(due, schedule, vehicle, changed: &changed)
      }
      // The vehicle has left the fleets of these schedules.
      for due in own.values { try remove(due, action: "remove") }
    }
    for id in changed { try showMostUrgentState(of: id) }
  }

  private func all<Value: Kind>(_ query: ThingQuery<Value>) throws(ThingError) -> [Stored<Value>] {
    var query = query
    query.limit = 1_000
    var items: [Stored<Value>] = []
    repeat {
      let page = try list(query)
      items += page.items
      query.cursor = page.next
    } while query.cursor != nil
    return items
  }

  /// Updates the state of a service that may have changed because a new day has begun.
  public func evaluateServiceByDate(_ id: UUIDv7) throws(ThingError) {
    guard let due = try find(id, ServiceDue.self), let date = due.value.checkDate else { return }
    guard let schedule = try find(due.value.scheduleID, ServiceSchedule.self),
      let vehicle = try vehicle(named: due.value.vehicle), try applies(schedule.value, to: due.value.vehicle)
    else { return try remove(due, action: "remove") }
    if date <= (try today(of: vehicle.value)) { try evaluate(due, schedule, vehicle) }
  }

  /// Updates the state of a schedule for a vehicle. When the service becomes overdue, a maintenance record is opened, at
  /// most one in each cycle.
  @discardableResult
  private func evaluate(
    _ due: Stored<ServiceDue>, _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>
  ) throws(ThingError) -> Stored<ServiceDue> {
    var changed: Set<UUIDv7> = []
    let evaluated = try evaluate(due, schedule, vehicle, changed: &changed)
    for id in changed { try showMostUrgentState(of: id) }
    return evaluated
  }

  /// - Parameter ids: receives the id of the schedule if the schedule belongs to a fleet, and the most urgent state of
  ///   the fleet's vehicles may have changed.
  @discardableResult
  private func evaluate(
    _ due: Stored<ServiceDue>, _ schedule: Stored<ServiceSchedule>, _ vehicle: Stored<Vehicle>,
    changed ids: inout Set<UUIDv7>
  ) throws(ThingError) -> Stored<ServiceDue> {
    var changed = due.value
    let plan = ServicePlan(schedule.value)
    let today = try today(of: vehicle.value)
    changed.fill(from: vehicle.value, plan)
    // No service is due for a retired vehicle. The last service is kept, in case the vehicle comes back.
    let isRetired = vehicle.value.status == .retired
    changed.state =
      isRetired
      ? .ok : plan.state(changed.due, at: vehicle.value.servicePoint(on: today), snoozedUntil: changed.snoozedUntil)
    changed.checkDate =
      isRetired ? nil : plan.checkDate(changed.due, after: today, snoozedUntil: changed.snoozedUntil)
    // No service is announced while a record of this cycle is being completed.
    let isNew = changed.openedCycle != changed.cycle
    if changed.state == .dueSoon, due.value.state != .dueSoon, isNew {
      try emit(.serviceDueSoon, changed, schedule)
    }
    if changed.state == .overdue, isNew {
      try openRecord(changed, schedule, on: today)
      try emit(.serviceOverdue, changed, schedule)
      changed.openedCycle = changed.cycle
    }
    let stored = try update(due, to: changed, action: "change")
    if schedule.value.vehicle != nil {
      var shown = schedule.value
      let figures = ServiceFigures(schedule, changed, vehicle.value, on: today)
      (shown.next, shown.state, shown.forecastDate) =
        isRetired ? (nil, .ok, nil) : (figures.next, figures.state, figures.forecastDate)
      shown.dueDate = shown.next?.dueDate
      try refresh(schedule, to: shown)
    } else if due.value.state != changed.state {
      ids.insert(schedule.id)
    }
    return stored
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
    _ event: FleetEvent.Event, _ due: ServiceDue, _ schedule: Stored<ServiceSchedule>
  ) throws(ThingError) {
    var new = FleetEvent(event, ServiceSchedule.self, schedule.id)
    (new.vehicleID, new.item, new.day) = (due.vehicle, schedule.value.name ?? schedule.value.serviceType, due.dueDate)
    try emit(new)
  }

  private func openRecord(
    _ due: ServiceDue, _ schedule: Stored<ServiceSchedule>, on today: CalendarDate
  ) throws(ThingError) {
    guard try openRecord(of: schedule.id, vehicle: due.vehicle) == nil else { return }
    var record = MaintenanceRecord()
    record.vehicle = due.vehicle
    record.serviceType = schedule.value.serviceType
    record.scheduledDate = max(due.dueDate ?? today, today)
    record.scheduleID = schedule.id
    record.cycle = due.cycle
    record.notes = schedule.value.name
    try insert(record, id: nil, action: "open")
  }

  // MARK: Commands

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
  private func due(
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

/// The body of the command that snoozes a schedule.
public struct ServiceSnooze: NestedValue {
  /// The first day on which the service is reported again; `nil` for the default, which is in seven days.
  public var until: CalendarDate?
  /// The vehicle whose service is snoozed, if the schedule belongs to a fleet; otherwise `nil`.
  public var vehicle: String?

  public init() {}

  public static let fields: [Field<ServiceSnooze>] = [Field("until", \.until), Field("vehicleId", \.vehicle)]
}
