import FleetDomain
import Telemetry

/// The steps of ingestion that are the same for both databases.
///
/// Call order: ``tenant(_:)`` and ``vehicles(named:tenant:)``; ``register(_:)`` and ``update(_:tenant:)`` for new data;
/// ``store(_:at:)``, ``improveAll(_:within:)``, ``touch(_:)``, ``updateNewest(_:)`` once each;
/// ``publish(_:tenant:named:at:)`` for each tenant in the order of their keys. The caller commits the transaction.
extension StoreSession {
  /// Adds a vehicle, or returns the one that another process has added meanwhile.
  func register(_ vehicle: NewVehicle) throws(StoreFailure) -> VehicleRow {
    // Try with its VIN, then without it if another vehicle has that VIN.
    for vin in [vehicle.vin, nil] {
      try run(
        """
        INSERT INTO vehicle (tenant, id, vin, registered_by, added) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
        """,
        [
          SQLValue(vehicle.tenant), .text(vehicle.id), SQLValue(vin), .text(vehicle.registeredBy), .integer(vehicle.at),
        ])
      if let found = try vehicles(named: [vehicle.id], tenant: vehicle.tenant).first(where: { $0.id == vehicle.id }) {
        return found
      }
    }
    throw StoreFailure(.system, vehicle.id, "the vehicle could not be registered", mayRetry: true)
  }

  /// Stores the gateway or VIN of a vehicle that had none. A VIN of another vehicle is ignored.
  func update(_ vehicle: VehicleRow, tenant: Int32) throws(StoreFailure) {
    try run(
      """
      UPDATE vehicle SET registered_by = coalesce(registered_by, $3),
        vin = CASE WHEN EXISTS (SELECT 1 FROM vehicle WHERE tenant = $2 AND vin = CAST($4 AS TEXT))
          THEN vin ELSE coalesce(vin, CAST($4 AS TEXT)) END
      WHERE key = $1
      """,
      [SQLValue(vehicle.key), SQLValue(tenant), SQLValue(vehicle.registeredBy), SQLValue(vehicle.vin)])
  }

  /// Gives rows of the table `record` a better time, in their bodies as well; skips those with an equally good time.
  ///
  /// - Parameters:
  ///   - improvements: improvements in the order of their keys.
  ///   - budget: when it is spent, the rest is postponed.
  /// - Returns: for each vehicle the records that received an earlier time, and the postponed improvements.
  func improve(
    _ improvements: [Improvement], within budget: WorkBudget
  ) throws(StoreFailure) -> (moved: [Int32: MovedBack], postponed: [RowKey]) {
    try prepare(for: improvements)
    var moved: [Int32: MovedBack] = [:]
    var previous: RowKey?
    for (index, item) in improvements.enumerated() {
      if budget.isSpent { return (moved, improvements[index...].map(\.key)) }
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
      let old = row.integer(2)
      if item.time.milliseconds < old, quality != .ahead {
        if previous?.vehicle != item.key.vehicle || previous?.recordClass != item.key.recordClass {
          budget.charge(IngestCost.newest)
        }
        previous = item.key
        moved[item.key.vehicle, default: MovedBack(tenant: item.key.tenant, time: old)].add(id, old)
      }
    }
    return (moved, [])
  }
}

extension UUIDv7 {
  /// The text form.
  var string: String {
    let text = text
    return String(decoding: (0..<36).map { text[$0] }, as: UTF8.self)
  }
}
