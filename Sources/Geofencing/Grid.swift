/// A corner of a fence in 1e-7°: 1.1 cm at most, as files carry it. `x` counts from the part's own meridian, so that a
/// part may lie across the antimeridian.
struct Vertex: BitwiseCopyable, Equatable, Sendable {
  var x: Int32
  var y: Int32
}

/// Angles in whole 1e-7°.
enum Grid {
  static var perDegree: Double { 1e7 }
  static var halfTurn: Int64 { 1_800_000_000 }
  static var turn: Int64 { 3_600_000_000 }
  static var radians: Double { radiansPerDegree / perDegree }

  static func units(_ degrees: Double) -> Int64 { Int64((degrees * perDegree).rounded()) }

  /// The same meridian within −180…180°.
  static func wrapped(_ x: Int64) -> Int64 {
    if x > halfTurn { return x - turn }
    if x < -halfTurn { return x + turn }
    return x
  }
}

/// A rectangle in 1e-7°, edges included.
struct Box: BitwiseCopyable, Equatable, Sendable {
  var west: Int32
  var south: Int32
  var east: Int32
  var north: Int32

  /// Contains nothing.
  static var empty: Box { Box(west: .max, south: .max, east: .min, north: .min) }

  init(west: Int32, south: Int32, east: Int32, north: Int32) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The box of an edge.
  @inline(__always)
  init(_ a: Vertex, _ b: Vertex) {
    self.init(west: min(a.x, b.x), south: min(a.y, b.y), east: max(a.x, b.x), north: max(a.y, b.y))
  }

  @inline(__always)
  func meets(_ other: Box) -> Bool {
    west <= other.east && other.west <= east && south <= other.north && other.south <= north
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

/// How far some metres reach around a latitude, in 1e-7°: never too little.
struct Reach: BitwiseCopyable {
  var x: Int64
  var y: Int64

  init(x: Int64, y: Int64) {
    self.x = x
    self.y = y
  }

  /// - Parameters:
  ///   - sine, cosine: of the latitude.
  ///   - metres: not negative.
  init(metres: Double, sine: Double, cosine: Double) {
    let angle = metres / Ellipsoid.leastRadius
    y = Int64(min(angle / Grid.radians, Double(Grid.halfTurn)).rounded(.up)) + 1
    // The meridians are nearest to each other at the end that is nearest to the pole.
    let narrowest = cosine * (1 - angle * angle / 2) - abs(sine) * angle
    let width = narrowest > 1e-9 ? metres / (Ellipsoid.equatorialRadius * narrowest * Grid.radians) : .infinity
    x = width < Double(Grid.halfTurn) ? Int64(width.rounded(.up)) + 1 : Grid.turn
  }
}
