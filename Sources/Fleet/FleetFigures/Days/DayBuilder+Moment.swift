import Geofencing

extension DayBuilder {
  /// The vehicle's state at the time of a telemetry record.
  struct Moment {
    var time: Int64
    var isMoving: Bool?
    var isEngineOn: Bool?
    /// The speed that the vehicle itself reports, km/h; `nil` if the record does not contain it.
    var speed: Double?
    var fuelRate: Double?
    var odometer: Double?
    var position: GeoPosition?
  }

  /// A value with the time of its record.
  struct Held {
    var time: Int64
    var value: Double

    func value(at now: Int64) -> Double? { now - time <= DayBuilder.hold ? value : nil }
  }
}
