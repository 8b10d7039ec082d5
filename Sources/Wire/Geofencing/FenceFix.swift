/// A position of the vehicle, with its speed at that time.
public struct FenceFix: BitwiseCopyable, Equatable, Sendable {
  /// Time of the fix, ns, on a monotonic clock that is the same for all fixes.
  public var time: Int64
  /// Position of the vehicle.
  public var position: GeoPosition
  /// Horizontal dilution of precision; `nil` if unknown.
  public var hdop: Double?
  /// Speed measured at the wheels, read by OBD, km/h; `nil` if unknown.
  public var vehicleSpeed: Double?
  /// Speed over ground, measured by the receiver's Doppler shift, km/h; `nil` if unknown.
  public var groundSpeed: Double?

  /// Creates a fix from latitude and longitude in degrees of WGS 84.
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

/// The rules by which a ``FenceWatch`` accepts changes. Times are in ns, distances in m, and speeds in km/h unless
/// noted otherwise.
public struct FenceRules: BitwiseCopyable, Equatable, Sendable {
  /// Minimum radius of the error circle around a fix, m.
  public var leastErrorRadius = 5.0
  /// Radius of the error circle for each unit of the horizontal dilution of precision, m.
  public var errorPerHDOP = 5.0
  /// Time for which a change must last before it is reported, ns, if it is in doubt because the boundary is inside the
  /// error circle.
  public var hold: Int64 = 10_000_000_000
  /// Doppler speed below which a vehicle counts as stationary, km/h, if its wheel speed is unknown.
  public var standingGroundSpeed = 1.5
  /// Time for which the Doppler speed must show motion before a stationary vehicle counts as moving, ns. The distance
  /// from this speed must also exceed the diameter of the error circle, because the Doppler speed of a parked receiver
  /// is noisy.
  public var leastMotion: Int64 = 2_000_000_000
  /// Distance in m from the place where a vehicle stopped. A stationary vehicle that is at least this far from that
  /// place counts as carried, for example on a ferry or a tow truck.
  public var carriedDistance = 100.0
  /// Time for which a stationary vehicle must be at least ``carriedDistance`` from the place where it stopped, before
  /// it counts as carried, ns.
  public var carriedTime: Int64 = 60_000_000_000
  /// Speed in m/s above which a change of position is treated as an error of the receiver.
  public var greatestSpeed = 80.0
  /// Time for which positions that look like an error of the receiver must agree with each other before they are
  /// accepted, ns.
  public var jumpTime: Int64 = 60_000_000_000
  /// Maximum time between two fixes for which the path between them is examined, ns.
  public var longestGap: Int64 = 10_000_000_000
  /// Whether an enter event is reported for each fence that contains the first fix.
  public var announcesFirstFix = false

  /// Creates rules with the default values.
  public init() {}

  func errorRadius(hdop: Double?) -> Double { max(leastErrorRadius, errorPerHDOP * (hdop ?? 0)) }
}
