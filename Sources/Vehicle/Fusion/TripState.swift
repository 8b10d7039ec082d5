import Telemetry

/// The state of trips, except the measurements of the current one (``TripWatch``).
struct TripState {
  /// Next time at which a trip may start or end without a reading; `.max` for never.
  var deadline: Int64 = .max
  /// ID of the current trip; assigned when first needed.
  var id: UUIDv7?
  /// Vehicle ID of a trip that ended because the vehicle changed.
  var formerVehicleId: String?
  /// The trip of the previous session, until it is known whether it continues.
  var former: FormerTrip?
}
