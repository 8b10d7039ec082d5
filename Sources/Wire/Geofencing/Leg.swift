/// The path between two consecutive fixes. It is straight in longitude and latitude, like the edges of fences.
struct Leg {
  let from: Place
  let to: Place
  let start: Int64
  let end: Int64
  /// Difference of the longitudes, the short way around the globe, 1e-7°; positive to the east.
  let dx: Int64
  let dy: Int64
  /// Length in m.
  let length: Double

  init(from: Place, at start: Int64, to: Place, at end: Int64) {
    self.from = from
    self.to = to
    self.start = start
    self.end = end
    dx = Grid.wrapped(to.x - from.x)
    dy = to.y - from.y
    length = from.point.distance(to: to.point)
  }

  func position(at part: Double) -> GeoPosition {
    let longitude = from.position.longitude + part * (Double(dx) / Grid.perDegree)
    return GeoPosition(
      latitude: from.position.latitude + part * (to.position.latitude - from.position.latitude),
      longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
  }

  func time(at part: Double) -> Int64 { start + Int64((part * Double(end - start)).rounded()) }

  /// Returns the rectangle around the path, widened by `margin` m.
  func query(margin: Double) -> BoxQuery {
    let (wide, narrow) = (to.reach(margin), from.reach(margin))
    let x = max(wide.x, narrow.x)
    let y = max(wide.y, narrow.y)
    return BoxQuery(
      west: from.x + min(0, dx) - x, south: min(from.y, to.y) - y, east: from.x + max(0, dx) + x,
      north: max(from.y, to.y) + y)
  }
}

/// The points at which a path may cross a boundary, as fractions of the path, 0…1, in ascending order.
struct Crossings {
  private(set) var parts = InlineArray<64, Double>(repeating: 0)
  private(set) var count = 0

  /// Adds a point. Points after the 64th are ignored, because a vehicle does not cross that many edges of one fence
  /// between two fixes.
  mutating func add(_ part: Double) {
    guard part > 0, part < 1, count < 64 else { return }
    var place = count
    while place > 0, parts[place - 1] > part {
      parts[place] = parts[place - 1]
      place -= 1
    }
    parts[place] = part
    count += 1
  }

  /// Adds the solutions for t of a·t² + 2·b·t + c = 0.
  mutating func addRoots(_ a: Double, _ b: Double, _ c: Double) {
    let square = b * b - a * c
    guard a > 0, square >= 0 else { return }
    let root = square.squareRoot()
    add((-b - root) / a)
    add((-b + root) / a)
  }

  /// Returns the start of an interval between neighbouring points, as a fraction of the path. There is one interval
  /// more than there are points.
  mutating func start(of index: Int) -> Double { index == 0 ? 0 : parts[index - 1] }
  mutating func end(of index: Int) -> Double { index == count ? 1 : parts[index] }
}
