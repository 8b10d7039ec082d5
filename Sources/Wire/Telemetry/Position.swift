/// The vehicle's position in a record, as a GNSS receiver reported it.
public struct Position: Equatable, Sendable {
  /// Latitude in degrees, −90…90, north positive; `nil` if unknown.
  public var latitude: Double?
  /// Longitude in degrees, −180…180, east positive; `nil` if unknown.
  public var longitude: Double?
  /// Altitude above mean sea level, m; `nil` if unknown.
  public var altitude: Double?
  /// Course over ground, degrees from true north, 0…360; `nil` if unknown.
  public var heading: Double?
  /// Heading of the vehicle, degrees from true north (HDT); `nil` if unknown.
  public var trueHeading: Double?
  /// Speed over ground, km/h; `nil` if unknown.
  public var gpsSpeed: Double?
  /// Horizontal dilution of precision; `nil` if unknown.
  public var hdop: Double?
  /// Number of satellites used; `nil` if unknown.
  public var satellites: Int?
  /// Type of the fix: `none`, `2d`, `3d`, `dgps`, `rtkFloat`, `rtkFixed` or `estimated`.
  public var fixType: StaticString

  /// Creates a position in which only the type of the fix is known.
  public init(fixType: StaticString) { self.fixType = fixType }

  /// Whether all values of both positions are equal.
  public static func == (left: Position, right: Position) -> Bool {
    left.latitude == right.latitude && left.longitude == right.longitude && left.altitude == right.altitude
      && left.heading == right.heading && left.trueHeading == right.trueHeading && left.gpsSpeed == right.gpsSpeed
      && left.hdop == right.hdop && left.satellites == right.satellites
      && left.fixType.description == right.fixType.description
  }

  /// The names of all keys that a position can have, in the order in which they are written.
  public static let keys: [StaticString] = [
    "latitude", "longitude", "altitude", "heading", "trueHeading", "gpsSpeed", "hdop", "satellites", "fixType",
  ]

  /// Number of decimals with which latitude and longitude are written. The last decimal is about a tenth of a
  /// millimetre on the ground.
  static let angleDecimals = 9

  /// Writes the position's keys and values into the open object.
  ///
  /// - Parameter vss: whether to use the COVESA VSS path (`Vehicle.CurrentLocation`) for keys that have one.
  /// - Returns: `false` if a key did not fit.
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
