extension PolygonDraft {
  /// Checks that the rings form a valid polygon (OGC 06-103r4, 6.1.11). Rings may touch each other in points.
  ///
  /// - Throws: ``FenceError`` if edges cross or overlap, or if a hole is outside the outer ring or inside another hole.
  mutating func check() throws(FenceError) {
    guard !rings.isEmpty else { throw FenceError(.tooFewPositions(0)) }
    // Compare the boxes first. Afterwards, no two corners are more than 360° apart, so that the products in the other
    // checks do not overflow.
    let boxes = rings.indices.map { box(ofRing: $0) }
    for hole in rings.indices.dropFirst() where !Self.contains(boxes[0], boxes[hole]) {
      throw FenceError(.holeOutside, ring: hole)
    }
    var touched = [Bool](repeating: false, count: rings.count)
    let meeting = try sweep.firstMeeting(points: points, rings: rings, touched: &touched, budget: &budget)
    if let meeting {
      throw FenceError(
        .crossing(place(ofEdge: meeting.second)), ring: ring(ofPoint: meeting.first),
        position: Int(sources[meeting.first]))
    }
    for hole in rings.indices.dropFirst() {
      // If no edges touch, a single corner of the ring decides for all. If a hole touches the outer ring, each of its
      // corners is checked.
      if let corner = try cornerOutside(hole, of: 0, all: touched[hole]) {
        throw FenceError(.holeOutside, ring: hole, position: Int(sources[corner]))
      }
    }
    try checkHoles(boxes)
  }

  /// Rejects a hole inside another hole.
  ///
  /// Two holes are compared only if the box of one contains the box of the other. The holes are sorted by the west
  /// sides of their boxes. Each hole is compared only with earlier holes whose boxes extend at least to its west side.
  private mutating func checkHoles(_ boxes: [RingBox]) throws(FenceError) {
    let holes = rings.indices.dropFirst().sorted {
      (boxes[$0].west, -boxes[$0].east) < (boxes[$1].west, -boxes[$1].east)
    }
    var open: [Int] = []
    for hole in holes {
      open.removeAll { boxes[$0].east < boxes[hole].west }
      try budget.spend(open.count)
      for other in open {
        // If both boxes are equal, either hole may contain the other.
        if Self.contains(boxes[other], boxes[hole]), try isInside(hole, other) {
          throw FenceError(.holeInHole(ring: other), ring: hole)
        }
        if Self.contains(boxes[hole], boxes[other]), try isInside(other, hole) {
          throw FenceError(.holeInHole(ring: hole), ring: other)
        }
      }
      open.append(hole)
    }
  }

  private static func contains(_ outer: RingBox, _ inner: RingBox) -> Bool {
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  }

  private func ring(ofPoint point: Int) -> Int { rings.firstIndex { $0.contains(point) } ?? 0 }

  private func place(ofEdge point: Int) -> FenceError.Place {
    FenceError.Place(ring: ring(ofPoint: point), position: Int(sources[point]))
  }

  private mutating func cornerOutside(_ ring: Int, of outer: Int, all: Bool) throws(FenceError) -> Int? {
    for corner in rings[ring] {
      try budget.spend(rings[outer].count)
      switch side(of: points[corner], rings[outer]) {
      case .outside: return corner
      case .inside: if !all { return nil }
      case .boundary: break
      }
    }
    return nil
  }

  /// Whether the ring `ring` lies in the ring `other`, whose box contains the box of `ring`. This is decided by the
  /// first corner of `ring` that is not on the boundary of `other`.
  private mutating func isInside(_ ring: Int, _ other: Int) throws(FenceError) -> Bool {
    for corner in rings[ring] {
      try budget.spend(rings[other].count)
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
