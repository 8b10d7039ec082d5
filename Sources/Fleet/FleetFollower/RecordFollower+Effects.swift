import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

extension RecordFollower {
  /// The maximum number of pages of trips that are read to estimate the value of a meter.
  private static let mostTripPages = 20

  func effects(of record: StoredRecord, tenant: TenantID) async throws -> [RecordEffect] {
    if let report = TroubleReport(record) { return [.report(report)] }
    let recorded = RecordEvent(record).map { [RecordEffect.event($0)] } ?? []
    guard !record.isTimeAhead, let trip = EndedTrip(record) else { return recorded }
    let vehicle = record.vehicle
    var values = try await meters(at: trip.to, vehicle: vehicle, tenant: tenant)
    values[.odometer] = trip.endOdometer ?? values[.odometer]
    var effects = [RecordEffect.trip(trip, vehicle: vehicle)] + recorded
    effects += try await fuelDrops(around: trip, vehicle: vehicle, tenant: tenant).map { .drop($0) }
    if let attribution = try await attribution(of: record, trip, tenant: tenant) {
      effects.append(.attribution(attribution))
    }
    for meter in Meter.allCases {
      if let value = values[meter] { effects.append(.reading(meter, value, trip, vehicle: vehicle)) }
    }
    return effects
  }

  /// Returns the attribution (``Attribution``) of the records that a gateway sent under its own id at the beginning of
  /// a trip. Returns `nil` if there are no such records, or if the gateway has several adapters, which may be in
  /// different vehicles.
  private func attribution(
    of record: StoredRecord, _ trip: EndedTrip, tenant: TenantID
  ) async throws -> Attribution? {
    guard let json = try? JSON(parsing: record.body), let gateway = json["gatewayId"]?.textValue,
      gateway != record.vehicle, json["device"] == nil, let tripID = json["tripId"].flatMap({ try? UUIDv7(json: $0) })
    else { return nil }
    // The gateway may make the record that reports the start of a trip some time after the start.
    let query = RecordQuery(
      vehicle: nil, gateway: gateway, classes: RecordQuery.tripClasses, from: trip.from,
      to: trip.to.adding(nanoseconds: 1_000_000), order: .oldestFirst, limit: 100)
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
    (attribution.from, attribution.to) = (trip.from, trip.to.adding(nanoseconds: 1_000_000))
    return attribution
  }

  /// Returns the vehicle's last meter values in the telemetry of the 10 minutes before a time.
  private func meters(at end: Timestamp, vehicle: String, tenant: TenantID) async throws -> [Meter: Double] {
    let query = RecordQuery(
      vehicle: vehicle, classes: [.known(.telemetry)], from: end.adding(nanoseconds: -600_000_000_000),
      to: end.adding(nanoseconds: 1_000_000), order: .newestFirst, limit: 120)
    var values: [Meter: Double] = [:]
    for record in try await storage.records(query, tenant: tenant).items {
      guard values.count < Meter.allCases.count, let json = try? JSON(parsing: record.body) else { continue }
      values[.odometer] = values[.odometer] ?? json["odometer"]?.numberValue
      // This signal (PID 7F) is in seconds.
      values[.engineHours] = values[.engineHours] ?? json["totalEngineRunTime"]?.numberValue.map { $0 / 3_600 }
    }
    return values
  }

  func estimate(of meter: Meter, vehicle: String, tenant: TenantID) async throws -> RecordEffect? {
    let last = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.vehicle(named: vehicle)?.value.id == vehicle ? try view.lastReading(of: meter, vehicle: vehicle) : nil
    }
    guard let last else { return nil }
    var query = RecordQuery(
      vehicle: vehicle, classes: RecordQuery.tripClasses, from: last.at, order: .oldestFirst, limit: 1_000)
    var trips: [EndedTrip] = []
    for _ in 0..<Self.mostTripPages {
      let page = try await storage.records(query, tenant: tenant)
      trips += page.items.compactMap { EndedTrip($0) }
      query.cursor = page.next
      guard query.cursor != nil else { break }
    }
    // If the query has further pages, too many trips have ended since the last reading, and the meter cannot be
    // estimated. Trips are merged, because several gateways of a vehicle may report the same trip.
    let estimate = query.cursor == nil ? meter.estimate(after: last, EndedTrip.merged(trips)) : nil
    return .estimate(meter, estimate, after: last, vehicle: vehicle)
  }
}
