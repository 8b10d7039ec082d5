import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/reports`: reports are made on request, and kept.
struct ReportRoutes {
  let storage: any FleetStorage
  let zones: ZoneFiles

  /// The greatest number of days of a report, of its rows, and of costs in it.
  private static let most = (days: 400, rows: 20_000, costs: 100_000)

  var routes: [Route] { [list, get, create] }

  // MARK: Reading

  private var list: Route {
    let storage = storage
    let operation = Operation(
      id: "listReports", summary: "The reports that were made, the newest first, without their rows.",
      parameters: [
        .query("kind", "Only reports of this kind.", Report.Topic.schema), .cursor,
        .limit(100, most: 1_000),
      ], results: [.init(.ok, "A page.", .json("ReportList"))])
    return Route(.get, "/api/reports", .may(.read, .reports), operation, isFiltered: true) { call in
      var query = ThingQuery<Report>(order: [.init("createdAt", isDescending: true)])
      if let kind = call.query["kind"] {
        guard let topic = Report.Topic(rawValue: kind) else {
          throw APIError.badRequest("query: kind: expected a kind of report, found \(quoted(kind))")
        }
        query.conditions.append(.oneOf(key: "kind", [topic.json]))
      }
      if !call.maySeeAnyCosts {
        let others = Report.Topic.allCases.filter { $0 != .costs }.map(\.json)
        query.conditions.append(.oneOf(key: "kind", others))
      }
      if let reach = call.reach, !reach.isEverything {
        let own = ThingQuery<Report>.Condition.oneOf(
          key: "requestedBy", [try call.caller.signedIn?.person].compactMap { $0?.json })
        var alternatives = [[own]]
        if !reach.isOnlyOwn, let fleets = reach.fleets {
          alternatives.append([.oneOf(key: "fleetId", fleets.sorted { $0.string < $1.string }.map(\.json))])
        } else if !reach.isOnlyOwn {
          alternatives = [[]]
        }
        query.conditions.append(.anyOf(alternatives))
      }
      query.cursor = try call.cursor()
      query.limit = try call.integer("limit", in: 1...1_000) ?? 100
      let wanted = query
      let page = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in try view.list(wanted) }
      var list = ListBody()
      for report in page.items {
        list.append(Array(JSON.object(report.members.filter { $0.key != "rows" }).canonicalText.utf8))
      }
      return Answer(json: list.finish(next: page.next))
    }
  }

  private var get: Route {
    let storage = storage
    let operation = Operation(
      id: "getReport", summary: "Reads a report.",
      parameters: [.query("format", "The format of the answer.", #"{"enum":["json","csv"],"default":"json"}"#)],
      results: [.init(.ok, "It.", .init(types: ["application/json", "text/csv"], schema: "Report"))])
    return Route(.get, "/api/reports/{reportId}", .may(.read, .reports), operation, isFiltered: true) { call in
      let format = call.query["format"] ?? "json"
      guard ["json", "csv"].contains(format) else {
        throw APIError.badRequest("query: format: expected json or csv, found \(quoted(format))")
      }
      let text = call.parameters.first ?? ""
      let report = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        guard let id = UUIDv7(text.utf8.span), let report = try view.find(id, Report.self), call.maySee(report) else {
          throw .notFound(kind: Report.names.one, id: text)
        }
        return report
      }
      if format == "csv" {
        return Answer(type: "text/csv; charset=utf-8", bytes: ReportTable.csv(report.value.rows?.rows ?? []))
      }
      return Answer(json: Self.text(of: report))
    }
  }

  private static func text(of report: Stored<Report>) -> [UInt8] {
    var members = report.members
    if report.value.topic == .drivers { members["formula"] = .text(ReportTable.scoreFormula) }
    return Array(JSON.object(members).canonicalText.utf8)
  }

  // MARK: Making

  private var create: Route {
    let (storage, zones) = (storage, zones)
    let operation = Operation(
      id: "createReport", summary: "Makes a report, and keeps it.", body: .json("NewReport"),
      results: [.init(.created, "It.", .json("Report"), headers: ["Location"])])
    return Route(.post, "/api/reports", .may(.write, .reports), operation, isFiltered: true) { call in
      try call.requireType(["application/json"])
      let json = try await call.json()
      let wanted: Report
      do throws(FieldErrors) {
        wanted = try Report(client: json)
      } catch {
        throw ThingError.invalid(error)
      }
      guard wanted.from <= wanted.to, wanted.to.dayNumber - wanted.from.dayNumber < Self.most.days else {
        throw ThingError.invalid(
          FieldErrors([FieldError("to", "expected a day from `from` on, at most \(Self.most.days) days in all")]))
      }
      let caller = try call.caller
      if let reach = call.reach, !reach.isEverything, reach.fleets != nil, wanted.fleetID == nil {
        throw APIError.forbidden("fleetId: expected one of the account's own fleets")
      }
      let rows = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try Self.rows(of: wanted, zones, call, view)
      }
      var report = wanted
      report.requestedBy = caller.signedIn?.person
      report.rows = ReportRows(rows)
      let made = report
      let stored = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in try transaction.insert(made) }
      var answer = Answer(status: .created, json: Self.text(of: stored))
      answer.headers[.location] = "/api/reports/\(stored.id.string)"
      return answer
    }
  }

  private static func rows(
    of report: Report, _ zones: ZoneFiles, _ call: Call, _ view: any FleetView
  ) throws(ThingError) -> [JSON] {
    var query = ThingQuery<Vehicle>(order: [.init("id")])
    if let fleet = report.fleetID {
      guard try view.find(fleet, Fleet.self) != nil, call.mayMake(report) else {
        throw .invalid(FieldErrors([FieldError("fleetId", "no such fleet")]))
      }
      query.conditions.append(.oneOf(key: "fleetId", [fleet.json]))
    }
    if report.topic == .costs, !call.maySeeCosts(ofFleet: report.fleetID) {
      throw .forbidden(reason: "this account may not see these costs")
    }
    var fleets: [String: UUIDv7?] = [:]
    for row in try view.values(["id", "fleetId"], query) {
      if let id = row[0].textValue { fleets[id] = try? UUIDv7(json: row[1]) }
    }
    var zoneOf: [UUIDv7: ZoneRules] = [:]
    for row in try view.list(ThingQuery<Fleet>(limit: 1_000)).items { zoneOf[row.id] = zones.rules(row.value.timeZone) }
    let drivers = try assignments(report, view)
    var table = ReportTable(report.topic, by: report.groupBy)
    for (vehicle, day) in try view.days(
      of: report.fleetID == nil ? nil : fleets.keys.sorted(), from: report.from, through: report.to)
    {
      // A day with several drivers belongs to none.
      let driver = drivers[vehicle]?.first { $0.contains(day.firstTime) && $0.contains(day.lastTime) }?.driver
      table.add(day, of: .init(vehicle: vehicle, fleet: fleets[vehicle] ?? nil, driver: driver))
      guard table.count <= most.rows else { throw tooMany("rows", most.rows) }
    }
    if report.topic == .costs {
      var count = 0
      func add<Value: WorkThing>(
        _ kind: Value.Type, _ cost: (Value) -> (at: Timestamp, category: String, amount: Money?)
      ) throws(ThingError) {
        var query = ThingQuery<Value>(order: [.init("at")], limit: 1_000)
        // A day more at both ends, for all time zones.
        func time(_ date: CalendarDate, _ days: Int) -> JSON {
          Timestamp(nanoseconds: Int64(date.dayNumber + days) * 86_400_000_000_000).json
        }
        query.conditions = [
          .atLeast(key: "at", time(report.from, -1)), .below(key: "at", time(report.to, 2)),
        ]
        if let fleet = report.fleetID { query.conditions.append(.vehicleInFleets(key: Value.vehicleKey, [fleet])) }
        repeat {
          let page = try view.list(query)
          for item in page.items {
            let (at, category, amount) = cost(item.value)
            let fleet = item.value.vehicleID.flatMap { fleets[$0] ?? nil }
            let date = (fleet.flatMap { zoneOf[$0] } ?? .utc).day(of: at)
            guard report.from <= date, date <= report.to else { continue }
            table.add(
              amount, category: category, on: date,
              of: .init(vehicle: item.value.vehicleID, fleet: fleet, driver: item.value.driverID))
          }
          count += page.items.count
          query.cursor = page.next
          guard count <= most.costs else { throw tooMany("costs", most.costs) }
        } while query.cursor != nil
      }
      try add(Expense.self) { ($0.at, $0.category.rawValue, $0.amount) }
      try add(FuelEntry.self) { ($0.at, VehicleCosts.fuel, $0.cost) }
    }
    return table.rows
  }

  private static func tooMany(_ what: String, _ limit: Int) -> ThingError {
    .rule(code: "tooManyEntries", message: "more than \(limit) \(what); ask for fewer days or one fleet")
  }

  /// The time of a vehicle with a driver.
  private struct Driven {
    let driver: UUIDv7
    let window: VehicleWindow

    func contains(_ time: Timestamp) -> Bool { window.contains(time) }
  }

  /// The assignments of a report's days, by vehicle.
  private static func assignments(_ report: Report, _ view: any FleetView) throws(ThingError) -> [String: [Driven]] {
    guard report.groupBy == .driver else { return [:] }
    func time(_ date: CalendarDate, _ days: Int) -> JSON {
      Timestamp(nanoseconds: Int64(date.dayNumber + days) * 86_400_000_000_000).json
    }
    let query = ThingQuery<Assignment>(
      .oneOf(key: "status", ["active", "completed"].map { .text($0) }), .below(key: "from", time(report.to, 2)),
      .anyOf([[.oneOf(key: "to", [.null])], [.atLeast(key: "to", time(report.from, -1))]]))
    var found: [String: [Driven]] = [:]
    for row in try view.values(["driverId", "vehicleId", "from", "to"], query) {
      guard let driver = try? UUIDv7(json: row[0]), let vehicle = row[1].textValue,
        let from = try? Timestamp(json: row[2])
      else { continue }
      found[vehicle, default: []].append(
        Driven(driver: driver, window: VehicleWindow(vehicle, from: from, to: try? Timestamp(json: row[3]))))
    }
    return found
  }
}

extension Call {
  /// Whether the caller may see costs of some vehicle.
  fileprivate var maySeeAnyCosts: Bool {
    identity.map { !Reach(of: $0.requester, to: .read, .costs).isEmpty } ?? false
  }

  /// - Parameter fleet: `nil` for all vehicles.
  fileprivate func maySeeCosts(ofFleet fleet: UUIDv7?) -> Bool {
    guard let identity else { return false }
    return Self.covers(Reach(of: identity.requester, to: .read, .costs), fleet)
  }

  /// Whether the caller may make a report about its fleet.
  fileprivate func mayMake(_ report: Report) -> Bool { reach.map { Self.covers($0, report.fleetID) } ?? false }

  fileprivate func maySee(_ report: Stored<Report>) -> Bool {
    guard report.value.topic != .costs || maySeeCosts(ofFleet: report.value.fleetID) else { return false }
    if let person = identity?.signedIn?.person, person == report.value.requestedBy { return true }
    return reach.map { Self.covers($0, report.value.fleetID) } ?? false
  }

  /// Whether a reach contains all vehicles of a fleet; `nil` for all vehicles of the tenant.
  private static func covers(_ reach: Reach, _ fleet: UUIDv7?) -> Bool {
    if reach.isEverything { return true }
    guard !reach.isEmpty, !reach.isOnlyOwn else { return false }
    guard let fleets = reach.fleets else { return true }
    return fleet.map { fleets.contains($0) } ?? false
  }
}
