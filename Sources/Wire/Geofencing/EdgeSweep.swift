/// Finds, with a sweep line, edges of one polygon that cross or touch each other.
///
/// The sweep line moves across the polygon. The edges are sorted by the position at which the line reaches them. An
/// edge is compared only with the edges that the sweep line cuts at the same time.
struct EdgeSweep: Sendable {
  private typealias Point = PolygonDraft.Point

  /// An edge: its first point, and its extent in the direction of the sweep and across the sweep. The extents alone
  /// decide most comparisons, so that few points must be read from memory.
  private struct Edge: BitwiseCopyable, Sendable {
    var lower: Int64
    var upper: Int64
    var near: Int64
    var far: Int64
    var first: Int32
    var ring: Int32
  }

  /// Memory that the sweep needs for each corner of the polygon, in bytes.
  static var bytesForCorner: Int { MemoryLayout<Edge>.stride * 3 / 2 }

  private enum Intersection { case none, touch, crossing }

  private var edges: [Edge] = []

  init() {}

  /// Finds the first pair of edges that are not allowed to meet: they cross or overlap, or they touch although they are
  /// in the same ring and not neighbours.
  ///
  /// - Parameters:
  ///   - touched: set to `true` for each hole that touches the outer ring in a point.
  ///   - budget: the limit, which decreases with each pair of edges that is compared.
  /// - Returns: the indices of both edges' first points; `nil` if there is no such pair.
  /// - Throws: ``FenceError`` if the limit is exceeded.
  mutating func firstMeeting(
    points: [PolygonDraft.Point], rings: [Range<Int>], touched: inout [Bool], budget: inout CheckBudget
  ) throws(FenceError) -> (first: Int, second: Int)? {
    collect(points, rings, alongX: true)
    // If the edges are long in the direction of the sweep, many pairs of edges would have to be compared. Then sweep in
    // the other direction.
    let width = edges.reduce(into: 0.0) { $0 += Double($1.upper - $1.lower) } / extent()
    if width > 8 {
      collect(points, rings, alongX: false)
      let height = edges.reduce(into: 0.0) { $0 += Double($1.upper - $1.lower) } / extent()
      if height > width { collect(points, rings, alongX: true) }
    }
    edges.sort { $0.lower < $1.lower }
    let edges = self.edges.span
    let points = points.span
    for index in 0..<edges.count {
      let (upper, near, far) = (edges[index].upper, edges[index].near, edges[index].far)
      var next = index + 1
      while next < edges.count, edges[next].lower <= upper {
        if edges[next].near > far || edges[next].far < near {
          next += 1
          continue
        }
        switch meeting(edges[index], edges[next], points, rings) {
        case .none: break
        case .touch:
          let holes = (Int(edges[index].ring), Int(edges[next].ring))
          if min(holes.0, holes.1) == 0 { touched[max(holes.0, holes.1)] = true }
        case .crossing:
          let pair = (Int(edges[index].first), Int(edges[next].first))
          return pair.0 > pair.1 ? pair : (pair.1, pair.0)
        }
        next += 1
      }
      try budget.spend(next - index)
    }
    return nil
  }

  private mutating func collect(_ points: [PolygonDraft.Point], _ rings: [Range<Int>], alongX: Bool) {
    edges.removeAll(keepingCapacity: true)
    for (number, ring) in rings.enumerated() {
      for first in ring.dropLast() {
        let (p, q) = (points[first], points[first + 1])
        let (a, b) = alongX ? (p.x, q.x) : (p.y, q.y)
        let (c, d) = alongX ? (p.y, q.y) : (p.x, q.x)
        edges.append(
          Edge(
            lower: min(a, b), upper: max(a, b), near: min(c, d), far: max(c, d), first: Int32(first),
            ring: Int32(number)))
      }
    }
  }

  private func extent() -> Double {
    var lower = Int64.max
    var upper = Int64.min
    for edge in edges {
      lower = min(lower, edge.lower)
      upper = max(upper, edge.upper)
    }
    return Double(upper - lower) + 1
  }

