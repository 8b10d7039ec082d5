/// One position of the vehicle and what is known of its speed at that time.
public struct FenceFix: BitwiseCopyable, Equatable, Sendable {
  /// ns on any clock that does not jump.
  public var time: Int64
  public var position: GeoPosition
  /// Horizontal dilution of precision; nil where the receiver does not say.
  public var hdop: Double?
  /// km/h, as the vehicle's wheels say (OBD); nil where it does not say.
  public var vehicleSpeed: Double?
  /// km/h over ground, as the receiver measured it by Doppler; nil where it does not say.
  public var groundSpeed: Double?

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

/// When a change counts. Times in ns, distances in m, speeds in km/h unless said otherwise.
public struct FenceRules: BitwiseCopyable, Equatable, Sendable {
  /// The error circle around a fix is never smaller.
  public var leastErrorRadius = 5.0
  /// Radius of the error circle for each unit of HDOP.
  public var errorPerHDOP = 5.0
  /// A change that the error circle leaves in doubt counts once it has held so long.
  public var hold: Int64 = 10_000_000_000
  /// Below this Doppler speed a vehicle stands, where its own speed is not known.
  public var standingGroundSpeed = 1.5
  /// How long Doppler speeds must last, and add up to more than the error circle is wide, before a vehicle that stood
  /// counts as moving: a parked receiver's Doppler is noise too.
  public var leastMotion: Int64 = 2_000_000_000
  /// A standing vehicle that is found so far away…
  public var carriedDistance = 100.0
  /// …for so long was carried: on a ferry, on a hook.
  public var carriedTime: Int64 = 60_000_000_000
  /// m/s past which a change of position is the receiver's error.
  public var greatestSpeed = 80.0
  /// Positions that agree with each other for so long are believed, though no way led there.
  public var jumpTime: Int64 = 60_000_000_000
  /// The way between two fixes is looked at if no more time than this lies between them.
  public var longestGap: Int64 = 10_000_000_000
  /// Whether the first fix inside a fence is told as an enter.
  public var announcesFirstFix = false

  public init() {}

  func errorRadius(hdop: Double?) -> Double { max(leastErrorRadius, errorPerHDOP * (hdop ?? 0)) }
}
