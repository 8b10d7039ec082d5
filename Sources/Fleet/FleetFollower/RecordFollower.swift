import FleetDomain
import FleetFigures
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry
import TroubleCodes

/// Follows the records of all tenants: the ends of trips become meter readings, and trouble codes become defects. It also
/// updates what changes with the date.
///
/// It reads the feed, and thus costs the ingest nothing. Of telemetry it reads a few records at the end of each trip.
/// Several servers may share one database: the position in the feed is stored with the effects.
public final class RecordFollower: Service {
  /// The time between two looks at the feeds.
  private static let pause = Duration.seconds(1)
  /// The time between two looks at what changes with the date, ms.
  private static let datePause: Int64 = 60_000
  /// The maximum number of changes in one transaction.
  private static let batch = 100
  private static let name = "maintenance"
  private static let classes: Set<RecordClass> = [.known(.trip), .known(.dtc)]

  private let storage: any FleetStorage
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let catalog = TroubleCodeCatalog()

  /// - Parameter now: returns the time of day.
  public init(storage: any FleetStorage, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
    (self.storage, self.logger, self.now) = (storage, logger, now)
  }

  /// Ends when its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await self.repeatRounds() }
  }

  private func repeatRounds() async {
    var checked: [TenantID: Int64] = [:]
    while !Task.isCancelled {
      do {
        for tenant in try await storage.tenants() where !Task.isCancelled {
          let time = now().milliseconds
          if checked[tenant.id].map({ time - $0 >= Self.datePause || time < $0 }) ?? true {
            try await followDate(tenant: tenant.id)
            checked[tenant.id] = time
          }
          // A tenant with a backlog does not delay the others: one batch in each round.
          try await follow(tenant: tenant.id)
        }
      } catch {
        if !Task.isCancelled { logger.warning("records are not followed for now: \(error)") }
      }
      do {
        try await Task.sleep(for: Self.pause)
      } catch {
        return
      }
    }
  }

  // MARK: What changes with the date

  /// Updates what changes with the date, and adds what a new tenant begins with.
  func followDate(tenant: TenantID) async throws {
    let time = now()
    let today = CalendarDate(utc: time)
    let (hasTypes, isDue) = try await storage.view(tenant: tenant) { view throws(ThingError) in
      let types = try view.values(["code"], ThingQuery<ServiceType>(.oneOf(key: "builtIn", [.bool(true)])))
      let due = try view.first(ThingQuery<ServiceDue>(.below(key: "checkDate", today.adding(days: 1).json)))
      return (types.count == ServiceType.builtIn.count, due != nil)
    }
    if !hasTypes {
      try await change(tenant, at: time) { transaction throws(ThingError) in try transaction.addServiceTypes() }
    }
    guard isDue else { return }
    while try await change(
      tenant, at: time, { transaction throws(ThingError) in try transaction.evaluateServicesByDate() })
    {
      try Task.checkCancellation()
    }
  }

  // MARK: Records

  /// Applies the next records of a tenant.
  ///
  /// - Returns: whether there may be more.
  @discardableResult
  func follow(tenant: TenantID) async throws -> Bool {
    let feed = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.first(ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(Self.name)])))
    }
    let start = feed?.value.position ?? 0
    let (records, position) = try await changes(after: start, tenant: tenant)
    guard position != start else { return false }
    var effects: [Effect] = []
    for record in records { effects += try await self.effects(of: record, tenant: tenant) }
    let (found, catalog) = (effects, catalog)
    try await change(tenant, at: now()) { transaction throws(ThingError) in
      let query = ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(Self.name)]))
      let present = try transaction.first(query)
      // Another server was first.
      guard present?.version == feed?.version else { return }
      for effect in found { try effect.apply(to: transaction, catalog) }
      var followed = FollowedFeed()
      (followed.name, followed.position) = (Self.name, position)
      if let present {
        try transaction.update(present, to: followed, action: "follow")
      } else {
        try transaction.insert(followed)
      }
    }
    return true
  }

  private func changes(after start: Int64, tenant: TenantID) async throws -> (records: [StoredRecord], position: Int64)
  {
    do throws(StorageError) {
      let (changes, position) = try await storage.changes(
        of: Self.classes, after: FeedPosition(rawValue: start), limit: Self.batch, tenant: tenant)
      return (changes.map(\.record), position.rawValue)
    } catch {
      guard error.kind == .positionGone else { throw error }
      // After a long pause, or after a backup was restored.
      logger.warning("tenant \(tenant): changes of records are no longer stored; their readings and codes are missing")
      return ([], try await storage.feedPosition(tenant: tenant).rawValue)
    }
  }

  private func effects(of record: StoredRecord, tenant: TenantID) async throws -> [Effect] {
    if let report = TroubleReport(record) { return [.report(report)] }
    guard !record.isTimeAhead, let trip = EndedTrip(record) else { return [] }
    let vehicle = record.vehicle
    var values = try await meters(at: trip.to, vehicle: vehicle, tenant: tenant)
    values[.odometer] = trip.endOdometer ?? values[.odometer]
    var effects = [Effect.trip(trip, vehicle: vehicle)]
    if let attribution = try await attribution(of: record, trip, tenant: tenant) {
      effects.append(.attribution(attribution))
    }
    for meter in Meter.allCases {
      if let value = values[meter] {
        effects.append(.reading(meter, value, trip, vehicle: vehicle))
      } else if let estimate = try await estimate(of: meter, vehicle: vehicle, tenant: tenant) {
        effects.append(estimate)
      }
    }
    return effects
  }

  /// Returns the attribution of records that a gateway sent under its own id at the beginning of a trip; `nil` if there
  /// are none, or if it has several adapters, whose vehicles may differ.
  private func attribution(
    of record: StoredRecord, _ trip: EndedTrip, tenant: TenantID
  ) async throws -> Attribution? {
    guard let json = try? JSON(parsing: record.body), let gateway = json["gatewayId"]?.textValue,
      gateway != record.vehicle, json["device"] == nil, let tripID = json["tripId"].flatMap({ try? UUIDv7(json: $0) })
    else { return nil }
    // The record of a trip's start is made some time after the start.
    let query = RecordQuery(
      vehicle: nil, gateway: gateway, classes: RecordQuery.tripClasses, from: trip.from,
      to: Timestamp(nanoseconds: trip.to.nanoseconds + 1_000_000), order: .oldestFirst, limit: 100)
    let own: [StoredRecord]
    do throws(StorageError) {
      own = try await storage.records(query, tenant: tenant).items
    } catch {
      if error.kind == .notFound { return nil }
      throw error
    }
    let isStart = own.contains { start in
      guard !start.isTimeAhead, let json = try? JSON(parsing: start.body) else { return false }
      return json["event"]?.textValue == "start" && json["tripId"] == tripID.json && json["device"] == nil
    }
    guard isStart else { return nil }
    var attribution = Attribution()
    (attribution.gatewayID, attribution.vehicle, attribution.tripID) = (gateway, record.vehicle, tripID)
    (attribution.from, attribution.to) = (trip.from, Timestamp(nanoseconds: trip.to.nanoseconds + 1_000_000))
    return attribution
  }

  /// What the vehicle's meters showed in the telemetry just before a time.
  private func meters(at end: Timestamp, vehicle: String, tenant: TenantID) async throws -> [Meter: Double] {
    let query = RecordQuery(
      vehicle: vehicle, classes: [.known(.telemetry)], from: Timestamp(nanoseconds: end.nanoseconds - 600_000_000_000),
      to: Timestamp(nanoseconds: end.nanoseconds + 1_000_000), order: .newestFirst, limit: 120)
    var values: [Meter: Double] = [:]
    for record in try await storage.records(query, tenant: tenant).items {
      guard values.count < Meter.allCases.count, let json = try? JSON(parsing: record.body) else { continue }
      values[.odometer] = values[.odometer] ?? json["odometer"]?.numberValue
      // PID 7F counts seconds.
      values[.engineHours] = values[.engineHours] ?? json["totalEngineRunTime"]?.numberValue.map { $0 / 3_600 }
    }
    return values
  }

  private func estimate(of meter: Meter, vehicle: String, tenant: TenantID) async throws -> Effect? {
    let last = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.lastReading(of: meter, vehicle: vehicle)
    }
    guard let last else { return nil }
    var query = RecordQuery(
      vehicle: vehicle, classes: RecordQuery.tripClasses, from: last.at, order: .oldestFirst, limit: 1_000)
    var trips: [EndedTrip] = []
    repeat {
      let page = try await storage.records(query, tenant: tenant)
      trips += page.items.compactMap { EndedTrip($0) }
      query.cursor = page.next
    } while query.cursor != nil
    return meter.estimate(after: last, trips).map { .estimate(meter, $0, after: last, vehicle: vehicle) }
  }

  private func change<Value: Sendable>(
    _ tenant: TenantID, at time: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    try await storage.change(tenant: tenant, by: Actor(.server), at: time, work)
  }
}

/// What follows from a record.
private enum Effect: Sendable {
  case report(TroubleReport)
  case trip(EndedTrip, vehicle: String)
  case attribution(Attribution)
  case reading(Meter, Double, EndedTrip, vehicle: String)
  case estimate(Meter, Meter.Point, after: Meter.Point, vehicle: String)

  func apply(to transaction: any FleetTransaction, _ catalog: TroubleCodeCatalog) throws(ThingError) {
    switch self {
    case .report(let report):
      try transaction.apply(report) { code in
        CodeName(parsing: code).map { catalog.describe($0.number) } ?? "trouble code \(code)"
      }
    case .attribution(let attribution): try transaction.attribute(attribution)
    case .trip(let trip, let vehicle): try transaction.countTrip(from: trip.from, to: trip.to, vehicle: vehicle)
    case .reading(let meter, let value, let trip, let vehicle):
      // The vehicle may have been removed meanwhile.
      guard try transaction.vehicle(named: vehicle)?.value.id == vehicle else { return }
      try transaction.addGatewayReading(of: meter, value, at: trip.to, vehicle: vehicle, record: trip.id)
    case .estimate(let meter, let point, let last, let vehicle):
      try transaction.set(point, of: meter, vehicle: vehicle, after: last)
    }
  }
}
