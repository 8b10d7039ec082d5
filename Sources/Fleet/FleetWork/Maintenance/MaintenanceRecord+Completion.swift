import FleetDomain

extension MaintenanceRecord {
  /// Returns the record with the values that a command states. Values that the command does not state stay as they are.
  ///
  /// - Parameter today: the day on which the record is completed, if the command states none.
  public func completed(by completion: MaintenanceCompletion, on today: CalendarDate) -> MaintenanceRecord {
    var record = self
    record.status = .completed
    record.completedDate = completion.completedDate ?? today
    if let lines = completion.lines { record.lines = lines }
    record.cost = completion.cost ?? record.cost
    if let odometer = completion.odometer {
      record.odometer = odometer
      record.entered["odometer"] = completion.entered["odometer"]
    }
    record.engineHours = completion.engineHours ?? record.engineHours
    record.notes = completion.notes ?? record.notes
    record.completionID = completion.id
    return record
  }

  /// Sets the cost to the sum of the lines, unless a person has set another one.
  ///
  /// - Parameter old: the record before the change; `nil` if it is new.
  mutating func fillInCost(since old: MaintenanceRecord?) {
    guard cost == nil || cost == old?.cost && old?.cost == old?.sum, !lines.isEmpty else { return }
    cost = sum
  }
}

extension FleetTransaction {
  /// Returns the maintenance record that an earlier execution of this command has completed; `nil` if the command has
  /// no ID, or was not executed yet.
  ///
  /// - Throws: `exists` if the ID belongs to a command with other values, or if the audit no longer shows the values.
  public func record(
    completedBy completion: MaintenanceCompletion
  ) throws(ThingError) -> Stored<MaintenanceRecord>? {
    guard let id = completion.id,
      let done = try first(ThingQuery<MaintenanceRecord>(.oneOf(key: "completionId", [id.json])))
    else { return nil }
    guard let (value, action, change) = try value(of: done, after: ["complete", "create"]),
      let date = value.completedDate
    else { throw .exists(id: id.string) }
    // Execute the command again on the values that the first execution found, and compare the results. Without a date,
    // the command has the day of its first execution.
    var old: MaintenanceRecord?
    if action == "complete" {
      do throws(FieldError) {
        old = try value.reverting(change)
      } catch {
        throw .exists(id: id.string)
      }
    }
    var repeated = (old ?? MaintenanceRecord(of: value)).completed(by: completion, on: date)
    repeated.fillInCost(since: old)
    let isSame = MaintenanceRecord.fields.allSatisfy { field in
      field.access != .client || field.json(repeated) == field.json(value)
    }
    guard isSame else { throw .exists(id: id.string) }
    return done
  }
}

extension MaintenanceRecord {
  /// Creates the record with which a command completes a service that has no open record.
  ///
  /// - Parameter other: a record of the same schedule and vehicle.
  fileprivate init(of other: MaintenanceRecord) {
    self.init()
    (vehicle, serviceType, scheduleID) = (other.vehicle, other.serviceType, other.scheduleID)
  }
}
