/// The WGS 84 ellipsoid, to which positions refer (NIMA TR 8350.2, 3.2).
enum Ellipsoid {
  /// Equatorial radius, m.
  static var equatorialRadius: Double { 6_378_137 }
  /// Square of the first eccentricity.
  static var eccentricity2: Double { 6.694_379_990_141_3e-3 }
  /// The smallest radius of curvature, m: the radius along the meridian at the equator.
  static var leastRadius: Double { 6_335_439 }

  /// Returns the radii of curvature along the meridian and across it, in m, at the latitude whose sine is `sine`.
  static func radii(sine: Double) -> (meridian: Double, normal: Double) {
    let square = 1 - eccentricity2 * sine * sine
    let normal = equatorialRadius / square.squareRoot()
    return (normal * (1 - eccentricity2) / square, normal)
  }
}

/// A point in space, in m from the Earth's centre.
///
/// Straight distances between such points need no special cases for poles and the antimeridian. Over 50 km, they are
/// 13 cm shorter than the distance along the ground.
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

  /// Creates a point from the sine and cosine of its latitude, if they are known already.
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
  /// Returns the distance to another position in m, straight through the ground.
  ///
  /// Over 50 km the result is 13 cm shorter than the distance along the ground. It is correct near the poles and across
  /// the antimeridian.
  public func distance(to other: GeoPosition) -> Double {
    SpacePoint(latitude: latitude, longitude: longitude).distance(
      to: SpacePoint(latitude: other.latitude, longitude: other.longitude))
  }

  /// The length of a degree of longitude and of a degree of latitude at this position, m.
  public var metresPerDegree: (longitude: Double, latitude: Double) {
    let (sine, cosine) = sineAndCosine(degrees: latitude)
    let radii = Ellipsoid.radii(sine: sine)
    return (radii.normal * cosine * radiansPerDegree, radii.meridian * radiansPerDegree)
  }
}
