import FleetDomain
import Telemetry

extension FleetTransaction {
  /// Checks a new or changed record.
  ///
  /// - Throws: `invalid`; `invalidState` for a cancelled record; `rule` with `openRecord` if its schedule has another
  ///   open record for the vehicle.
  public func check(_ new: inout MaintenanceRecord, old: Stored<MaintenanceRecord>?) throws(ThingError) {
    if let old, old.value.status == .cancelled {
      throw .invalidState(
        state: "cancelled", allowedFrom: [MaintenanceRecord.Status.scheduled, .inProgress, .completed].map(\.rawValue))
    }
    if new.serviceType != old?.value.serviceType { try require(serviceType: new.serviceType) }
    if old == nil, new.completedDate != nil { new.status = .completed }
    guard (new.completedDate != nil) == (new.status == .completed) else {
      throw .invalid(
        FieldErrors([
          FieldError(
            "completedDate",
            new.status == .completed ? "expected a date, found null" : "use the command complete to complete a record")
        ]))
    }
    // Tomorrow is allowed, because clocks and time zones differ by less than a day.
    if let date = new.completedDate, date > CalendarDate(utc: now).adding(days: 1) {
      throw .invalid(FieldErrors([FieldError("completedDate", "expected a date that is not in the future")]))
    }
    new.fillInCost(since: old?.value)
    if let id = new.scheduleID, old == nil {
      guard let schedule = try find(id, ServiceSchedule.self), try applies(schedule.value, to: new.vehicle) else {
        throw .invalid(FieldErrors([FieldError("scheduleId", "no schedule of this vehicle with this id")]))
      }
      if MaintenanceRecord.Status.open.contains(new.status),
        let open = try openRecord(of: id, vehicle: new.vehicle)
      {
        throw .rule(code: "openRecord", message: "the schedule has an open record for the vehicle: \(open.id.string)")
      }
    }
    for (index, id) in new.defectIDs.enumerated() where !(old?.value.defectIDs.contains(id) ?? false) {
      guard let defect = try find(id, Defect.self), defect.value.vehicle == new.vehicle else {
        throw .invalid(FieldErrors([FieldError("defectIds.\(index)", "no such defect of this vehicle")]))
      }
    }
  }

  /// Stores the ID of a new or changed maintenance record in the defects that the record repairs, and removes the ID
  /// from all other defects. A cancelled record repairs no defects. If the record is completed, its defects become
  /// repaired.
  public func link(_ record: Stored<MaintenanceRecord>) throws(ThingError) {
    let ids = record.value.status == .cancelled ? [] : record.value.defectIDs
    let query = ThingQuery<Defect>(.oneOf(key: "recordId", [record.id.json]), limit: 1_000)
    try forEachPage(of: query) { page throws(ThingError) in
      for defect in page.items where !ids.contains(defect.id) {
        var free = defect.value
        free.recordID = nil
        try update(defect, to: free, action: "change")
      }
    }
    for id in ids {
      var defect = try existing(id, Defect.self)
      if defect.value.recordID != record.id {
        var linked = defect.value
        linked.recordID = record.id
        defect = try update(defect, to: linked, action: "change")
      }
      guard record.value.status == .completed, [.open, .acknowledged].contains(defect.value.status) else { continue }
      var repaired = defect.value
      repaired.status = .repaired
      try update(defect, to: repaired, action: DefectCommand.repair.rawValue)
    }
  }

  /// Starts the work. The vehicle's status becomes `inService`.
  ///
  /// - Throws: `invalidState`; `rule` with `vehicleUnavailable`.
  public func start(_ stored: Stored<MaintenanceRecord>) throws(ThingError) -> Stored<MaintenanceRecord> {
    try require(stored.value.status, in: [.scheduled])
    let vehicle = try referenced(vehicle: stored.value.vehicle)
    guard ![.inactive, .retired].contains(vehicle.value.status) else {
      throw .rule(
        code: "vehicleUnavailable", message: "vehicle \(vehicle.value.id) is \(vehicle.value.status.rawValue)")
    }
    var record = stored.value
    record.status = .inProgress
    record.startedAt = now
    let started = try update(stored, to: record, action: "start")
    try emit(.maintenanceStarted, started)
    try updateStatus(ofVehicle: record.vehicle)
    return started
  }

  /// Completes the work: the vehicle is no longer in service, and the record's defects are repaired.
  ///
  /// - Throws: `invalidState`; `invalid`.
  public func complete(
    _ stored: Stored<MaintenanceRecord>, with completion: MaintenanceCompletion, on today: CalendarDate
  ) throws(ThingError) -> Stored<MaintenanceRecord> {
    try require(stored.value.status, in: [.inProgress])
    return try finish(stored, with: completion, on: today)
  }

  /// Completes a record that is scheduled or in progress.
  public func finish(
    _ stored: Stored<MaintenanceRecord>, with completion: MaintenanceCompletion, on today: CalendarDate
  ) throws(ThingError) -> Stored<MaintenanceRecord> {
    var record = stored.value.completed(by: completion, on: today)
    if record.startedAt != nil { record.completedAt = now }
    try check(&record, old: stored)
    let completed = try update(stored, to: record, action: "complete")
    try emit(.maintenanceCompleted, completed)
    try link(completed)
    try updateStatus(ofVehicle: record.vehicle)
    return completed
  }

  /// Cancels a record that is scheduled or in progress.
  ///
  /// - Throws: `invalidState`.
  public func cancel(
    _ stored: Stored<MaintenanceRecord>, reason: String?
  ) throws(ThingError) -> Stored<MaintenanceRecord> {
    try require(stored.value.status, in: MaintenanceRecord.Status.open)
    var record = stored.value
    record.status = .cancelled
    record.cancelReason = reason
    let cancelled = try update(stored, to: record, action: "cancel")
    try link(cancelled)
    try updateStatus(ofVehicle: record.vehicle)
    return cancelled
  }

  /// Adds an event about a record.
  private func emit(_ event: FleetEvent.Event, _ record: Stored<MaintenanceRecord>) throws(ThingError) {
    var new = FleetEvent(event, MaintenanceRecord.self, record.id)
    (new.vehicleID, new.item) = (record.value.vehicle, record.value.serviceType)
    try emit(new)
  }

  private func require(
    _ status: MaintenanceRecord.Status, in allowed: [MaintenanceRecord.Status]
  ) throws(ThingError) {
    guard allowed.contains(status) else {
      throw .invalidState(state: status.rawValue, allowedFrom: allowed.map(\.rawValue))
    }
  }
}

extension FleetView {
  /// Returns the maintenance record for a schedule and a vehicle, if one is scheduled or in progress; otherwise `nil`.
  public func openRecord(of schedule: UUIDv7, vehicle: String) throws(ThingError) -> Stored<MaintenanceRecord>? {
    try first(
      ThingQuery<MaintenanceRecord>(
        .oneOf(key: "scheduleId", [schedule.json]), .oneOf(key: "vehicleId", [.text(vehicle)]),
        .oneOf(key: "status", MaintenanceRecord.Status.open.map(\.json))))
  }

  /// Whether a schedule applies to a vehicle: it belongs to the vehicle or to the vehicle's fleet.
  public func applies(_ schedule: ServiceSchedule, to vehicle: String) throws(ThingError) -> Bool {
    if let id = schedule.vehicle { return id == vehicle }
    guard let fleet = schedule.fleet else { return false }
    return try self.vehicle(named: vehicle)?.value.fleetID == fleet
  }
}
