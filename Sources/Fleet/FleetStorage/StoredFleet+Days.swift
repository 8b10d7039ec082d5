import FleetDomain
import Telemetry

/// Functions for the figures of vehicles' days (rows of `vehicle_day`), and for the hours with records that these
/// figures do not include yet (rows of `stale_hour`).
extension StoredFleet {
  public func staleVehicles(
    markedBefore time: Timestamp, limit: Int
  ) async throws(StorageError) -> [VehicleName] {
    try await engine.read { session throws(StoreFailure) in
      var rows = try session.rows(
        """
        SELECT t.id, v.id FROM (
          SELECT h.vehicle, min(h.since) AS since FROM stale_hour AS h JOIN vehicle AS k ON k.key = h.vehicle
          WHERE h.since < $1 AND k.is_gateway = 0 GROUP BY h.vehicle ORDER BY min(h.since), h.vehicle LIMIT $2) AS s
        JOIN vehicle AS v ON v.key = s.vehicle JOIN tenant AS t ON t.key = v.tenant ORDER BY s.since, s.vehicle
        """, [.integer(time.milliseconds), .integer(Int64(limit))]
      )
      if rows.count < limit {
        // Vehicles whose time zone has changed.
        rows += try session.rows(
          """
          SELECT t.id, v.id FROM vehicle AS v JOIN tenant AS t ON t.key = v.tenant
            LEFT JOIN fleet AS f ON f.tenant = v.tenant AND f.id = v.fleet_id
            LEFT JOIN tenant_settings AS s ON s.tenant = v.tenant
          WHERE coalesce(v.day_zone, 'UTC') <> coalesce(f.time_zone, s.time_zone, 'UTC')
            AND v.last_record_at IS NOT NULL AND v.is_gateway = 0
          ORDER BY v.key LIMIT $1
          """, [.integer(Int64(limit - rows.count))])
      }
      return rows.compactMap { row in TenantID(row.text(0)).map { VehicleName(tenant: $0, vehicle: row.text(1)) } }
    }
  }

  public func zone(_ name: String?) -> ZoneRules { ZoneFiles.machine.rules(name) }

  public func staleDays(of vehicle: String, tenant: TenantID) async throws(StorageError) -> StaleDays? {
    try await engine.read { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      guard let key = try session.vehicle(vehicle, tenant: tenant)?.key,
        let row = try session.rows(
          """
          SELECT v.id, v.changes, v.day_zone,
            coalesce((SELECT f.time_zone FROM fleet AS f WHERE f.tenant = v.tenant AND f.id = v.fleet_id),
              (SELECT s.time_zone FROM tenant_settings AS s WHERE s.tenant = v.tenant))
          FROM vehicle AS v WHERE v.key = $1
          """, [SQLValue(key)]
        ).first
      else { return nil }
      var stale = StaleDays(
        vehicle: row.text(0), change: row.integer(1),
        hours: try session.rows("SELECT hour FROM stale_hour WHERE vehicle = $1 ORDER BY hour", [SQLValue(key)])
          .map { $0.integer(0) })
      stale.computedZone = row.optionalText(2)
      stale.zone = row.optionalText(3)
      stale.sealedBefore = try session.daysSealedBefore().map(StoredTime.timestamp)
      return stale
    }
  }

  public func storeDays(_ computed: ComputedDays, tenant: TenantID) async throws(StorageError) -> Bool {
    try await engine.write { session throws(StoreFailure) in
      let tenant = try session.existing(tenant)
      guard let key = try session.lockedVehicle(computed.stale, tenant) else { return false }
      for (date, figures) in computed.days {
        let day = [SQLValue(key), .integer(Int64(date.dayNumber))]
        try session.run("DELETE FROM vehicle_day WHERE vehicle = $1 AND day = $2", day)
        guard let figures else { continue }
        try session.run(
          """
          INSERT INTO vehicle_day (vehicle, day, distance, engine_on, moving, idle, unknown, fuel_used, trips,
            driving_events, first_time, last_time, driver_events)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
          """,
          day + [
            figures.distance.map { .real($0) } ?? .null, .integer(figures.engineOn), .integer(figures.moving),
            .integer(figures.idle), .integer(figures.unknown), figures.fuelUsed.map { .real($0) } ?? .null,
            .integer(Int64(figures.trips)), .integer(Int64(figures.drivingEvents)),
            .integer(figures.firstTime.milliseconds), .integer(figures.lastTime.milliseconds),
            figures.driverEvents.map { .integer(Int64($0)) } ?? .null,
          ])
      }
      try session.run(
        "DELETE FROM stale_hour WHERE vehicle = $1 AND hour >= $2 AND hour <= $3",
        [SQLValue(key), .integer(computed.hours.lowerBound), .integer(computed.hours.upperBound)])
      return true
    }
  }

