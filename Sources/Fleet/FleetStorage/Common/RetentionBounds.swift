import FleetDomain
import Telemetry

/// Which records retention is for: ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
struct RetentionBounds {
  let cutoff: Timestamp
  let now: Timestamp

  init(before cutoff: Timestamp, at now: Timestamp) {
    self.cutoff = cutoff
    self.now = now
  }

  /// Times in columns that are before the cutoff are less.
  var time: Int64 { StoredTime.bound(cutoff) }

  /// The first id of the month that the cutoff is in: older ones were made in months that are over; nil: there are none.
  var firstKept: UUIDv7? { IdMonth(at: cutoff).bounds.from }

  /// The first id that no right clock has made yet; nil: there are none.
  var firstAhead: UUIDv7? { IdMonth.newest(at: now).bounds.to }
}
