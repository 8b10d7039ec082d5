/// One epoch of a GNSS receiver: what its sentences of one time of day say together.
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
///     $GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38*0A
///     $GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43
///
/// What the receiver did not say is nil; nothing is carried over from an earlier epoch but the date, which sentences
/// other than RMC and ZDA presuppose. Position, altitude, speed, course and dilution of precision are nil unless
/// the receiver calls the fix valid.
public struct Fix: BitwiseCopyable, Equatable, Sendable {
  /// The UTC date as the receiver gave it, never corrected: a receiver past its week rollover is up to 20 years off.
  public var date: CalendarDate?
  /// The UTC time of day of the epoch; nil while the receiver knows none.
  public var time: TimeOfDay?
  /// What kind of solution the epoch is.
  public var type: FixType = .none
  /// Degrees, −90...90, north positive. Present exactly when ``longitude`` is.
  public var latitude: Double?
  /// Degrees, −180...180, east positive.
  public var longitude: Double?
  /// Metres above mean sea level (GGA, GNS).
  public var altitude: Double?
  /// Speed over ground, km/h.
  public var speed: Double?
  /// Course over ground, degrees true, 0...360.
  public var course: Double?
  /// Where the vehicle's nose points (HDT), degrees true, 0...360. It needs no fix: a gyro or two antennas give it.
  public var trueHeading: Double?
  /// Horizontal dilution of precision.
  public var hdop: Double?
  /// Satellites used in the solution (GGA, GNS); receivers stop counting at 12 in GGA.
  public var satellites: Int?
  /// Standard deviation of the horizontal position in metres (GST): the root of the sum of the squares of its axes.
  public var horizontalError: Double?
  /// Where in the stream the epoch's last sentence ended: the bytes received up to and with its checksum.
  public var position: UInt64 = 0

  public init() {}
}

/// What kind of solution an epoch is, from GGA's quality, the mode indicators (NMEA 0183 2.3 and later) and GSA.
public enum FixType: UInt8, BitwiseCopyable, Equatable, Sendable {
  /// The receiver gives no valid fix, or one that a simulator or a person made up.
  case none
  /// Latitude and longitude.
  case twoD
  /// Latitude, longitude and altitude.
  case threeD
  /// Corrected by a base station or a satellite-based augmentation system.
  case dgps
  /// Carrier phase against a base station, ambiguities not fixed: decimetres.
  case rtkFloat
  /// Carrier phase against a base station, ambiguities fixed: centimetres.
  case rtkFixed
  /// Dead reckoning.
  case estimated

  /// The name that records carry: `none`, `2d`, `3d`, `dgps`, `rtkFloat`, `rtkFixed` or `estimated`.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .twoD: "2d"
    case .threeD: "3d"
    case .dgps: "dgps"
    case .rtkFloat: "rtkFloat"
    case .rtkFixed: "rtkFixed"
    case .estimated: "estimated"
    }
  }
}
