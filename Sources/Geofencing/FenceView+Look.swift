extension FenceView {
  /// Looks at a wide window, which others will be cut out of.
  mutating func begin(_ window: Window, of set: borrowing FenceSet) {
    clear(window, FlatMap(around: window.middle))
    candidates.removeAll(keepingCapacity: true)
    set.tree.search(window.query, into: &self)
  }

  mutating func add(_ fence: Int32, _ box: Box) { candidates.append(Candidate(box: box, fence: fence)) }

  /// Looks at a window that lies in a wider view's.
  ///
  /// - Parameter seen: for this look alone.
  mutating func look(
    at wide: inout FenceView, in window: Window, of set: borrowing FenceSet, seen: inout FenceList
  ) {
    clear(window, wide.map)
    seen.begin()
    let half = window.halfDiagonal * (1 + map.error(within: wide.window.halfDiagonal))
    let middle = map.point(window.middle.x, window.middle.y)
    for index in wide.candidates.indices where window.meets(wide.candidates[index].box) {
      guard seen.add(wide.candidates[index].fence) else { continue }
      if wide.candidates[index].first < 0 { wide.workOut(index, set) }
      let candidate = wide.candidates[index]
      if candidate.isAround {
        around.append(candidate.fence)
        continue
      }
      for place in Int(candidate.first)..<Int(candidate.end) {
        let piece = wide.pieces[place]
        switch piece.kind {
        case .area: narrow(piece, wide)
        case .flat: narrow(piece, wide, middle, half)
        case .whole: pieces.append(piece)
        }
        guard around.last == piece.fence else { continue }
        // Where one part is all around, the others say no more.
        while pieces.last?.fence == piece.fence { pieces.removeLast() }
        break
      }
    }
  }

  private mutating func clear(_ window: Window, _ map: FlatMap) {
    self.window = window
    self.map = map
    around.removeAll(keepingCapacity: true)
    pieces.removeAll(keepingCapacity: true)
    edges.removeAll(keepingCapacity: true)
    flats.removeAll(keepingCapacity: true)
  }

  /// The pieces of a candidate.
  private mutating func workOut(_ index: Int, _ set: borrowing FenceSet) {
    let fence = candidates[index].fence
    let shape = set.shapes[Int(fence)]
    let half = window.halfDiagonal
    around.removeAll(keepingCapacity: true)
    candidates[index].first = Int32(pieces.count)
    switch shape.kind {
    case .area: addArea(shape, fence, set)
    case .circle: addCircle(set.circles[Int(shape.first)], fence, half)
    case .corridor: addCorridor(shape, fence, half, set)
    }
    candidates[index].end = Int32(pieces.count)
    candidates[index].isAround = !around.isEmpty
    // The same for its other boxes: its pieces are all of the fence's.
    let known = candidates[index]
    for other in candidates.indices where candidates[other].fence == fence {
      candidates[other].first = known.first
      candidates[other].end = known.end
      candidates[other].isAround = known.isAround
    }
  }

  private mutating func narrow(_ wider: Piece, _ wide: borrowing FenceView) {
    let west = Int32(Grid.wrapped(window.west - Int64(wider.meridian)))
    let east = Int32(Grid.wrapped(window.east - Int64(wider.meridian)))
    let south = Int32(max(window.south, -Grid.halfTurn / 2))
    let north = Int32(min(window.north, Grid.halfTurn / 2))
    var piece = wider
    piece.first = Int32(edges.count)
    let found = wide.edges.span
    for index in Int(wider.first)..<Int(wider.end) {
      let (a, b) = (found[index].a, found[index].b)
      if a.y > north ? b.y > north : a.y < south && b.y < south { continue }
      if a.x < west && b.x < west { continue }
      if a.x > east && b.x > east, (a.y > north || a.y <= south) && (b.y > north || b.y <= south) {
        if (a.y > north) != (b.y > north) { piece.isInside.toggle() }
      } else {
        edges.append(Edge(a: a, b: b))
      }
    }
    piece.end = Int32(edges.count)
    if piece.first < piece.end {
      pieces.append(piece)
    } else if piece.isInside {
      around.append(piece.fence)
    }
  }

  private mutating func narrow(_ wider: Piece, _ wide: borrowing FenceView, _ middle: FlatPoint, _ half: Double) {
    let inner = wider.inner.squareRoot() - half
    let reach = wider.outer.squareRoot()
    let outer = reach + half
    let begun = flats.count
    let found = wide.flats.span
    for index in Int(wider.first)..<Int(wider.end) {
      let square = found[index].square(to: middle)
      if square > outer * outer { continue }
      if inner > 0, square < inner * inner {
        flats.removeLast(flats.count - begun)
        around.append(wider.fence)
        return
      }
      flats.append(found[index])
    }
    guard flats.count > begun else { return }
    var piece = wider
    piece.first = Int32(begun)
    piece.end = Int32(flats.count)
    bound(&piece, reach)
    pieces.append(piece)
  }

  mutating func addWhole(_ fence: Int32) { pieces.append(Piece(kind: .whole, fence: fence)) }

  // MARK: Areas

  private mutating func addArea(_ shape: Shape, _ fence: Int32, _ set: borrowing FenceSet) {
    let begun = (pieces: pieces.count, edges: edges.count)
    for part in Int(shape.first)..<Int(shape.first + shape.count) {
      let meridian = set.parts[part].meridian
      let west = Grid.wrapped(window.west - Int64(meridian))
      let east = Grid.wrapped(window.east - Int64(meridian))
      var piece = Piece(kind: .area, fence: fence, meridian: meridian, first: Int32(edges.count))
      // A seam is no boundary, and a window on the far side of the Earth is two: too rare for a way of their own.
      guard !shape.hasSeam, west <= east, addEdges(of: part, west, east, &piece, set) else {
        pieces.removeLast(pieces.count - begun.pieces)
        edges.removeLast(edges.count - begun.edges)
        addWhole(fence)
        return
      }
      piece.end = Int32(edges.count)
      guard piece.first == piece.end else {
        pieces.append(piece)
        continue
      }
      guard piece.isInside else { continue }
      // All of the window is in this part: the others say nothing more.
      pieces.removeLast(pieces.count - begun.pieces)
      edges.removeLast(edges.count - begun.edges)
      around.append(fence)
      return
    }
  }

  /// The edges of a part that a place of the window may be on, or cross on its line to the east; false if they find no room.
  ///
  /// Consecutive edges east of the window are one: of such a chain only the ends count.
  private mutating func addEdges(
    of part: Int, _ west: Int64, _ east: Int64, _ piece: inout Piece, _ set: borrowing FenceSet
  ) -> Bool {
    let chunks = set.chunks.span
    let vertices = set.vertices.span
    // A window that reaches past a pole has no places there.
    let south = Int32(max(window.south, -Grid.halfTurn / 2))
    let north = Int32(min(window.north, Grid.halfTurn / 2))
    let west = Int32(west)
    let east = Int32(east)
    var chain = EdgeChain(x: Int32(truncatingIfNeeded: min(Int64(east) + 1, Int64(Int32.max))))
    for index in Int(set.parts[part].firstChunk)..<Int(set.parts[part + 1].firstChunk) {
      let box = chunks[index].box
      if box.north < south || box.south > north || box.east < west { continue }
      let first = Int(chunks[index].first)
      let end = first + Int(chunks[index].count)
      if box.west > east {
        guard add(&chain, vertices[first].y, vertices[end].y, &piece) else { return false }
        continue
      }
      var b = vertices[first]
      for edge in first..<end {
        let a = b
        b = vertices[edge + 1]
        if a.y > north ? b.y > north : a.y < south && b.y < south { continue }
        if a.x < west && b.x < west { continue }
        if a.x > east && b.x > east {
          guard add(&chain, a.y, b.y, &piece) else { return false }
        } else {
          guard edges.count < Self.room else { return false }
          edges.append(Edge(a: a, b: b))
        }
      }
    }
    return end(&chain, &piece)
  }

  private mutating func add(_ chain: inout EdgeChain, _ from: Int32, _ to: Int32, _ piece: inout Piece) -> Bool {
    if chain.end != from {
      guard end(&chain, &piece) else { return false }
      chain.start = from
    }
    chain.end = to
    return true
  }

  private mutating func end(_ chain: inout EdgeChain, _ piece: inout Piece) -> Bool {
    let (start, end) = (chain.start, chain.end)
    chain.start = chain.end
    if start == end { return true }
    // An end counts where it is above the place: decided, but for one that is between the lowest place and the highest.
    if !isBetween(start), !isBetween(end) {
      if (Int64(start) > window.north) != (Int64(end) > window.north) { piece.isInside.toggle() }
      return true
    }
    guard edges.count < Self.room else { return false }
    edges.append(Edge(a: Vertex(x: chain.x, y: start), b: Vertex(x: chain.x, y: end)))
    return true
  }

  private func isBetween(_ y: Int32) -> Bool { Int64(y) > window.south && Int64(y) <= window.north }

  // MARK: Circles and corridors

  private mutating func addCircle(_ circle: Circle, _ fence: Int32, _ half: Double) {
    let far = circle.radius + half
    guard map.isUseful, far < Self.flatReach, flats.count < Self.room else { return addWhole(fence) }
    let edge = map.edge(circle.corner, circle.corner, meridian: 0)
    let error = map.error(within: far)
    let distance = edge.square(to: FlatPoint(x: 0, y: 0)).squareRoot()
    if distance > far * (1 + error) + 1 { return }
    if distance < (circle.radius - half) * (1 - error) - 1 {
      around.append(fence)
      return
    }
    flats.append(edge)
    addFlat(fence, from: flats.count - 1, radius: circle.radius, error)
  }

  private mutating func addCorridor(_ shape: Shape, _ fence: Int32, _ half: Double, _ set: borrowing FenceSet) {
    let part = Int(shape.first)
    let meridian = set.parts[part].meridian
    let radius = Double(shape.radius)
    let west = Grid.wrapped(window.west - Int64(meridian))
    let east = Grid.wrapped(window.east - Int64(meridian))
    guard map.isUseful, radius + half < Self.flatReach, west <= east else { return addWhole(fence) }
    let error = map.error(within: radius + half)
    let reach = map.reach(radius * (1 + error) + 1)
    let area = Window(west: west, south: window.south, east: east, north: window.north)
      .widened(x: reach.x, y: reach.y)
    let sure = radius > half ? (radius - half) * (1 - error) - 1 : -1
    let begun = flats.count
    let chunks = set.chunks.span
    let vertices = set.vertices.span
    for index in Int(set.parts[part].firstChunk)..<Int(set.parts[part + 1].firstChunk) {
      guard area.meets(chunks[index].box) else { continue }
      let first = Int(chunks[index].first)
      for edge in first..<(first + Int(chunks[index].count)) {
        let (a, b) = (vertices[edge], vertices[edge + 1])
        guard area.meets(Box(a, b)) else { continue }
        let flat = map.edge(a, b, meridian: meridian)
        if sure > 0, flat.square(to: FlatPoint(x: 0, y: 0)) < sure * sure {
          flats.removeLast(flats.count - begun)
          around.append(fence)
          return
        }
        guard flats.count < Self.room else {
          flats.removeLast(flats.count - begun)
          return addWhole(fence)
        }
        flats.append(flat)
      }
    }
    if flats.count > begun { addFlat(fence, from: begun, radius: radius, error) }
  }

  /// m: farther than this the map is not asked.
  private static var flatReach: Double { 100_000 }

  private mutating func addFlat(_ fence: Int32, from first: Int, radius: Double, _ error: Double) {
    // 2 cm: places are rounded to 1e-7° here.
    let inner = max(0, radius * (1 - error) - 0.02)
    let outer = radius * (1 + error) + 0.02
    var piece = Piece(
      kind: .flat, fence: fence, first: Int32(first), end: Int32(flats.count), inner: inner * inner,
      outer: outer * outer)
    bound(&piece, outer)
    pieces.append(piece)
  }

  /// Works out where a flat piece is not outside.
  private func bound(_ piece: inout Piece, _ outer: Double) {
    piece.west = .infinity
    piece.south = .infinity
    piece.east = -.infinity
    piece.north = -.infinity
    for index in Int(piece.first)..<Int(piece.end) {
      let edge = flats[index]
      piece.west = min(piece.west, edge.from.x + min(edge.wayX, 0) - outer)
      piece.south = min(piece.south, edge.from.y + min(edge.wayY, 0) - outer)
      piece.east = max(piece.east, edge.from.x + max(edge.wayX, 0) + outer)
      piece.north = max(piece.north, edge.from.y + max(edge.wayY, 0) + outer)
    }
  }
}

/// Edges one behind the other, all of them east of a window.
struct EdgeChain {
  /// East of the window.
  let x: Int32
  var start: Int32 = 0
  var end: Int32 = 0
}
