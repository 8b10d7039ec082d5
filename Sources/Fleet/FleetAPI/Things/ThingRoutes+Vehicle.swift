import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension ThingRoutes where Value: VehicleThing {
  /// Creates the routes of a kind of things that concern vehicles. People may see the things of vehicles in their
  /// fleets. Drivers may see the things of the vehicles that are assigned to them at present.
  ///
  /// - Parameter check: checks the rules of the kind.
  init(
    ofVehicles storage: any FleetStorage, area: Area, order: [ThingQuery<Value>.Order],
    check:
      @escaping @Sendable (
        _ old: Stored<Value>?, _ new: inout Value, any FleetTransaction, Call
      ) throws(ThingError) -> Void
  ) {
    self.init(
      storage: storage, area: area,
      relation: { thing, identity, view throws(ThingError) in
        var fleets = Set([thing.value.fleetID].compactMap { $0 })
        var isOwn = false
        if let id = thing.value.vehicleID {
          if let fleet = try view.vehicle(named: id)?.value.fleetID { fleets.insert(fleet) }
          isOwn = try identity.ownVehicles(at: WallClock.now, view).contains(id)
        }
        return Relation(fleets: fleets, isOwn: isOwn)
      },
      restriction: { reach, identity, view throws(ThingError) in
        let own = try identity.ownVehicles(at: WallClock.now, view).sorted().map { JSON.text($0) }
        var alternatives: [[ThingQuery<Value>.Condition]] = [[.oneOf(key: Value.vehicleKey, own)]]
        if !reach.isOnlyOwn, let fleets = reach.fleets?.sorted(by: { $0.string < $1.string }) {
          alternatives.append([.vehicleInFleets(key: Value.vehicleKey, fleets)])
          if Value.fields.contains(where: { $0.key == Value.fleetKey }) {
            alternatives.append([.oneOf(key: Value.fleetKey, fleets.map(\.json))])
          }
        }
        return [.anyOf(alternatives)]
      },
      check: check, order: order)
  }
}
