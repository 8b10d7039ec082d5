import Telemetry

/// The newest place and motion of a vehicle, from its records.
public struct LastKnown: Equatable, Sendable {
  /// The newest position.
  public struct Place: Equatable, Sendable {
    public var time: Timestamp
    /// Latitude, ° of WGS 84.
    public var latitude: Double
    public var longitude: Double
    /// Course over ground, °; `nil` if unknown.
    public var heading: Double?
    /// Speed, km/h; `nil` if unknown.
    public var speed: Double?

    public init(time: Timestamp, latitude: Double, longitude: Double, heading: Double? = nil, speed: Double? = nil) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
      self.heading = heading
      self.speed = speed
    }
  }

  /// The newest telemetry.
  public struct Motion: Equatable, Sendable {
    public var time: Timestamp
    /// Speed of the vehicle, km/h, or its speed over ground if the vehicle does not report its own; `nil` if unknown.
    public var speed: Double?
    /// Revolutions of the engine per minute; `nil` if unknown.
    public var rpm: Double?

    public init(time: Timestamp, speed: Double? = nil, rpm: Double? = nil) {
      self.time = time
      self.speed = speed
      self.rpm = rpm
    }
  }

  /// The newest start or end of a trip.
  public struct Trip: Equatable, Sendable {
    public var time: Timestamp
    public var hasEnded: Bool

    public init(time: Timestamp, hasEnded: Bool) {
      self.time = time
      self.hasEnded = hasEnded
    }
  }

  /// The vehicle's id.
  public var vehicle: String
  public var name: String?
  public var fleetID: UUIDv7?
  /// The latest time of all records of the vehicle; `nil` if no record has a time.
  public var lastRecordAt: Timestamp?
  public var place: Place?
  public var motion: Motion?
  public var trip: Trip?
  /// The driver to whom the vehicle was assigned at the time of ``place``; `nil` if there was none.
  public var driverID: UUIDv7?
  /// Whether some of the newest records may belong to a private journey that the caller may not see. Then ``place``,
  /// ``motion``, ``trip`` and ``driverID`` are `nil`.
  public var isPrivate = false

  public init(vehicle: String) { self.vehicle = vehicle }
}
