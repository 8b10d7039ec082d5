import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/reports`: makes reports on request or on a schedule, and stores them.
struct ReportRoutes {
  let storage: any FleetStorage

  /// The maximum number of days of a report.
  private static let mostDays = 400
  /// The maximum number of reports of a tenant that have a schedule.
  private static let mostSchedules = 200

  var routes: [Route] { [list, get, create, change] }

  // MARK: Reading

  private var list: Route {
    let storage = storage
    let operation = Operation(
      id: "listReports", summary: "The reports that were made, the newest first, without their rows.",
      parameters: [
        .query("kind", "Only reports of this kind.", Report.Topic.schema),
        .query(
          "schedule", "Only reports that the schedule of this report made.", #"{"type":"string","format":"uuid"}"#),
        .cursor,
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
      if let text = call.query["schedule"] {
        guard let id = UUIDv7(text.utf8.span) else {
          throw APIError.badRequest("query: schedule: expected the id of a report, found \(quoted(text))")
        }
        query.conditions.append(.oneOf(key: "scheduleId", [id.json]))
      }
      if try !call.reportAccess.maySeeAnyCosts {
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
      let report = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        guard let id = UUIDv7(text.utf8.span), let report = try view.find(id, Report.self),
          access.maySee(report.value)
        else { throw .notFound(kind: Report.names.one, id: text) }
        return report
      }
      guard let format else { return Self.answer(report, access) }
      let file = try ReportFile(report.value, rows: access.rows(of: report.value), as: format)
      var answer = Answer(type: file.mediaType, bytes: file.bytes)
      answer.headers[.contentDisposition] = "attachment; filename=\"\(file.name)\""
      return answer
    }
  }

  private static func answer(
    _ report: Stored<Report>, _ access: ReportAccess, status: HTTPResponse.Status = .ok
  ) -> Answer {
    var members = report.members
    members["rows"] = .array(access.rows(of: report.value))
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
      let wanted: Report
      do throws(FieldErrors) {
        wanted = try Report(client: json)
      } catch {
        throw ThingError.invalid(error)
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
      report.rows = ReportRows(rows)
      report.pending = pending
      let made = report
      let stored = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now
      ) { transaction throws(ThingError) in
        var planned = made
        try Self.plan(&planned, transaction)
        return try transaction.insert(planned)
      }
      var answer = Self.answer(stored, access, status: .created)
      answer.headers[.location] = "/api/reports/\(stored.id.string)"
      return answer
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
      let stored = try await storage.change(
        tenant: caller.tenant, by: caller.actor(from: call.client.address), at: WallClock.now
      ) { transaction throws(ThingError) in
        guard let id = UUIDv7(text.utf8.span), let old = try transaction.find(id, Report.self),
          access.maySee(old.value)
        else { throw .notFound(kind: Report.names.one, id: text) }
        guard access.mayMake(old.value) else { throw .forbidden(reason: "only its makers change its schedule") }
        // Reports are not audited, so an earlier version cannot be reconstructed to merge changes.
        guard seen == nil || seen == old.version else { throw .changedMeanwhile }
        return try transaction.patch(old, seen: old.version, with: json) { report throws(ThingError) in
          guard report.schedule != old.value.schedule else { return }
          try Self.plan(&report, transaction)
        }
      }
      return Self.answer(stored, access)
    }
  }

  /// Checks the schedule of a report, and sets the time at which the report is made next.
  private static func plan(_ report: inout Report, _ transaction: any FleetTransaction) throws(ThingError) {
    guard let schedule = report.schedule, let times = CronTimes(schedule.cron) else {
      report.nextAt = nil
      return
    }
    for id in schedule.recipients where try transaction.find(id, Person.self) == nil {
      throw .invalid(FieldErrors([FieldError("schedule.recipients", "no person \(id.string)")]))
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
