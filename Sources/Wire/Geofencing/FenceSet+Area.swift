extension FenceSet {
  /// Returns whether a place is inside an area (polygons with holes), and its distance from the area's boundary. A
  /// place is inside if the ray from the place to the east crosses an odd number of edges of one polygon, including the
  /// edges of its holes.
  ///
  /// The test uses integers, so that it is exact for a place on an edge. Often, all edges of a chunk (a group of
  /// consecutive edges) are to the east. Then only the two ends of the chunk matter: the ray crosses the chunk an odd
  /// number of times if one end is north of the place's latitude and the other end south of it.
  func area(_ shape: Shape, from place: Place, within limit: Double) -> Standing {
    let reach = limit > 0 ? place.reach(limit) : .none
    var found = Standing(isInside: false, distance: limit > 0 ? limit : .infinity)
    for part in Int(shape.first)..<Int(shape.first + shape.count) {
      if isInside(part, of: shape, place, reach, &found.distance) { found.isInside = true }
    }
    return found
  }

  private func isInside(
    _ part: Int, of shape: Shape, _ place: Place, _ reach: Reach, _ distance: inout Double
  ) -> Bool {
    let chunks = self.chunks.span
    let vertices = self.vertices.span
    let meridian = parts[part].meridian
    let x = Grid.wrapped(place.x - Int64(meridian))
    let y = place.y
    var isInside = false
    var isOnSeam = false
    for index in Int(parts[part].firstChunk)..<Int(parts[part + 1].firstChunk) {
      let box = chunks[index].box
      let first = Int(chunks[index].first)
      let count = Int(chunks[index].count)
      if y < Int64(box.south) - reach.y || y > Int64(box.north) + reach.y { continue }
      if x > Int64(box.east) + reach.x { continue }
      if x < Int64(box.west) - reach.x {
        if (Int64(vertices[first].y) > y) != (Int64(vertices[first + count].y) > y) { isInside.toggle() }
        continue
      }
      let probe = EdgeProbe(x: x, y: y)
      // Most edges lie wholly north or south of the place. Differences of two latitudes fit 32 bits.
      let level = Int32(truncatingIfNeeded: y)
      var above = vertices[first].y &- level
      for edge in first..<(first + count) {
        let before = above
        above = vertices[edge + 1].y &- level
        if before > 0 ? above > 0 : before < 0 && above < 0 { continue }
        switch probe.classify(at: vertices[edge], vertices[edge + 1]) {
        case .beside: break
        case .crossed: isInside.toggle()
        case .on:
          guard isSeam(vertices[edge], vertices[edge + 1], shape, meridian) else {
            distance = 0
            return true
          }
          // This edge is not a boundary, because the fence continues on the other side of the antimeridian.
          isOnSeam = true
        }
      }
      if distance > 0 { nearest(first, count, shape, meridian, place, reach, &distance) }
    }
    return isInside || isOnSeam
  }

  /// Reduces `distance` to the distance from the place to the nearest edge of one chunk, if that distance is smaller.
  private func nearest(
    _ first: Int, _ count: Int, _ shape: Shape, _ meridian: Int32, _ place: Place, _ reach: Reach,
    _ distance: inout Double
  ) {
    // The caller asks only whether the place is inside, not for the distance.
    if distance == .infinity { return }
    let vertices = self.vertices.span
    let x = Grid.wrapped(place.x - Int64(meridian))
    let measure = EdgeDistance(from: place, meridian: meridian)
    for edge in first..<(first + count) {
      let a = vertices[edge]
      let b = vertices[edge + 1]
      if Int64(min(a.y, b.y)) > place.y + reach.y || Int64(max(a.y, b.y)) < place.y - reach.y { continue }
      if Int64(min(a.x, b.x)) > x + reach.x || Int64(max(a.x, b.x)) < x - reach.x { continue }
      if isSeam(a, b, shape, meridian) { continue }
      distance = measure.metres(to: a, b, best: distance)
    }
  }

  /// Whether an edge is a seam: it lies on the antimeridian, where another polygon of the fence continues. Such an edge
  /// is not part of the fence's boundary.
  private func isSeam(_ a: Vertex, _ b: Vertex, _ shape: Shape, _ meridian: Int32) -> Bool {
    shape.hasSeam && a.x == b.x && abs(Int64(a.x) + Int64(meridian)) == Grid.halfTurn
  }
}

/// A point and the ray from it to the east, for the test that counts how many edges the ray crosses.
struct EdgeProbe {
  enum Sight { case beside, crossed, on }

  let x: Int64
  let y: Int64

  /// Returns whether the ray from the tested point to the east crosses the edge from `a` to `b`, or the point is on the
  /// edge. An edge includes its lower end and excludes its upper end.
  ///
  /// Differences of x are below 2³² and differences of y below 2³¹. Their products fit 64 bits, but the difference of
  /// two products would not.
  @inline(__always)
  func classify(at a: Vertex, _ b: Vertex) -> Sight {
    let ay = Int64(a.y)
    let by = Int64(b.y)
    if y < min(ay, by) || y > max(ay, by) { return .beside }
    let ax = Int64(a.x)
    let bx = Int64(b.x)
    if x > max(ax, bx) { return .beside }
    let left = (bx - ax) * (y - ay)
    let right = (x - ax) * (by - ay)
    if left == right, x >= min(ax, bx) { return .on }
    guard (ay > y) != (by > y) else { return .beside }
    return (left > right) == (by > ay) ? .crossed : .beside
  }
}