  public func resetDays(_ stale: StaleDays, tenant: TenantID, at now: Timestamp) async throws(StorageError) {
    let first = stale.firstOpenDay(in: zone(stale.zone)).map { Int64($0.dayNumber) } ?? .min
    // Use several transactions, because other tenants wait for each of them.
    var hasMore = true
    while hasMore {
      hasMore = try await engine.write { session throws(StoreFailure) in
        let tenant = try session.existing(tenant)
        guard let key = try session.lockedVehicle(stale, tenant) else { return false }
        guard try session.resetSomeDays(of: key, from: first, at: now) else { return true }
        try session.run("UPDATE vehicle SET day_zone = $2 WHERE key = $1", [SQLValue(key), SQLValue(stale.zone)])
        return false
      }
    }
  }
}

extension StoreSession {
  /// Maximum number of days whose figures one transaction deletes.
  private static var daysOfReset: Int { 100 }

  /// Deletes the figures of some days of a vehicle, the earliest first, and marks hours of these days as stale.
  ///
  /// - Parameter first: the number of the first day whose figures can be computed again. Earlier days keep their
  ///   figures, because retention has removed records.
  /// - Returns: `true` if no more such days remain.
  fileprivate func resetSomeDays(
    of vehicle: Int32, from first: Int64, at now: Timestamp
  ) throws(StoreFailure) -> Bool {
    let days = try rows(
      """
      SELECT first_time, last_time, day FROM vehicle_day WHERE vehicle = $1 AND day >= $2
      ORDER BY day LIMIT \(Self.daysOfReset)
      """, [SQLValue(vehicle), .integer(first)])
    guard let last = days.last else { return true }
    var hours: Set<Int64> = []
    for day in days {
      // In any other time zone, each day that overlaps this day contains one of the marked hours.
      let (first, last) = (StaleHour.number(day.integer(0)), StaleHour.number(day.integer(1)))
      hours.formUnion(stride(from: first, through: last, by: 6))
      hours.insert(last)
    }
    try run(
      "DELETE FROM vehicle_day WHERE vehicle = $1 AND day >= $2 AND day <= $3",
      [SQLValue(vehicle), .integer(first), .integer(last.integer(2))])
    try markStale(hours.sorted().map { StaleHour(vehicle: vehicle, hour: $0) }, at: now.milliseconds)
    return days.count < Self.daysOfReset
  }
}

extension StoreEngine {
  /// Deletes the figures of a removed vehicle in small transactions.
  func removeDays(of vehicle: Int32) async throws(StorageError) {
    for (table, column) in [("vehicle_day", "day"), ("stale_hour", "hour")] {
      var removed = 1
      while removed > 0, !Task.isCancelled {
        removed = try await write { session throws(StoreFailure) in
          try session.run(
            """
            DELETE FROM \(table) WHERE vehicle = $1 AND \(column) IN (
              SELECT \(column) FROM \(table) WHERE vehicle = $1 ORDER BY \(column) LIMIT 2000)
            """, [SQLValue(vehicle)])
        }
      }
    }
  }
}

/// An hour in which a vehicle has records that are not yet included in its daily figures.
struct StaleHour: Hashable {
  var vehicle: Int32
  /// Number of hours from the start of 1970 to this hour.
  var hour: Int64

  /// Returns the number of the hour that contains a time in ms since 1970.
  static func number(_ time: Int64) -> Int64 { time >= 0 ? time / 3_600_000 : (time - 3_599_999) / 3_600_000 }

  /// The classes of records from which figures are computed.
  static let classes = Set(
    [RecordClass.known(.telemetry), .known(.trip), .known(.driving)].map(\.number))

