extension FenceSurvey {
  /// Circles and corridors are computed on a plane map only up to this distance from the middle of the map, m.
  private static var flatReach: Double { 100_000 }

  /// Adds a circle as a piece of the view.
  ///
  /// - Returns: `true` if the circle contains the whole window.
  mutating func addCircle(_ circle: Circle, _ fence: Int32) -> Bool {
    let half = window.halfDiagonal
    let far = circle.radius + half
    guard view.map.isUseful, far < Self.flatReach else {
      addWhole(fence)
      return false
    }
    let edge = view.map.edge(circle.corner, circle.corner, meridian: 0)
    let error = view.map.error(within: far)
    let square = edge.square(to: FlatPoint(x: 0, y: 0))
    let outer = far * (1 + error) + 1
    if square > outer * outer { return false }
    let inner = (circle.radius - half) * (1 - error) - 1
    if inner > 0, square < inner * inner { return true }
    flats.cut(to: 0)
    flats.append(edge)
    addSegments(fence, radius: circle.radius, error)
    return false
  }

  /// Adds a corridor as a piece of the view.
  ///
  /// - Returns: `true` if the corridor contains the whole window.
  mutating func addCorridor(_ shape: Shape, _ fence: Int32, _ set: borrowing FenceSet) -> Bool {
    let part = Int(shape.first)
    let meridian = set.parts[part].meridian
    let radius = Double(shape.radius)
    let half = window.halfDiagonal
    let map = view.map
    let west = Grid.wrapped(window.west - Int64(meridian))
    let east = Grid.wrapped(window.east - Int64(meridian))
    guard map.isUseful, radius + half < Self.flatReach, west <= east else {
      addWhole(fence)
      return false
    }
    let error = map.error(within: radius + half)
    let reach = map.reach(radius * (1 + error) + 1)
    let area = Window(west: west, south: window.south, east: east, north: window.north)
      .widened(x: reach.x, y: reach.y)
    let sure = radius > half ? (radius - half) * (1 - error) - 1 : -1
    let chunks = set.chunks.span
    let vertices = set.vertices.span
    let box = area.box
    let probe = BoxProbe(box)
    let sieve = EdgeSieve(box)
    flats.cut(to: 0)
    var isAround = false
    for index in Int(set.parts[part].firstChunk)..<Int(set.parts[part + 1].firstChunk) {
      guard probe.meets(chunks[index].box) else { continue }
      let isDone = sieve.forEachEdge(of: chunks[index], vertices) { a, b, isEast in
        if isEast { return true }
        let flat = map.edge(a, b, meridian: meridian)
        if sure > 0, flat.square(to: FlatPoint(x: 0, y: 0)) < sure * sure {
          isAround = true
          return false
        }
        guard flats.count < Self.room else { return false }
        flats.append(flat)
        return true
      }
      if isAround { return true }
      guard isDone else {
        addWhole(fence)
        return false
      }
    }
    if flats.count > 0 { addSegments(fence, radius: radius, error) }
    return false
  }

  /// Adds a piece that consists of the collected edges.
  private mutating func addSegments(_ fence: Int32, radius: Double, _ error: Double) {
    guard view.segments.count + flats.count / 4 < FenceView.room else { return addWhole(fence) }
    var reach = SIMD4<Float>.zero
    let first = view.segments.count
    for index in stride(from: 0, to: flats.count, by: 4) {
      let group = SegmentGroup(flats, from: index)
      reach.replace(with: group.reach, where: group.reach .> reach)
      view.segments.append(group)
    }
    // 0.021 m allow for the rounding of places to 1e-7°. The last term allows for the rounding in single precision,
    // 2⁻²⁴ for each operation.
    let slack = 0.021 + (Double(reach.max()) + radius) * 0x1p-18
    let inner = radius * (1 - error) - slack
    view.pieces.append(
      FenceView.Piece(
        kind: .flat, fence: fence, first: Int32(first), end: Int32(view.segments.count), inner: Float(inner),
        outer: Float(radius * (1 + error) + slack)))
  }
}
