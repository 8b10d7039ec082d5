import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// The routes for journeys, for the question who drove a vehicle at a given time, and for the comparison of journeys
/// with trips.
struct JourneyRoutes {
  let storage: any FleetStorage
  /// The maximum number of planned journeys of a tenant.
  var mostPlanned = ServerLimits().plannedJourneys

  var routes: [Route] { journeys.routes + commands + [review, driver, reconciliation] }

  // MARK: Journeys

  var journeys: ThingRoutes<Journey> {
    var routes = ThingRoutes<Journey>(
      work: storage, area: .journeys, order: [.init("createdAt", isDescending: true)],
      // A driver may have used a vehicle without an assignment. Then the journey is accepted but needs a review.
      needsAssignment: false,
      check: { [storage, mostPlanned] old, new, transaction, call throws(ThingError) in
        try transaction.check(&new, old: old, isOwn: call.reach?.isOnlyOwn ?? false) { id throws(ThingError) in
          try JourneyRoutes(storage: storage).journeys.mayRead(id, call.identity, transaction)
        }
        if old == nil, new.status == .planned { try Self.requireRoom(for: new, most: mostPlanned, transaction) }
      })
    routes.afterChange = { journey, transaction throws(ThingError) in
      if let driver = journey.value.driverID { try transaction.updateStatus(ofDriver: driver) }
      try transaction.followReadings(of: journey)
    }
    return routes
  }

  /// Checks that the driver and the tenant may have one more planned journey. Each planned journey must later be
  /// cancelled if its vehicle is retired or its driver's account is erased.
  ///
  /// - Throws: `rule` with the code `limitReached`.
  private static func requireRoom(
    for new: Journey, most: Int, _ transaction: any FleetTransaction
  ) throws(ThingError) {
    let planned = ThingQuery<Journey>.Condition.oneOf(key: "status", [Journey.Status.planned.json])
    let own = ThingQuery<Journey>(.oneOf(key: "driverId", [new.driverID.json]), planned)
    let limits = [
      ("driver", own, TenantLimits.plannedJourneysOfDriver, ""),
      ("tenant", ThingQuery<Journey>(planned), most, " (limits.plannedJourneys)"),
    ]
    for (owner, query, limit, origin) in limits where try transaction.count(query) >= limit {
      throw .rule(
        code: "limitReached",
        message: "a \(owner) has at most \(limit) planned journeys\(origin); start or cancel one first")
    }
  }

  private var commands: [Route] {
    let journeys = journeys
    return [
      (JourneyEvent.Event.started, "Starts a planned journey."), (.paused, "Pauses a journey."),
      (.resumed, "Resumes a journey after a pause."), (.completed, "Ends a journey."),
      (.cancelled, "Cancels a journey."), (.incident, "Adds an incident to the log; the state does not change."),
    ].map { event, summary in
      journeys.command(
        event.action,
        "\(summary) A command with an `id` is executed once, and always stored: if the state does not allow it, the journey needs a review.",
        body: "JourneyCommand"
      ) { journey, json, transaction, call throws(ThingError) in
        let command: JourneyCommand
        do throws(FieldErrors) {
          command = try JourneyCommand.parsed(client: json)
        } catch {
          throw .invalid(error)
        }
        let changed = try transaction.execute(
          event, command, of: journey, isOwn: call.reach?.isOnlyOwn ?? false
        ) { id throws(ThingError) in
          try journeys.mayRead(id, call.identity, transaction)
        }
        try transaction.followReadings(of: changed)
        return changed
      }
    }
  }

  private var review: Route {
    journeys.command("review", "Confirms that a person has looked at all entries that are in doubt.") {
      journey, transaction, call throws(ThingError) in
      guard !(call.reach?.isOnlyOwn ?? false) else {
        throw .forbidden(reason: "drivers do not review their own journeys")
      }
      return try transaction.confirmReview(of: journey)
    }
  }

  // MARK: Who drove

