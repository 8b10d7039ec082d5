import Telemetry

/// The IDs and pending decisions of trips. The measurements of the current trip are in ``TripWatch``.
struct TripState {
  /// The next time at which a trip may start or end even if no reading arrives; `.max` for never.
  var deadline: Int64 = .max
  /// ID of the current trip; `nil` until an ID is needed.
  var id: UUIDv7?
  /// The previous vehicle's ID, while the end of that vehicle's trip is not reported yet; otherwise `nil`.
  var formerVehicleId: String?
  /// The trip of the previous session, until it is decided whether the trip continues; otherwise `nil`.
  var former: FormerTrip?
}
