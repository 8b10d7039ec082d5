import FleetDomain
import Telemetry

/// The records that retention deletes: ``FleetDomain/FleetStorage/removeRecords(_:before:at:)``.
struct RetentionBounds {
  let cutoff: Timestamp
  let now: Timestamp

  init(before cutoff: Timestamp, at now: Timestamp) {
    self.cutoff = cutoff
    self.now = now
  }

  /// The cutoff in the unit of columns: earlier times are less than this value.
  var time: Int64 { StoredTime.bound(cutoff) }

  /// The first id of the month that contains the cutoff. Smaller ids were made in past months. `nil` if there are none.
  var firstKept: UUIDv7? { IdMonth(at: cutoff).bounds.from }

  /// The first id that no correct clock has made yet; `nil` if there is none.
  var firstAhead: UUIDv7? { IdMonth.newest(at: now).bounds.to }
}