  /// Returns some of the hours from the start of a trip to its end. In any time zone, each day of the trip before its
  /// last day contains at least one of them.
  ///
  /// - Parameters:
  ///   - body: the record of the trip.
  ///   - end: the time of the record, ms since 1970.
  static func hours(ofTrip body: [UInt8], endingAt end: Int64) -> [Int64] {
    guard let start = (try? JSON(parsing: body))?["startTime"].flatMap({ try? Timestamp(json: $0) })?.milliseconds,
      start < end
    else { return [] }
    return stride(from: max(start, end - StaleDays.longestTrip), to: end, by: 43_200_000).map(number)
  }
}

extension Set<StaleHour> {
  /// Adds the hour to which a record belonged before its time changed. Does nothing if no figures are computed from
  /// records of its class.
  ///
  /// - Parameter time: the previous time of the record, ms since 1970.
  mutating func insertHour(of key: RowKey, at time: Int64) {
    guard time != StoredTime.undated, StaleHour.classes.contains(key.recordClass) else { return }
    insert(StaleHour(vehicle: key.vehicle, hour: StaleHour.number(time)))
  }
}

extension StoreSession {
  /// Marks as stale all hours in which a vehicle has records from which figures are computed. This function is used for
  /// records that an earlier version stored.
  func markAllHours(of vehicle: Int32, tenant: Int32, key: CursorKey, at now: Int64) throws(StoreFailure) {
    for recordClass in [RecordClass.known(.telemetry), .known(.trip), .known(.driving)] {
      guard let id = try vehicleNames([vehicle])[vehicle]?.id else { return }
      var query = RecordQuery(
        vehicle: id, classes: [recordClass], every: 3_600_000, order: .oldestFirst, limit: RecordQuery.maximumLimit)
      repeat {
        let page = try RecordPage(query, tenant: tenant, vehicle: vehicle, key: key)
        let (rows, next) = page.page(try allLists(page, tenant: tenant, vehicle: vehicle))
        try markStale(rows.map { StaleHour(vehicle: vehicle, hour: StaleHour.number($0.time)) }, at: now)
        query.cursor = next
      } while query.cursor != nil
    }
  }

  /// Locks a vehicle, and returns its key. Returns `nil` if records were stored or retention has run since `stale` was
  /// read, or if the vehicle was removed.
  fileprivate func lockedVehicle(_ stale: StaleDays, _ tenant: Int32) throws(StoreFailure) -> Int32? {
    guard let key = try vehicle(stale.vehicle, tenant: tenant)?.key else { return nil }
    try lock(vehicles: [key])
    let change = try rows("SELECT changes FROM vehicle WHERE key = $1", [SQLValue(key)]).first?.integer(0)
    let sealed = try daysSealedBefore()
    let isUnchanged = change == stale.change && sealed == stale.sealedBefore?.milliseconds
    return isUnchanged ? key : nil
  }

  /// Returns the time before which figures of days are final, because retention has removed records, ms since 1970;
  /// `nil` if retention has removed no records.
  fileprivate func daysSealedBefore() throws(StoreFailure) -> Int64? {
    try setting("daysSealed").flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  /// Makes the figures of days before a time final, because records of these days are about to be removed.
  func sealDays(before time: Int64) throws(StoreFailure) {
    guard try daysSealedBefore() ?? .min < time else { return }
    try run("DELETE FROM setting WHERE name = 'daysSealed'", [])
    try run("INSERT INTO setting (name, value) VALUES ('daysSealed', $1)", [.bytes(Array(String(time).utf8))])
  }
}

extension ThingSession {
  func days(
    of vehicles: [String]?, from: CalendarDate, through: CalendarDate
  ) throws(ThingError) -> [(vehicle: String, day: VehicleDay)] {
    try asking { () throws(StoreFailure) in
      if let vehicles, vehicles.isEmpty { return [] }
      var values = [SQLValue(tenant), .integer(Int64(from.dayNumber)), .integer(Int64(through.dayNumber))]
      var condition = ""
      if let vehicles {
        condition = " AND v.id IN (\(vehicles.indices.map { "$\($0 + 4)" }.joined(separator: ", ")))"
        values += vehicles.map { .text($0) }
      }
      return try session.rows(
        """
        SELECT v.id, d.day, d.distance, d.engine_on, d.moving, d.idle, d.unknown, d.fuel_used, d.trips,
          d.driving_events, d.first_time, d.last_time, d.driver_events
        FROM vehicle AS v JOIN vehicle_day AS d ON d.vehicle = v.key
        WHERE v.tenant = $1 AND v.is_gateway = 0 AND d.day >= $2 AND d.day <= $3\(condition) ORDER BY v.id, d.day
        """, values
      ).map { row in
        var day = VehicleDay(
          date: CalendarDate(dayNumber: Int(row.integer(1))), firstTime: StoredTime.timestamp(row.integer(10)),
          lastTime: StoredTime.timestamp(row.integer(11)))
        (day.distance, day.fuelUsed) = (row.optionalReal(2), row.optionalReal(7))
        (day.engineOn, day.moving) = (row.integer(3), row.integer(4))
        (day.idle, day.unknown) = (row.integer(5), row.integer(6))
        (day.trips, day.drivingEvents) = (Int(row.integer(8)), Int(row.integer(9)))
        day.driverEvents = row.optionalInteger(12).map { Int($0) }
        return (row.text(0), day)
      }
    }
  }

