/// A record of the start or the end of a trip.
public struct TripRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.trip

  /// The event that the record reports: the start or the end of the trip.
  public enum Event: UInt8, Sendable {
    case start, end
    /// Name of the event in records.
    public var name: StaticString { self == .start ? "start" : "end" }
  }

  /// The data from which the distance was computed.
  public enum DistanceSource: UInt8, Sendable {
    /// Readings of the vehicle's odometer (PID A6) at the start and the end.
    case odometer
    /// The vehicle's speed, integrated over time.
    case speed
    /// The positions that the receiver reported.
    case gps
    /// The vehicle's speed and, for times without a speed, the positions that the receiver reported.
    case mixed
    /// Name of the source in records.
    public var name: StaticString {
      switch self {
      case .odometer: "odometer"
      case .speed: "speed"
      case .gps: "gps"
      case .mixed: "mixed"
      }
    }
  }

  /// Identifier of the trip, which is the same in the records of its start and its end.
  public var tripId: UUIDv7
  /// The event that the record reports: the start or the end of the trip.
  public var event: Event
  /// Time of the trip's start; `nil` if the date is unknown.
  public var startTime: Timestamp?
  /// Time of the trip's end; `nil` if the date is unknown, and in the record of the start.
  public var endTime: Timestamp?
  /// Distance of the trip, km; `nil` if unknown.
  public var distance: Double?
  /// The data from which ``distance`` was computed; `nil` if the distance is unknown.
  public var distanceSource: DistanceSource?
  /// Odometer at the start, km; `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer at the end, km; `nil` if unknown.
  public var endOdometer: Double?
  /// Fuel used during the trip, litres, computed from the fuel rate that the vehicle reports; `nil` if unknown.
  public var fuelUsed: Double?
  /// Fuel used during the trip, litres, estimated from air mass flow or manifold pressure; `nil` if unknown.
  public var fuelUsedEstimated: Double?
  /// Time in seconds during which the vehicle was stationary with a running engine; `nil` if unknown.
  public var idleSeconds: Double?
  /// Maximum speed during the trip, km/h; `nil` if unknown.
  public var maxSpeed: Double?

  /// Creates a record in which all other values are unknown.
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
