import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension RecordFollower {
  /// Adds events for vehicles that have sent no record for a day, and for vehicles that send records again after such a
  /// time.
  ///
  /// - Returns: descriptions of the vehicles whose events could not be added.
  func followSilence(tenant: TenantID, at time: Timestamp) async throws -> [String] {
    let (silent, marked) = try await storage.view(tenant: tenant) { view throws(ThingError) in
      let wanted = try view.wantedEvents()
      guard wanted.contains(.vehicleSilent) || wanted.contains(.vehicleBack) else {
        return ([String](), [Stored<SilentVehicle>]())
      }
      return try view.silence(at: time)
    }
    var failures = try await storage.change(each: silent, tenant: tenant, by: Actor(.server), at: time) {
      vehicle, transaction throws(ThingError) in try transaction.markSilent(vehicle)
    }
    failures += try await storage.change(each: marked, tenant: tenant, by: Actor(.server), at: time) {
      mark, transaction throws(ThingError) in try transaction.checkSilent(mark.id)
    }
    return failures.map(\.reason)
  }
}

extension FleetView {
  /// If a vehicle became silent longer ago than this, its silence is no longer reported, ms.
  private static var window: Int64 { 2 * 86_400_000 }

  /// Returns the ids of vehicles that have become silent, and the entries of vehicles that were silent before.
  fileprivate func silence(at now: Timestamp) throws(ThingError) -> ([String], [Stored<SilentVehicle>]) {
    let marks = try listAll(ThingQuery<SilentVehicle>())
    let latest = now.milliseconds - VehicleState.longestParking
    func time(_ milliseconds: Int64) -> JSON { Timestamp(limiting: milliseconds).json }
    let vehicles = ThingQuery<Vehicle>(
      .below(key: "lastRecordAt", time(latest)), .atLeast(key: "lastRecordAt", time(latest - Self.window)),
      .oneOf(key: "status", [Vehicle.Status.available, .assigned, .inService].map(\.json)))
    let known = Set(marks.map(\.value.vehicle))
    let silent = try values(["id"], vehicles).compactMap { $0[0].textValue }.filter { !known.contains($0) }
    return (silent, marks)
  }
}

extension FleetTransaction {
  fileprivate func markSilent(_ name: String) throws(ThingError) {
    guard let vehicle = try vehicle(named: name), let last = vehicle.value.lastRecordAt,
      now.milliseconds - last.milliseconds > VehicleState.longestParking,
      try find(vehicle.id, SilentVehicle.self) == nil
    else { return }
    var mark = SilentVehicle()
    (mark.vehicle, mark.since) = (vehicle.value.id, last)
    try insert(mark, id: vehicle.id, action: "create")
    try emitUnlessPrivate(.vehicleSilent, vehicle)
  }

  /// Removes the entry of a silent vehicle, if the vehicle has sent records again or was removed.
  fileprivate func checkSilent(_ id: UUIDv7) throws(ThingError) {
    guard let mark = try find(id, SilentVehicle.self) else { return }
    let vehicle = try find(id, Vehicle.self)
    if let vehicle, let last = vehicle.value.lastRecordAt, last <= mark.value.since { return }
    try remove(mark, action: "end")
    if let vehicle { try emitUnlessPrivate(.vehicleBack, vehicle) }
  }

  /// Adds an event, unless the vehicle's last record belongs to a private journey. The event would show when the journey
  /// began or ended.
  private func emitUnlessPrivate(_ event: FleetEvent.Event, _ vehicle: Stored<Vehicle>) throws(ThingError) {
    if let last = vehicle.value.lastRecordAt, try isPrivate(vehicle.value.id, at: last) { return }
    var new = FleetEvent(event, Vehicle.self, vehicle.id)
    new.vehicleID = vehicle.value.id
    try emit(new)
  }
}
