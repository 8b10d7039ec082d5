extension FenceSurvey {
  /// Adds the pieces of an area. A piece contains the edges of one polygon that matter for places in the window.
  ///
  /// - Returns: `true` if the area contains the whole window.
  mutating func addArea(_ shape: Shape, _ fence: Int32, _ set: borrowing FenceSet) -> Bool {
    let begun = (pieces: view.pieces.count, lines: view.lines.count)
    for part in Int(shape.first)..<Int(shape.first + shape.count) {
      var piece = FenceView.Piece(kind: .area, fence: fence, first: Int32(view.lines.count))
      // In two rare cases, let queries ask the set: if an edge on the antimeridian is not a boundary, and if the window
      // crosses the meridian opposite the part's meridian.
      guard !shape.hasSeam, addLines(of: part, &piece, set) else {
        view.pieces.cut(to: begun.pieces)
        view.lines.cut(to: begun.lines)
        addWhole(fence)
        return false
      }
      piece.end = Int32(view.lines.count)
      guard piece.first == piece.end else {
        view.pieces.append(piece)
        continue
      }
      guard piece.isInside else { continue }
      // The part contains the whole window, and so does the fence.
      view.pieces.cut(to: begun.pieces)
      view.lines.cut(to: begun.lines)
      return true
    }
    return false
  }

  /// Adds the edges of a part that matter for places in the window: the edges on which such a place may be, and the
  /// edges that a ray from such a place to the east may cross.
  ///
  /// - Returns: `false` if the part has too many such edges, or if the window crosses the meridian that is opposite the
  ///   part's meridian.
  private mutating func addLines(of part: Int, _ piece: inout FenceView.Piece, _ set: borrowing FenceSet) -> Bool {
    let meridian = Int64(set.parts[part].meridian)
    let west = Grid.wrapped(window.west - meridian)
    let east = Grid.wrapped(window.east - meridian)
    guard west <= east else { return false }
    // Limit the box to valid latitudes, because no place is outside them.
    let box = Box(
      west: Int32(west), south: Int32(max(window.south, -Grid.halfTurn / 2)), east: Int32(east),
      north: Int32(min(window.north, Grid.halfTurn / 2)))
    edges.cut(to: 0)
    guard addEdges(of: part, in: box, &piece, set) else { return false }
    guard view.lines.count + edges.count / 4 < FenceView.room else { return false }
    let origin = SIMD2(Double(Grid.wrapped(view.map.x - meridian)), Double(view.map.y))
    let reach = Double(max(window.north - view.map.y, view.map.y - window.south))
    for first in stride(from: 0, to: edges.count, by: 4) {
      view.lines.append(LineGroup(edges, from: first, origin: origin, reach: reach))
    }
    return true
  }

  /// Collects the edges of a part that matter for places in a box. Consecutive edges east of the box are replaced by
  /// one edge, because only the ends of their chain matter.
  private mutating func addEdges(
    of part: Int, in box: Box, _ piece: inout FenceView.Piece, _ set: borrowing FenceSet
  ) -> Bool {
    let chunks = set.chunks.span
    let vertices = set.vertices.span
    let sieve = EdgeSieve(box)
    // The chain's edge is so far to the east that rounding cannot move it into the window.
    var chain = EdgeChain(x: Int32(clamping: Int64(box.east) + 1_000))
    for index in Int(set.parts[part].firstChunk)..<Int(set.parts[part + 1].firstChunk) {
      let around = chunks[index].box
      if around.north < box.south || around.south > box.north || around.east < box.west { continue }
      let first = Int(chunks[index].first)
      let end = first + Int(chunks[index].count)
      if around.west > box.east {
        guard add(&chain, vertices[first].y, vertices[end].y, box, &piece) else { return false }
        continue
      }
      let hasRoom = sieve.forEachEdge(of: chunks[index], vertices) { a, b, isEast in
        if isEast { return add(&chain, a.y, b.y, box, &piece) }
        guard edges.count < Self.room else { return false }
        edges.append(FenceView.Edge(a: a, b: b))
        return true
      }
      guard hasRoom else { return false }
    }
    return end(&chain, box, &piece)
  }

  private mutating func add(
    _ chain: inout EdgeChain, _ from: Int32, _ to: Int32, _ box: Box, _ piece: inout FenceView.Piece
  ) -> Bool {
    if chain.end != from {
      guard end(&chain, box, &piece) else { return false }
      chain.start = from
    }
    chain.end = to
    return true
  }

  private mutating func end(_ chain: inout EdgeChain, _ box: Box, _ piece: inout FenceView.Piece) -> Bool {
    let (start, end) = (chain.start, chain.end)
    chain.start = chain.end
    if start == end { return true }
    // If neither end of the chain lies between the latitudes of the southernmost and northernmost places, the lines to
    // the east cross the chain an odd number of times from every place, or an even number of times from every place.
    let isDecided = (start <= box.south || start > box.north) && (end <= box.south || end > box.north)
    if isDecided {
      if (start > box.north) != (end > box.north) { piece.isInside.toggle() }
      return true
    }
    guard edges.count < Self.room else { return false }
    edges.append(FenceView.Edge(a: Vertex(x: chain.x, y: start), b: Vertex(x: chain.x, y: end)))
    return true
  }
}

/// Consecutive edges that are all east of a window. They are replaced by one edge on a meridian.
struct EdgeChain {
  /// The meridian of the edge that replaces the chain, east of the window.
  let x: Int32
  var start: Int32 = 0
  var end: Int32 = 0
}
