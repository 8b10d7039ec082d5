import FleetDomain
import Telemetry

/// The key of a record in the database.
struct RowKey: Hashable {
  var tenant: Int32
  var vehicle: Int32
  var recordClass: Int16
  var idHigh: UInt64
  var idLow: UInt64

  /// Whether a key precedes another one in the order of the unique key. All transactions insert rows in this order, so
  /// that no two transactions wait for each other.
  static func isBefore(_ left: RowKey, _ right: RowKey) -> Bool {
    if left.tenant != right.tenant { return left.tenant < right.tenant }
    if left.vehicle != right.vehicle { return left.vehicle < right.vehicle }
    if left.recordClass != right.recordClass { return left.recordClass < right.recordClass }
    if left.idHigh != right.idHigh { return left.idHigh < right.idHigh }
    return left.idLow < right.idLow
  }
}

/// A row to be inserted into the table `record`.
struct RecordRow {
  var key: RowKey
  /// The record's time as the value of a column; see ``StoredTime``.
  var time: Int64
  var sequence: Int64
  var quality: StoredQuality
  /// Time of reception, ms since 1970.
  var received: Int64
  var hasPosition: Bool
  var ecu: String?
  var body: [UInt8]
}

/// A more accurate time for a stored record: a time whose quality is better than that of the stored time, which it
/// replaces.
struct Improvement {
  var key: RowKey
  var time: Timestamp
  var quality: TimeQuality
}

/// Records of one vehicle whose stored times were replaced with earlier times.
struct MovedBack {
  var tenant: Int32
  /// The latest of the times that these records had before, ms since 1970.
  var time: Int64
  var ids: [UUIDv7] = []

  mutating func add(_ id: UUIDv7, _ time: Int64) {
    ids.append(id)
    self.time = max(self.time, time)
  }
}

/// The properties of a vehicle's row that ingestion needs.
struct VehicleRow {
  var key: Int32
  var id: String
  var vin: String?
  var registeredBy: String?
  /// Whether the row is for a gateway's own records instead of a vehicle's records (``GatewayRows``).
  var isGateway = false
}
