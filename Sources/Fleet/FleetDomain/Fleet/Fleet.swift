import Telemetry

/// A group of a tenant's vehicles that is administered together, for example a depot. A vehicle belongs to at most one
/// fleet (``Vehicle/fleetID``).
public struct Fleet: Kind {
  public var name = ""
  /// The IANA name of the time zone in which the days of the fleet's vehicles begin; `nil` for the time zone of the
  /// tenant (``TenantSettings/timeZone``).
  public var timeZone: String?
  public var notes: String?
  /// The times of the week in which the vehicles are expected to be used; empty for all times. Utilization is computed
  /// for these times.
  public var workingHours: [WorkingHours]?

  public init() {}

  public static let names = KindNames(one: "fleet", many: "fleets")
  public static let fields: [Field<Fleet>] = [
    Field("name", \.name, TextRules.shown).required().filterable().sortable().textSearched(),
    Field("timeZone", \.timeZone, TextRules.timeZone),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("workingHours", \.workingHours) { hours throws(FieldError) in
      guard hours?.count ?? 0 <= 20 else { throw FieldError("", "expected at most 20 parts of the week") }
    },
  ]

  /// The maximum number of vehicles that one request may add to or remove from fleets.
  public static let mostMoves = 1_000
}

extension FleetView {
  /// Returns the ids of a fleet's vehicles, in the order of the ids.
  public func vehicles(of fleet: UUIDv7) throws(ThingError) -> [String] {
    try values(["id"], ThingQuery<Vehicle>(.oneOf(key: "fleetId", [fleet.json]), order: [.init("id")]))
      .compactMap { $0[0].textValue }
  }
}

extension FleetView {
  /// Returns all vehicles that belong to the given fleets: the ID of the fleet, by the ID of the vehicle.
  public func fleetsOfVehicles(in fleets: Set<UUIDv7>) throws(ThingError) -> [String: UUIDv7] {
    var found: [String: UUIDv7] = [:]
    guard !fleets.isEmpty else { return found }
    for values in try values(["id", "fleetId"], ThingQuery<Vehicle>(.oneOf(key: "fleetId", fleets.map(\.json)))) {
      guard let id = values[0].textValue, let fleet = values[1].textValue.flatMap({ UUIDv7($0.utf8.span) }) else {
        continue
      }
      found[id] = fleet
    }
    return found
  }
}

extension FleetTransaction {
  /// Applies a client's new list of a fleet's vehicles.
  ///
  /// The client edited the list as it was in the version `seen`. Only vehicles that the client added to that list or
  /// removed from it are moved. Later changes by others to other vehicles are kept.
  ///
  /// - Parameters:
  ///   - ids: the ids of all vehicles that the caller wants in the fleet.
  ///   - seen: the version of the fleet that the caller has read.
  /// - Returns: the changed fleet.
  /// - Throws: as ``moveVehicles(_:of:seen:for:check:)``.
  @discardableResult
  public func setVehicles(
    _ ids: [String], of fleet: Stored<Fleet>, seen: Int64
  ) throws(ThingError) -> Stored<Fleet> {
    try moveVehicles(ids, of: fleet, seen: seen) { _, _ in }.fleet
  }

  /// Number of vehicles that one call of ``moveVehicles(_:of:seen:for:check:)`` moves at least, even after `patience`.
  /// Fewer are moved only if no others are left.
  private static var movedTogether: Int { 8 }

  /// Replaces the list of vehicles of a fleet. One call may move only some of the vehicles. Call it again in another
  /// transaction, with the same list and version, until it moves no vehicle.
  ///
  /// - Parameters:
  ///   - ids: the ids of all vehicles that the caller wants in the fleet.
  ///   - seen: the version of the fleet that the caller has read.
  ///   - patience: the time after which no more vehicles are moved; `nil` for no limit. In SQLite, all other tenants
  ///     wait until the transaction ends.
  ///   - check: throws if the caller may not add or remove these vehicles. Each of the `added` vehicles belongs to no
  ///     fleet before the call.
  /// - Returns: the changed fleet, and the vehicles that were moved.
  /// - Throws: `invalid` for an unknown vehicle or more than ``Fleet/mostMoves`` changes; `rule` with code
  ///   `inAnotherFleet`; `changedMeanwhile`.
  public func moveVehicles(
    _ ids: [String], of fleet: Stored<Fleet>, seen: Int64, for patience: Duration? = nil,
    check: (_ added: [String], _ removed: [String]) throws(ThingError) -> Void
  ) throws(ThingError) -> (fleet: Stored<Fleet>, moved: [String]) {
    let current = Set(try vehicles(of: fleet.id))
    let base = try vehicles(current, of: fleet, at: seen)
    let added = Set(ids).subtracting(base).subtracting(current).sorted()
    let removed = base.subtracting(ids).intersection(current).sorted()
    guard added.count + removed.count <= Fleet.mostMoves else {
      throw .invalid(
        FieldErrors([FieldError("vehicleIds", "expected at most \(Fleet.mostMoves) changes in one request")]))
    }
    try requireFree(added)
    try check(added, removed)
    let clock = ContinuousClock()
    let start = clock.now
    var (joined, left): ([String], [String]) = ([], [])
    for (id, isAdded) in added.map({ ($0, true) }) + removed.map({ ($0, false) }) {
      if let patience, joined.count + left.count >= Self.movedTogether, clock.now - start >= patience { break }
      guard let vehicle = try vehicle(named: id), vehicle.value.id == id else { continue }
      try setFleet(isAdded ? fleet.id : nil, of: vehicle)
      if isAdded { joined.append(id) } else { left.append(id) }
    }
    return (try recordMoves(added: joined, removed: left, of: fleet), joined + left)
  }

  /// Checks that vehicles exist and belong to no fleet.
  private func requireFree(_ ids: [String]) throws(ThingError) {
    var rest = ids[...]
    while !rest.isEmpty {
      let part = rest.prefix(500)
      rest = rest.dropFirst(500)
      let query = ThingQuery<Vehicle>(.oneOf(key: "id", part.map { .text($0) }))
      let known = Dictionary(try values(["id", "fleetId"], query).map { ($0[0], $0[1]) }) { first, _ in first }
      for id in part {
        guard let other = known[.text(id)] else {
          throw .invalid(FieldErrors([FieldError("vehicleIds", "no vehicle \(JSON.text(id).canonicalText)")]))
        }
        guard let other = other.textValue.flatMap({ UUIDv7($0.utf8.span) }) else { continue }
        let name = try find(other, Fleet.self)?.value.name ?? ""
        throw .rule(
          code: "inAnotherFleet", message: "\(id) belongs to the fleet \(name); remove it from there first")
      }
    }
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
