import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension Reach {
  /// Returns a selection of the records for which this reach gives a permission.
  ///
  /// - Parameter windows: the vehicles that are or were assigned to the caller, with the times of the assignments.
  func selection(windows: [VehicleWindow]) -> VehicleSelection {
    isEmpty ? VehicleSelection(fleets: []) : VehicleSelection(fleets: fleets, windows: windows)
  }

  /// Returns a selection of the records for which this reach gives a permission: all records of vehicles in the
  /// caller's fleets. Records of other vehicles are selected only from the times at which the vehicle was assigned to
  /// the caller.
  func selection(of identity: Identity, _ view: any FleetView) throws(ThingError) -> VehicleSelection {
    guard fleets != nil, let person = identity.signedIn?.person else { return selection(windows: []) }
    return selection(windows: try view.vehicleWindows(of: person))
  }
}

extension Call {
  /// Returns the records for which the caller has the permission that the route requires. Routes with
  /// ``Route/isFiltered`` call this function.
  func selection(_ storage: any FleetStorage) async throws -> VehicleSelection {
    let caller = try caller
    guard let reach, !reach.isEverything else { return .all }
    return try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
      try reach.selection(of: caller, view)
    }
  }

  /// Returns the records for which the caller has the permission that the route requires, without records of other
  /// people's private journeys.
  ///
  /// - Parameters:
  ///   - vehicle: the ID or VIN of the vehicle whose records the route reads; `nil` for all vehicles.
  ///   - from: the beginning of the time range that the route reads; `nil` for no limit.
  ///   - to: the end of the time range; `nil` for no limit.
  func recordSelection(
    _ storage: any FleetStorage, of vehicle: String?, from: Timestamp? = nil, to: Timestamp? = nil
  ) async throws -> VehicleSelection {
    let caller = try caller
    let reach = reach
    return try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
      var selection = VehicleSelection.all
      if let reach, !reach.isEverything { selection = try reach.selection(of: caller, view) }
      let vehicle = try vehicle.map { name throws(ThingError) in try view.vehicle(named: name)?.value.id ?? name }
      let times = try view.privateTimes(of: vehicle.map { [$0] }, from: from, to: to)
      if times.isEmpty { return selection }
      let own = Set(try caller.ownDrivers(view))
      selection.excluded = times.filter { $0.driver.map { !own.contains($0) } ?? true }.map(\.window)
      return selection
    }
  }
}
