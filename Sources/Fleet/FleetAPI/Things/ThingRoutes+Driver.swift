import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension ThingRoutes {
  /// Creates the routes of things that belong to drivers and have the field `driverId`. People may see the things of
  /// drivers in their fleets. Drivers may see their own things.
  ///
  /// - Parameter driver: returns the driver to whom a thing belongs; `nil` if it belongs to no driver.
  init(
    ofDrivers storage: any FleetStorage, area: Area, driver: @escaping @Sendable (Value) -> UUIDv7?,
    order: [ThingQuery<Value>.Order], derived: [DerivedField<Value>] = [],
    check:
      @escaping @Sendable (
        _ old: Stored<Value>?, _ new: inout Value, any FleetTransaction, Call
      ) throws(ThingError) -> Void
  ) {
    self.init(
      storage: storage, area: area,
      relation: { thing, identity, view throws(ThingError) in
        let driver = try driver(thing.value).flatMap { id throws(ThingError) in try view.find(id, Driver.self) }
        let person = identity.signedIn?.person
        return Relation(
          fleets: Set([driver?.value.fleetID].compactMap { $0 }),
          isOwn: person != nil && driver?.value.personID == person, isOfVehicle: false)
      },
      restriction: { reach, identity, view throws(ThingError) in
        var drivers = try identity.ownDrivers(view)
        if !reach.isOnlyOwn {
          guard let fleets = reach.fleets else { return [] }
          let query = ThingQuery<Driver>(.oneOf(key: "fleetId", fleets.sorted { $0.string < $1.string }.map(\.json)))
          drivers += try view.listAll(query).map(\.id)
        }
        return [.oneOf(key: "driverId", drivers.map(\.json))]
      }, check: check, derived: derived, order: order)
  }
}
