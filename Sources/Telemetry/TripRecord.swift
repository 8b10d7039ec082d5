/// A trip began or ended.
public struct TripRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.trip

  /// Which end of the trip.
  public enum Event: UInt8, Sendable {
    case start, end
    /// As records print it.
    public var name: StaticString { self == .start ? "start" : "end" }
  }

  /// What the distance was measured with.
  public enum DistanceSource: UInt8, Sendable {
    /// The vehicle's odometer (PID A6), read at both ends.
    case odometer
    /// The vehicle's speed, integrated.
    case speed
    /// The receiver's positions.
    case gps
    /// The vehicle's speed, and the receiver's positions where it did not say it.
    case mixed
    /// As records print it.
    public var name: StaticString {
      switch self {
      case .odometer: "odometer"
      case .speed: "speed"
      case .gps: "gps"
      case .mixed: "mixed"
      }
    }
  }

  /// The same at both ends.
  public var tripId: UUIDv7
  /// Which end of the trip.
  public var event: Event
  /// Absent while the date is not known.
  public var startTime: Timestamp?
  /// Of the trip's end; absent at its start.
  public var endTime: Timestamp?
  /// km
  public var distance: Double?
  /// What ``distance`` was measured with.
  public var distanceSource: DistanceSource?
  /// km
  public var startOdometer: Double?
  /// km
  public var endOdometer: Double?
  /// Litres, from the vehicle's own fuel rate.
  public var fuelUsed: Double?
  /// Litres, worked out from air mass or manifold pressure.
  public var fuelUsedEstimated: Double?
  /// Seconds with the engine running and the vehicle standing.
  public var idleSeconds: Double?
  /// km/h
  public var maxSpeed: Double?

  public init(tripId: UUIDv7, event: Event) {
    self.tripId = tripId
    self.event = event
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("tripId", tripId)
    line.field("event", event.name)
    line.field("startTime", startTime)
    line.field("endTime", endTime)
    line.field("distance", distance)
    line.field("distanceSource", distanceSource?.name)
    line.field("startOdometer", startOdometer)
    line.field("endOdometer", endOdometer)
    line.field("fuelUsed", fuelUsed)
    line.field("fuelUsedEstimated", fuelUsedEstimated)
    line.field("idleSeconds", idleSeconds)
    line.field("maxSpeed", maxSpeed)
  }
}
