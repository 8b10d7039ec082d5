import Telemetry

/// The vehicles that join or leave a fleet when a client changes the fleet's list of vehicles.
///
/// ``FleetView/moves(to:of:seen:check:)`` computes the moves before the first transaction, because it reads the whole
/// list. The transactions then read only the vehicles that they move.
public struct VehicleMoves: Equatable, Sendable {
  /// The ids of the vehicles that join the fleet.
  public var added: [String]
  /// The ids of the vehicles that leave the fleet.
  public var removed: [String]

  public init(added: [String] = [], removed: [String] = []) { (self.added, self.removed) = (added, removed) }

  public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
  public var count: Int { added.count + removed.count }
}

extension FleetView {
  /// Compares a client's new list of a fleet's vehicles with the stored list.
  ///
  /// The client edited the list as it was in the version `seen`. Only vehicles that the client added to that list or
  /// removed from it are moved. If others have moved further vehicles since that version, these moves are kept.
  ///
  /// - Parameters:
  ///   - ids: the ids of all vehicles that the caller wants in the fleet.
  ///   - fleet: the fleet; `nil` for a fleet that does not exist yet.
  ///   - seen: the version of the fleet that the caller has read.
  ///   - check: throws if the caller may not make these moves. It is called before the vehicles are compared with other
  ///     fleets, so that no error reveals a vehicle outside of the caller's scope.
  /// - Throws: the errors of `check`; `invalid` for an unknown vehicle or more than ``Fleet/mostMoves`` moves; `rule`
  ///   with code `inAnotherFleet`; `changedMeanwhile`.
  public func moves(
    to ids: [String], of fleet: Stored<Fleet>?, seen: Int64, check: (VehicleMoves) throws(ThingError) -> Void
  ) throws(ThingError) -> VehicleMoves {
    var (current, base): (Set<String>, Set<String>) = ([], [])
    if let fleet {
      current = Set(try vehicles(of: fleet.id))
      base = try vehicles(current, of: fleet, at: seen)
    }
    let moves = VehicleMoves(
      added: Set(ids).subtracting(base).subtracting(current).sorted(),
      removed: base.subtracting(ids).intersection(current).sorted())
    guard moves.count <= Fleet.mostMoves else {
      throw .invalid(
        FieldErrors([FieldError("vehicleIds", "expected at most \(Fleet.mostMoves) changes in one request")]))
    }
    try check(moves)
    try requireFree(moves.added)
    return moves
  }

  /// Returns the fleets of vehicles. The keys are the vehicles' ids; each value is the id of the vehicle's fleet, or
  /// `null` if the vehicle has no fleet. Vehicles that do not exist are left out.
  public func fleets(ofVehicles ids: [String]) throws(ThingError) -> [String: JSON] {
    var fleets: [String: JSON] = [:]
    var rest = ids[...]
    while !rest.isEmpty {
      let query = ThingQuery<Vehicle>(.oneOf(key: "id", rest.prefix(500).map { .text($0) }))
      rest = rest.dropFirst(500)
      for values in try values(["id", "fleetId"], query) {
        if let id = values[0].textValue { fleets[id] = values[1] }
      }
    }
    return fleets
  }

  /// Checks that vehicles exist and belong to no fleet.
  private func requireFree(_ ids: [String]) throws(ThingError) {
    let known = try fleets(ofVehicles: ids)
    for id in ids {
      guard let other = known[id] else {
        throw .invalid(FieldErrors([FieldError("vehicleIds", "no vehicle \(JSON.text(id).canonicalText)")]))
      }
      if let other = other.textValue.flatMap({ UUIDv7($0.utf8.span) }) { throw try inAnotherFleet(id, other) }
    }
  }

  fileprivate func inAnotherFleet(_ vehicle: String, _ fleet: UUIDv7) throws(ThingError) -> ThingError {
    let name = try find(fleet, Fleet.self)?.value.name ?? ""
    return .rule(
      code: "inAnotherFleet", message: "\(vehicle) belongs to the fleet \(name); remove it from there first")
  }

