import FleetDomain
import Telemetry

/// A row as a page is made of it.
struct FoundRow {
  var recordClass: RecordClass
  var vehicle: Int32
  var time: Int64
  var id: UUIDv7
  var quality: TimeQuality
  var body: [UInt8]

  var cursor: PageCursor {
    PageCursor(
      time: time, idHigh: id.high, idLow: id.low, vehicle: Int64(vehicle), recordClass: Int64(recordClass.number))
  }

  /// In the order of pages, oldest first.
  static func isBefore(_ left: FoundRow, _ right: FoundRow) -> Bool {
    if left.time != right.time { return left.time < right.time }
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
      vehicle: vehicle, recordClass: recordClass, id: id, time: StoredTime.time(time), quality: quality, body: body)
  }
}
