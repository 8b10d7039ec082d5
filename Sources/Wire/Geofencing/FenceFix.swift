/// A position of the vehicle, with its speed at that time.
public struct FenceFix: BitwiseCopyable, Equatable, Sendable {
  /// Time in ns, on any monotonic clock, the same for all fixes.
  public var time: Int64
  /// Position of the vehicle.
  public var position: GeoPosition
  /// Horizontal dilution of precision; `nil` if unknown.
  public var hdop: Double?
  /// Speed measured at the wheels, read by OBD, km/h; `nil` if unknown.
  public var vehicleSpeed: Double?
  /// Speed over ground, measured by the receiver's Doppler shift, km/h; `nil` if unknown.
  public var groundSpeed: Double?

  /// Creates a fix. Degrees are those of WGS 84.
  public init(
    time: Int64, latitude: Double, longitude: Double, hdop: Double? = nil, vehicleSpeed: Double? = nil,
    groundSpeed: Double? = nil
  ) {
    self.time = time
    position = GeoPosition(latitude: latitude, longitude: longitude)
    self.hdop = hdop
    self.vehicleSpeed = vehicleSpeed
    self.groundSpeed = groundSpeed
  }
}

/// The rules by which changes are accepted. Times are in ns, distances in m, speeds in km/h unless noted.
public struct FenceRules: BitwiseCopyable, Equatable, Sendable {
  /// The minimum radius of the error circle around a fix.
  public var leastErrorRadius = 5.0
  /// Radius of the error circle for each unit of HDOP.
  public var errorPerHDOP = 5.0
  /// Time for which a change must last if it is in doubt because the boundary is inside the error circle.
  public var hold: Int64 = 10_000_000_000
  /// The Doppler speed below which a vehicle is stationary, if its wheel speed is unknown.
  public var standingGroundSpeed = 1.5
  /// Time for which Doppler motion must last before a stationary vehicle counts as moving. The distance must also
  /// exceed the width of the error circle, because the Doppler speed of a parked receiver is noisy.
  public var leastMotion: Int64 = 2_000_000_000
  /// Distance at which a stationary vehicle counts as carried, for example on a ferry or a tow truck.
  public var carriedDistance = 100.0
  /// Time for which it must be that far away.
  public var carriedTime: Int64 = 60_000_000_000
  /// The speed in m/s beyond which a change of position is a receiver error.
  public var greatestSpeed = 80.0
  /// Time for which implausible positions must agree with each other before they are accepted.
  public var jumpTime: Int64 = 60_000_000_000
  /// The longest time between two fixes for which the path between them is examined.
  public var longestGap: Int64 = 10_000_000_000
  /// Whether a first fix inside a fence is reported as an enter event.
  public var announcesFirstFix = false

  /// Creates rules with the default values.
  public init() {}

  func errorRadius(hdop: Double?) -> Double { max(leastErrorRadius, errorPerHDOP * (hdop ?? 0)) }
}
