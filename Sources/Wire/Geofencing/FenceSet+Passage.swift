extension FenceSet {
  /// Finds the longest section of the path between two fixes that lies in a fence.
  ///
  /// The boundary divides the path into sections, and the middle of each section decides whether the section is inside.
  /// Corners on the path, and edges that only touch the path, therefore cause no errors.
  ///
  /// - Returns: beginning and end of the section as fractions of the path, 0…1; `nil` if no section is inside.
  func passage(of leg: Leg, through fence: Int) -> (start: Double, end: Double)? {
    var crossings = Crossings()
    let shape = shapes[fence]
    switch shape.kind {
    case .area: areaCrossings(shape, leg, &crossings)
    case .circle: circleCrossings(circles[Int(shape.first)], leg, &crossings)
    case .corridor: corridorCrossings(shape, leg, &crossings)
    }
    guard crossings.count > 0 else { return nil }
    var longest: (start: Double, end: Double)?
    var begun: Double?
    for index in 0...crossings.count {
      let start = crossings.start(of: index)
      let end = crossings.end(of: index)
      let middle = Place(leg.position(at: (start + end) / 2))
      guard standing(of: middle, at: fence, within: 0).isInside else {
        begun = nil
        continue
      }
      let first = begun ?? start
      begun = first
      if end - first > (longest?.end ?? 0) - (longest?.start ?? 0) { longest = (first, end) }
    }
    return longest
  }

  private func areaCrossings(_ shape: Shape, _ leg: Leg, _ crossings: inout Crossings) {
    let chunks = self.chunks.span
    let vertices = self.vertices.span
    for part in Int(shape.first)..<Int(shape.first + shape.count) {
      let x = Grid.wrapped(leg.from.x - Int64(parts[part].meridian))
      let y = leg.from.y
      for index in Int(parts[part].firstChunk)..<Int(parts[part + 1].firstChunk) {
        let chunk = chunks[index]
        guard Self.passes(chunk.box, x, y, leg, Reach.none) else { continue }
        for edge in Int(chunk.first)..<Int(chunk.first + chunk.count) {
          let a = vertices[edge]
          let b = vertices[edge + 1]
          guard Self.passes(Box(a, b), x, y, leg, Reach.none) else { continue }
          let wayX = Double(b.x) - Double(a.x)
          let wayY = Double(b.y) - Double(a.y)
          let ax = Double(Int64(a.x) - x)
          let ay = Double(Int64(a.y) - y)
          let across = Double(leg.dx) * wayY - Double(leg.dy) * wayX
          guard across != 0 else { continue }
          let onEdge = (ax * Double(leg.dy) - ay * Double(leg.dx)) / across
          guard onEdge >= -1e-9, onEdge <= 1 + 1e-9 else { continue }
          crossings.add((ax * wayY - ay * wayX) / across)
        }
      }
    }
  }

  private func circleCrossings(_ circle: Circle, _ leg: Leg, _ crossings: inout Crossings) {
    let way = leg.to.point - leg.from.point
    let start = leg.from.point - circle.middle
    crossings.addRoots(way.dot(way), start.dot(way), start.dot(start) - circle.chord * circle.chord)
  }

  /// Adds the points at which the path may cross the corridor's boundary. The distance of such a point from the line
  /// through an edge, or from one of the edge's ends, equals the corridor's radius.
  private func corridorCrossings(_ shape: Shape, _ leg: Leg, _ crossings: inout Crossings) {
    let chunks = self.chunks.span
    let vertices = self.vertices.span
    let radius = Double(shape.radius)
    let reach = leg.to.reach(radius)
    let part = parts[Int(shape.first)]
    let x = Grid.wrapped(leg.from.x - Int64(part.meridian))
    let y = leg.from.y
    let wayX = Double(leg.dx) * leg.to.metresPerX
    let wayY = Double(leg.dy) * leg.to.metresPerY
    let square = wayX * wayX + wayY * wayY
    for index in Int(part.firstChunk)..<Int(parts[Int(shape.first) + 1].firstChunk) {
      let chunk = chunks[index]
      guard Self.passes(chunk.box, x, y, leg, reach) else { continue }
      for edge in Int(chunk.first)..<Int(chunk.first + chunk.count) {
        let a = vertices[edge]
        let b = vertices[edge + 1]
        guard Self.passes(Box(a, b), x, y, leg, reach) else { continue }
        let ax = Double(Int64(a.x) - x) * leg.to.metresPerX
        let ay = Double(Int64(a.y) - y) * leg.to.metresPerY
        let bx = Double(Int64(b.x) - x) * leg.to.metresPerX
        let by = Double(Int64(b.y) - y) * leg.to.metresPerY
        crossings.addRoots(square, -(ax * wayX + ay * wayY), ax * ax + ay * ay - radius * radius)
        crossings.addRoots(square, -(bx * wayX + by * wayY), bx * bx + by * by - radius * radius)
        let length = ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).squareRoot()
        let across = wayX * (by - ay) - wayY * (bx - ax)
        guard across != 0 else { continue }
        let line = ax * (by - ay) - ay * (bx - ax)
        crossings.add((line - radius * length) / across)
        crossings.add((line + radius * length) / across)
      }
    }
  }

  @inline(__always)
  private static func passes(_ box: Box, _ x: Int64, _ y: Int64, _ leg: Leg, _ reach: Reach) -> Bool {
    x + min(0, leg.dx) <= Int64(box.east) + reach.x && x + max(0, leg.dx) >= Int64(box.west) - reach.x
      && y + min(0, leg.dy) <= Int64(box.north) + reach.y && y + max(0, leg.dy) >= Int64(box.south) - reach.y
  }
}

extension Reach {
  static var none: Reach { Reach(x: 1, y: 1) }
}
