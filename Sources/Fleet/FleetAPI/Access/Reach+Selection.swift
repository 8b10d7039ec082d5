import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension Reach {
  /// Returns a selection that contains all records of the vehicles in this reach's fleets. For each vehicle in
  /// `windows`, it also contains the records from the periods of the vehicle's assignments. The selection is empty if
  /// the reach is empty.
  ///
  /// - Parameter windows: the vehicles that are or were assigned to the caller, with the periods of the assignments.
  func selection(windows: [VehicleWindow]) -> VehicleSelection {
    isEmpty ? VehicleSelection(fleets: []) : VehicleSelection(fleets: fleets, windows: windows)
  }

  /// Returns a selection of the records on which the caller may perform the action of this reach. For vehicles in the
  /// caller's fleets, it contains all records. For any other vehicle, it contains only the records from the periods in
  /// which the vehicle was assigned to the caller.
  func selection(of identity: Identity, _ view: any FleetView) throws(ThingError) -> VehicleSelection {
    guard fleets != nil, let person = identity.signedIn?.person else { return selection(windows: []) }
    return selection(windows: try view.vehicleWindows(of: person))
  }
}

extension Identity {
  /// Returns, for each vehicle, the periods that are hidden from the caller because another driver was on a private
  /// journey with the vehicle.
  ///
  /// - Parameters:
  ///   - vehicles: the ids of vehicles; `nil` for all.
  ///   - from: only journeys that end at this time or later; `nil` for no limit.
  ///   - to: only journeys that begin before this time; `nil` for no limit.
  func hiddenTimes(
    of vehicles: Set<String>?, from: Timestamp? = nil, to: Timestamp? = nil, _ view: any FleetView
  ) throws(ThingError) -> HiddenTimes {
    try view.hiddenTimes(of: vehicles, from: from, to: to, except: Set(try ownDrivers(view)))
  }
}

/// Records that a route has read, without records of other people's private journeys.
struct VisibleRecords<Records: Sendable>: Sendable {
  let records: Records
  /// The times that are hidden from the caller. Trips may reach into them (``FleetWork/HiddenTimes/hides(_:)``).
  let hidden: HiddenTimes
}

extension HiddenTimes {
  /// Whether a record reports a trip with a hidden part. Its own time may be after the private journey.
  func hides(_ record: StoredRecord) -> Bool {
    EndedTrip(record).map { overlaps(from: $0.from, through: $0.to, of: record.vehicle) } ?? false
  }
}

extension StoredRecord {
  /// The earliest time about which the record reports something; `nil` if the record has no time.
  var earliestTime: Timestamp? { time.map { min(EndedTrip(self)?.from ?? $0, $0) } }
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

  /// Reads records for which the caller has the permission that the route requires, without records of other people's
  /// private journeys.
  ///
  /// Without `from`, it is not known how old the records are. Then only the newest private journeys are read at first. If
  /// `read` returns records from before these journeys, it is called again with more journeys.
  ///
  /// - Parameters:
  ///   - vehicle: the ID or VIN of the vehicle whose records the route reads; `nil` for all vehicles.
  ///   - from: the beginning of the time range that the route reads; `nil` for no limit.
  ///   - to: the end of the time range; `nil` for no limit.
  ///   - items: returns the records in a result of `read`.
  func visibleRecords<Records: Sendable>(
    _ storage: any FleetStorage, of vehicle: String?, from: Timestamp? = nil, to: Timestamp? = nil,
    _ read: (VehicleSelection) async throws -> Records, items: (Records) -> [StoredRecord]
  ) async throws -> VisibleRecords<Records> {
    let newest = min(to ?? WallClock.now, WallClock.now)
    var steps = HiddenTimes.steps(before: newest)[...]
    if let from { steps = [from, from.adding(seconds: -Int(StaleDays.longestTrip / 1_000)), nil] }
    while true {
      let since = steps.popFirst() ?? nil
      let selection = try await recordSelection(storage, of: vehicle, from: since, to: to)
      let records = try await read(selection)
      if let since {
        let times = items(records).map(\.earliestTime)
        let isSufficient = times.allSatisfy { time in time.map { $0 >= since } ?? false }
        guard isSufficient else { continue }
      }
      return VisibleRecords(records: records, hidden: HiddenTimes(selection.excluded))
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
      selection.excluded = try caller.hiddenTimes(of: vehicle.map { [$0] }, from: from, to: to, view).windows
      return selection
    }
  }
}
