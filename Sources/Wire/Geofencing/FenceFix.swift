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

/// The rules that determine when a ``FenceWatch`` accepts a change. Times are in ns, distances in m, and speeds in
/// km/h, unless noted otherwise.
public struct FenceRules: BitwiseCopyable, Equatable, Sendable {
  /// Minimum radius of the error circle around a fix, m.
  public var leastErrorRadius = 5.0
  /// Radius of the error circle for each unit of the horizontal dilution of precision, m.
  public var errorPerHDOP = 5.0
  /// If the boundary is inside the error circle, a change is uncertain. It is reported only after it has lasted for
  /// this time, ns.
  public var hold: Int64 = 10_000_000_000
  /// If the wheel speed is unknown, a vehicle counts as stationary below this Doppler speed, km/h.
  public var standingGroundSpeed = 1.5
  /// Time for which the Doppler speed must show motion before a stationary vehicle counts as moving, ns. In addition,
  /// the distance travelled, which is calculated from this speed, must exceed the diameter of the error circle, because
  /// the Doppler speed of a parked receiver is noisy.
  public var leastMotion: Int64 = 2_000_000_000
  /// A stationary vehicle counts as carried, for example on a ferry or a tow truck, if it is at least this far from the
  /// place where it stopped, m.
  public var carriedDistance = 100.0
  /// Time for which a stationary vehicle must be at least ``carriedDistance`` from the place where it stopped, before
  /// it counts as carried, ns.
  public var carriedTime: Int64 = 60_000_000_000
  /// If the position changes faster than this, the change is treated as an error of the receiver, m/s.
  public var greatestSpeed = 80.0
  /// Time for which positions that look like an error of the receiver must agree with each other before they are
  /// accepted, ns.
  public var jumpTime: Int64 = 60_000_000_000
  /// The path between two fixes is examined only if the time between them is at most this long, ns.
  public var longestGap: Int64 = 10_000_000_000
  /// Whether an enter event is reported for each fence that contains the first fix.
  public var announcesFirstFix = false

  /// Creates rules with the default values.
  public init() {}

  func errorRadius(hdop: Double?) -> Double { max(leastErrorRadius, errorPerHDOP * (hdop ?? 0)) }
}
