import Telemetry

/// The state of trips. The measurements of the current trip are in ``TripWatch``.
struct TripState {
  /// Next time at which a trip may start or end although no reading arrives; `.max` for never.
  var deadline: Int64 = .max
  /// ID of the current trip; `nil` before an ID is needed.
  var id: UUIDv7?
  /// The previous vehicle's ID, while the end of its trip is not reported yet.
  var formerVehicleId: String?
  /// The trip of the previous session, while it is not known whether it continues.
  var former: FormerTrip?
}