  private var driver: Route {
    let operation = Operation(
      id: "getDriverOfVehicle",
      summary: "Who drove a vehicle at a time, with the evidence. A journey counts more than an assignment.",
      parameters: [.query("at", "The time, RFC 3339; without it: now.", #"{"type":"string","format":"date-time"}"#)],
      results: [.init(.ok, "The driver.", .json("DriverOfVehicle"))])
    return Route(
      .get, "/api/vehicles/{vehicleId}/driver", .may(.read, .assignments), operation, isFiltered: true
    ) { [storage] call in
      let tenant = try call.tenant
      let time = try call.time("at") ?? WallClock.now
      let caller = try call.caller
      let (vehicle, found) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let vehicle = try call.existingVehicle(view)
        let next = time.adding(nanoseconds: 1_000_000)
        return (
          vehicle,
          WhoDrove(
            at: time, journeys: try view.journeys(of: vehicle.value.id, from: time, to: next),
            assignments: try view.assignments(of: vehicle.value.id, at: time))
        )
      }
      let ended = try await Self.trips(of: vehicle.value.id, from: time, to: nil, tenant, storage, most: 1)
        .filter { $0.from <= time && time < $0.to }
      let (first, last) = (ended.map(\.from).min() ?? time, ended.map(\.to).max() ?? time)
      let hidden = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try caller.hiddenTimes(of: [vehicle.value.id], from: first, to: last.adding(seconds: 1), view)
      }
      let trips = ended.filter { !$0.isHidden(by: hidden, of: vehicle.value.id) }
      var evidence = found.journeys.map { journey in
        Self.evidence("journey", journey.id, journey.value.startTime, journey.value.endTime, journey.value.driverID)
      }
      evidence += found.assignments.map { assignment in
        Self.evidence("assignment", assignment.id, assignment.value.from, assignment.value.to, assignment.value.driver)
      }
      evidence += trips.map { Self.evidence("trip", $0.id, $0.from, $0.to, nil) }
      var members: [String: JSON] = ["evidence": .array(evidence)]
      members["driverId"] = found.driver?.json
      return Answer(json: Array(JSON.object(members).canonicalText.utf8))
    }
  }

  private static func evidence(
    _ kind: String, _ id: UUIDv7, _ from: Timestamp?, _ to: Timestamp?, _ driver: UUIDv7?
  ) -> JSON {
    var members: [String: JSON] = ["kind": .text(kind), "id": id.json]
    members["from"] = from?.json
    members["to"] = to?.json
    members["driverId"] = driver?.json
    return .object(members)
  }

  // MARK: Comparison of journeys with trips

  private static let day: Int64 = 86_400_000_000_000
  private static let mostTrips = 20_000
  private static let dateOrTime = #"{"type":"string","examples":["2026-05-04","2026-05-04T00:00:00Z"]}"#