  func daySums(
    by grouping: DaySums.Grouping, fleet: UUIDv7?, from: CalendarDate, through: CalendarDate, at now: Timestamp
  ) throws(ThingError) -> [DaySums] {
    var values = [SQLValue(tenant), .integer(Int64(from.dayNumber)), .integer(Int64(through.dayNumber))]
    if let fleet { values.append(.identifier(fleet)) }
    let first = values
    let privateDays = try asking { () throws(StoreFailure) in
      try session.privateDays(from: from, through: through, at: now, after: first)
    }
    let days = """
      FROM vehicle AS v JOIN vehicle_day AS d ON d.vehicle = v.key
      WHERE v.tenant = $1 AND v.is_gateway = 0 AND d.day >= $2 AND d.day <= $3
        \(fleet == nil ? "" : "AND v.fleet_id = $4")
      """
    func isIn(_ days: String) -> String { "CASE WHEN (d.vehicle, d.day) IN (\(days)) THEN 1 ELSE 0 END" }
    let shownDays =
      privateDays.sql.map { sql in
        // PostgreSQL looks up the pairs in a hash table. It would compare each day with each of them in a join, because
        // it expects only few of them. The rows are materialized so that each day is looked up once.
        """
        WITH private_day AS (\(sql)), shown_day AS MATERIALIZED (
          SELECT d.*, v.id AS vehicle_id, v.fleet_id, \(isIn("SELECT vehicle, day FROM private_day")) AS is_private,
            \(isIn("SELECT vehicle, day FROM private_day WHERE is_open = 1")) AS is_open \(days))
        """
      } ?? "WITH shown_day AS (SELECT d.*, v.id AS vehicle_id, v.fleet_id, 0 AS is_private, 0 AS is_open \(days))"
    let assignments =
      grouping == .driver
      ? """
      LEFT JOIN assignment AS a ON a.tenant = $1 AND a.vehicle_id = d.vehicle_id AND d.is_private = 0
        AND a.status IN ('active', 'completed') AND a."void" = 0
        AND a."from" <= d.first_time AND (a."to" IS NULL OR a."to" > d.last_time)
      """ : ""
    let key =
      switch grouping {
      case .vehicle: "d.vehicle_id"
      case .fleet: "d.fleet_id"
      case .driver: "a.driver_id"
      case .day: "d.day"
      // 1970-01-01 was a Thursday.
      case .week: "(d.day + 3) / 7"
      case .month: Self.month(from: from, through: through)
      }
    func sum(_ value: String) -> String { "CAST(coalesce(sum(\(value)), 0) AS bigint)" }
    /// Returns SQL for a figure of a day without private time.
    func shown(_ figure: String) -> String { "CASE WHEN d.is_private = 0 THEN \(figure) END" }
    let isUsed = """
      d.is_private = 0 AND (d.engine_on > 0 OR d.moving > 0 OR d.trips > 0) OR d.distance > 0
      """
    return try asking { () throws(StoreFailure) in
      try session.rows(
        """
        \(shownDays)
        SELECT \(key), min(d.day), count(DISTINCT d.vehicle), \(sum("CASE WHEN \(isUsed) THEN 1 ELSE 0 END")),
          \(sum(shown("d.engine_on"))), \(sum(shown("d.moving"))), \(sum(shown("d.idle"))), \(sum(shown("d.unknown"))),
          sum(d.distance), sum(\(shown("d.fuel_used"))),
          sum(CASE WHEN d.is_private = 0 AND d.fuel_used IS NOT NULL THEN d.distance END), \(sum(shown("d.trips"))),
          \(sum(shown("d.driver_events"))),
          sum(CASE WHEN d.is_private = 0 AND d.driver_events IS NOT NULL THEN d.distance END),
          sum(CASE WHEN d.is_private = 1 THEN d.distance END)
        FROM shown_day AS d \(assignments) WHERE d.is_open = 0 GROUP BY \(key)
        """, privateDays.values
      ).map { row in
        var sums = DaySums(date: CalendarDate(dayNumber: Int(row.integer(1))))
        switch grouping {
        case .vehicle: sums.vehicle = row.text(0)
        case .fleet: sums.fleet = row.identifier(0)
        case .driver: sums.driver = row.identifier(0)
        case .day, .week, .month: break
        }
        (sums.vehicles, sums.usedDays) = (Int(row.integer(2)), Int(row.integer(3)))
        (sums.engineOn, sums.moving, sums.idle) = (row.integer(4), row.integer(5), row.integer(6))
        sums.unknown = row.integer(7)
        (sums.distance, sums.fuelUsed) = (row.optionalReal(8), row.optionalReal(9))
        sums.fuelDistance = row.optionalReal(10) ?? 0
        (sums.trips, sums.driverEvents) = (Int(row.integer(11)), Int(row.integer(12)))
        sums.driverDistance = row.optionalReal(13) ?? 0
        sums.privateDistance = row.optionalReal(14) ?? 0
        return sums
      }
    }
  }

