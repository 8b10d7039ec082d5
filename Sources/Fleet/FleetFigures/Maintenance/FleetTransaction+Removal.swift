import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// The maximum number of things that one transaction closes. It is small, because in SQLite all other tenants wait
  /// for the transaction.
  private static var closedTogether: Int { 16 }

  /// Closes all open work of a vehicle that will be removed: cancels scheduled maintenance, dismisses defects, and
  /// removes schedules. Otherwise, a later vehicle with the same id would inherit them.
  ///
  /// - Returns: whether everything is closed. If not, the function must be called again in another transaction.
  /// - Throws: `rule` with `vehicleInUse` if the vehicle has an assignment, a journey or work that is not finished. A
  ///   person has to decide about these.
  public func closeWork(ofRemoved vehicle: Stored<Vehicle>) throws(ThingError) -> Bool {
    let id = JSON.text(vehicle.value.id)
    try requireUnused(id)
    var rest = Self.closedTogether
    func open<Value: Kind>(_ conditions: ThingQuery<Value>.Condition...) throws(ThingError) -> [Stored<Value>] {
      guard rest > 0 else { return [] }
      var query = ThingQuery<Value>(.oneOf(key: "vehicleId", [id]), limit: rest)
      query.conditions += conditions
      let items = try list(query).items
      rest -= items.count
      return items
    }
    // A completed assignment may have an end in the future, so set its end to now.
    for assignment: Stored<Assignment> in try open(
      .oneOf(key: "status", [Assignment.Status.completed.json]), .atLeast(key: "to", after(now).json))
    {
      var ended = assignment.value
      ended.to = max(now, ended.from)
      try update(assignment, to: ended, action: "end")
    }
    for record: Stored<MaintenanceRecord> in try open(
      .oneOf(key: "status", MaintenanceRecord.Status.open.map(\.json)))
    {
      _ = try cancel(record, reason: "the vehicle was removed")
    }
    for defect: Stored<Defect> in try open(
      .oneOf(key: "status", [Defect.Status.open, .acknowledged, .repaired].map(\.json)))
    {
      var dismissed = defect.value
      (dismissed.status, dismissed.dismissReason) = (.dismissed, "the vehicle was removed")
      try update(defect, to: dismissed, action: DefectCommand.dismiss.rawValue)
    }
    for schedule: Stored<ServiceSchedule> in try open() { try remove(schedule, action: "remove") }
    for due: Stored<ServiceDue> in try open() { try end(due) }
    for codes: Stored<ReportedCodes> in try open() { try remove(codes, action: "remove") }
    return rest > 0
  }

  /// Closes the open work of a schedule that will be removed: cancels its scheduled maintenance, and removes its states
  /// for vehicles.
  ///
  /// - Returns: whether everything is closed. If not, the function must be called again in another transaction.
  public func closeWork(ofRemoved schedule: Stored<ServiceSchedule>) throws(ThingError) -> Bool {
    let id = schedule.id.json
    let records = try list(
      ThingQuery<MaintenanceRecord>(
        .oneOf(key: "scheduleId", [id]), .oneOf(key: "status", [MaintenanceRecord.Status.scheduled.json]),
        limit: Self.closedTogether)
    ).items
    for record in records { _ = try cancel(record, reason: "the schedule was removed") }
    let rest = Self.closedTogether - records.count
    guard rest > 0 else { return false }
    let dues = try list(ThingQuery<ServiceDue>(.oneOf(key: "scheduleId", [id]), limit: rest)).items
    for due in dues { try remove(due, action: "remove") }
    return dues.count < rest
  }

  private func requireUnused(_ vehicle: JSON) throws(ThingError) {
    let assignment = try first(
      ThingQuery<Assignment>(
        .oneOf(key: "vehicleId", [vehicle]), .oneOf(key: "status", [Assignment.Status.active.json])))
    let journey = try first(
      ThingQuery<Journey>(
        .oneOf(key: "vehicleId", [vehicle]),
        .oneOf(key: "status", [Journey.Status.planned, .inProgress, .paused].map(\.json))))
    let record = try first(
      ThingQuery<MaintenanceRecord>(
        .oneOf(key: "vehicleId", [vehicle]),
        .oneOf(key: "status", [MaintenanceRecord.Status.inProgress.json])))
    let found = [
      assignment.map { "assignment \($0.id.string)" }, journey.map { "journey \($0.id.string)" },
      record.map { "maintenance record \($0.id.string)" },
    ].compactMap { $0 }
    if !found.isEmpty {
      throw .rule(
        code: "vehicleInUse",
        message:
          "vehicle \(vehicle.canonicalText) is in use: \(found.joined(separator: ", ")); end or cancel this first")
    }
  }

  private func after(_ time: Timestamp) -> Timestamp { time.adding(nanoseconds: 1_000_000) }
}
