/// The start or the end of a trip.
public struct TripRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.trip

  /// The end of the trip that the record reports.
  public enum Event: UInt8, Sendable {
    case start, end
    /// Name in records.
    public var name: StaticString { self == .start ? "start" : "end" }
  }

  /// The source of the distance.
  public enum DistanceSource: UInt8, Sendable {
    /// Odometer of the vehicle (PID A6), read at both ends.
    case odometer
    /// Integral of the vehicle's speed.
    case speed
    /// Positions of the receiver.
    case gps
    /// Speed of the vehicle, supplemented by the receiver's positions.
    case mixed
    /// Name in records.
    public var name: StaticString {
      switch self {
      case .odometer: "odometer"
      case .speed: "speed"
      case .gps: "gps"
      case .mixed: "mixed"
      }
    }
  }

  /// Identifier of the trip, in the records of its start and its end.
  public var tripId: UUIDv7
  /// Start or end.
  public var event: Event
  /// Start of the trip; `nil` if the date is unknown.
  public var startTime: Timestamp?
  /// End of the trip; `nil` in the record of its start.
  public var endTime: Timestamp?
  /// Distance in km; `nil` if unknown.
  public var distance: Double?
  /// Source of ``distance``.
  public var distanceSource: DistanceSource?
  /// Odometer at the start, km; `nil` if unknown.
  public var startOdometer: Double?
  /// Odometer at the end, km; `nil` if unknown.
  public var endOdometer: Double?
  /// Fuel in litres, from the vehicle's fuel rate; `nil` if unknown.
  public var fuelUsed: Double?
  /// Fuel in litres, estimated from air mass flow or manifold pressure; `nil` if unknown.
  public var fuelUsedEstimated: Double?
  /// Time in seconds during which the vehicle was stationary with a running engine; `nil` if unknown.
  public var idleSeconds: Double?
  /// Greatest speed, km/h; `nil` if unknown.
  public var maxSpeed: Double?

  /// Creates a record without other values.
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
