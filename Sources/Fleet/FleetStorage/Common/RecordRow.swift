import FleetDomain
import Telemetry

/// What a row of records is found by.
struct RowKey: Hashable {
  var tenant: Int32
  var vehicle: Int32
  var recordClass: Int16
  var idHigh: UInt64
  var idLow: UInt64

  /// In the order of the unique key: every transaction takes rows in the same order, so that two never wait for each
  /// other.
  static func isBefore(_ left: RowKey, _ right: RowKey) -> Bool {
    if left.tenant != right.tenant { return left.tenant < right.tenant }
    if left.vehicle != right.vehicle { return left.vehicle < right.vehicle }
    if left.recordClass != right.recordClass { return left.recordClass < right.recordClass }
    if left.idHigh != right.idHigh { return left.idHigh < right.idHigh }
    return left.idLow < right.idLow
  }
}

/// A row that is to be inserted.
struct RecordRow {
  var key: RowKey
  /// ``StoredTime``
  var time: Int64
  var sequence: Int64
  var quality: StoredQuality
  /// When it was received, ms.
  var received: Int64
  var hasPosition: Bool
  var ecu: String?
  var body: [UInt8]
}

/// A better time for a row that is there.
struct Improvement {
  var key: RowKey
  var time: Timestamp
  var quality: TimeQuality
}

/// Records of a vehicle whose better time is an earlier one.
struct MovedBack {
  var tenant: Int32
  /// The latest time that one of them had.
  var time: Int64
  var ids: [UUIDv7] = []

  mutating func add(_ id: UUIDv7, _ time: Int64) {
    ids.append(id)
    self.time = max(self.time, time)
  }
}

/// A vehicle as taking records in needs it.
struct VehicleRow {
  var key: Int32
  var id: String
  var vin: String?
  var registeredBy: String?
}
