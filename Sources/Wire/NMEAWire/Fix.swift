/// One epoch of a GNSS receiver: the combined data of its sentences with one time of day.
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
///     $GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38*0A
///     $GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43
///
/// Values that the receiver did not report are `nil`. Only the date may come from an earlier epoch, because only RMC
/// and ZDA contain one. Position, altitude, speed, course and dilution of precision are `nil` unless the receiver
/// reports a valid fix.
public struct Fix: BitwiseCopyable, Equatable, Sendable {
  /// UTC date as reported by the receiver, never corrected. A receiver after its week rollover is up to 20 years off.
  /// `nil` if unknown.
  public var date: CalendarDate?
  /// UTC time of day of the epoch; `nil` if unknown.
  public var time: TimeOfDay?
  /// Type of the solution.
  public var type: FixType = .none
  /// Latitude in degrees, −90...90, north positive; `nil` exactly if ``longitude`` is `nil`.
  public var latitude: Double?
  /// Longitude in degrees, −180...180, east positive.
  public var longitude: Double?
  /// Altitude above mean sea level in metres (GGA, GNS); `nil` if unknown.
  public var altitude: Double?
  /// Speed over ground, km/h; `nil` if unknown.
  public var speed: Double?
  /// Course over ground, degrees true, 0...360; `nil` if unknown.
  public var course: Double?
  /// Heading of the vehicle (HDT), degrees true, 0...360; `nil` if unknown. It needs no fix: a gyrocompass or two
  /// antennas measure it.
  public var trueHeading: Double?
  /// Horizontal dilution of precision; `nil` if unknown.
  public var hdop: Double?
  /// Number of satellites used in the solution (GGA, GNS); `nil` if unknown. Receivers stop counting at 12 in GGA.
  public var satellites: Int?
  /// Standard deviation of the horizontal position in metres (GST): the root of the sum of the squares of its axes.
  /// `nil` if unknown.
  public var horizontalError: Double?
  /// Position in the stream: number of bytes received up to the end of the epoch's last sentence, including its
  /// checksum.
  public var position: UInt64 = 0

  /// Creates a fix without values.
  public init() {}
}

/// Type of an epoch's solution, from GGA's quality, the mode indicators (NMEA 0183 2.3 and later) and GSA.
public enum FixType: UInt8, BitwiseCopyable, Equatable, Sendable {
  /// No valid fix, or a simulated or manually entered position.
  case none
  /// Latitude and longitude.
  case twoD
  /// Latitude, longitude and altitude.
  case threeD
  /// Corrected by a base station or a satellite-based augmentation system.
  case dgps
  /// Carrier phase relative to a base station, with floating ambiguities: accuracy of decimetres.
  case rtkFloat
  /// Carrier phase relative to a base station, with fixed ambiguities: accuracy of centimetres.
  case rtkFixed
  /// Dead reckoning.
  case estimated

  /// Name in records: `none`, `2d`, `3d`, `dgps`, `rtkFloat`, `rtkFixed` or `estimated`.
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