  private var reconciliation: Route {
    let operation = Operation(
      id: "getReconciliation",
      summary:
        "Journeys against trips that ended in the range: matches, trips without a journey, journeys without a trip, differences of odometers, and journeys at the same time.",
      parameters: [
        .query("from", "The first day, or a time from which on.", Self.dateOrTime),
        .query("to", "The last day, or a time before which.", Self.dateOrTime),
      ], results: [.init(.ok, "The comparison.", .json("Reconciliation"))])
    return Route(
      .get, "/api/vehicles/{vehicleId}/reconciliation", .may(.read, .journeys), operation, isFiltered: true
    ) { [storage] call in
      let tenant = try call.tenant
      let zone = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try view.zone(of: try call.existingVehicle(view).value)
      }
      let range = try call.timesOrDays(in: zone)
      let to = range.to ?? WallClock.now
      let from = range.from ?? to.adding(nanoseconds: -(30 * Self.day))
      guard to.nanoseconds(since: from) <= 366 * Self.day else {
        throw APIError.badRequest("query: from: expected a range of at most 366 days")
      }
      // A trip near the start of the range may belong to a journey that ended before the range. A trip near its end may
      // belong to a journey that began after it. Therefore also read one day before the range and one day after it.
      let (before, after) = (
        from.adding(nanoseconds: -Self.day), to.adding(nanoseconds: Self.day)
      )
      let caller = try call.caller
      let (vehicle, journeys, hidden) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let vehicle = try call.existingVehicle(view)
        return (
          vehicle, try view.journeys(of: vehicle.value.id, from: before, to: after),
          try caller.hiddenTimes(
            of: [vehicle.value.id], from: before.adding(seconds: -Int(StaleDays.longestTrip / 1_000)), to: after, view)
        )
      }
      let trips = try await Self.trips(
        of: vehicle.value.id, from: before, to: after, tenant, storage, most: Self.mostTrips)
      let matching = JourneyMatching(journeys.compactMap { .init($0) }, EndedTrip.merged(trips))
      let answer = Self.json(matching) {
        from <= $0 && $0 < to
      } isHidden: {
        $0.isHidden(by: hidden, of: vehicle.value.id)
      }
      return Answer(json: answer.canonicalBytes)
    }
  }

  /// Returns the comparison of journeys with trips as JSON.
  ///
  /// - Parameters:
  ///   - isInRange: returns whether a time is in the requested range.
  ///   - isHidden: returns whether a trip is hidden from the caller. The journey of a hidden trip has `tripsHidden`.
  private static func json(
    _ matching: JourneyMatching, _ isInRange: (Timestamp) -> Bool, isHidden: (EndedTrip) -> Bool
  ) -> JSON {
    func json(_ trip: EndedTrip) -> JSON {
      var members: [String: JSON] = ["id": trip.id.json, "from": trip.from.json, "to": trip.to.json]
      members["distance"] = trip.distance?.json
      return .object(members)
    }
    func json(_ journey: JourneyMatching.Declared) -> [String: JSON] {
      var members: [String: JSON] = ["journeyId": journey.id.json, "from": journey.from.json]
      members["to"] = journey.to?.json
      return members
    }
    let matches = matching.matches.filter { $0.journey.to.map(isInRange) ?? true }.map { match in
      let shown = match.trips.filter { !isHidden($0) }
      var members = json(match.journey)
      members["trips"] = .array(shown.map(json))
      if shown.count < match.trips.count { members["tripsHidden"] = .bool(true) }
      return JSON.object(members)
    }
    let shown = Set(
      (matching.matches.map(\.journey) + matching.withoutTrip).filter { $0.to.map(isInRange) ?? true }.map(\.id))
    let unclaimed = matching.unclaimed.filter { isInRange($0.to) && !isHidden($0) }
    return .object([
      "matched": .array(matches),
      "unclaimedTrips": .array(unclaimed.map(json)),
      "unclaimedKilometers": unclaimed.reduce(0) { $0 + ($1.distance ?? 0) }.json,
      "journeysWithoutTrip": .array(
        matching.withoutTrip.filter { $0.to.map(isInRange) ?? false }.map { .object(json($0)) }),
      "odometerGaps": .array(
        matching.gaps.filter { shown.contains($0.before) }.map { gap in
          .object(["after": gap.after.json, "before": gap.before.json, "kilometers": gap.kilometers.json])
        }),
      "overlaps": .array(
        matching.overlaps.filter { shown.contains($0.second) }.map { .array([$0.first.json, $0.second.json]) }),
    ])
  }

  /// Reads a vehicle's trips that ended at `from` or later, the earliest first.
  ///
  /// - Parameters:
  ///   - to: the time before which the trips ended; `nil` for no limit.
  ///   - most: the maximum number of trips. If the range contains more, only the earliest are returned.
  private static func trips(
    of vehicle: String, from: Timestamp, to: Timestamp?, _ tenant: TenantID, _ storage: any FleetStorage, most: Int
  ) async throws -> [EndedTrip] {
    var query = RecordQuery(
      vehicle: vehicle, classes: RecordQuery.tripClasses, from: from, to: to, order: .oldestFirst,
      limit: most == 1 ? 10 : 1_000)
    var trips: [EndedTrip] = []
    repeat {
      let page = try await storage.records(query, tenant: tenant)
      trips += page.items.compactMap { EndedTrip($0) }
      query.cursor = page.next
    } while query.cursor != nil && trips.count < most
    return Array(trips.prefix(most))
  }
}

extension EndedTrip {
  /// Whether a part of the trip is in a period in which the vehicle's records are hidden.
  fileprivate func isHidden(by times: HiddenTimes, of vehicle: String) -> Bool {
    times.overlaps(from: from, through: to, of: vehicle)
  }
}
