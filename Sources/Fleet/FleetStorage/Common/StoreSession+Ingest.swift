import FleetDomain
import Telemetry

/// The steps of ingestion that are the same for both databases.
///
/// Call order: ``tenant(_:)`` and ``vehicles(named:tenant:)``; ``register(_:)`` and ``update(_:tenant:by:at:)`` for new
/// vehicles, gateways and VINs; ``store(_:at:)``, ``improveAll(_:within:)``, ``touch(_:)``, ``updateNewest(_:)`` once
/// each; ``publish(_:tenant:named:at:)`` for each tenant in the order of their keys. The caller commits the
/// transaction.
extension StoreSession {
  /// Adds a vehicle, or a gateway's row. If another process has added it meanwhile, returns the existing row.
  ///
  /// If another vehicle already has the VIN, the VIN is not stored.
  func register(_ vehicle: NewVehicle) throws(StoreFailure) -> VehicleRow {
    func found() throws(StoreFailure) -> VehicleRow? {
      try vehicles(named: [vehicle.id], tenant: vehicle.tenant).first { $0.id == vehicle.id }
    }
    // Every transaction that changes vehicles first locks the tenant's audit. After this line, no other transaction can
    // change the tenant's vehicles.
    let things = try things(of: vehicle.tenant, by: vehicle.registeredBy, at: vehicle.at)
    if let found = try found() { return found }
    if vehicle.isGateway {
      try addGatewayRow(vehicle.id, tenant: vehicle.tenant, at: vehicle.at)
      guard let found = try found() else {
        throw StoreFailure(.system, vehicle.id, "the gateway's records could not be stored", mayRetry: true)
      }
      return found
    }
    let isTaken = try vehicle.vin.map { vin throws(StoreFailure) in try isVIN(vin, of: vehicle.tenant) } ?? false
    let added = Vehicle(id: vehicle.id, vin: isTaken ? nil : vehicle.vin, registeredBy: vehicle.registeredBy)
    do throws(ThingError) {
      try things.insert(added, id: nil, action: "register")
    } catch {
      throw things.failure ?? StoreFailure(.system, vehicle.id, "the vehicle could not be registered", mayRetry: true)
    }
    guard let found = try found() else {
      throw StoreFailure(.system, vehicle.id, "the vehicle could not be registered", mayRetry: true)
    }
    return found
  }

  /// Stores two properties of a vehicle, if they were not stored before: the ID of the gateway that registered it, and
  /// its VIN. If `vehicle.isGateway` is false, and the stored row is marked as a gateway's row, removes this mark: the
  /// row is then an ordinary vehicle. If another vehicle already has the VIN, the VIN is not stored.
  ///
  /// - Parameter gateway: the gateway whose record contained the new value.
  func update(_ vehicle: VehicleRow, tenant: Int32, by gateway: String, at now: Int64) throws(StoreFailure) {
    let things = try things(of: tenant, by: gateway, at: now)
    if !vehicle.isGateway {
      try run(
        "UPDATE vehicle SET is_gateway = 0, search = lower(id) WHERE key = $1 AND is_gateway = 1",
        [SQLValue(vehicle.key)])
    }
    guard let stored = try storedVehicle(key: vehicle.key) else { return }
    var changed = stored.value
    if changed.registeredBy == nil { changed.registeredBy = vehicle.registeredBy }
    if changed.vin == nil, let vin = vehicle.vin, try !isVIN(vin, of: tenant) { changed.vin = vin }
    do throws(ThingError) {
      try things.update(stored, to: changed, action: "register")
    } catch {
      throw things.failure ?? StoreFailure(.system, vehicle.id, "the vehicle could not be changed", mayRetry: true)
    }
  }

  /// Returns a session for changes of a tenant's things. The author of the changes is a gateway.
  private func things(of tenant: Int32, by gateway: String, at now: Int64) throws(StoreFailure) -> ThingSession {
    try ThingSession(
      self, tenant: tenant, cursorKey: nil, by: Actor(.gateway(gateway)), at: StoredTime.timestamp(now))
  }

  /// Whether a vehicle of the tenant has this text as its VIN.
  private func isVIN(_ text: String, of tenant: Int32) throws(StoreFailure) -> Bool {
    try vehicles(named: [text], tenant: tenant).contains { $0.vin == text }
  }

  /// Stores more accurate times for rows of the table `record`, in their columns and their bodies. Rows that already
  /// have a time of the same or a better quality are skipped.
  ///
  /// - Parameters:
  ///   - improvements: the more accurate times, in the order of the keys of the rows.
  ///   - budget: limits the cost. When it is spent, the remaining improvements are postponed.
  /// - Returns: `moved`: for each vehicle, the records whose times are now earlier than before. `left`: the hours that
  ///   contain the old times of the changed records. Also the keys of the records whose improvements were postponed.
  func improve(
    _ improvements: [Improvement], within budget: WorkBudget
  ) throws(StoreFailure) -> (moved: [Int32: MovedBack], left: Set<StaleHour>, postponed: [RowKey]) {
    try prepare(for: improvements)
    var moved: [Int32: MovedBack] = [:]
    var left: Set<StaleHour> = []
    var previous: RowKey?
    for (index, item) in improvements.enumerated() {
      if budget.isSpent { return (moved, left, improvements[index...].map(\.key)) }
      budget.charge(IngestCost.improvement)
      guard let id = UUIDv7(high: item.key.idHigh, low: item.key.idLow) else { continue }
      let place: [SQLValue] = [
        SQLValue(item.key.tenant), SQLValue(item.key.vehicle), .integer(Int64(item.key.recordClass)), .identifier(id),
      ]
      let found = try rows(
        "SELECT quality, body, time FROM record WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND id = $4"
          + lockingRows,
        place)
      guard let row = found.first, let quality = StoredQuality(rawValue: UInt8(truncatingIfNeeded: row.integer(0))),
        StoredQuality(item.quality).isBetter(than: quality)
      else { continue }
      let body = try RecordBodyTime.improving(row.bytes(1), item, id: id)
      budget.charge(IngestCost.bytes(body.count))
      try run(
        """
        UPDATE record SET time = $5, quality = $6, body = $7
        WHERE tenant = $1 AND vehicle = $2 AND class = $3 AND id = $4
        """,
        place + [.integer(item.time.milliseconds), .integer(Int64(item.quality.rawValue)), .bytes(body)])
      recordBytes.add(Int64(body.count - row.bytes(1).count), item.key)
      let old = row.integer(2)
      left.insertHour(of: item.key, at: old)
      if item.time.milliseconds < old, quality != .ahead {
        if previous?.vehicle != item.key.vehicle || previous?.recordClass != item.key.recordClass {
          budget.charge(IngestCost.newest)
        }
        previous = item.key
        moved[item.key.vehicle, default: MovedBack(tenant: item.key.tenant, time: old)].add(id, old)
      }
    }
    return (moved, left, [])
  }
}
