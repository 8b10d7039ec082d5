import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import Logging
import Telemetry

/// Makes scheduled reports when they are due, and queues mails that contain the reports.
///
/// The transaction that stores a report also stores the time at which the next report is due. Several servers may share
/// one database: after one server has made a report, the others find that it is no longer due. If no server ran when
/// several reports of a schedule were due, only the newest of them is made. This report contains the number of reports
/// that were left out (``Report/missed``).
struct ReportScheduler {
  /// The time between two searches for reports that are due.
  private static let period = Duration.seconds(10)
  let storage: any FleetStorage
  /// The keys that encrypt the values in queued mails; `nil` if the server sends no mails.
  let keys: SecretKeys?
  let heavyWork: HeavyWork
  let logger: Logger

  /// Makes due reports at intervals, until the task is cancelled.
  func run() async {
    await RepeatedWork.run(every: Self.period) {
      try await makeAll(at: WallClock.now)
    } onFailure: {
      logger.warning("cannot make reports: \($0); trying again")
    }
  }

  /// Makes all reports that are due. One round makes one report of each tenant, so that a tenant with many schedules
  /// does not delay other tenants.
  func makeAll(at now: Timestamp) async throws {
    var tenants = try await storage.tenants(having: [ThingQuery<Report>.Condition.atMost(key: "nextAt", now.json)])
    while !tenants.isEmpty, !Task.isCancelled {
      var served: [TenantID] = []
      await TenantRound.run(for: tenants) { tenant in
        if try await makeNext(of: tenant, at: now) { served.append(tenant) }
      } onFailure: { tenant, error in
        logger.warning("tenant \(tenant): cannot make a scheduled report: \(error); trying again")
      }
      tenants = served
    }
  }

  /// Makes one report of a tenant: the report that has been due for the longest time.
  ///
  /// - Returns: whether a report was due.
  private func makeNext(of tenant: TenantID, at now: Timestamp) async throws -> Bool {
    // Read more than one schedule, because some rows may be unreadable.
    var due = ThingQuery<Report>(.atMost(key: "nextAt", now.json), order: [.init("nextAt")], limit: 20)
    due.leavesOutUnreadable = true
    let wanted = due
    let found = try await storage.view(tenant: tenant) {
      view throws(ThingError) -> (Stored<Report>, Report, ThingError?)? in
      guard let plan = try view.list(wanted).items.first, let schedule = plan.value.schedule,
        let first = plan.value.nextAt
      else {
        return nil
      }
      let zone = try view.zone(ofFleet: plan.value.fleetID)
      let due = schedule.newestDue(since: first, at: now, in: zone)
      let dates = schedule.range(on: zone.day(of: due.at))
      var report = plan.value
      (report.from, report.to) = (dates.lowerBound, dates.upperBound)
      report.missed = due.missed > 0 ? due.missed : nil
      (report.schedule, report.nextAt, report.scheduleID) = (nil, nil, plan.id)
      do throws(ThingError) {
        report.generatedAt = now
        report.rows = ReportRows(try view.rows(of: report, at: now))
        report.pending = try view.pending(of: report)
        return (plan, report, nil)
      } catch {
        // The same attempt would fail again. Skip this report, so that it does not delay the tenant's other schedules.
        guard error.isPermanent else { throw error }
        return (plan, report, error)
      }
    }
    guard let (plan, report, failure) = found else { return false }
    if let failure { logger.warning("tenant \(tenant): a scheduled report is left out: \(failure)") }
    // The files are made before the transaction, because other tenants may have to wait until it ends.
    let files = failure == nil && keys != nil ? try await files(of: report, plan.value.schedule, tenant) : [:]
    try await storage.change(tenant: tenant, by: Actor(.server), at: now) { transaction throws(ThingError) in
      // If the version has changed, another server has made the report, or a person has changed the schedule.
      guard let present = try transaction.find(plan.id, Report.self), present.version == plan.version,
        let schedule = present.value.schedule, let times = CronTimes(schedule.cron), let first = present.value.nextAt
      else { return }
      let zone = try transaction.zone(ofFleet: present.value.fleetID)
      var planned = present.value
      let due = schedule.newestDue(since: first, at: now, in: zone).at
      planned.nextAt = times.next(after: zone.day(of: due), in: zone)
      try transaction.update(present, to: planned, action: "schedule")
      if let failure {
        return try transaction.record(
          "reportFailed", kind: Report.names.one, thing: plan.id, details: ["reason": .text("\(failure)")])
      }
      try transaction.insert(report)
      guard let keys else { return }
      for id in schedule.recipients { try send(report, files, to: id, keys, transaction) }
    }
    return true
  }

  /// The usual length of a row of a report in bytes.
  private static let rowBytes = 512

  /// Makes the files of a report for the recipients of a schedule. Recipients who may see the same rows have the same
  /// file. A file that cannot be made is absent.
  private func files(
    of report: Report, _ schedule: Report.Schedule?, _ tenant: TenantID
  ) async throws -> [[JSON]: ReportFile] {
    guard let schedule else { return [:] }
    let contents = try await storage.view(tenant: tenant) { view throws(ThingError) in
      var contents: [[JSON]: [JSON]] = [:]
      for id in schedule.recipients {
        guard let person = try view.find(id, Person.self), person.value.isActive else { continue }
        let rows = ReportAccess(person).rows(of: report)
        contents[rows] = try view.named(rows, of: report)
      }
      return contents
    }
    var files: [[JSON]: ReportFile] = [:]
    for (rows, named) in contents {
      do {
        files[rows] = try await heavyWork.run(
          rows.count * Self.rowBytes, for: Holder(group: .tenant(tenant), key: nil)
        ) { try ReportFile(report, rows: named, as: schedule.format) }
      } catch {
        if Task.isCancelled { throw error }
        logger.warning("cannot make the file of a report: \(error)")
      }
    }
    return files
  }

  /// Queues a mail with the report to a person, if the person may see the report at this time.
  private func send(
    _ report: Report, _ files: [[JSON]: ReportFile], to id: UUIDv7, _ keys: SecretKeys,
    _ transaction: any FleetTransaction
  ) throws(ThingError) {
    guard let person = try transaction.find(id, Person.self), person.value.isActive else { return }
    let access = ReportAccess(person)
    // Ignore that the person requested the report: a person who made the schedule may have lost the permission since
    // then.
    var shown = report
    shown.requestedBy = nil
    guard access.maySee(shown) else { return }
    var details = MailDetails(of: person.value)
    details.item = "\(report.topic.rawValue) \(report.from.text) – \(report.to.text)"
    if let missed = report.missed {
      details.items.append(
        "Earlier reports of this schedule that were not made, because the server did not run: \(missed).")
    }
    if let file = files[access.rows(of: report)] {
      if file.bytes.count <= MailAttachment.most {
        details.attachment = MailAttachment(name: file.name, mediaType: file.mediaType, bytes: file.bytes)
      } else {
        details.items.append("The file is too large for a mail. The report is in the web app.")
      }
    } else {
      details.items.append("The file could not be made. The report is in the web app.")
    }
    try transaction.enqueueMail(.report, to: person, details, keys)
  }
}
