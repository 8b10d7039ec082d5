import FleetAccess
import FleetDomain
import FleetWork
import HTTPTypes
import Telemetry

/// The routes of drivers, assignments and expenses.
struct WorkRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    drivers.routes + assignments.routes + assignmentCommands + expenses.routes
  }

  var expenses: ThingRoutes<Expense> {
    ThingRoutes(work: storage, area: .expenses, order: [.init("at", isDescending: true)])
  }

  // MARK: Drivers

  var drivers: ThingRoutes<Driver> {
    ThingRoutes(
      storage: storage, area: .drivers,
      relation: { driver, identity, _ in
        Relation(
          fleets: Set([driver.value.fleetID].compactMap { $0 }),
          isOwn: identity.signedIn.map { $0.person == driver.value.personID } ?? false)
      },
      restriction: { reach, identity, _ in
        let own = ThingQuery<Driver>.Condition.oneOf(
          key: "personId", [identity.signedIn?.person.json].compactMap { $0 })
        guard !reach.isOnlyOwn else { return [own] }
        guard let fleets = reach.fleets else { return [] }
        return [.anyOf([[own], [.oneOf(key: "fleetId", fleets.sorted { $0.string < $1.string }.map(\.json))]])]
      },
      check: { old, new, transaction, call throws(ThingError) in
        try Self.check(old, new, transaction, call)
        if let old, [.available, .onTrip].contains(new.status) {
          new.status = try transaction.status(ofDriver: old.id)
        }
      },
      order: [.init("name")],
      hidden: { relation, call in Self.hidden(relation, call) })
  }

  /// Fields that drivers may change in their own profile.
  private static let profile: Set<String> = ["phone", "status"]

  private static func check(
    _ old: Stored<Driver>?, _ new: Driver, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    if call.reach?.isOnlyOwn ?? false {
      let changed = Set(new.change(since: old?.value).after.keys)
      guard changed.isSubset(of: profile), new.status != .suspended, old?.value.status != .suspended else {
        throw .forbidden(
          reason:
            "drivers may change only these fields of their own profile: \(profile.sorted().joined(separator: ", "))")
      }
    }
    if new.status == .onTrip, old?.value.status != .onTrip {
      throw .invalid(FieldErrors([FieldError("status", "journeys set onTrip; start a journey")]))
    }
    if let fleet = new.fleetID, fleet != old?.value.fleetID, try transaction.find(fleet, Fleet.self) == nil {
      throw .invalid(FieldErrors([FieldError("fleetId", "no such fleet")]))
    }
    if let person = new.personID, person != old?.value.personID {
      guard try transaction.find(person, Person.self) != nil else {
        throw .invalid(FieldErrors([FieldError("personId", "no such person")]))
      }
      guard try transaction.drivers(of: person).isEmpty else { throw .duplicate(field: "personId") }
    }
  }

  /// Returns the fields of the licence that the caller may not see. Drivers see their own licence.
  private static func hidden(_ relation: Relation?, _ call: Call) -> Set<String> {
    guard let identity = call.identity else { return Driver.licenceFields }
    let reach = Reach(of: identity.requester, to: .read, .licences)
    if reach.isEverything { return [] }
    return relation.map { reach.contains($0) } ?? false ? [] : Driver.licenceFields
  }

  // MARK: Assignments

  private var assignments: ThingRoutes<Assignment> {
    var routes = ThingRoutes<Assignment>(
      work: storage, area: .assignments, order: [.init("from", isDescending: true)],
      check: { old, new, transaction, _ throws(ThingError) in try transaction.check(&new, old: old) })
    routes.afterChange = { assignment, transaction throws(ThingError) in
      try transaction.follow(assignment)
    }
    return routes
  }

  private var assignmentCommands: [Route] {
    [
      assignments.command("end", "Ends an assignment, now or at the time of the body's `at`.", body: "AssignmentEnd") {
        assignment, json, transaction, _ throws(ThingError) in
        var at: Timestamp?
        if let time = json["at"] {
          do throws(FieldError) {
            at = try Timestamp(json: time)
          } catch {
            throw .invalid(FieldErrors([error.inside("at")]))
          }
        }
        return try transaction.end(assignment, at: at)
      },
      assignments.command("cancel", "Cancels an assignment: it counts as never made.") {
        assignment, transaction, _ throws(ThingError) in try transaction.cancel(assignment)
      },
    ]
  }
}
