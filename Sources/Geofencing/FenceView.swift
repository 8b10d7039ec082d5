/// What of the fences can differ between the places of one window: along a drive most fences near a place are the same all
/// over it, and of the others only a few edges are near.
///
/// Made once for a window, asked for each place in it. Its answers are those of ``FenceSet/contains(_:fence:)``: of areas
/// it leaves out only edges that no place of the window can meet, so that the same whole numbers decide; circles and
/// corridors are laid flat, and where that leaves a doubt the set itself is asked. All memory is taken when it is made.
struct FenceView: BoxList, Sendable {
  /// A fence, or a part of one, that does not lie around the whole window.
  struct Piece: BitwiseCopyable, Sendable {
    enum Kind: UInt8, BitwiseCopyable, Sendable {
      /// Edges, and the crossings that count all over the window.
      case area
      /// A line, or a point, and how far it reaches.
      case flat
      /// Asked of the set itself.
      case whole
    }

    var kind: Kind
    /// Of an area: whether a place that crosses none of the edges is inside.
    var isInside = false
    var fence: Int32
    /// Of an area, 1e-7°.
    var meridian: Int32 = 0
    /// Its first in ``edges`` or ``flats``, and the end.
    var first: Int32 = 0
    var end: Int32 = 0
    /// Of a flat one, m²: what is not farther is inside, what is farther is outside, between the two is doubt.
    var inner = 0.0
    var outer = 0.0
    /// Of a flat one: all that is not outside, m on the map.
    var west = 0.0
    var south = 0.0
    var east = 0.0
    var north = 0.0
  }

  /// A fence that may have to do with the window, there for each of its boxes; its pieces are worked out when they are
  /// asked for.
  struct Candidate: BitwiseCopyable, Sendable {
    var box: Box
    var fence: Int32
    /// −1: nothing is known yet.
    var first: Int32 = -1
    var end: Int32 = 0
    var isAround = false
  }

  struct Edge: BitwiseCopyable, Sendable {
    var a: Vertex
    var b: Vertex
  }

  /// Fences whose boxes meet the window, and what is known of them: only of a view that others are made from.
  var candidates: [Candidate] = []
  /// Fences that the whole window is in.
  var around: [Int32] = []
  /// The parts of one fence follow each other.
  var pieces: [Piece] = []
  var edges: [Edge] = []
  var flats: [FlatEdge] = []
  /// The places that it speaks for.
  var window = Window.empty
  var map = FlatMap()

  /// Edges kept of one window at most; a fence whose edges find no room is asked as a whole.
  static var room: Int { 2_048 }

  init(_ set: borrowing FenceSet) {
    candidates.reserveCapacity(set.tree.count)
    around.reserveCapacity(set.fences.count)
    pieces.reserveCapacity(set.parts.count + set.fences.count)
    edges.reserveCapacity(Self.room)
    flats.reserveCapacity(Self.room)
  }

  /// Calls `body` with the index of each fence that a place of the window is in, each once.
  ///
  /// - Parameter x, y: the position's, 1e-7°.
  @inline(__always)
  func forEachFence(
    containing position: GeoPosition, _ x: Int64, _ y: Int64, of set: borrowing FenceSet, _ body: (Int) -> Void
  ) {
    for index in around.indices { body(Int(around[index])) }
    let point = map.point(x, y)
    var found: Int32 = -1
    let pieces = self.pieces.span
    for index in pieces.indices where pieces[index].fence != found {
      let piece = pieces[index]
      let isInside: Bool
      switch piece.kind {
      case .area: isInside = contains(x, y, piece)
      case .flat: isInside = contains(point, piece) ?? set.contains(position, fence: Int(piece.fence))
      case .whole: isInside = set.contains(position, fence: Int(piece.fence))
      }
      guard isInside else { continue }
      found = piece.fence
      body(Int(found))
    }
  }

  @inline(__always)
  private func contains(_ x: Int64, _ y: Int64, _ piece: Piece) -> Bool {
    let edges = self.edges.span
    let probe = EdgeProbe(x: Grid.wrapped(x - Int64(piece.meridian)), y: y)
    var isInside = piece.isInside
    for index in Int(piece.first)..<Int(piece.end) {
      switch probe.look(at: edges[index].a, edges[index].b) {
      case .beside: break
      case .crossed: isInside.toggle()
      case .on: return true
      }
    }
    return isInside
  }

  /// nil where the flat map does not say it.
  @inline(__always)
  private func contains(_ point: FlatPoint, _ piece: Piece) -> Bool? {
    if point.x < piece.west || point.x > piece.east || point.y < piece.south || point.y > piece.north { return false }
    let flats = self.flats.span
    var isFar = true
    for index in Int(piece.first)..<Int(piece.end) {
      let square = flats[index].square(to: point)
      if square <= piece.inner { return true }
      if square <= piece.outer { isFar = false }
    }
    return isFar ? false : nil
  }
}
