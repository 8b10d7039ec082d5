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

  /// The cutoff as a column value. Records with lower values are before the cutoff.
  var time: Int64 { StoredTime.bound(cutoff) }

  /// The first ID of the month that contains the cutoff. Lower IDs are from months that have ended. `nil` if no month
  /// has ended.
  var firstKept: UUIDv7? { IdMonth(at: cutoff).bounds.from }

  /// The first ID that no clock can have created yet if it is right to within a day; `nil` if every ID is possible.
  var firstAhead: UUIDv7? { IdMonth.newest(at: now).bounds.to }
}
