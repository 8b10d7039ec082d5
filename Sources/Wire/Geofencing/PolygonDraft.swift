/// A polygon or a line whose positions are being added. Its coordinates are in 1e-7°, and continue beyond ±180° at the
/// antimeridian.
struct PolygonDraft: Sendable {
  struct Point: BitwiseCopyable, Equatable, Sendable {
    var x: Int64
    var y: Int64
  }

  /// Memory that is needed for each corner, in bytes. While an array grows, its elements are moved to an array that is
  /// twice as large. Both arrays then exist at the same time, and together need 3/2 of the larger one's memory.
  static var bytesForCorner: Int { (MemoryLayout<Point>.stride + MemoryLayout<Int32>.stride) * 3 / 2 }

  private(set) var points: [Point] = []
  /// For each point, the index of the position from which it was made.
  private(set) var sources: [Int32] = []
  /// The indices of each ring's points. The last point equals the first.
  private(set) var rings: [Range<Int>] = []
  var sweep = EdgeSweep()
  /// The limit on the work for checking all polygons of the set, which decreases with each check.
  var budget = CheckBudget()

  mutating func begin() {
    points.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    rings.removeAll(keepingCapacity: true)
  }

  /// The meridian halfway between the westernmost and easternmost corners, within −180…180°.
  var middleMeridian: Int64 {
    var west = Int64.max
    var east = Int64.min
    for point in points {
      west = min(west, point.x)
      east = max(east, point.x)
    }
    return Grid.wrapped(west + (east - west) / 2)
  }

  typealias RingBox = (west: Int64, south: Int64, east: Int64, north: Int64)

  /// Returns the smallest box around a ring.
  func box(ofRing ring: Int) -> RingBox {
    var box = (west: Int64.max, south: Int64.max, east: Int64.min, north: Int64.min)
    for point in points[rings[ring]] {
      box = (min(box.west, point.x), min(box.south, point.y), max(box.east, point.x), max(box.north, point.y))
    }
    return box
  }

  mutating func addLine(_ line: [GeoPosition]) throws(FenceError) {
    try append(line, keepsDoubles: true)
    rings.append(0..<points.count)
    try refuseMoreThanATurn(0)
    centre()
  }

  mutating func addRing(_ ring: [GeoPosition]) throws(FenceError) {
    let number = rings.count
    guard ring.count >= 4 else { throw FenceError(.tooFewPositions(ring.count), ring: number) }
    guard ring[0] == ring[ring.count - 1] else {
      throw FenceError(.openRing, ring: number, position: ring.count - 1)
    }
    let first = points.count
    try append(ring, keepsDoubles: false)
    guard points.count - first >= 4 else { throw FenceError(.noArea, ring: number) }
    guard points[first] == points[points.count - 1] else { throw FenceError(.aroundPole, ring: number) }
    rings.append(first..<points.count)
    try refuseMoreThanATurn(number)
    if number == 0 { centre() } else { moveHole(number) }
  }

  /// Appends positions as points. Adds or subtracts multiples of 360°, so that the longitude of each point is as near
  /// as possible to that of the previous point. Consecutive equal positions become one corner, unless `keepsDoubles` is
  /// true.
  private mutating func append(_ positions: [GeoPosition], keepsDoubles: Bool) throws(FenceError) {
    let first = points.count
    for (index, position) in positions.enumerated() {
      try FenceSetBuilder.check(position, at: index, ring: rings.count)
      var point = Point(x: Grid.units(position.longitude), y: Grid.units(position.latitude))
      if points.count > first {
        let last = points[points.count - 1]
        point.x = Self.following(last, point)
        if !keepsDoubles, point == last { continue }
      }
      points.append(point)
      sources.append(Int32(index))
    }
  }

  /// Returns the longitude of an edge's end point that is nearest to the edge's start. It may be beyond ±180°.
  private static func following(_ last: Point, _ point: Point) -> Int64 {
    let lastTurns = last.x - Grid.wrapped(last.x)
    let difference = point.x + lastTurns - last.x
    // An edge between the longitudes −180° and 180° on one latitude goes all the way around the globe.
    if abs(difference) == Grid.turn, point.y == last.y { return point.x + lastTurns }
    if difference > Grid.halfTurn { return point.x + lastTurns - Grid.turn }
    if difference < -Grid.halfTurn { return point.x + lastTurns + Grid.turn }
    return point.x + lastTurns
  }

  private func refuseMoreThanATurn(_ ring: Int) throws(FenceError) {
    let box = box(ofRing: ring)
    guard box.east - box.west <= Grid.turn else { throw FenceError(.aroundPole, ring: ring) }
  }

  /// Moves the outer ring or the line by a multiple of 360°, so that its middle is within −180…180°.
  private mutating func centre() {
    let box = box(ofRing: 0)
    let middle = box.west + (box.east - box.west) / 2
    let turns = Grid.wrapped(middle) - middle
    if turns != 0 { for index in points.indices { points[index].x += turns } }
  }

  /// Moves a hole by a multiple of 360°, so that it is near its outer ring.
  private mutating func moveHole(_ ring: Int) {
    let outer = box(ofRing: 0)
    let hole = box(ofRing: ring)
    var turns: Int64 = 0
    if hole.east > outer.east, hole.west - Grid.turn >= outer.west { turns = -Grid.turn }
    if hole.west < outer.west, hole.east + Grid.turn <= outer.east { turns = Grid.turn }
    if turns != 0 { for index in rings[ring] { points[index].x += turns } }
  }
}
