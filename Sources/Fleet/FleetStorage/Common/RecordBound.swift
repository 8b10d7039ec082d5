import FleetDomain
import Telemetry

/// The position in an index at which reading for a page of records begins.
///
/// Records are sorted by time, `seq`, ID, vehicle and class. Vehicle and class matter only for records with equal IDs.
/// Reading includes a record that is exactly at the position, so that one statement can read the first page and all
/// others.
struct RecordBound {
  var time: Int64
  var sequence: Int64
  var idHigh: UInt64
  var idLow: UInt64
  var vehicle: Int64

  /// Creates the position at which reading the records of a class begins.
  init(_ query: RecordQuery, _ cursor: PageCursor?, recordClass: RecordClass, isFleetWide: Bool) {
    let isForward = query.order == .oldestFirst
    guard let cursor else {
      if isForward {
        self.init(time: query.from.map(StoredTime.bound) ?? .min, sequence: 0, idHigh: 0, idLow: 0, vehicle: 0)
      } else {
        let last = query.to.map { StoredTime.bound($0) } ?? .max
        self.init(
          time: last == .max ? last : last - 1, sequence: .max, idHigh: .max, idLow: .max,
          vehicle: Int64(Int32.max))
      }
      return
    }
    guard let sequence = cursor.sequence else {
      // The record at the cursor was deleted. Begin at its time, so that no other record of that time is skipped.
      self.init(
        time: cursor.time, sequence: isForward ? 0 : .max, idHigh: isForward ? 0 : .max, idLow: isForward ? 0 : .max,
        vehicle: isForward ? 0 : Int64(Int32.max))
      return
    }
    self.init(
      time: cursor.time, sequence: sequence, idHigh: cursor.idHigh, idLow: cursor.idLow,
      vehicle: Int64(cursor.vehicle))
    let number = recordClass.number
    // The record at the cursor was the last one of its page. Records that differ from it only in the class follow in
    // the order of the classes.
    guard isForward ? number <= cursor.recordClass : number >= cursor.recordClass else { return }
    if isFleetWide {
      vehicle += isForward ? 1 : -1
    } else if isForward {
      (idLow, idHigh) = idLow == .max ? (0, idHigh + 1) : (idLow + 1, idHigh)
    } else {
      (idLow, idHigh) = idLow == 0 ? (.max, idHigh - 1) : (idLow - 1, idHigh)
    }
  }

  private init(time: Int64, sequence: Int64, idHigh: UInt64, idLow: UInt64, vehicle: Int64) {
    self.time = time
    self.sequence = sequence
    self.idHigh = idHigh
    self.idLow = idLow
    self.vehicle = vehicle
  }

  /// Returns the exclusive end of a query's time range; `Int64.max` if there is no limit. If the oldest record is read
  /// first, reading ends at this time.
  static func end(_ query: RecordQuery) -> Int64 { query.to.map(StoredTime.bound) ?? .max }

  /// Returns the inclusive start of a query's time range; `Int64.min` if there is no limit. If the newest record is
  /// read first, reading ends at this time.
  static func start(_ query: RecordQuery) -> Int64 { query.from.map(StoredTime.bound) ?? .min }
}
