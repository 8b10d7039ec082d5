import FleetDomain
import FleetWork
import Telemetry

extension FleetView {
  /// The maximum number of rows of a report.
  private static var mostRows: Int { 20_000 }
  /// The maximum number of things of one kind from which a report is made.
  private static var mostThings: Int { 100_000 }

  /// Computes the rows of a report.
  ///
  /// - Throws: `invalid` for unknown metrics; `rule` with `tooManyEntries`.
  public func rows(of report: Report, at now: Timestamp) throws(ThingError) -> [JSON] {
    let known = ReportTable.metrics(of: report.topic)
    if let index = report.metrics?.firstIndex(where: { !known.contains($0) }) {
      throw .invalid(
        FieldErrors([FieldError("metrics.\(index)", "expected one of \(known.sorted().joined(separator: ", "))")]))
    }
    var table = ReportTable(report.topic, by: report.groupBy)
    let dates = report.from...report.to
    switch report.topic {
    case .maintenance: try addMaintenance(report, within: dates, at: now, to: &table)
    case .compliance: try addCompliance(report, within: dates, at: now, to: &table)
    case .costs:
      try addDays(report, at: now, to: &table)
      try addCosts(report, within: dates, at: now, to: &table)
      try addKnownDistances(report, within: dates, at: now, to: &table)
      try addOdometerDistances(try fleets(of: report), within: dates, at: now, to: &table)
    case .utilization:
      try addDays(report, at: now, to: &table)
      try addWorkingTime(report, within: dates, at: now, to: &table)
    case .trips, .fuel, .drivers: try addDays(report, at: now, to: &table)
    }
    guard table.count <= Self.mostRows else { throw tooMany("rows", Self.mostRows) }
    guard let metrics = report.metrics else { return table.rows }
    return table.rows.map { row in
      guard case .object(let members) = row else { return row }
      return .object(members.filter { $0.key == "group" || metrics.contains($0.key) })
    }
  }

  /// Counts the days of a report whose figures do not include all records yet, and the journeys that are not final.
  /// Returns `nil` if there are none, or if the report uses neither.
  public func pending(of report: Report) throws(ThingError) -> Report.Pending? {
    switch report.topic {
    case .maintenance: return nil
    case .costs, .utilization, .trips, .fuel, .drivers, .compliance: break
    }
    let journeys = try pendingJourneys(of: report)
    if report.topic == .compliance { return Report.Pending(vehicles: 0, days: 0, journeys: journeys) }
    let days = try pendingDays(fleet: report.fleetID, on: report.from...report.to)
    return Report.Pending(
      vehicles: Int64(days.count), days: Int64(days.values.reduce(0) { $0 + $1.count }), journeys: journeys)
  }

  /// Returns, for each vehicle, the days whose figures do not include all records yet. The keys are the vehicles' ids.
  ///
  /// - Parameter fleet: the fleet whose vehicles are returned; `nil` for all.
  func pendingDays(
    fleet: UUIDv7?, on dates: ClosedRange<CalendarDate>
  ) throws(ThingError) -> [String: Set<CalendarDate>] {
    // One more day at each end, because days begin at different times in different zones.
    let hours = Int64(dates.lowerBound.dayNumber - 1) * 24...Int64(dates.upperBound.dayNumber + 2) * 24
    var days: [String: Set<CalendarDate>] = [:]
    for stale in try staleHours(fleet: fleet, in: hours) {
      let zone = zone(stale.zone)
      for date in [stale.hours.lowerBound, stale.hours.upperBound].flatMap({ StaleDays.days(of: $0, in: zone) })
      where dates.contains(date) {
        days[stale.vehicle, default: []].insert(date)
      }
    }
    return days
  }

  private func tooMany(_ what: String, _ limit: Int) -> ThingError {
    .rule(code: "tooManyEntries", message: "more than \(limit) \(what); ask for fewer days or one fleet")
  }

  private func addDays(_ report: Report, at now: Timestamp, to table: inout ReportTable) throws(ThingError) {
    let grouping: DaySums.Grouping =
      switch report.groupBy {
      case .vehicle: .vehicle
      case .driver: .driver
      case .fleet: .fleet
      case .day: .day
      case .week: .week
      case .month: .month
      }
    for sums in try daySums(
      by: grouping, fleet: report.fleetID, from: report.from, through: report.to, at: now)
    {
      table.add(sums)
    }
  }

