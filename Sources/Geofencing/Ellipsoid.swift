/// WGS 84: the ellipsoid that positions refer to (NIMA TR 8350.2, 3.2).
enum Ellipsoid {
  /// Equatorial radius, m.
  static var equatorialRadius: Double { 6_378_137 }
  /// First eccentricity, squared.
  static var eccentricity2: Double { 6.694_379_990_141_3e-3 }
  /// The least radius of curvature there is, m: north to south at the equator.
  static var leastRadius: Double { 6_335_439 }

  /// Radii of curvature in m where the latitude has that sine: along the meridian, and across it.
  static func radii(sine: Double) -> (meridian: Double, normal: Double) {
    let square = 1 - eccentricity2 * sine * sine
    let normal = equatorialRadius / square.squareRoot()
    return (normal * (1 - eccentricity2) / square, normal)
  }
}

/// A point in space, m from the middle of the Earth. Straight distances between such points need no care for poles or the
/// antimeridian; over 50 km they fall short of the way along the ground by 13 cm.
struct SpacePoint: BitwiseCopyable, Equatable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  init(latitude: Double, longitude: Double) {
    let (sine, cosine) = sineAndCosine(degrees: latitude)
    self.init(sine: sine, cosine: cosine, longitude: longitude)
  }

  /// The same where sine and cosine of the latitude are at hand.
  init(sine: Double, cosine: Double, longitude: Double) {
    let normal = Ellipsoid.radii(sine: sine).normal
    let (east, ahead) = sineAndCosine(degrees: longitude)
    x = normal * cosine * ahead
    y = normal * cosine * east
    z = normal * (1 - Ellipsoid.eccentricity2) * sine
  }

  static func - (left: SpacePoint, right: SpacePoint) -> SpacePoint {
    SpacePoint(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  func dot(_ other: SpacePoint) -> Double { x * other.x + y * other.y + z * other.z }

  func distance(to other: SpacePoint) -> Double {
    let way = self - other
    return way.dot(way).squareRoot()
  }
}

extension GeoPosition {
  /// Metres to another position, straight through the ground: over 50 km 13 cm less than the way along it. Neither poles nor
  /// the antimeridian need care.
  public func distance(to other: GeoPosition) -> Double {
    SpacePoint(latitude: latitude, longitude: longitude).distance(
      to: SpacePoint(latitude: other.latitude, longitude: other.longitude))
  }
}
