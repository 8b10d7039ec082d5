import FleetAccess
import FleetDomain
import FleetWork

extension Reach {
  /// The records in the reach.
  ///
  /// - Parameter windows: the times of vehicles that are assigned to the caller.
  func selection(windows: [VehicleWindow]) -> VehicleSelection {
    isEmpty ? VehicleSelection(fleets: []) : VehicleSelection(fleets: fleets, windows: windows)
  }

  /// The records in the reach: of vehicles of the caller's fleets, and of vehicles while they are assigned to the caller.
  func selection(of identity: Identity, _ view: any FleetView) throws(ThingError) -> VehicleSelection {
    guard fleets != nil, let person = identity.signedIn?.person else { return selection(windows: []) }
    return selection(windows: try view.vehicleWindows(of: person))
  }
}

extension Call {
  /// The records for which the caller has the permission that the route needs. Use it in routes with
  /// ``Route/isFiltered``.
  func selection(_ storage: any FleetStorage) async throws -> VehicleSelection {
    let caller = try caller
    guard let reach, !reach.isEverything else { return .all }
    return try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
      try reach.selection(of: caller, view)
    }
  }
}