  /// Adds the working time of the vehicles that have records in the report's period, without the days on which they
  /// were on private journeys: the sums of days do not contain the engine-on time of these days.
  private func addWorkingTime(
    _ report: Report, within dates: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    guard report.groupBy != .driver else { return }
    func vehicleSums(_ dates: ClosedRange<CalendarDate>) throws(ThingError) -> [DaySums] {
      try daySums(by: .vehicle, fleet: report.fleetID, from: dates.lowerBound, through: dates.upperBound, at: now)
    }
    let counted = Set(try vehicleSums(dates).compactMap(\.vehicle))
    let hidden = try privateTimes(on: dates)
    let fleets = Dictionary(grouping: try fleets(of: report).filter { counted.contains($0.key) }, by: \.value)
    for period in table.periods(in: dates) {
      let unknown = Set(try vehicleSums(period).filter { !$0.hasTimes }.compactMap(\.vehicle))
      for (fleet, vehicles) in fleets {
        let hours = if let fleet { try find(fleet, Fleet.self)?.value.workingHours ?? [] } else { [WorkingHours]() }
        let zone = try zone(ofFleet: fleet)
        var (date, sum) = (period.lowerBound, Int64(0))
        var ofDay: [CalendarDate: Int64] = [:]
        while date <= period.upperBound {
          let seconds = WorkingHours.seconds(hours, on: date, in: zone)
          (sum, ofDay[date]) = (sum + seconds, seconds)
          date = date.next
        }
        var (all, known) = (Int64(0), Int64(0))
        for (vehicle, _) in vehicles {
          let seconds = hidden.days(of: vehicle, within: period, in: zone).reduce(sum) { $0 - (ofDay[$1] ?? 0) }
          let knownSeconds = unknown.contains(vehicle) ? 0 : seconds
          (all, known) = (all + seconds, known + knownSeconds)
          guard report.groupBy == .vehicle else { continue }
          table.addWorkingTime(
            seconds, known: knownSeconds, on: period.lowerBound, of: .init(vehicle: vehicle, fleet: fleet, driver: nil))
        }
        guard report.groupBy != .vehicle else { continue }
        table.addWorkingTime(
          all, known: known, on: period.lowerBound, of: .init(vehicle: nil, fleet: fleet, driver: nil))
      }
    }
  }

  /// Returns the vehicles that a report is about, with the fleet of each.
  private func fleets(of report: Report) throws(ThingError) -> [String: UUIDv7?] {
    var query = ThingQuery<Vehicle>()
    if let fleet = report.fleetID { query.conditions.append(.oneOf(key: "fleetId", [fleet.json])) }
    var fleets: [String: UUIDv7?] = [:]
    for row in try values(["id", "fleetId"], query) {
      if let id = row[0].textValue { fleets[id] = .some(try? UUIDv7(json: row[1])) }
    }
    return fleets
  }

  private func fleetsOfDrivers() throws(ThingError) -> [UUIDv7: UUIDv7] {
    var fleets: [UUIDv7: UUIDv7] = [:]
    try forEach(ThingQuery<Driver>(.isSet(key: "fleetId"))) { fleets[$0.id] = $0.value.fleetID }
    return fleets
  }

  private func forEach<Value: Kind>(
    _ query: ThingQuery<Value>, _ body: (Stored<Value>) throws(ThingError) -> Void
  ) throws(ThingError) {
    var query = query
    query.limit = 1_000
    var count = 0
    repeat {
      let page = try list(query)
      for item in page.items { try body(item) }
      count += page.items.count
      query.cursor = page.next
      guard count <= Self.mostThings else { throw tooMany(Value.names.many, Self.mostThings) }
    } while query.cursor != nil
  }

  /// Returns conditions that select times within a range of days. The selected range is a day longer at each end, so
  /// that it is sufficient for every time zone.
  private func times<Value: Kind>(_ key: String, _ dates: ClosedRange<CalendarDate>) -> [ThingQuery<Value>.Condition] {
    func time(_ date: CalendarDate) -> JSON {
      Timestamp(limiting: Int64(date.dayNumber) * 86_400_000).json
    }
    return [
      .atLeast(key: key, time(dates.lowerBound.adding(days: -1))),
      .below(key: key, time(dates.upperBound.adding(days: 2))),
    ]
  }

  // MARK: Costs

