import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/reports`: the routes that make reports on request or by schedule, and read them.
struct ReportRoutes {
  let storage: any FleetStorage

  /// The maximum number of days in the range of a report.
  private static let mostDays = 400
  /// The maximum number of scheduled reports of a tenant.
  private static let mostSchedules = 200

  /// The usual length of a row of a report in bytes.
  private static let rowBytes = 512

  var routes: [Route] { [list, get, create, change] }

  // MARK: Reading

  private var list: Route {
    var things = ThingRoutes<Report>(
      storage: storage, area: .reports,
      relation: { report, identity, _ in
        Relation(
          fleets: Set([report.value.fleetID].compactMap { $0 }),
          isOwn: identity.signedIn.map { $0.person == report.value.requestedBy } ?? false)
      },
      restriction: { reach, identity, _ in
        let own = ThingQuery<Report>.Condition.oneOf(
          key: "requestedBy", [identity.signedIn?.person].compactMap { $0?.json })
        if reach.isOnlyOwn { return [own] }
        guard let fleets = reach.fleets else { return [] }
        return [.anyOf([[own], [.oneOf(key: "fleetId", fleets.sorted { $0.string < $1.string }.map(\.json))]])]
      },
      check: { _, _, _, _ throws(ThingError) in }, order: [.init("createdAt", isDescending: true)],
      // The list contains reports without their rows.
      hidden: { _, _ in ["rows"] })
    things.derived = [Self.scope]
    things.always = { call in
      if let access = try? call.reportAccess, access.maySeeAnyCosts { return [] }
      return [.oneOf(key: "kind", Report.Topic.allCases.filter { $0 != .costs }.map(\.json))]
    }
    return things.list
  }

  /// The vehicles that a report covers: `"all"`, or an array with the id of one fleet.
  static let scope = DerivedField<Report>(
    key: "scope", schema: scopeSchema,
    read: { reports, _ in reports.map { Self.scope(of: $0.value) } })

  private static let scopeSchema =
    #"{"anyOf":[{"const":"all"},{"type":"array","minItems":1,"maxItems":1,"items":{"type":"string","format":"uuid"}}]}"#

  private static func scope(of report: Report) -> JSON {
    report.fleetID.map { .array([$0.json]) } ?? .text("all")
  }

  private var get: Route {
    let storage = storage
    let operation = Operation(
      id: "getReport", summary: "Reads a report.",
      parameters: [
        .query(
          "format", "The format of the answer.", #"{"enum":["json","csv","xlsx","pdf"],"default":"json"}"#)
      ],
      results: [
        .init(
          .ok, "It.",
          .init(
            types: ["application/json", "text/csv", ExportFormat.xlsx.mediaType, "application/pdf"], schema: "Report"))
      ])
    return Route(.get, "/api/reports/{reportId}", .may(.read, .reports), operation, isFiltered: true) { call in
      let format = call.query["format"].flatMap { Report.Format(rawValue: $0) }
      if let text = call.query["format"], text != "json", format == nil {
        throw APIError.badRequest("query: format: expected json, csv, xlsx or pdf, found \(quoted(text))")
      }
      let (access, text) = (try call.reportAccess, call.parameters.first ?? "")
      let (report, rows) = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        guard let id = UUIDv7(text.utf8.span), let report = try view.find(id, Report.self),
          access.maySee(report.value)
        else { throw .notFound(kind: Report.names.one, id: text) }
        return (report, try view.named(access.rows(of: report.value), of: report.value))
      }
      guard let format else { return Self.answer(report, rows) }
      let file = try await call.heavily(rows.count * Self.rowBytes) {
        try ReportFile(report.value, rows: rows, as: format)
      }
      var answer = Answer(type: file.mediaType, bytes: file.bytes)
      answer.headers[.contentDisposition] = "attachment; filename=\"\(file.name)\""
      return answer
    }
  }

  private static func answer(
    _ report: Stored<Report>, _ rows: [JSON], status: HTTPResponse.Status = .ok
  ) -> Answer {
    var members = report.members
    members["rows"] = .array(rows)
    members["scope"] = scope(of: report.value)
    if report.value.topic == .drivers { members["formula"] = .text(ReportTable.scoreFormula) }
    var answer = Answer(status: status, json: Array(JSON.object(members).canonicalText.utf8))
    answer.headers[.eTag] = "\"\(report.version)\""
    return answer
  }

  // MARK: Making

  private var create: Route {
    let storage = storage
    let operation = Operation(
      id: "createReport", summary: "Makes a report, and keeps it.", body: .json("NewReport"),
      results: [.init(.created, "It.", .json("Report"), headers: ["ETag", "Location"])])
    return Route(.post, "/api/reports", .may(.write, .reports), operation, isFiltered: true) { call in
      try call.requireType(["application/json"])
      let json = try await call.json()
      let wanted = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try Self.wanted(json, view)
      }
      guard wanted.from <= wanted.to, wanted.to.dayNumber - wanted.from.dayNumber < Self.mostDays else {
        throw ThingError.invalid(
          FieldErrors([FieldError("to", "expected a day from `from` on, at most \(Self.mostDays) days in all")]))
      }
      let caller = try call.caller
      if let reach = call.reach, !reach.isEverything, reach.fleets != nil, wanted.fleetID == nil {
        throw APIError.forbidden("fleetId: expected one of the account's own fleets")
      }
      let (access, now) = (try call.reportAccess, WallClock.now)
      let (rows, pending) = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        if let fleet = wanted.fleetID {
          guard try view.find(fleet, Fleet.self) != nil, access.mayMake(wanted) else {
            throw .invalid(FieldErrors([FieldError("fleetId", "no such fleet")]))
          }
        }
        if wanted.topic == .costs, !access.maySeeCosts(ofFleet: wanted.fleetID) {
          throw .forbidden(reason: "this account may not see these costs")
        }
        return (try view.rows(of: wanted, at: now), try view.pending(of: wanted))
      }
      var report = wanted
      report.requestedBy = caller.signedIn?.person
      report.generatedAt = now
      report.rows = ReportRows(rows)
      report.pending = pending
      let made = report
      let (stored, shown) = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now
      ) { transaction throws(ThingError) in
        var planned = made
        try Self.plan(&planned, since: nil, transaction, call, storage)
        let stored = try transaction.insert(planned)
        return (stored, try transaction.named(access.rows(of: stored.value), of: stored.value))
      }
      var answer = Self.answer(stored, shown, status: .created)
      answer.headers[.location] = "/api/reports/\(stored.id.string)"
      return answer
    }
  }

  /// Parses a client's request for a report. The client may send `scope` instead of `fleetId`. It may also send times
  /// as `from` and `to`: the first day contains `from`, and the last day is the last one that begins before `to`. Without
  /// `groupBy`, a report of drivers has a row for each driver.
  private static func wanted(_ json: JSON, _ view: any FleetView) throws(ThingError) -> Report {
    var json = json
    if case .object(var members) = json {
      if let scope = members.removeValue(forKey: "scope") {
        guard let fleet = fleet(ofScope: scope), fleet == members["fleetId"] ?? fleet else {
          throw .invalid(
            FieldErrors([
              FieldError("scope", "expected \"all\" or an array with the id of one fleet, the same as in fleetId")
            ]))
        }
        members["fleetId"] = fleet
      }
      if members["kind"] == Report.Topic.drivers.json, members["groupBy"] == nil {
        members["groupBy"] = Report.Grouping.driver.json
      }
      let zone = try view.zone(ofFleet: members["fleetId"].flatMap { try? UUIDv7(json: $0) })
      if let from = members["from"].flatMap({ try? Timestamp(json: $0) }) { members["from"] = zone.day(of: from).json }
      if let to = members["to"].flatMap({ try? Timestamp(json: $0) }) {
        members["to"] = zone.day(of: to.adding(nanoseconds: -1_000_000)).json
      }
      json = .object(members)
    }
    do throws(FieldErrors) {
      return try Report(client: json)
    } catch {
      throw .invalid(error)
    }
  }

  /// Returns the id of the fleet in a scope.
  ///
  /// - Returns: the id; `null` for all vehicles; `nil` if the scope is not valid.
  private static func fleet(ofScope scope: JSON) -> JSON? {
    switch scope {
    case .text("all"), .null: return .null
    case .array(let fleets) where fleets.count == 1: return fleets[0]
    default: return nil
    }
  }

  // MARK: Schedules

  private var change: Route {
    let storage = storage
    let operation = Operation(
      id: "changeReport",
      summary: "Changes or ends the schedule of a report (JSON merge patch, RFC 7396).",
      parameters: [.header("If-Match", "The ETag of the version that the change was made from.")],
      body: .init(types: ["application/merge-patch+json", "application/json"], schema: "ReportChange"),
      results: [.init(.ok, "It.", .json("Report"), headers: ["ETag"])],
      errors: [.conflict, .preconditionRequired, .preconditionFailed])
    return Route(.patch, "/api/reports/{reportId}", .may(.write, .reports), operation, isFiltered: true) { call in
      try call.requireType(["application/merge-patch+json", "application/json"])
      let json = try await call.json()
      try call.requireIfMatch()
      let seen = try ThingRoutes<Report>.seenVersion(call)
      let (caller, access, text) = (try call.caller, try call.reportAccess, call.parameters.first ?? "")
      let (stored, rows) = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        guard let id = UUIDv7(text.utf8.span), let old = try transaction.find(id, Report.self),
          access.maySee(old.value)
        else { throw .notFound(kind: Report.names.one, id: text) }
        guard access.mayMake(old.value) else { throw .forbidden(reason: "only its makers change its schedule") }
        // Reports are not in the audit. The version that the client changed cannot be restored, so changes cannot be
        // merged.
        guard seen == nil || seen == old.version else { throw .changedMeanwhile }
        let changed = try transaction.patch(old, seen: old.version, with: json) { report throws(ThingError) in
          guard report.schedule != old.value.schedule else { return }
          try Self.plan(&report, since: old.value, transaction, call, storage)
        }
        return (changed, try transaction.named(access.rows(of: changed.value), of: changed.value))
      }
      return Self.answer(stored, rows)
    }
  }

  /// Checks the schedule of a report, and sets the time at which the next report is due.
  private static func plan(
    _ report: inout Report, since old: Report?, _ transaction: any FleetTransaction, _ call: Call,
    _ storage: any FleetStorage
  ) throws(ThingError) {
    try ReferenceAccess(storage: storage).require(
      report.references(addedTo: old), VehicleUse(), transaction, call)
    guard let schedule = report.schedule, let times = CronTimes(schedule.cron) else {
      report.nextAt = nil
      return
    }
    if report.nextAt == nil {
      try transaction.requireRoom(for: ThingQuery<Report>(.isSet(key: "nextAt")), most: Self.mostSchedules)
    }
    report.nextAt = times.next(after: transaction.now, in: try transaction.zone(ofFleet: report.fleetID))
  }
}

extension Call {
  fileprivate var reportAccess: ReportAccess {
    get throws {
      let identity = try caller
      return ReportAccess(identity.requester, person: identity.signedIn?.person)
    }
  }
}
