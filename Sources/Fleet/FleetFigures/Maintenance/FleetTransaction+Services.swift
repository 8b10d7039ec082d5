import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// Returns the state of each schedule that applies to a vehicle, sorted by the day on which the service is expected
  /// to be due.
  public func services(of vehicle: Stored<Vehicle>, on today: CalendarDate) throws(ThingError) -> [ServiceFigures] {
    let known = try dues(of: vehicle.value.id)
    guard vehicle.value.status != .retired else { return [] }
    let zone = try zone(of: vehicle.value)
    var services: [ServiceFigures] = []
    for schedule in try schedules(of: vehicle.value) {
      let stored = known.first { $0.value.scheduleID == schedule.id }?.value
      let due = if let stored { stored } else { try newDue(schedule, vehicle.value) }
      services.append(ServiceFigures(schedule, due, vehicle.value, on: today, in: zone))
    }
    return services.sorted { left, right in
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

  /// Returns how many more schedules can be added to a vehicle or a fleet.
  ///
  /// - Parameter owner: selects the schedules of the vehicle or the fleet.
  public func roomForSchedules(_ owner: ThingQuery<ServiceSchedule>.Condition) throws(ThingError) -> Int {
    ServiceSchedule.mostOfOwner - (try values(["serviceType"], ThingQuery<ServiceSchedule>(owner)).count)
  }

  func dues(of vehicle: String) throws(ThingError) -> [Stored<ServiceDue>] {
    try list(ThingQuery<ServiceDue>(.oneOf(key: "vehicleId", [.text(vehicle)]), limit: 1_000)).items
  }
}

extension FleetTransaction {
  /// Returns the current day, with which due dates are compared. The day is in the time zone of the vehicle's fleet.
  func today(of vehicle: Vehicle) throws(ThingError) -> CalendarDate { try zone(of: vehicle).day(of: now) }

  // MARK: Schedules

  /// Checks a new or changed schedule.
  ///
  /// - Throws: `invalid`.
  public func check(_ new: inout ServiceSchedule, old: Stored<ServiceSchedule>?) throws(ThingError) {
    guard (new.vehicle == nil) != (new.fleet == nil) else {
      throw .invalid(FieldErrors([FieldError("vehicleId", "expected either vehicleId or fleetId")]))
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
    guard try roomForSchedules(own) > 0 else { throw .rule(code: "limitReached", message: ServiceSchedule.tooMany) }
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
    let fresh = try newDue(schedule, vehicle.value)
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
}

extension ServiceSchedule {
  /// The maximum number of schedules per vehicle and per fleet. All of them are computed with each new reading.
  static let mostOfOwner = 50

  /// The text of the error about a schedule above the limit.
  public static let tooMany = "a vehicle and a fleet have at most \(mostOfOwner) schedules each"
}