  private func addCosts(
    _ report: Report, within dates: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    let fleets = try fleets(of: report)
    let fleetOfDriver = try fleetsOfDrivers()
    func add<Value: WorkThing>(
      _ kind: Value.Type, _ table: inout ReportTable,
      _ cost: (Value) -> (at: Timestamp, category: String, amount: Money?)
    ) throws(ThingError) {
      var query = ThingQuery<Value>(order: [.init("at")])
      query.conditions = times("at", dates) + [.oneOf(key: "void", [.bool(false)])]
      if let fleet = report.fleetID {
        query.conditions.append(
          .anyOf([
            [.vehicleInFleets(key: Value.vehicleKey, [fleet])],
            [.oneOf(key: Value.vehicleKey, [.null]), .isSet(key: Value.driverKey)],
          ]))
      }
      try forEach(query) { item throws(ThingError) in
        let (at, category, amount) = cost(item.value)
        // A cost without a vehicle belongs to the fleet of its driver.
        let fleet =
          item.value.vehicleID.map { fleets[$0] ?? nil } ?? item.value.driverID.flatMap { fleetOfDriver[$0] }
        guard report.fleetID == nil || fleet == report.fleetID else { return }
        let date = try zone(ofFleet: fleet).day(of: at)
        guard dates.contains(date) else { return }
        table.add(
          amount, category: category, on: date,
          of: .init(vehicle: item.value.vehicleID, fleet: fleet, driver: item.value.driverID))
      }
    }
    try add(Expense.self, &table) { ($0.at, $0.category.rawValue, $0.amount) }
    try add(FuelEntry.self, &table) { ($0.at, VehicleCosts.fuel, $0.cost) }
    var completed = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "status", [MaintenanceRecord.Status.completed.json]),
      .atLeast(key: "completedDate", report.from.json), .atMost(key: "completedDate", report.to.json))
    if let fleet = report.fleetID { completed.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
    try forEach(completed) { item throws(ThingError) in
      guard let date = item.value.completedDate else { return }
      table.add(
        item.value, on: date,
        of: .init(vehicle: item.value.vehicle, fleet: fleets[item.value.vehicle] ?? nil, driver: nil))
    }
    let periods = table.periods(in: dates)
    var owned = ThingQuery<Vehicle>(.isSet(key: "acquiredOn"), .isSet(key: "residualValue"))
    if let fleet = report.fleetID { owned.conditions.append(.oneOf(key: "fleetId", [fleet.json])) }
    try forEach(owned) { vehicle throws(ThingError) in
      let today = try zone(of: vehicle.value).day(of: now)
      table.addLossOfValue(
        of: vehicle.value, in: periods,
        subject: .init(vehicle: vehicle.value.id, fleet: vehicle.value.fleetID, driver: nil),
        today: today)
    }
  }

  /// Marks the distances that telemetry shows as known, so that costs are divided only by a distance that includes all
  /// vehicles with costs.
  private func addKnownDistances(
    _ report: Report, within dates: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    guard report.groupBy != .vehicle else { return }
    for period in table.periods(in: dates) where table.lacksDistance(in: period) {
      let sums = try daySums(
        by: .vehicle, fleet: report.fleetID, from: period.lowerBound, through: period.upperBound, at: now)
      table.addKnownDistances(of: Set(sums.filter { $0.distance != nil }.compactMap(\.vehicle)), in: period)
    }
  }

  // MARK: Maintenance

  private func addMaintenance(
    _ report: Report, within dates: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    let fleets = try fleets(of: report)
    var query = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "status", (MaintenanceRecord.Status.open + [.completed]).map(\.json)),
      .anyOf([[.oneOf(key: "completedDate", [.null])], [.atLeast(key: "completedDate", report.from.json)]]))
    if let fleet = report.fleetID { query.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
    try forEach(query) { item throws(ThingError) in
      let record = item.value
      let fleet = fleets[record.vehicle] ?? nil
      let zone = try zone(ofFleet: fleet)
      let subject = ReportTable.Subject(vehicle: record.vehicle, fleet: fleet, driver: nil)
      if let started = record.startedAt {
        // Records that an earlier version completed have only the day of their end, not the time.
        let end = record.completedAt?.milliseconds ?? record.completedDate.map { zone.start(of: $0.next) }
        table.addOutOfService(
          from: started.milliseconds, to: min(end ?? now.milliseconds, now.milliseconds), in: zone, within: dates,
          of: subject)
      }
      if let completed = record.completedDate {
        guard dates.contains(completed) else { return }
        table.count(.done, on: completed, of: subject)
        table.add(record, on: completed, of: subject)
      } else {
        let planned = record.scheduledDate ?? zone.day(of: item.createdAt)
        guard planned <= dates.upperBound else { return }
        let date = max(planned, dates.lowerBound)
        table.count(.open, on: date, of: subject)
        if planned < zone.day(of: now) { table.count(.overdue, on: date, of: subject) }
      }
    }
  }

  // MARK: Compliance

  /// Counts licences, documents, inspections and services. If something expired before the report's first day, counts
  /// it on the first day.
  private func addCompliance(
    _ report: Report, within dates: ClosedRange<CalendarDate>, at now: Timestamp, to table: inout ReportTable
  ) throws(ThingError) {
    let fleets = try fleets(of: report)
    func count(
      _ expired: ReportTable.Count, _ expiring: ReportTable.Count, _ last: CalendarDate,
      _ subject: ReportTable.Subject, _ table: inout ReportTable
    ) throws(ThingError) {
      let isOver = last < (try zone(ofFleet: subject.fleet).day(of: now))
      // A document that expires on the report's last day is still valid on that day.
      table.count(isOver ? expired : expiring, on: max(last, dates.lowerBound), of: subject)
    }
    var drivers = ThingQuery<Driver>(.below(key: "licenceExpiry", dates.upperBound.adding(days: 1).json))
    if let fleet = report.fleetID { drivers.conditions.append(.oneOf(key: "fleetId", [fleet.json])) }
    try forEach(drivers) { driver throws(ThingError) in
      guard let last = driver.value.licenceExpiry else { return }
      try count(
        .licencesExpired, .licencesExpiring, last,
        .init(vehicle: nil, fleet: driver.value.fleetID, driver: driver.id), &table)
    }
    let fleetOfDriver = try fleetsOfDrivers()
    let documents = ThingQuery<Document>(.below(key: "expiresOn", dates.upperBound.adding(days: 1).json))
    try forEach(documents) { document throws(ThingError) in
      guard let last = document.value.expiresOn else { return }
      let (vehicle, driver) = (document.value.vehicleID, document.value.driverID)
      let fleet = vehicle.map { fleets[$0] ?? nil } ?? driver.flatMap { fleetOfDriver[$0] }
      guard report.fleetID == nil || fleet == report.fleetID else { return }
      // The documents of a vehicle that was removed are part of its history.
      if let vehicle, fleets[vehicle] == nil { return }
      try count(
        .documentsExpired, .documentsExpiring, last, .init(vehicle: vehicle, fleet: fleet, driver: driver), &table)
    }
    var reports = MissingInspections()
    var inspections = ThingQuery<Inspection>()
    inspections.conditions = times("at", dates)
    if let fleet = report.fleetID { inspections.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
    try forEach(inspections) { inspection throws(ThingError) in
      guard inspection.value.status != .draft, inspection.value.supersededBy == nil else { return }
      reports.add(inspection.value)
      let fleet = inspection.value.vehicleID.flatMap { fleets[$0] ?? nil }
      let date = try zone(ofFleet: fleet).day(of: inspection.value.at)
      guard dates.contains(date) else { return }
      let subject = ReportTable.Subject(
        vehicle: inspection.value.vehicleID, fleet: fleet, driver: inspection.value.driverID)
      table.count(.inspections, on: date, of: subject)
      if inspection.value.items.contains(where: { $0.result == .defect }) {
        table.count(.inspectionsWithDefects, on: date, of: subject)
      }
    }
    if try settings().value.requiresInspections {
      var journeys = ThingQuery<Journey>(
        .oneOf(key: "status", [Journey.Status.inProgress, .paused, .completed].map(\.json)))
      journeys.conditions += times("startTime", dates)
      if let fleet = report.fleetID { journeys.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
      try forEach(journeys) { journey throws(ThingError) in
        guard let start = journey.value.startTime else { return }
        let zone = try zone(ofFleet: fleets[journey.value.vehicle] ?? nil)
        guard dates.contains(zone.day(of: start)) else { return }
        reports.add(journey.value, in: zone)
      }
      for requirement in reports.requirements {
        let journey = requirement.journey
        guard let start = journey.startTime else { continue }
        let fleet = fleets[journey.vehicle] ?? nil
        let date = try zone(ofFleet: fleet).day(of: start)
        let subject = ReportTable.Subject(vehicle: journey.vehicle, fleet: fleet, driver: journey.driverID)
        table.count(.inspectionsRequired, on: date, of: subject)
        if requirement.isMissing { table.count(.inspectionsMissing, on: date, of: subject) }
      }
    }
    for (state, kind) in [
      (ServiceSchedule.State.overdue, ReportTable.Count.servicesOverdue), (.dueSoon, .servicesDueSoon),
    ] {
      var dues = ThingQuery<ServiceDue>(.oneOf(key: "state", [state.json]))
      if let fleet = report.fleetID { dues.conditions.append(.vehicleInFleets(key: "vehicleId", [fleet])) }
      try forEach(dues) { due throws(ThingError) in
        let fleet = fleets[due.value.vehicle] ?? nil
        let today = try zone(ofFleet: fleet).day(of: now)
        let date = due.value.dueDate ?? today
        guard date <= dates.upperBound else { return }
        table.count(
          kind, on: max(date, dates.lowerBound), of: .init(vehicle: due.value.vehicle, fleet: fleet, driver: nil))
      }
    }
  }
}
