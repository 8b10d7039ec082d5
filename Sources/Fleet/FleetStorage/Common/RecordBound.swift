import FleetDomain
import Telemetry

/// The start and the end of a page of records, as a condition on the columns of an index.
///
/// Records are ordered by time, `seq`, id, vehicle and class; the last two only order records with equal ids. Bounds
/// are inclusive, so that one statement serves the first page and all others.
struct RecordBound {
  var time: Int64
  var sequence: Int64
  var idHigh: UInt64
  var idLow: UInt64
  var vehicle: Int64

  /// The bound at which reading of a class starts.
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
      // The record of the cursor was deleted. Start at its time, so that no other record of that time is skipped.
      self.init(
        time: cursor.time, sequence: isForward ? 0 : .max, idHigh: isForward ? 0 : .max, idLow: isForward ? 0 : .max,
        vehicle: isForward ? 0 : Int64(Int32.max))
      return
    }
    self.init(
      time: cursor.time, sequence: sequence, idHigh: cursor.idHigh, idLow: cursor.idLow,
      vehicle: Int64(cursor.vehicle))
    let number = recordClass.number
    // The record of the cursor was the last of its page. Records that differ only in their class follow it in the order
    // of classes.
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

  /// The first time after the requested range, for pages in ascending order; `Int64.max` if there is no limit.
  static func end(_ query: RecordQuery) -> Int64 { query.to.map(StoredTime.bound) ?? .max }

  /// The first time of the requested range, for pages in descending order.
  static func start(_ query: RecordQuery) -> Int64 { query.from.map(StoredTime.bound) ?? .min }
}
