import FleetDomain
import FleetFigures
import Logging
import Synchronization
import Telemetry

/// Computes the figures of vehicles' days, such as distance and engine hours, whenever new records of these days have
/// arrived.
///
/// When records are stored, their hours are marked. Five minutes later, or when the figures are requested, the figures
/// of the days that contain these hours are computed from all records of the days. If more records of the vehicle
/// arrive during the computation, the result is discarded, and the days are computed again.
final class DayUpdater: Sendable {
  /// The figures of a day are computed when this time has passed since one of the day's hours was marked, in ns, or
  /// earlier if they are requested. Therefore the current day of a moving vehicle is computed about once in each period
  /// of this length.
  private static let delay: Int64 = 300_000_000_000
  /// The time between two searches for vehicles with marked hours.
  private static let pause = Duration.seconds(15)
  /// The maximum number of vehicles that one search returns.
  private static let vehicles = 100
  /// The number of days that are computed and stored in one step.
  private static let days = 8
  /// The number of records in one read from the storage.
  private static let pageRecords = 2_000

  private let storage: any FleetStorage
  private let logger: Logger
  /// The number of days that were computed since the start; for measurements.
  let computedDays = Atomic<Int>(0)

  init(storage: any FleetStorage, logger: Logger) {
    self.storage = storage
    self.logger = logger
  }