  func staleHours(fleet: UUIDv7?, in hours: ClosedRange<Int64>) throws(ThingError) -> [StaleHours] {
    let zones = """
      LEFT JOIN fleet AS f ON f.tenant = v.tenant AND f.id = v.fleet_id
      LEFT JOIN tenant_settings AS s ON s.tenant = v.tenant
      WHERE v.tenant = $1 AND v.is_gateway = 0 \(fleet == nil ? "" : "AND v.fleet_id = $4")
      """
    func values(_ range: ClosedRange<Int64>) -> [SQLValue] {
      [SQLValue(tenant), .integer(range.lowerBound), .integer(range.upperBound)]
        + [fleet].compactMap { $0.map { .identifier($0) } }
    }
    return try asking { () throws(StoreFailure) in
      let marked = try session.rows(
        """
        SELECT v.id, min(coalesce(f.time_zone, s.time_zone)), min(h.hour), max(h.hour)
        FROM vehicle AS v JOIN stale_hour AS h ON h.vehicle = v.key \(zones) AND h.hour >= $2 AND h.hour <= $3
        GROUP BY v.id, h.hour / 24
        """, values(hours)
      ).map { row in StaleHours(vehicle: row.text(0), zone: row.optionalText(1), hours: row.integer(2)...row.integer(3))
      }
      // The days of vehicles whose time zone has changed begin at other times. The hours of these days are not marked
      // until the figures of the vehicles are reset, which happens in the background.
      let moved = try session.rows(
        """
        SELECT v.id, coalesce(f.time_zone, s.time_zone), d.first_time, d.last_time
        FROM vehicle AS v JOIN vehicle_day AS d ON d.vehicle = v.key \(zones) AND d.day >= $2 AND d.day <= $3
          AND coalesce(v.day_zone, 'UTC') <> coalesce(f.time_zone, s.time_zone, 'UTC')
        """, values(hours.lowerBound / 24 - 1...hours.upperBound / 24 + 1)
      ).map { row in
        let (first, last) = (StaleHour.number(row.integer(2)), StaleHour.number(row.integer(3)))
        return StaleHours(vehicle: row.text(0), zone: row.optionalText(1), hours: first...max(first, last))
      }
      return marked + moved
    }
  }

  /// Returns an SQL expression for the number of the month that contains a day; the month of `from` is 0.
  private static func month(from: CalendarDate, through: CalendarDate) -> String {
    var text = "CASE"
    var (first, number) = (from.adding(days: 1 - from.day), 0)
    while first <= through {
      let next = first.adding(months: 1)
      guard next > first else { break }
      text += " WHEN d.day < \(next.dayNumber) THEN \(number)"
      (first, number) = (next, number + 1)
    }
    return text + " ELSE \(number) END"
  }
}
