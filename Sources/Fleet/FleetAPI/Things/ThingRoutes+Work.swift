import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension ThingRoutes where Value: WorkThing {
  /// Creates the routes of a kind of work. People see things about vehicles of their fleets, and things whose driver
  /// they are. If a driver creates a thing without a driver, they become its driver.
  ///
  /// - Parameters:
  ///   - sharesAssignedVehicles: whether drivers also see the things of the vehicles that are assigned to them now.
  ///   - check: checks the rules of the kind. It is called when the vehicle and the driver are known to exist.
  init(
    work storage: any FleetStorage, area: Area, order: [ThingQuery<Value>.Order],
    sharesAssignedVehicles: Bool = false,
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
        if old?.value.vehicleID != new.vehicleID || old?.value.driverID != new.driverID {
          try transaction.requireReferences(of: new)
        }
        try check(old, &new, transaction, call)
        // After a change, the thing must still be in the caller's reach.
        if let old, let identity = call.identity, let reach = call.reach, !reach.isEverything {
          var moved = old
          moved.value = new
          let relation = try Self.relation(of: moved, identity, transaction, sharesAssignedVehicles)
          guard reach.contains(relation) else { throw .forbidden(reason: reach.reason) }
        }
      },
      order: order)
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

extension Identity {
  /// Returns the ids of the drivers that are linked to the caller's account.
  func ownDrivers(_ view: any FleetView) throws(ThingError) -> [UUIDv7] {
    guard let person = signedIn?.person else { return [] }
    return try view.drivers(of: person).map(\.id)
  }
}
