extension FenceSet {
  /// Sorts the geometry in memory in the order of the index, so that fences near each other share memory pages and
  /// cache lines. The indices of the fences do not change.
  mutating func arrange() {
    var arranged = Arrangement(of: self)
    for fence in tree.order { arranged.move(Int(fence), &self) }
    // An area without polygons is not in the index, because it has no box.
    for fence in shapes.indices { arranged.move(fence, &self) }
    arranged.parts.append(Part(meridian: 0, firstChunk: Int32(arranged.chunks.count)))
    parts = arranged.parts
    chunks = arranged.chunks
    vertices = arranged.vertices
    circles = arranged.circles
  }

  private struct Arrangement {
    var parts: [Part] = []
    var chunks: [Chunk] = []
    var vertices: [Vertex] = []
    var circles: [Circle] = []
    var isMoved: [Bool]

    init(of set: borrowing FenceSet) {
      parts.reserveCapacity(set.parts.count)
      chunks.reserveCapacity(set.chunks.count)
      vertices.reserveCapacity(set.vertices.count)
      circles.reserveCapacity(set.circles.count)
      isMoved = [Bool](repeating: false, count: set.shapes.count)
    }

    mutating func move(_ fence: Int, _ set: inout FenceSet) {
      guard !isMoved[fence] else { return }
      isMoved[fence] = true
      let shape = set.shapes[fence]
      let first = Int(shape.first)
      if shape.kind == .circle {
        set.shapes[fence].first = Int32(circles.count)
        circles.append(set.circles[first])
        return
      }
      set.shapes[fence].first = Int32(parts.count)
      for part in first..<first + Int(shape.count) { move(part: part, set) }
    }

    /// Moves a part of a fence (a polygon or line) with its corners and its chunks. The corners are consecutive, and so
    /// are the chunks.
    private mutating func move(part: Int, _ set: borrowing FenceSet) {
      let range = Int(set.parts[part].firstChunk)..<Int(set.parts[part + 1].firstChunk)
      parts.append(Part(meridian: set.parts[part].meridian, firstChunk: Int32(chunks.count)))
      guard let start = range.first, let last = range.last else { return }
      let from = Int(set.chunks[start].first)
      let end = Int(set.chunks[last].first + set.chunks[last].count)
      let shift = Int32(vertices.count - from)
      vertices.append(contentsOf: set.vertices[from...end])
      for index in range {
        var chunk = set.chunks[index]
        chunk.first += shift
        chunks.append(chunk)
      }
    }
  }
}
