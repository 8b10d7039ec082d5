/// The data that a GNSS receiver reports for one epoch, combined from all its sentences with the same time of day.
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
///     $GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38*0A
///     $GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43
///
/// Values that the receiver did not report are `nil`. Only the date may come from an earlier epoch, because only RMC
/// and ZDA contain one. Position, altitude, speed, course and dilution of precision are `nil` unless the receiver
/// reports a valid fix.
public struct Fix: BitwiseCopyable, Equatable, Sendable {
  /// UTC date as the receiver reports it, without correction; `nil` if unknown. After an overflow of the GPS week
  /// number, some receivers report a date that is 1,024 weeks (about 20 years) too early.
  public var date: CalendarDate?
  /// UTC time of day of the epoch; `nil` if unknown.
  public var time: TimeOfDay?
  /// How the position was determined.
  public var type: FixType = .none
  /// Latitude in degrees, −90...90, north positive; `nil` if unknown. Latitude and longitude are either both known or
  /// both unknown.
  public var latitude: Double?
  /// Longitude in degrees, −180...180, east positive; `nil` if unknown.
  public var longitude: Double?
  /// Altitude above mean sea level in metres (GGA, GNS); `nil` if unknown.
  public var altitude: Double?
  /// Speed over ground, km/h; `nil` if unknown.
  public var speed: Double?
  /// Course over ground, degrees true, 0...360; `nil` if unknown.
  public var course: Double?
  /// Heading of the vehicle (HDT), degrees true, 0...360; `nil` if unknown. It may be known without a valid position,
  /// because a gyrocompass or two antennas measure it.
  public var trueHeading: Double?
  /// Horizontal dilution of precision; `nil` if unknown.
  public var hdop: Double?
  /// Number of satellites used for the position (GGA, GNS); `nil` if unknown. In GGA, receivers do not count above 12.
  public var satellites: Int?
  /// Standard deviation of the horizontal position in metres, from GST; `nil` if unknown. It is the root of the sum of
  /// the squares of the deviations of latitude and longitude or, without these, of the axes of the error ellipse.
  public var horizontalError: Double?
  /// Number of bytes of the stream up to the end of the epoch's last sentence, including its checksum.
  public var position: UInt64 = 0

  /// Creates a fix without values.
  public init() {}
}

/// How the position of an epoch was determined, from GGA's quality, the mode indicators (NMEA 0183 2.3 and later) and
/// GSA.
public enum FixType: UInt8, BitwiseCopyable, Equatable, Sendable {
  /// No valid fix, or a simulated or manually entered position.
  case none
  /// Latitude and longitude were determined from satellites.
  case twoD
  /// Latitude, longitude and altitude were determined from satellites.
  case threeD
  /// The position was determined as for `twoD` or `threeD`, but with corrections from a base station or a
  /// satellite-based augmentation system.
  case dgps
  /// The position was determined from the carrier phase relative to a base station, with floating ambiguities: accurate
  /// to decimetres.
  case rtkFloat
  /// The position was determined from the carrier phase relative to a base station, with fixed ambiguities: accurate to
  /// centimetres.
  case rtkFixed
  /// The position was estimated, partly or entirely, by dead reckoning.
  case estimated

  /// Name of the type in records: `none`, `2d`, `3d`, `dgps`, `rtkFloat`, `rtkFixed` or `estimated`.
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