  private func meeting(
    _ left: Edge, _ right: Edge, _ points: Span<PolygonDraft.Point>, _ rings: [Range<Int>]
  ) -> Intersection {
    let i = Int(left.first)
    let j = Int(right.first)
    let (a, b, c, d) = (points[i], points[i + 1], points[j], points[j + 1])
    if min(a.x, b.x) > max(c.x, d.x) || min(c.x, d.x) > max(a.x, b.x) { return .none }
    if min(a.y, b.y) > max(c.y, d.y) || min(c.y, d.y) > max(a.y, b.y) { return .none }
    let sameRing = left.ring == right.ring
    if sameRing {
      // Neighbouring edges share a corner. They must not share any other point.
      if b == c && (j == i + 1 || isClosing(i, j, rings[Int(left.ring)])) { return Self.folds(a, b, d) }
      if d == a && (i == j + 1 || isClosing(j, i, rings[Int(left.ring)])) { return Self.folds(c, d, b) }
    }
    let (c1, d1) = (Self.side(a, b, c), Self.side(a, b, d))
    let (a1, b1) = (Self.side(c, d, a), Self.side(c, d, b))
    if c1 * d1 < 0, a1 * b1 < 0 { return .crossing }
    if c1 == 0, d1 == 0 {
      // Both edges are on one line, and their boxes intersect. They share either a section or only an end.
      return sameRing || Self.overlap(a, b, c, d) ? .crossing : .touch
    }
    let touches =
      (c1 == 0 && Self.isInBox(c, a, b)) || (d1 == 0 && Self.isInBox(d, a, b)) || (a1 == 0 && Self.isInBox(a, c, d))
      || (b1 == 0 && Self.isInBox(b, c, d))
    guard touches else { return .none }
    return sameRing ? .crossing : .touch
  }

  /// Whether `last` is the ring's last edge and `first` its first edge.
  private func isClosing(_ last: Int, _ first: Int, _ ring: Range<Int>) -> Bool {
    last == ring.upperBound - 2 && first == ring.lowerBound
  }

  /// Whether the path from `a` via `b` to `d` turns back on itself.
  private static func folds(_ a: PolygonDraft.Point, _ b: PolygonDraft.Point, _ d: PolygonDraft.Point) -> Intersection {
    guard side(a, b, d) == 0 else { return .none }
    // All three points are on one line. The path turns back if `a` and `d` are on the same side of `b`.
    let sameX = (a.x < b.x) == (d.x < b.x) && a.x != b.x
    let sameY = (a.y < b.y) == (d.y < b.y) && a.y != b.y
    return sameX || sameY ? .crossing : .none
  }

  private static func overlap(
    _ a: PolygonDraft.Point, _ b: PolygonDraft.Point, _ c: PolygonDraft.Point, _ d: PolygonDraft.Point
  ) -> Bool {
    let width = min(max(a.x, b.x), max(c.x, d.x)) - max(min(a.x, b.x), min(c.x, d.x))
    let height = min(max(a.y, b.y), max(c.y, d.y)) - max(min(a.y, b.y), min(c.y, d.y))
    return width > 0 || height > 0
  }

  private static func isInBox(_ p: PolygonDraft.Point, _ a: PolygonDraft.Point, _ b: PolygonDraft.Point) -> Bool {
    p.x >= min(a.x, b.x) && p.x <= max(a.x, b.x) && p.y >= min(a.y, b.y) && p.y <= max(a.y, b.y)
  }

  /// Returns on which side of the line from `a` to `b` a point lies: −1 or 1, or 0 if it is on the line. The result is
  /// exact.
  @inline(__always)
  private static func side(_ a: PolygonDraft.Point, _ b: PolygonDraft.Point, _ p: PolygonDraft.Point) -> Int {
    let left = (b.x - a.x) * (p.y - a.y)
    let right = (p.x - a.x) * (b.y - a.y)
    return left > right ? 1 : left < right ? -1 : 0
  }
}
