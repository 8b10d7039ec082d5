/// The position keys of a record: what a GNSS receiver said, and nothing that it did not say.
public struct Position: Equatable, Sendable {
  /// Degrees, north positive, −90…90.
  public var latitude: Double?
  /// Degrees, east positive, −180…180.
  public var longitude: Double?
  /// Metres above mean sea level.
  public var altitude: Double?
  /// Course over ground, degrees from true north, 0…360.
  public var heading: Double?
  /// Where the vehicle points, degrees from true north (HDT).
  public var trueHeading: Double?
  /// km/h over ground.
  public var gpsSpeed: Double?
  /// Horizontal dilution of precision.
  public var hdop: Double?
  /// Satellites used.
  public var satellites: Int?
  /// `none`, `2d`, `3d`, `dgps`, `rtkFloat`, `rtkFixed` or `estimated`.
  public var fixType: StaticString

  public init(fixType: StaticString) { self.fixType = fixType }

  /// Whether both say the same.
  public static func == (left: Position, right: Position) -> Bool {
    left.latitude == right.latitude && left.longitude == right.longitude && left.altitude == right.altitude
      && left.heading == right.heading && left.trueHeading == right.trueHeading && left.gpsSpeed == right.gpsSpeed
      && left.hdop == right.hdop && left.satellites == right.satellites
      && left.fixType.description == right.fixType.description
  }

  /// Names of the keys, all of them, in the order in which they are written.
  public static let keys: [StaticString] = [
    "latitude", "longitude", "altitude", "heading", "trueHeading", "gpsSpeed", "hdop", "satellites", "fixType",
  ]

  /// Decimals of latitude and longitude: a tenth of a millimetre on the ground.
  static let angleDecimals = 9

  /// Writes the keys into an object; false where one of them did not fit.
  ///
  /// - Parameter vss: whether those that COVESA VSS names go by its path (`Vehicle.CurrentLocation`).
  public func write(to line: inout JSONLineEncoder, vss: Bool = false) -> Bool {
    var complete = true
    if let latitude {
      line.key(vss ? "Vehicle.CurrentLocation.Latitude" : "latitude")
      complete = line.value(latitude, decimals: Self.angleDecimals) && complete
    }
    if let longitude {
      line.key(vss ? "Vehicle.CurrentLocation.Longitude" : "longitude")
      complete = line.value(longitude, decimals: Self.angleDecimals) && complete
    }
    complete = line.field(vss ? "Vehicle.CurrentLocation.Altitude" : "altitude", altitude) && complete
    complete = line.field(vss ? "Vehicle.CurrentLocation.Heading" : "heading", heading) && complete
    complete = line.field("trueHeading", trueHeading) && complete
    complete = line.field("gpsSpeed", gpsSpeed) && complete
    complete = line.field("hdop", hdop) && complete
    complete = line.field("satellites", satellites) && complete
    return line.field("fixType", fixType) && complete
  }
}
