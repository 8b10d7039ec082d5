import FleetAccess
import FleetConnectors
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

  /// The fields that drivers may change in their own profiles.
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
    if new.personID != old?.value.personID { try link(new.personID, old, transaction, call) }
  }

  /// Prepares the link from a driver to an account: checks that the link is allowed, and makes the driver's phones stop
  /// sharing positions until the account's owner allows it. If the driver is linked to another account already, the
  /// caller must be allowed to change that account.
  private static func link(
    _ person: UUIDv7?, _ driver: Stored<Driver>?, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    let reach = Reach(of: call.identity?.requester ?? .nobody, to: .write, .people)
    if let id = driver?.value.personID, let found = try transaction.find(id, Person.self),
      !reach.contains(found.relation(to: call.identity))
    {
      throw .forbidden(reason: reach.reason)
    }
    guard let person else { return }
    guard try transaction.drivers(of: person).isEmpty else { throw .duplicate(field: "personId") }
    if let driver { try silencePhones(of: driver.id, transaction) }
  }

  /// Makes a driver's phones stop sharing positions.
  ///
  /// - Parameter most: the maximum number of phones that are changed.
  /// - Returns: the number of changed phones.
  @discardableResult
  static func silencePhones(
    of driver: UUIDv7, atMost most: Int = 1_000, _ transaction: any FleetTransaction
  ) throws(ThingError) -> Int {
    let phones = try transaction.list(
      ThingQuery<Phone>(
        .oneOf(key: "driverId", [driver.json]), .oneOf(key: "sharesPosition", [.bool(true)]), limit: most)
    ).items
    for phone in phones {
      var silent = phone.value
      silent.sharesPosition = false
      try transaction.update(phone, to: silent, action: "changeDriver")
    }
    return phones.count
  }

  /// The fields that contain a driver's contacts.
  private static let contactFields: Set<String> = ["phone", "personId"]

  /// Returns the fields of a driver that the caller may not see. These are the fields of the licence, the fields of the
  /// contacts, or both. Drivers may see their own.
  private static func hidden(_ relation: Relation?, _ call: Call) -> Set<String> {
    var hidden: Set<String> = []
    for (area, fields) in [(Area.licences, Driver.licenceFields), (.contacts, contactFields)] {
      let reach = Reach(of: call.identity?.requester ?? .nobody, to: .read, area)
      if reach.isEverything || relation.map({ reach.contains($0) }) ?? false { continue }
      hidden.formUnion(fields)
    }
    return hidden
  }

  // MARK: Assignments

  var assignments: ThingRoutes<Assignment> {
    var routes = ThingRoutes<Assignment>(
      work: storage, area: .assignments, order: [.init("from", isDescending: true)],
      check: { [storage] old, new, transaction, call throws(ThingError) in
        try transaction.check(&new, old: old) { id throws(ThingError) in
          try WorkRoutes(storage: storage).assignments.mayRead(id, call.identity, transaction)
        }
      })
    routes.afterChange = { assignment, transaction throws(ThingError) in
      try transaction.follow(assignment)
    }
    return routes
  }

  private var assignmentCommands: [Route] {
    [
      assignments.command("end", "Ends an assignment, now or at the time of the body's `at`.", body: "AssignmentEnd") {
        assignment, json, transaction, _ throws(ThingError) in
        try transaction.end(assignment, at: try AssignmentEnd.command(json).at)
      },
      assignments.command("cancel", "Cancels an assignment: it counts as never made.") {
        assignment, transaction, _ throws(ThingError) in try transaction.cancel(assignment)
      },
    ]
  }
}

/// The body of a request that ends an assignment.
struct AssignmentEnd: NestedValue {
  /// The time at which the assignment ends. If `nil`, it ends at its planned end if this time has passed, and otherwise
  /// now.
  var at: Timestamp?

  static let fields: [Field<AssignmentEnd>] = [Field("at", \.at)]
}
