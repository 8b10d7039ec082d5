import FleetAccess
import FleetDomain
import FleetWork

extension Reach {
  /// Returns the records that the reach contains.
  ///
  /// - Parameter windows: the vehicles that are or were assigned to the caller, with the times of the assignments.
  func selection(windows: [VehicleWindow]) -> VehicleSelection {
    isEmpty ? VehicleSelection(fleets: []) : VehicleSelection(fleets: fleets, windows: windows)
  }

  /// Returns the records that the reach contains: those of vehicles in the caller's fleets, and those of vehicles for
  /// the time for which they are assigned to the caller.
  func selection(of identity: Identity, _ view: any FleetView) throws(ThingError) -> VehicleSelection {
    guard fleets != nil, let person = identity.signedIn?.person else { return selection(windows: []) }
    return selection(windows: try view.vehicleWindows(of: person))
  }
}

extension Call {
  /// Returns the records for which the caller has the permission that the route needs. For routes with
  /// ``Route/isFiltered``.
  func selection(_ storage: any FleetStorage) async throws -> VehicleSelection {
    let caller = try caller
    guard let reach, !reach.isEverything else { return .all }
    return try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
      try reach.selection(of: caller, view)
    }
  }
}
