import FleetDomain
import Telemetry

/// A command of a vehicle's state machine.
public enum VehicleCommand: String, CaseIterable, Sendable {
  case retire, reactivate, deactivate, activate

  /// The states in which the command is allowed.
  public var allowedFrom: [Vehicle.Status] {
    switch self {
    case .retire: [.available, .assigned, .inService, .inactive]
    case .reactivate: [.retired]
    case .deactivate: [.available]
    case .activate: [.inactive]
    }
  }
}

/// The body of the command that retires a vehicle.
public struct VehicleRetirement: NestedValue {
  /// The last day of ownership. If `nil`, the day that is stored in the vehicle is kept; if none is stored, today is
  /// used.
  public var disposedOn: CalendarDate?

  public init() {}

  public static let fields: [Field<VehicleRetirement>] = [Field("disposedOn", \.disposedOn)]
}

extension FleetTransaction {
  /// Checks whether a command is allowed for a vehicle.
  ///
  /// - Throws: `invalidState`; `invalid` if the day of the disposal is in the future, or before the acquisition.
  public func check(
    _ command: VehicleCommand, _ stored: Stored<Vehicle>, with retirement: VehicleRetirement = VehicleRetirement()
  ) throws(ThingError) {
    guard command.allowedFrom.contains(stored.value.status) else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: command.allowedFrom.map(\.rawValue))
    }
    guard let day = retirement.disposedOn else { return }
    if day > (try zone(of: stored.value).day(of: now)) {
      throw .invalid(FieldErrors([FieldError("disposedOn", "expected a date that is not in the future")]))
    }
    if let acquired = stored.value.acquiredOn, day < acquired {
      throw .invalid(FieldErrors([FieldError("disposedOn", "expected no date before acquiredOn, \(acquired.text)")]))
    }
  }

  /// Changes the state of a vehicle. `retire` ends or cancels its assignments and journeys, and cancels its open
  /// maintenance records. If there may be many of them, first call ``endWork(ofRetired:atMost:)`` in other
  /// transactions. The caller must then evaluate the services of the vehicle.
  ///
  /// - Throws: the errors of ``check(_:_:with:)``.
  public func execute(
    _ command: VehicleCommand, _ stored: Stored<Vehicle>, with retirement: VehicleRetirement = VehicleRetirement()
  ) throws(ThingError) -> Stored<Vehicle> {
    try check(command, stored, with: retirement)
    var vehicle = stored.value
    switch command {
    case .retire:
      vehicle.status = .retired
      let today = try zone(of: vehicle).day(of: now)
      vehicle.disposedOn = retirement.disposedOn ?? vehicle.disposedOn ?? today
    case .deactivate: vehicle.status = .inactive
    case .activate: vehicle.status = try status(ofVehicle: vehicle.id)
    case .reactivate:
      vehicle.status = try status(ofVehicle: vehicle.id)
      vehicle.disposedOn = nil
    }
    let changed = try update(stored, to: vehicle, action: command.rawValue)
    if command == .retire { _ = try endWork(ofRetired: vehicle.id) }
    if command == .retire || command == .reactivate {
      var event = FleetEvent(command == .retire ? .vehicleRetired : .vehicleReactivated, Vehicle.self, stored.id)
      event.vehicleID = vehicle.id
      try emit(event)
    }
    return changed
  }

  /// Ends or cancels the assignments and journeys of a vehicle that is retired, and cancels its open maintenance
  /// records.
  ///
  /// - Parameter most: the maximum number of things that are changed. In SQLite, all other tenants wait for the
  ///   transaction.
  /// - Returns: whether everything has ended. If not, the function must be called again in another transaction.
  public func endWork(ofRetired id: String, atMost most: Int = 1_000) throws(ThingError) -> Bool {
    var rest = most
    let reason = "the vehicle was retired"
    for record: Stored<MaintenanceRecord> in try open(
      MaintenanceRecord.Status.open.map(\.json), where: "vehicleId", is: .text(id), atMost: &rest)
    {
      _ = try cancel(record, reason: reason)
    }
    try endDuty(where: "vehicleId", is: .text(id), reason: reason, atMost: &rest)
    return rest > 0
  }

  /// Returns at most `rest` things of a vehicle or of a driver, all with one of the given statuses. Subtracts their
  /// number from `rest`.
  private func open<Value: Kind>(
    _ statuses: [JSON], where key: String, is id: JSON, atMost rest: inout Int
  ) throws(ThingError) -> [Stored<Value>] {
    guard rest > 0 else { return [] }
    let query = ThingQuery<Value>(
      .oneOf(key: key, [id]), .oneOf(key: "status", statuses), limit: rest)
    let items = try list(query).items
    rest -= items.count
    return items
  }

  /// Ends the assignments and journeys of a vehicle or of a driver. Those that have not begun are cancelled.
  ///
  /// - Parameters:
  ///   - key: the key of the vehicle or of the driver: `vehicleId` or `driverId`.
  ///   - id: the id of the vehicle or of the driver.
  ///   - reason: the note in the logs of the journeys.
  ///   - rest: the maximum number of things that may be changed. The function subtracts the number of changed things.
  func endDuty(
    where key: String, is id: JSON, reason: String, atMost rest: inout Int
  ) throws(ThingError) {
    for assignment: Stored<Assignment> in try open(
      [Assignment.Status.active.json], where: key, is: id, atMost: &rest)
    {
      _ = assignment.value.from < now ? try end(assignment, at: nil) : try cancel(assignment)
    }
    for journey: Stored<Journey> in try open(
      Journey.Status.open.map(\.json), where: key, is: id, atMost: &rest)
    {
      var command = JourneyCommand()
      // The end must be after all other events of the log, even after events from clients whose clocks are ahead.
      if let last = journey.value.log.last?.timestamp, last >= now {
        command.at = last.adding(nanoseconds: 1_000_000)
      }
      command.notes = reason
      _ = try execute(journey.value.status == .planned ? .cancelled : .completed, command, of: journey, isOwn: false)
    }
  }

  /// Sets the status of a vehicle from its maintenance records and assignments: `inService` while work on it is in
  /// progress, otherwise `assigned` during an assignment, otherwise `available`. The status of inactive and retired
  /// vehicles does not change.
  public func updateStatus(ofVehicle id: String) throws(ThingError) {
    guard let vehicle = try vehicle(named: id), ![.inactive, .retired].contains(vehicle.value.status) else { return }
    var changed = vehicle.value
    changed.status = try status(ofVehicle: id)
    let action =
      switch changed.status {
      case .inService: "beginService"
      case .assigned: "assign"
      default: vehicle.value.status == .inService ? "endService" : "release"
      }
    try update(vehicle, to: changed, action: action)
  }

  private func status(ofVehicle id: String) throws(ThingError) -> Vehicle.Status {
    let work = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "vehicleId", [.text(id)]), .oneOf(key: "status", [MaintenanceRecord.Status.inProgress.json]))
    if try first(work) != nil { return .inService }
    let isAssigned = try assignments(of: id, at: now).contains { $0.value.status == .active }
    return isAssigned ? .assigned : .available
  }
}
