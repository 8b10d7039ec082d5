/// A point on a ``FlatMap``, in m from its middle.
struct FlatPoint: BitwiseCopyable, Sendable {
  var x: Double
  var y: Double
}

/// A plane map of the ground around a position, which is the map's middle. Coordinates are m to the east and north,
/// computed with the Earth's radii of curvature at the middle.
///
/// A line that is straight in longitude and latitude is straight on the map.
struct FlatMap: BitwiseCopyable, Sendable {
  let x: Int64
  let y: Int64
  private let metresPerX: Double
  private let metresPerY: Double
  /// Relative change of an east–west distance for each metre to the north. It is due to the convergence of the
  /// meridians.
  private let lean: Double
  /// Whether the map is accurate enough to be used; `false` near a pole.
  let isUseful: Bool

  init() {
    x = 0
    y = 0
    metresPerX = 0
    metresPerY = 0
    lean = 0
    isUseful = false
  }

  init(around middle: (x: Int64, y: Int64)) {
    x = middle.x
    y = max(-Grid.halfTurn / 2, min(Grid.halfTurn / 2, middle.y))
    let (sine, cosine) = sineAndCosine(degrees: Double(y) / Grid.perDegree)
    let radii = Ellipsoid.radii(sine: sine)
    metresPerX = radii.normal * cosine * Grid.radians
    metresPerY = radii.meridian * Grid.radians
    isUseful = cosine > 0.2
    lean = isUseful ? (abs(sine) / cosine + 0.5) / Ellipsoid.leastRadius : 1
  }

  @inline(__always)
  func point(_ x: Int64, _ y: Int64) -> FlatPoint {
    FlatPoint(x: Double(x - self.x) * metresPerX, y: Double(y - self.y) * metresPerY)
  }

  /// Returns the maximum relative error of a distance on the map.
  ///
  /// The result includes a safety factor of 1.5, and 0.02 % for circles, which are measured through the ground.
  ///
  /// - Parameter metres: the maximum distance of both ends of the measured line from the middle of the map, m.
  func error(within metres: Double) -> Double { 1.5 * metres * lean + 2e-4 }

  /// Returns the angles of longitude and latitude, in 1e-7°, that a distance in m covers on the map, rounded up.
  func reach(_ metres: Double) -> (x: Int64, y: Int64) {
    (Int64(metres / metresPerX) + 1, Int64(metres / metresPerY) + 1)
  }

  /// Projects an edge onto the map.
  func edge(_ a: Vertex, _ b: Vertex, meridian: Int32) -> FlatEdge {
    let shift = Int64(meridian) - x
    let x = Grid.wrapped(Int64(a.x) + shift)
    let from = FlatPoint(x: Double(x) * metresPerX, y: Double(Int64(a.y) - y) * metresPerY)
    return FlatEdge(
      from: from, wayX: Double(Int64(b.x) - Int64(a.x)) * metresPerX, wayY: Double(Int64(b.y) - Int64(a.y)) * metresPerY
    )
  }
}

/// An edge or a point on a ``FlatMap``.
struct FlatEdge: BitwiseCopyable, Sendable {
  let from: FlatPoint
  let wayX: Double
  let wayY: Double
  /// 1 / length² of the edge, in 1/m²; 0 for a point.
  let inverse: Double

  init(from: FlatPoint, wayX: Double, wayY: Double) {
    self.from = from
    self.wayX = wayX
    self.wayY = wayY
    let square = wayX * wayX + wayY * wayY
    inverse = square > 0 ? 1 / square : 0
  }

  /// Returns the square of the distance from a point to the nearest point of the edge, in m².
  @inline(__always)
  func square(to point: FlatPoint) -> Double {
    let x = from.x - point.x
    let y = from.y - point.y
    let part = -(x * wayX + y * wayY) * inverse
    let along = part < 0 ? 0 : part > 1 ? 1 : part
    let nearestX = x + along * wayX
    let nearestY = y + along * wayY
    return nearestX * nearestX + nearestY * nearestY
  }
}
