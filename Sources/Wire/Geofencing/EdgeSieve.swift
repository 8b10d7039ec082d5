/// Skips the edges that lie wholly west, south or north of a box. It reads a chunk: consecutive edges of a fence. Each
/// comparison tests two edges.
struct EdgeSieve {
  private let low: SIMD4<Int32>
  private let high: SIMD4<Int32>
  private let box: Box

  init(_ box: Box) {
    self.box = box
    low = SIMD4(box.west, box.south, box.west, box.south)
    high = SIMD4(box.east, box.north, box.east, box.north)
  }

  /// Calls `body` for each edge of a chunk, except the edges that lie wholly west, south or north of the box. Stops
  /// when `body` returns `false`.
  ///
  /// - Returns: `true` if no call returned `false`.
  @inline(__always)
  func forEachEdge(
    of chunk: Chunk, _ vertices: Span<Vertex>, _ body: (_ a: Vertex, _ b: Vertex, _ isEast: Bool) -> Bool
  ) -> Bool {
    let bytes = unsafe vertices.bytes
    let end = Int(chunk.first) &+ Int(chunk.count)
    precondition(chunk.first >= 0 && end < vertices.count)
    var edge = Int(chunk.first)
    while edge &+ 1 < end {
      // Load two edges: their first corners a and b, and their second corners b and c. Each comparison yields a mask of
      // four elements: x and y of the first edge, x and y of the second. If both ends of an edge are below the minimum
      // of x, the edge lies wholly west of the box; correspondingly for y and for the maximum.
      let start = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: edge &* 8, as: SIMD4<Int32>.self)
      let finish = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: edge &* 8 &+ 8, as: SIMD4<Int32>.self)
      let below = ((start .< low) .& (finish .< low)).halves
      let above = ((start .> high) .& (finish .> high)).halves
      let middle = Vertex(x: finish.x, y: finish.y)
      if !isBeside(below.low, above.low) {
        guard body(Vertex(x: start.x, y: start.y), middle, above.low != 0) else { return false }
      }
      if !isBeside(below.high, above.high) {
        guard body(middle, Vertex(x: finish.z, y: finish.w), above.high != 0) else { return false }
      }
      edge &+= 2
    }
    guard edge < end else { return true }
    let (a, b) = (vertices[edge], vertices[edge &+ 1])
    let around = Box(a, b)
    if around.east < box.west || around.north < box.south || around.south > box.north { return true }
    return body(a, b, around.west > box.east)
  }

  /// Whether an edge lies wholly west, south or north of the box. The low 32 bits of `below` are not 0 if both ends of
  /// the edge are west of the box; its high 32 bits are not 0 if both ends are south of the box. The bits of `above`
  /// show the same for east and north.
  @inline(__always)
  private func isBeside(_ below: UInt64, _ above: UInt64) -> Bool { below | above >> 32 != 0 }
}

extension SIMDMask<SIMD4<Int32>> {
  /// Returns a vector with −1 for each element that is true, and 0 for the others.
  @inline(__always)
  var numbers: SIMD4<Int32> {
    // In memory, a mask has this form already. `replacing(with:where:)` would compile to four conditional moves.
    unsafe unsafeBitCast(self, to: SIMD4<Int32>.self)
  }

  /// The bits of the first two elements (`low`) and of the last two elements (`high`).
  @inline(__always)
  var halves: (low: UInt64, high: UInt64) {
    let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    return (words.x, words.y)
  }
}
