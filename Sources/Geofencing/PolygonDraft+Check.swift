extension PolygonDraft {
  /// Refuses a polygon that is none: edges that meet, holes outside the outer ring or inside each other (OGC 06-103r4,
  /// 6.1.11). Rings may touch in points.
  mutating func check() throws(FenceError) {
    guard !rings.isEmpty else { throw FenceError(.tooFewPositions(0)) }
    // First, so that no two corners are more than a turn apart: the products below then fit.
    let outer = box(ofRing: 0)
    for hole in rings.indices.dropFirst() {
      let box = box(ofRing: hole)
      let isIn =
        box.west >= outer.west && box.east <= outer.east && box.south >= outer.south && box.north <= outer.north
      guard isIn else { throw FenceError(.holeOutside, ring: hole) }
    }
    var touched = false
    if let meeting = sweep.firstMeeting(points: points, rings: rings, touched: &touched) {
      throw FenceError(
        .crossing(place(ofEdge: meeting.second)), ring: ring(ofPoint: meeting.first),
        position: Int(sources[meeting.first]))
    }
    for hole in rings.indices.dropFirst() {
      // Where nothing meets, one corner speaks for all; where rings touch, each speaks for itself.
      if let corner = cornerOutside(hole, of: 0, all: touched) {
        throw FenceError(.holeOutside, ring: hole, position: Int(sources[corner]))
      }
      for other in rings.indices.dropFirst() where other != hole && isInside(hole, other) {
        throw FenceError(.holeInHole(ring: other), ring: hole)
      }
    }
  }

  private func ring(ofPoint point: Int) -> Int { rings.firstIndex { $0.contains(point) } ?? 0 }

  private func place(ofEdge point: Int) -> FenceError.Place {
    FenceError.Place(ring: ring(ofPoint: point), position: Int(sources[point]))
  }

  private func cornerOutside(_ ring: Int, of outer: Int, all: Bool) -> Int? {
    for corner in rings[ring] {
      switch side(of: points[corner], rings[outer]) {
      case .outside: return corner
      case .inside: if !all { return nil }
      case .boundary: break
      }
    }
    return nil
  }

  /// Whether a ring lies in another: its box does, and its first corner that is not on the other's boundary.
  private func isInside(_ ring: Int, _ other: Int) -> Bool {
    let inner = box(ofRing: ring)
    let outer = box(ofRing: other)
    guard
      inner.west >= outer.west, inner.east <= outer.east, inner.south >= outer.south, inner.north <= outer.north
    else { return false }
    for corner in rings[ring] {
      switch side(of: points[corner], rings[other]) {
      case .outside: return false
      case .inside: return true
      case .boundary: break
      }
    }
    return true
  }

  private enum Side { case inside, outside, boundary }

  private func side(of point: Point, _ ring: Range<Int>) -> Side {
    var isInside = false
    for edge in ring.dropLast() {
      let a = points[edge]
      let b = points[edge + 1]
      if point.y < min(a.y, b.y) || point.y > max(a.y, b.y) || point.x > max(a.x, b.x) { continue }
      let left = (b.x - a.x) * (point.y - a.y)
      let right = (point.x - a.x) * (b.y - a.y)
      if left == right, point.x >= min(a.x, b.x) { return .boundary }
      if (a.y > point.y) != (b.y > point.y), (left > right) == (b.y > a.y) { isInside.toggle() }
    }
    return isInside ? .inside : .outside
  }
}
