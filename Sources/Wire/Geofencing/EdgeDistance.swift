/// Measures the distance from a position to an edge that is straight in longitude and latitude.
///
/// The edge is projected to a plane, with the Earth's radii of curvature at the position, to find its nearest point. It
/// is then projected again, with the radii halfway to that point. The error, compared with the geodesic on WGS 84, is
/// below 1 cm up to 5 km and 60° latitude, and below 1 m up to 20 km and 80°. Near the poles, where a plane is too
/// inaccurate, the edge is halved until it is short.
struct EdgeDistance {
  /// Longitude of the position relative to ``meridian``, in 1e-7°, not rounded.
  private let x: Double
  /// Latitude of the position in 1e-7°, not rounded.
  private let y: Double
  private let place: Place
  /// Longitude from which the longitudes of the edges are counted, degrees. It is the same for all edges of a fence's
  /// part (a polygon or line).
  private let meridian: Double
  private let isPolar: Bool

  /// Cosine of the latitude beyond which edges are halved: 80°.
  private static var polarCosine: Double { 0.173_648 }

  init(from place: Place, meridian: Int32) {
    self.place = place
    let whole = Grid.wrapped(place.x - Int64(meridian))
    x = Double(whole) + (place.position.longitude * Grid.perDegree - Double(place.x))
    y = place.position.latitude * Grid.perDegree
    self.meridian = Double(meridian) / Grid.perDegree
    isPolar = place.cosine < Self.polarCosine
  }

  /// Returns the distance to an edge in m, but at most `best`.
  @inline(__always)
  func metres(to a: Vertex, _ b: Vertex, best: Double) -> Double {
    if isPolar { return polar(a, b, best: best) }
    let ax = Double(a.x) - x
    let ay = Double(a.y) - y
    let bx = Double(b.x) - x
    let by = Double(b.y) - y
    let first = Self.nearest(ax * place.metresPerX, ay * place.metresPerY, bx * place.metresPerX, by * place.metresPerY)
    let rough = 1.06 * best + 1
    guard first.square < rough * rough else { return best }
    let scale = scale(halfway: (ay + first.part * (by - ay)) * Grid.radians / 2)
    let second = Self.nearest(ax * scale.x, ay * scale.y, bx * scale.x, by * scale.y)
    return min(best, second.square.squareRoot())
  }

  /// Finds the point of a projected edge that is nearest to the plane's origin.
  ///
  /// - Returns: the point as a fraction of the edge, 0…1, and the square of its distance.
  @inline(__always)
  private static func nearest(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> (part: Double, square: Double)
  {
    let wayX = bx - ax
    let wayY = by - ay
    let length2 = wayX * wayX + wayY * wayY
    let part = length2 > 0 ? min(1, max(0, -(ax * wayX + ay * wayY) / length2)) : 0
    let px = ax + part * wayX
    let py = ay + part * wayY
    return (part, px * px + py * py)
  }

  /// Returns the lengths of 1e-7° of longitude and of 1e-7° of latitude, in m, at a latitude `angle` rad north of the
  /// position.
  private func scale(halfway angle: Double) -> (x: Double, y: Double) {
    let square = angle * angle
    let sine = place.sine * (1 - square / 2) + place.cosine * (angle - angle * square / 6)
    let cosine = place.cosine * (1 - square / 2) - place.sine * (angle - angle * square / 6)
    let radii = Ellipsoid.radii(sine: sine)
    return (radii.normal * abs(cosine) * Grid.radians, radii.meridian * Grid.radians)
  }

  /// Returns the distance to an edge in m, but at most `best`. Halves the edge until its pieces are short. A piece is
  /// skipped if its middle is farther away than `best` plus half the piece's length.
  private func polar(_ a: Vertex, _ b: Vertex, best: Double) -> Double {
    let ax = Double(a.x)
    let ay = Double(a.y)
    let dx = Double(b.x) - ax
    let dy = Double(b.y) - ay
    // This is an upper bound of the edge's length in m.
    let length = Ellipsoid.equatorialRadius * Grid.radians * (abs(dx) + abs(dy)) * 1.01
    var best = best
    var waiting = InlineArray<64, (middle: Double, half: Double)>(repeating: (0, 0))
    waiting[0] = (0.5, 0.5)
    var count = 1
    while count > 0 {
      count -= 1
      let (middle, half) = waiting[count]
      let latitude = (ay + middle * dy) / Grid.perDegree
      let point = SpacePoint(latitude: latitude, longitude: (ax + middle * dx) / Grid.perDegree + meridian)
      let distance = place.point.distance(to: point)
      guard distance - half * length < best else { continue }
      best = min(best, distance)
      guard half * length > 0.01 else { continue }
      waiting[count] = (middle - half / 2, half / 2)
      waiting[count + 1] = (middle + half / 2, half / 2)
      count += 2
    }
    return best
  }
}
