import FleetDomain
import Telemetry

/// The bounds of the records that ``FleetDomain/FleetStorage/removeRecords(_:before:at:)`` deletes.
struct RetentionBounds {
  let cutoff: Timestamp
  let now: Timestamp

  init(before cutoff: Timestamp, at now: Timestamp) {
    self.cutoff = cutoff
    self.now = now
  }

  /// The cutoff as a column value. Records with lower values have times before the cutoff.
  var time: Int64 { StoredTime.bound(cutoff) }

  /// The first ID of the month that contains the cutoff. Lower IDs are from months that ended before the cutoff. `nil`
  /// if there is no such month.
  var firstKept: UUIDv7? { IdMonth(at: cutoff).bounds.from }

  /// The first ID after the last month in which a clock that is at most a day ahead can create IDs; `nil` if there is
  /// none.
  var firstAhead: UUIDv7? { IdMonth.newest(at: now).bounds.to }
}