  /// Computes days until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do {
        try await updateAll(markedBefore: WallClock.now.adding(nanoseconds: -Self.delay))
      } catch {
        if !Task.isCancelled { logger.error("figures of days: \(error)") }
      }
      do {
        try await Task.sleep(for: Self.pause)
      } catch {
        return
      }
    }
  }

  /// For all vehicles, computes the days with hours that were marked before `time`.
  func updateAll(markedBefore time: Timestamp) async throws {
    for name in try await storage.staleVehicles(markedBefore: time, limit: Self.vehicles) where !Task.isCancelled {
      let start = ContinuousClock.now
      do {
        try await update(name.vehicle, tenant: name.tenant)
      } catch {
        // An error of one vehicle must not prevent the computation for the other vehicles.
        if !Task.isCancelled {
          logger.error("figures of days: tenant \(name.tenant), vehicle \(name.vehicle): \(error)")
        }
      }
      // Use at most half of the time of one processor, so that requests are not delayed.
      try await Task.sleep(for: ContinuousClock.now - start)
    }
  }

  /// Computes the marked days of one vehicle.
  ///
  /// - Parameters:
  ///   - dates: the days to compute; `nil` for all marked days. Adjacent days that depend on the same records are
  ///     computed, too.
  ///   - most: maximum number of days to compute.
  /// - Returns: the days within `dates` that are not computed yet, and the time zone of the days.
  @discardableResult
  func update(
    _ vehicle: String, tenant: TenantID, within dates: ClosedRange<CalendarDate>? = nil, most: Int = .max
  ) async throws -> (stale: [CalendarDate], zone: String) {
    var computed = 0
    // Limit the attempts: a moving vehicle may send records during each attempt, which makes its result invalid.
    var attempts = 3
    while true {
      guard let stale = try await storage.staleDays(of: vehicle, tenant: tenant) else { return ([], "UTC") }
      let zone = storage.zone(stale.zone)
      guard stale.computedZone ?? "UTC" == stale.zone ?? "UTC" else {
        try await storage.resetDays(stale, tenant: tenant, at: WallClock.now)
        attempts -= 1
        if attempts > 0 { continue }
        return ([], stale.zone ?? "UTC")
      }
      let hours = Self.hours(of: stale, within: dates, in: zone)
      var wanted = stale
      wanted.hours = hours
      guard let next = wanted.nextDays(in: zone, most: Self.days), computed < most, attempts > 0, !Task.isCancelled
      else {
        return (Self.days(of: hours, within: dates, in: zone), stale.zone ?? "UTC")
      }
      let days = try await figures(of: stale, on: next.days, in: zone, tenant: tenant)
      if try await storage.storeDays(ComputedDays(stale, hours: next.hours, days: days), tenant: tenant) {
        computed += next.days.count
        attempts = 3
      } else {
        attempts -= 1
      }
    }
  }

  private static func hours(
    of stale: StaleDays, within dates: ClosedRange<CalendarDate>?, in zone: ZoneRules
  ) -> [Int64] {
    guard let dates else { return stale.hours }
    return stale.hours.filter { hour in StaleDays.days(of: hour, in: zone).contains { dates.contains($0) } }
  }

  private static func days(
    of hours: [Int64], within dates: ClosedRange<CalendarDate>?, in zone: ZoneRules
  ) -> [CalendarDate] {
    Set(hours.flatMap { StaleDays.days(of: $0, in: zone) }).filter { dates?.contains($0) ?? true }.sorted()
  }

  /// The figures of a day that were computed from its records.
  private struct Computed {
    /// `nil` if the day has no records.
    var figures: VehicleDay?
    /// Whether the day has readings of counters.
    var hasCounters: Bool
    /// Whether at least one counter that the figures need has no reading on the previous day. The figure from this
    /// counter is then unknown.
    var lacksStart: Bool
  }

  /// Computes the figures of stale days. Also computes the day after a stale day, if its figures may depend on the
  /// counters' last readings on the stale day.
  private func figures(
    of stale: StaleDays, on dates: [CalendarDate], in zone: ZoneRules, tenant: TenantID
  ) async throws -> [(date: CalendarDate, figures: VehicleDay?)] {
    let (vehicle, first) = (stale.vehicle, stale.firstOpenDay(in: zone))
    var days: [(date: CalendarDate, figures: VehicleDay?)] = []
    func compute(_ date: CalendarDate) async throws -> Bool {
      if let first, date < first { return false }
      let day = try await figures(of: vehicle, date, in: zone, tenant: tenant)
      computedDays.add(1, ordering: .relaxed)
      // If retention has removed the records of the day before, the stored figures stay: its counters are needed.
      if date != first || !day.lacksStart { days.append((date, day.figures)) }
      return day.hasCounters
    }
    var counted: [CalendarDate] = []
    for date in dates where try await compute(date) { counted.append(date) }
    counted += try await daysBeforeEstimates(of: vehicle, among: dates, in: zone, tenant: tenant)
    for date in Set(counted.map(\.next)).subtracting(dates).sorted()
    where zone.start(of: date) <= WallClock.now.milliseconds {
      _ = try await compute(date)
    }
    return days
  }

  /// Returns those of the given days whose last readings of counters were used to compute the stored figures of the
  /// next day.
  private func daysBeforeEstimates(
    of vehicle: String, among dates: [CalendarDate], in zone: ZoneRules, tenant: TenantID
  ) async throws -> [CalendarDate] {
    guard let first = dates.min(), let last = dates.max() else { return [] }
    return try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.days(of: [vehicle], from: first.next, through: last.next)
        .filter { $0.day.isEstimated(in: zone) }.map { $0.day.date.adding(days: -1) }
        .filter { dates.contains($0) }
    }
  }

  /// Computes the figures of a vehicle for one day from its records.
  private func figures(
    of vehicle: String, _ date: CalendarDate, in zone: ZoneRules, tenant: TenantID
  ) async throws -> Computed {
    func time(_ milliseconds: Int64) -> Timestamp { Timestamp(limiting: milliseconds) }
    let from = time(zone.start(of: date) - DayBuilder.margin)
    let to = time(zone.start(of: date.next) + DayBuilder.margin)
    var trips: [DayTrip] = []
    var drivingEvents: [DayEvent] = []
    try await forEachRecord(
      RecordQuery(
        vehicle: vehicle, classes: [.known(.trip), .known(.driving)], from: from, to: to, order: .oldestFirst,
        limit: Self.pageRecords), tenant
    ) { record, time in
      if record.recordClass == .known(.driving) {
        drivingEvents.append(DayEvent(time: time, record: try? JSON(parsing: record.body)))
      } else if let json = try? JSON(parsing: record.body) {
        trips.append(DayTrip(time: time, record: json))
      }
    }
    trips += try await laterTrips(of: vehicle, since: to, begunBefore: zone.start(of: date.next), tenant: tenant)
    var builder = DayBuilder(date, in: zone, trips: trips, drivingEvents: drivingEvents)
    try await forEachRecord(
      RecordQuery.telemetry(of: vehicle, from: from, to: to, limit: Self.pageRecords), tenant
    ) { record, time in builder.add(DaySample(time: time, values: TelemetryValues(record: record.body))) }
    let needed = builder.neededCounters
    let starts = try await lastReadings(of: needed, vehicle, on: date.adding(days: -1), in: zone, tenant: tenant)
    for (counter, reading) in starts { builder.setStart(of: counter, to: reading) }
    let hasCounters = builder.hasCounters
    return Computed(figures: builder.finish(), hasCounters: hasCounters, lacksStart: starts.count < needed.count)
  }

  /// Returns the last readings of counters on a day. Counters without a reading are absent.
  private func lastReadings(
    of counters: [DayCounter], _ vehicle: String, on date: CalendarDate, in zone: ZoneRules, tenant: TenantID
  ) async throws -> [DayCounter: DayCounter.Reading] {
    func time(_ milliseconds: Int64) -> Timestamp { Timestamp(limiting: milliseconds) }
    var found: [DayCounter: DayCounter.Reading] = [:]
    var query = RecordQuery(
      vehicle: vehicle, classes: [.known(.telemetry)], from: time(zone.start(of: date)),
      to: time(zone.start(of: date.next)), order: .newestFirst, limit: Self.pageRecords)
    while found.count < counters.count {
      let page = try await storage.records(query, tenant: tenant)
      for record in page.items where !record.isTimeAhead {
        guard let time = record.time else { continue }
        let values = TelemetryValues(record: record.body)
        for counter in counters where found[counter] == nil {
          found[counter] = counter.value(in: values).map { DayCounter.Reading(time: time.milliseconds, value: $0) }
        }
      }
      guard let next = page.next else { break }
      query.cursor = next
    }
    return found
  }

  /// The number of trip records after the end of a day that are searched for a trip that passed midnight. Usually, the
  /// first of these records describes that trip.
  private static let laterTrips = 20

  /// Returns the trips that ended after a day, but began before its end.
  ///
  /// - Parameters:
  ///   - time: the first time of the records that are read.
  ///   - end: the end of the day, ms since 1970.
  private func laterTrips(
    of vehicle: String, since time: Timestamp, begunBefore end: Int64, tenant: TenantID
  ) async throws -> [DayTrip] {
    let last = time.adding(nanoseconds: DayBuilder.longestTrip * 1_000_000)
    let query = RecordQuery(
      vehicle: vehicle, classes: [.known(.trip)], from: time, to: last, order: .oldestFirst, limit: Self.laterTrips)
    return try await storage.records(query, tenant: tenant).items.compactMap { record in
      guard !record.isTimeAhead, let time = record.time, let json = try? JSON(parsing: record.body) else { return nil }
      let trip = DayTrip(time: time.milliseconds, record: json)
      return trip.hasEnded && trip.startTime ?? .max < end ? trip : nil
    }
  }

  private func forEachRecord(
    _ query: RecordQuery, _ tenant: TenantID, _ body: (StoredRecord, _ time: Int64) -> Void
  ) async throws {
    var query = query
    repeat {
      let page = try await storage.records(query, tenant: tenant)
      for record in page.items where !record.isTimeAhead {
        if let time = record.time { body(record, time.milliseconds) }
      }
      query.cursor = page.next
    } while query.cursor != nil
  }
}
