/// A corner of a fence in whole 1e-7° (at most 1.1 cm), the resolution of most files. `x` is relative to the meridian
/// of the corner's part, so that the part may cross the antimeridian.
struct Vertex: BitwiseCopyable, Equatable, Sendable {
  var x: Int32
  var y: Int32
}

/// Functions and constants for angles in whole 1e-7°.
enum Grid {
  static var perDegree: Double { 1e7 }
  static var halfTurn: Int64 { 1_800_000_000 }
  static var turn: Int64 { 3_600_000_000 }
  static var radians: Double { radiansPerDegree / perDegree }

  /// Returns an angle in whole 1e-7°, rounded to the nearest number. Halves are rounded away from zero.
  ///
  /// `rounded()` gives the same result, but calls the C library on x86-64 without SSE 4.1.
  ///
  /// - Parameter degrees: the angle in degrees, −1,000…1,000.
  @inline(__always)
  static func units(_ degrees: Double) -> Int64 {
    let exact = degrees * perDegree
    // A `Double` of this size has no fraction, so the sum is rounded to the nearest integer, and a half to the even
    // integer.
    let shift = 0x1.8p52
    let sum = exact + shift
    let whole = Int64(bitPattern: sum.bitPattern &- shift.bitPattern)
    let rest = exact - (sum - shift)
    if abs(rest) != 0.5 { return whole }
    return exact > 0 ? (rest > 0 ? whole &+ 1 : whole) : (rest < 0 ? whole &- 1 : whole)
  }

  /// Returns the longitude of the same meridian within −180…180°.
  static func wrapped(_ x: Int64) -> Int64 {
    if x > halfTurn { return x - turn }
    if x < -halfTurn { return x + turn }
    return x
  }
}

/// A rectangle in 1e-7°, including its edges.
struct Box: BitwiseCopyable, Equatable, Sendable {
  var west: Int32
  var south: Int32
  var east: Int32
  var north: Int32

  /// A box that contains nothing.
  static var empty: Box { Box(west: .max, south: .max, east: .min, north: .min) }

  init(west: Int32, south: Int32, east: Int32, north: Int32) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// Creates the smallest box that contains an edge.
  @inline(__always)
  init(_ a: Vertex, _ b: Vertex) {
    self.init(west: min(a.x, b.x), south: min(a.y, b.y), east: max(a.x, b.x), north: max(a.y, b.y))
  }

  mutating func add(_ vertex: Vertex) {
    west = min(west, vertex.x)
    east = max(east, vertex.x)
    south = min(south, vertex.y)
    north = max(north, vertex.y)
  }

  mutating func add(_ other: Box) {
    west = min(west, other.west)
    east = max(east, other.east)
    south = min(south, other.south)
    north = max(north, other.north)
  }
}

/// The angles of longitude and latitude, in 1e-7°, that a distance covers at a latitude, rounded up.
struct Reach: BitwiseCopyable {
  var x: Int64
  var y: Int64

  init(x: Int64, y: Int64) {
    self.x = x
    self.y = y
  }

  /// Computes the angles that a distance covers at a latitude.
  ///
  /// - Parameters:
  ///   - metres: the distance in m, not negative.
  ///   - sine: sine of the latitude.
  ///   - cosine: cosine of the latitude.
  init(metres: Double, sine: Double, cosine: Double) {
    let angle = metres / Ellipsoid.leastRadius
    y = Int64(min(angle / Grid.radians, Double(Grid.halfTurn)).rounded(.up)) + 1
    // On the circle with this radius, the meridians are closest to each other at the point nearest to the pole.
    let narrowest = cosine * (1 - angle * angle / 2) - abs(sine) * angle
    let width = narrowest > 1e-9 ? metres / (Ellipsoid.equatorialRadius * narrowest * Grid.radians) : .infinity
    x = width < Double(Grid.halfTurn) ? Int64(width.rounded(.up)) + 1 : Grid.turn
  }
}
