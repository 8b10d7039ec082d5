import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension ThingRoutes where Value: WorkThing {
  /// Creates the routes of a kind whose things concern both a vehicle and a driver, such as expenses. People may see
  /// the things of vehicles in their fleets. Drivers may see their own things. If a driver creates a thing that names
  /// no driver, the server enters this driver.
  ///
  /// - Parameters:
  ///   - sharesAssignedVehicles: whether drivers may also see the things of vehicles that are assigned to them at
  ///     present.
  ///   - needsAssignment: whether drivers may add things only for vehicles that are assigned to them.
  ///   - check: checks the rules of the kind.
  init(
    work storage: any FleetStorage, area: Area, order: [ThingQuery<Value>.Order],
    sharesAssignedVehicles: Bool = false, needsAssignment: Bool = true,
    check:
      @escaping @Sendable (
        _ old: Stored<Value>?, _ new: inout Value, any FleetTransaction, Call
      ) throws(ThingError) -> Void = { _, _, _, _ in }
  ) {
    self.init(
      storage: storage, area: area,
      relation: { thing, identity, view throws(ThingError) in
        try Self.relation(of: thing, identity, view, sharesAssignedVehicles)
      },
      restriction: { reach, identity, view throws(ThingError) in
        var own = ThingQuery<Value>.Condition.oneOf(
          key: Value.driverKey, try identity.ownDrivers(view).map(\.json))
        if sharesAssignedVehicles {
          let vehicles = try identity.ownVehicles(at: WallClock.now, view).sorted().map { JSON.text($0) }
          own = .anyOf([[own], [.oneOf(key: Value.vehicleKey, vehicles)]])
        }
        if reach.isOnlyOwn { return [own] }
        guard let fleets = reach.fleets else { return [.anyOf([[own], [.isSet(key: Value.vehicleKey)]])] }
        return [
          .anyOf([
            [own], [.vehicleInFleets(key: Value.vehicleKey, fleets.sorted { $0.string < $1.string })],
          ])
        ]
      },
      check: { old, new, transaction, call throws(ThingError) in
        if old == nil, new.driverID == nil, let identity = call.identity, call.reach?.isOnlyOwn ?? false {
          new.driverID = try identity.ownDrivers(transaction).first
        }
        if let time = new.statedTime, time != old?.value.statedTime {
          try time.requirePast(at: transaction.now, "at")
        }
        try check(old, &new, transaction, call)
      },
      order: order)
    vehicleUse = { VehicleUse(time: $0.statedTime, needsAssignment: needsAssignment) }
  }

  private static func relation(
    of thing: Stored<Value>, _ identity: Identity, _ view: any FleetView, _ sharesAssignedVehicles: Bool
  ) throws(ThingError) -> Relation {
    var fleets: Set<UUIDv7> = []
    if let id = thing.value.vehicleID, let fleet = try view.vehicle(named: id)?.value.fleetID { fleets.insert(fleet) }
    let own = try identity.ownDrivers(view)
    var isOwn = thing.value.driverID.map { own.contains($0) } ?? false
    if !isOwn, sharesAssignedVehicles, let id = thing.value.vehicleID {
      isOwn = try identity.ownVehicles(at: WallClock.now, view).contains(id)
    }
    return Relation(
      fleets: fleets, isOwn: isOwn,
      isOfVehicle: thing.value.vehicleID != nil)
  }
}

extension Call {
  /// Checks that a vehicle exists, and that the caller may add things for it: either the vehicle belongs to the
  /// caller's fleets, or it is assigned to the caller.
  ///
  /// - Parameters:
  ///   - time: the time of the event that the thing describes; `nil` if the thing states no time. It is sufficient if
  ///     the vehicle was assigned to the caller at this time. A thing without a time may be added up to a day after the
  ///     end of the assignment, because the client may have been offline.
  ///   - needsAssignment: whether a caller who may only access own things needs an assignment. If not, it is sufficient
  ///     if the vehicle is in the scope of the caller's account.
  /// - Throws: `forbidden`. If the caller may not see all vehicles, also for a vehicle that does not exist. `invalid`
  ///   if the vehicle does not exist and the caller may see all vehicles.
  func requireReach(
    ofVehicle id: String, at time: Timestamp?, needsAssignment: Bool, _ view: any FleetView
  ) throws(ThingError) {
    guard let identity, let reach else {
      _ = try view.referenced(vehicle: id)
      return
    }
    let scope = needsAssignment || !reach.isOnlyOwn ? nil : identity.signedIn?.scope
    if reach.contains(Relation()) || scope == .all {
      _ = try view.referenced(vehicle: id)
      return
    }
    guard let vehicle = try view.vehicle(named: id), vehicle.value.id == id else {
      throw .forbidden(reason: reach.reason)
    }
    if case .fleets(let fleets)? = scope, let fleet = vehicle.value.fleetID, fleets.contains(fleet) { return }
    let relation = Relation(
      fleets: Set([vehicle.value.fleetID].compactMap { $0 }),
      isOwn: try identity.isAssigned(vehicle.value.id, at: time, view))
    guard reach.contains(relation) else { throw .forbidden(reason: reach.reason) }
  }
}

extension Identity {
  /// The time after the end of an assignment in which a driver may still add things that state no time, in s.
  private static let lateness = 86_400

  /// Whether a vehicle is assigned to the caller at present, or was assigned at a given time.
  ///
  /// - Parameter time: the given time; `nil` for any time within the last day.
  func isAssigned(
    _ vehicle: String, at time: Timestamp?, _ view: any FleetView
  ) throws(ThingError) -> Bool {
    guard let person = signedIn?.person else { return false }
    let now = WallClock.now
    let recent = now.adding(seconds: -Self.lateness)
    return try view.vehicleWindows(of: person).contains { window in
      guard window.vehicle == vehicle else { return false }
      if let time { return window.contains(time) || window.contains(now) }
      return window.from <= now && window.to.map { $0 > recent } ?? true
    }
  }

  /// Returns the ids of the drivers that are linked to the caller's account.
  func ownDrivers(_ view: any FleetView) throws(ThingError) -> [UUIDv7] {
    guard let person = signedIn?.person else { return [] }
    return try view.drivers(of: person).map(\.id)
  }
}
