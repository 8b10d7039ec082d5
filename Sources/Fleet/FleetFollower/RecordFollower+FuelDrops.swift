import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

/// A fall of the fuel level of a vehicle between two of its trips.
struct ParkedDrop: Sendable {
  /// The age from which a fall is not reported, s. Imports of old records would otherwise report old falls.
  private static let longestDelay = 7 * 86_400

  let drop: FuelDrop
  let vehicle: String
  /// The start of the trip after the fall.
  let at: Timestamp

  /// Adds the event, unless the fall is old, was seen in a private journey, or was already reported. If the trips before
  /// and after the fall arrive together, the fall is found twice.
  func apply(to transaction: any FleetTransaction) throws(ThingError) {
    guard at > transaction.now.adding(seconds: -Self.longestDelay),
      let known = try transaction.vehicle(named: vehicle), known.value.id == vehicle
    else { return }
    // The event would show when a private journey began.
    guard try !transaction.isPrivate(vehicle, at: at) else { return }
    var new = FleetEvent(.fuelDrop, Vehicle.self, known.id)
    (new.vehicleID, new.item, new.at) = (vehicle, drop.text, at)
    // The numbers 0 to 2 belong to the reminders of a thing.
    let id = UUIDv7(
      milliseconds: UInt64(max(at.milliseconds, 0)), seed: known.id.low ^ known.id.high << 48, number: 3)
    try transaction.emitOnce(new, id: id)
  }
}

extension RecordFollower {
  /// The maximum number of telemetry records that are read on each side of the time in which a vehicle was parked.
  private static let mostLevels = 600

  /// Finds falls of the fuel level while a vehicle was parked: between the previous trip and `trip`, and between `trip`
  /// and the next trip. Trips may arrive in any order, so both periods are examined.
  func fuelDrops(around trip: EndedTrip, vehicle: String, tenant: TenantID) async throws -> [ParkedDrop] {
    var drops: [ParkedDrop] = []
    if let earlier = try await neighbour(of: trip, isLater: false, vehicle: vehicle, tenant: tenant) {
      drops += [try await drop(from: earlier, to: trip, vehicle: vehicle, tenant: tenant)].compactMap { $0 }
    }
    if let later = try await neighbour(of: trip, isLater: true, vehicle: vehicle, tenant: tenant) {
      drops += [try await drop(from: trip, to: later, vehicle: vehicle, tenant: tenant)].compactMap { $0 }
    }
    return drops
  }

  /// Returns the last trip that ended before `trip` began or, if `isLater` is true, the first trip that began after
  /// `trip` ended.
  private func neighbour(
    of trip: EndedTrip, isLater: Bool, vehicle: String, tenant: TenantID
  ) async throws -> EndedTrip? {
    let query =
      isLater
      ? RecordQuery(
        vehicle: vehicle, classes: RecordQuery.tripClasses, from: trip.to, order: .oldestFirst, limit: 10)
      : RecordQuery(
        vehicle: vehicle, classes: RecordQuery.tripClasses, to: trip.from.adding(nanoseconds: 1),
        order: .newestFirst, limit: 10)
    return try await storage.records(query, tenant: tenant).items.lazy.filter { !$0.isTimeAhead }
      .compactMap { EndedTrip($0) }.first { found in
        found.id != trip.id && (isLater ? found.from >= trip.to : found.to <= trip.from)
      }
  }

  private func drop(
    from first: EndedTrip, to second: EndedTrip, vehicle: String, tenant: TenantID
  ) async throws -> ParkedDrop? {
    let span = Int(FuelDrop.span)
    let capacity = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.vehicle(named: vehicle)?.value.tankCapacity
    }
    func levels(from start: Timestamp, to end: Timestamp) async throws -> [Double] {
      try await storage.telemetry(of: vehicle, from: start, to: end, most: Self.mostLevels, tenant: tenant)
        .compactMap(\.values.fuelLevel)
    }
    let before = try await levels(from: max(first.from, first.to.adding(seconds: -span)), to: first.to)
    guard before.count >= FuelDrop.levels else { return nil }
    let after = try await levels(from: second.from, to: min(second.to, second.from.adding(seconds: span)))
    return FuelDrop(before: before, after: after, capacity: capacity).map { drop in
      ParkedDrop(drop: drop, vehicle: vehicle, at: second.from)
    }
  }
}
