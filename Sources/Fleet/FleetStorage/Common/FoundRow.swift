import FleetDomain
import Telemetry

/// A stored record that was read for a list.
struct FoundRow {
  var recordClass: RecordClass
  var vehicle: Int32
  var time: Int64
  var sequence: Int64
  var id: UUIDv7
  var quality: StoredQuality
  /// The time of reception, ms since 1970; `nil` if an earlier version received the record.
  var received: Int64?
  var body: [UInt8]
  /// If this is a gateway's own record (``GatewayRows``), the key of the vehicle to which it is attributed; otherwise
  /// `nil`.
  var attributedTo: Int32?

  /// The columns from which a ``FoundRow`` is read, in this order.
  static let columns = "vehicle, class, time, seq, id, quality, received, body"

  var cursor: PageCursor {
    PageCursor(
      time: time, sequence: sequence, idHigh: id.high, idLow: id.low, vehicle: vehicle,
      recordClass: recordClass.number)
  }

  /// Whether a row precedes another one in a list that begins with the oldest record.
  static func isBefore(_ left: FoundRow, _ right: FoundRow) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    if left.id != right.id {
      return left.id.high != right.id.high ? left.id.high < right.id.high : left.id.low < right.id.low
    }
    if left.vehicle != right.vehicle { return left.vehicle < right.vehicle }
    return left.recordClass.number < right.recordClass.number
  }

  func key(tenant: Int32) -> RowKey {
    RowKey(
      tenant: tenant, vehicle: vehicle, recordClass: recordClass.number, idHigh: id.high, idLow: id.low)
  }

  func record(of vehicle: String) -> StoredRecord {
    StoredRecord(
      vehicle: vehicle, recordClass: recordClass, id: id, time: StoredTime.time(time), quality: quality.timeQuality,
      receivedAt: received.map { StoredTime.timestamp($0) }, isTimeAhead: quality == .ahead, body: body)
  }
}
