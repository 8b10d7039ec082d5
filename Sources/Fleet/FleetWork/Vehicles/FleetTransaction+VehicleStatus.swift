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

extension FleetTransaction {
  /// Changes the state of a vehicle. `retire` ends or cancels its assignments and journeys, and cancels its open
  /// maintenance records. The caller must then evaluate the services of the vehicle.
  ///
  /// - Throws: `invalidState`.
  public func execute(_ command: VehicleCommand, _ stored: Stored<Vehicle>) throws(ThingError) -> Stored<Vehicle> {
    guard command.allowedFrom.contains(stored.value.status) else {
      throw .invalidState(state: stored.value.status.rawValue, allowedFrom: command.allowedFrom.map(\.rawValue))
    }
    var vehicle = stored.value
    switch command {
    case .retire:
      vehicle.status = .retired
      let today = try zone(of: vehicle).day(of: now)
      vehicle.disposedOn = vehicle.disposedOn ?? today
    case .deactivate: vehicle.status = .inactive
    case .activate: vehicle.status = try status(ofVehicle: vehicle.id)
    case .reactivate:
      vehicle.status = try status(ofVehicle: vehicle.id)
      vehicle.disposedOn = nil
    }
    let changed = try update(stored, to: vehicle, action: command.rawValue)
    if command == .retire { try endWork(ofVehicle: vehicle.id) }
    if command == .retire || command == .reactivate {
      var event = FleetEvent(command == .retire ? .vehicleRetired : .vehicleReactivated, Vehicle.self, stored.id)
      event.vehicleID = vehicle.id
      try emit(event)
    }
    return changed
  }

  private func endWork(ofVehicle id: String) throws(ThingError) {
    try endDuty(where: "vehicleId", is: .text(id), reason: "the vehicle was retired")
    let records = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "vehicleId", [.text(id)]), .oneOf(key: "status", MaintenanceRecord.Status.open.map(\.json)),
      limit: 1_000)
    for record in try list(records).items { _ = try cancel(record, reason: "the vehicle was retired") }
  }

  /// Ends the assignments and journeys of a vehicle or of a driver. Those that have not begun are cancelled.
  ///
  /// - Parameters:
  ///   - key: the key of the vehicle or of the driver: `vehicleId` or `driverId`.
  ///   - id: the id of the vehicle or of the driver.
  ///   - reason: the note in the logs of the journeys.
  func endDuty(where key: String, is id: JSON, reason: String) throws(ThingError) {
    let assignments = ThingQuery<Assignment>(
      .oneOf(key: key, [id]), .oneOf(key: "status", [Assignment.Status.active.json]), limit: 1_000)
    for assignment in try list(assignments).items {
      _ = assignment.value.from < now ? try end(assignment, at: nil) : try cancel(assignment)
    }
    let journeys = ThingQuery<Journey>(
      .oneOf(key: key, [id]), .oneOf(key: "status", ([.planned] + Journey.Status.underway).map(\.json)), limit: 1_000)
    for journey in try list(journeys).items {
      var command = JourneyCommand()
      // The end must be after all other events of the log, even after events from clients whose clocks are ahead.
      if let last = journey.value.log.last?.timestamp, last >= now {
        command.at = Timestamp(nanoseconds: last.nanoseconds + 1_000_000)
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
    let time = now
    let lasts = try list(
      ThingQuery<Assignment>(
        .oneOf(key: "vehicleId", [.text(id)]), .oneOf(key: "status", [Assignment.Status.active.json]), limit: 1_000)
    ).items.contains { $0.value.contains(time) }
    return lasts ? .assigned : .available
  }
}
