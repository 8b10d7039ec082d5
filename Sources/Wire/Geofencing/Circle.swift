/// A circle on the ground. It is stored as a sphere in space: a point is inside if its straight distance from the
/// centre is at most ``chord``.
///
/// The error of the radius, compared with the geodesic on WGS 84, is below 0.01 % up to 50 km, also at the poles.
struct Circle: BitwiseCopyable, Sendable {
  let middle: SpacePoint
  /// The centre in 1e-7°.
  let corner: Vertex
  /// Radius on the ground, m.
  let radius: Double
  /// Straight distance from the centre to the rim, through the ground, m.
  let chord: Double
  /// The factor by which a small difference of straight distances is multiplied to get the difference along the ground.
  /// It is exact at the rim of the circle.
  let slope: Double

  init(around position: GeoPosition, radius: Double) {
    let sine = sineAndCosine(degrees: position.latitude).sine
    let radii = Ellipsoid.radii(sine: sine)
    let curvature = (radii.meridian * radii.normal).squareRoot()
    let half = sineAndCosine(degrees: radius / curvature / 2 / radiansPerDegree)
    corner = Vertex(x: Int32(Grid.units(position.longitude)), y: Int32(Grid.units(position.latitude)))
    self.radius = radius
    middle = SpacePoint(latitude: position.latitude, longitude: position.longitude)
    chord = 2 * curvature * half.sine
    slope = 1 / half.cosine
  }

  /// Returns whether a point is in the circle, and its distance from the rim. The distance is exact at the rim and
  /// accurate within 1 % up to 1,000 km from it.
  func standing(of point: SpacePoint, within limit: Double) -> Standing {
    let way = point - middle
    let distance = way.dot(way).squareRoot()
    return Standing(isInside: distance <= chord, distance: abs(distance - chord) * slope)
  }
}
