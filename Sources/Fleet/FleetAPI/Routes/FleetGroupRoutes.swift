import FleetAccess
import FleetDomain
import FleetFigures
import HTTPTypes
import Telemetry

/// `/api/fleets`: fleets, which are groups of the tenant's vehicles.
struct FleetGroupRoutes {
  let storage: any FleetStorage

  var routes: [Route] { things.routes + [remove] }

  /// The time after which a transaction moves no more vehicles. Further transactions move the remaining vehicles.
  private static let patience = Duration.milliseconds(20)

  var things: ThingRoutes<Fleet> {
    ThingRoutes<Fleet>(
      storage: storage, area: .fleets,
      relation: { fleet, _, _ in Relation(fleets: [fleet.id]) },
      restriction: { reach, _, _ in
        guard !reach.isOnlyOwn else { return nil }
        return [.oneOf(key: "id", (reach.fleets ?? []).sorted { $0.string < $1.string }.map(\.json))]
      },
      check: { _, _, _, _ throws(ThingError) in },
      derived: Self.derived, order: [.init("name")])
  }

  /// Fields of a fleet's JSON that are computed from its vehicles: the vehicles' ids, and figures such as their number.
  static let derived = [
    DerivedField<Fleet>(
      key: "vehicleIds",
      schema: ##"{"type":"array","items":{"$ref":"#/components/schemas/Name"}}"##,
      read: { fleets, view throws(ThingError) in
        let vehicles = try vehicles(of: fleets, view)
        return fleets.map { fleet in .array((vehicles[fleet.id.json] ?? []).map { $0[1] }) }
      },
      steps: DerivedField.Steps(
        plan: { json, fleet, seen, view, call throws(ThingError) in
          let ids: [String]
          do throws(FieldError) {
            ids = json == .null ? [] : try [String](json: json)
          } catch {
            throw .invalid(FieldErrors([error.inside("vehicleIds")]))
          }
          let reach = Reach(of: call.identity?.requester ?? .nobody, to: .write, .vehicles)
          return Self.json(
            of: try view.moves(to: ids, of: fleet, seen: seen) { moves throws(ThingError) in
              try Self.require(reach, moves, view)
            })
        },
        perform: { work, fleet, transaction, _ throws(ThingError) in
          let done = try transaction.move(try Self.moves(in: work), of: fleet, for: patience)
          try transaction.evaluateServices(ofMoved: done.moved, fleet: fleet.id)
          return (done.fleet, done.rest.isEmpty ? nil : Self.json(of: done.rest))
        })),
    DerivedField<Fleet>(
      key: "metrics",
      schema: ##"""
        {"type":"object","required":["total","active","inService"],"properties":{
          "total":{"type":"integer"},
          "active":{"description":"Vehicles that are available or assigned.","type":"integer"},
          "inService":{"type":"integer"},
          "utilization":{"description":"Today's engine-on time of all vehicles, divided by the working time of today (`workingHours`, otherwise 24 hours) of all vehicles. Not counted: vehicles that are or were on a private journey today, and vehicles that were used today but have no engine-on time. Absent without other vehicles.","type":"number"}}}
        """##,
      read: { fleets, view throws(ThingError) in
        let vehicles = try vehicles(of: fleets, view)
        var utilization: [UUIDv7: Double] = [:]
        let now = WallClock.now
        let utc = view.zone(nil)
        let hidden = try view.privateTimes(
          on: utc.day(of: now.adding(seconds: -86_400))...utc.day(of: now.adding(seconds: 86_400)))
        for fleet in fleets {
          let zone = try view.zone(ofFleet: fleet.id)
          let today = zone.day(of: now)
          let sums = try view.daySums(by: .vehicle, fleet: fleet.id, from: today, through: today, at: now)
          let unknown = Set(sums.filter { !$0.hasTimes }.compactMap(\.vehicle))
          // A vehicle that is or was on a private journey today is not counted, and neither is a vehicle for which it is
          // not known when its engine ran.
          let counted = (vehicles[fleet.id.json] ?? []).count { row in
            !(row[1].textValue.map { unknown.contains($0) || hidden.overlaps(today, of: $0, in: zone) } ?? false)
          }
          let working =
            WorkingHours.seconds(fleet.value.workingHours ?? [], on: today, in: zone) * Int64(counted)
          guard working > 0 else { continue }
          let seconds = Double(sums.reduce(0) { $0 + $1.engineOn }) / 1_000
          utilization[fleet.id] = (seconds / Double(working) * 1_000).rounded() / 1_000
        }
        return fleets.map { fleet in
          let states = (vehicles[fleet.id.json] ?? []).map { $0[2] }
          func count(_ wanted: Vehicle.Status...) -> JSON {
            .integer(Int64(states.count { state in wanted.contains { $0.json == state } }))
          }
          var members: [String: JSON] = [
            "total": .integer(Int64(states.count)), "active": count(.available, .assigned),
            "inService": count(.inService),
          ]
          members["utilization"] = utilization[fleet.id]?.json
          return .object(members)
        }
      }),
  ]

  /// Checks that the caller may move vehicles into a fleet and out of it.
  private static func require(_ reach: Reach, _ moves: VehicleMoves, _ view: any FleetView) throws(ThingError) {
    // Only a caller with access to vehicles without a fleet may add some of them. For all other callers, the answer is
    // the same for a vehicle that does not exist, belongs to no fleet, or belongs to a fleet outside of the scope.
    if !moves.added.isEmpty, !reach.contains(Relation()) {
      let fleets = try view.fleets(ofVehicles: moves.added)
      for id in moves.added {
        guard let fleet = fleets[id]?.textValue.flatMap({ UUIDv7($0.utf8.span) }),
          reach.contains(Relation(fleets: [fleet]))
        else { throw .forbidden(reason: reach.reason) }
      }
    }
    // A removed vehicle would be in no fleet, and thus in no limited scope. The field `fleetId` of vehicles has the
    // same rule.
    guard moves.removed.isEmpty || reach.isEverything else {
      throw .forbidden(reason: "vehicleIds: move the vehicle to another one of the account's fleets instead")
    }
  }

  private static func json(of moves: VehicleMoves) -> JSON {
    .object(["added": moves.added.json, "removed": moves.removed.json])
  }

  private static func moves(in work: JSON) throws(ThingError) -> VehicleMoves {
    do throws(FieldError) {
      return VehicleMoves(
        added: try [String](json: work["added"] ?? .null), removed: try [String](json: work["removed"] ?? .null))
    } catch {
      throw .invalid(FieldErrors([error.inside("vehicleIds")]))
    }
  }

  /// Returns the vehicles of some fleets, grouped by fleet. For each vehicle, returns the fleet's id, the vehicle's id
  /// and the vehicle's status.
  private static func vehicles(
    of fleets: [Stored<Fleet>], _ view: any FleetView
  ) throws(ThingError) -> [JSON: [[JSON]]] {
    let query = ThingQuery<Vehicle>(.oneOf(key: "fleetId", fleets.map(\.id.json)), order: [.init("id")])
    return Dictionary(grouping: try view.values(["fleetId", "id", "status"], query)) { $0[0] }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removeFleet", summary: "Removes a fleet without vehicles that is in nobody's scope.",
      results: [.init(.noContent, "Removed.")], errors: [.conflict])
    let things = things
    return Route(
      .delete, things.path + "/{fleetId}", .may(.write, .fleets), operation, isFiltered: true
    ) { call in
      try await things.change(call) { transaction throws(ThingError) in
        let fleet = try things.existing(call, transaction)
        guard try transaction.first(ThingQuery<Vehicle>(.oneOf(key: "fleetId", [fleet.id.json]))) == nil else {
          throw .rule(code: "inUse", message: "the fleet has vehicles; move them first")
        }
        let scopes = try transaction.values(["scope"], ThingQuery<Person>())
        let isInScope = scopes.contains { row in
          if case .array(let fleets) = row[0] { fleets.contains(fleet.id.json) } else { false }
        }
        guard !isInScope else {
          throw .rule(code: "inUse", message: "the fleet is in the scope of a person; change that first")
        }
        try transaction.remove(fleet, action: "remove")
      }
      return Answer(status: .noContent)
    }
  }
}