  /// Returns the vehicles that a fleet had at an older version, computed from its current vehicles and the audit.
  private func vehicles(
    _ current: Set<String>, of fleet: Stored<Fleet>, at version: Int64
  ) throws(ThingError) -> Set<String> {
    guard version != fleet.version else { return current }
    var vehicles = current
    guard version >= 1, version < fleet.version, fleet.version - version <= Self.mostHistory else {
      throw .changedMeanwhile
    }
    let entries = try audit(thing: fleet.id, before: nil, limit: Int(fleet.version - version))
      .filter { ($0.version ?? 0) > version }
    guard Int64(entries.count) == fleet.version - version else { throw .changedMeanwhile }
    for entry in entries where entry.action == "moveVehicles" {
      func names(_ key: String) -> [String] {
        guard case .array(let names)? = entry.content["details"]?[key] else { return [] }
        return names.compactMap(\.textValue)
      }
      vehicles.subtract(names("added"))
      vehicles.formUnion(names("removed"))
    }
    return vehicles
  }
}

extension FleetTransaction {
  /// The minimum number of vehicles that one call of ``move(_:of:for:)`` moves, even if `patience` has passed. If fewer
  /// remain, the call moves all of them.
  private static var movedTogether: Int { 8 }

  /// Moves vehicles into a fleet and out of it. One call may move only some of the vehicles. Call it again in another
  /// transaction for the rest. Skips vehicles that another caller has already moved in the same way, or has removed.
  ///
  /// - Parameter patience: the time after which no more vehicles are moved; `nil` for no limit. In SQLite, all other
  ///   tenants wait until the transaction ends.
  /// - Returns: the changed fleet, the vehicles that were moved, and the moves that remain.
  /// - Throws: `rule` with code `inAnotherFleet`.
  public func move(
    _ moves: VehicleMoves, of fleet: Stored<Fleet>, for patience: Duration? = nil
  ) throws(ThingError) -> (fleet: Stored<Fleet>, moved: [String], rest: VehicleMoves) {
    let clock = ContinuousClock()
    let start = clock.now
    var (done, count) = (VehicleMoves(), 0)
    for (id, isAdded) in moves.added.map({ ($0, true) }) + moves.removed.map({ ($0, false) }) {
      if let patience, count >= Self.movedTogether, clock.now - start >= patience { break }
      count += 1
      guard let vehicle = try vehicle(named: id), vehicle.value.id == id else { continue }
      if isAdded {
        guard vehicle.value.fleetID != fleet.id else { continue }
        if let other = vehicle.value.fleetID { throw try inAnotherFleet(id, other) }
        try setFleet(fleet.id, of: vehicle)
        done.added.append(id)
      } else if vehicle.value.fleetID == fleet.id {
        try setFleet(nil, of: vehicle)
        done.removed.append(id)
      }
    }
    let rest = VehicleMoves(
      added: Array(moves.added.dropFirst(count)),
      removed: Array(moves.removed.dropFirst(max(count - moves.added.count, 0))))
    return (
      try recordMoves(added: done.added, removed: done.removed, of: fleet), done.added + done.removed, rest
    )
  }

  /// Replaces the list of vehicles of a fleet in one transaction.
  ///
  /// - Returns: the changed fleet.
  /// - Throws: as ``FleetView/moves(to:of:seen:check:)``.
  @discardableResult
  public func setVehicles(
    _ ids: [String], of fleet: Stored<Fleet>, seen: Int64
  ) throws(ThingError) -> Stored<Fleet> {
    try move(try moves(to: ids, of: fleet, seen: seen) { _ in }, of: fleet).fleet
  }

  /// Adds an audit entry with the vehicles that joined or left a fleet. The fleet gets a new version, so that clients
  /// that have read an older version detect the change.
  @discardableResult
  public func recordMoves(
    added: [String], removed: [String], of fleet: Stored<Fleet>
  ) throws(ThingError) -> Stored<Fleet> {
    if added.isEmpty, removed.isEmpty { return fleet }
    return try touch(
      fleet, action: "moveVehicles",
      details: ["added": .array(added.map { .text($0) }), "removed": .array(removed.map { .text($0) })])
  }

  private func setFleet(_ fleet: UUIDv7?, of vehicle: Stored<Vehicle>) throws(ThingError) {
    var moved = vehicle.value
    moved.fleetID = fleet
    try update(vehicle, to: moved, action: "change")
  }
}
