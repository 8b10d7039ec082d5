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

  /// The cutoff as a value of columns. Times before the cutoff are lower than this value.
  var time: Int64 { StoredTime.bound(cutoff) }

  /// The first id of the month that contains the cutoff; lower ids are from past months. `nil` if no month is past.
  var firstKept: UUIDv7? { IdMonth(at: cutoff).bounds.from }

  /// The first id that no correct clock has made yet; `nil` if every id may be from a correct clock.
  var firstAhead: UUIDv7? { IdMonth.newest(at: now).bounds.to }
}
