/// A set of fences that never changes. Several threads may use it at the same time.
///
///     var builder = FenceSetBuilder()
///     try builder.addCircle(Fence(id: "yard"), around: yard, radius: 120)
///     let set = builder.build()
///     var watch = FenceWatch(set)
///
/// Edges are straight in longitude and latitude (RFC 7946, 3.1.1). The boundary belongs to the fence. Corners are
/// stored in whole 1e-7° (1.1 cm). A tree of boxes finds the fences near a position, and boxes around groups of up to
/// 64 edges find the edges near it. Queries therefore take little time even with many or large fences. Queries allocate
/// no memory.
public struct FenceSet: Sendable {
  /// The names and rules of the fences, in the order in which they were added.
  public internal(set) var fences = Fences()
  var shapes: [Shape] = []
  /// The parts of all fences: polygons with their holes, and lines. The last element is not a part; its `firstChunk` is
  /// the end of the last part's chunks.
  var parts: [Part] = []
  var chunks: [Chunk] = []
  var vertices: [Vertex] = []
  var circles: [Circle] = []
  var tree = BoxTree()
  /// Hash of the identifiers of all fences, independent of their order.
  var fingerprint: UInt64 = 0

  init() {}

  /// A set without fences.
  public static var none: FenceSet { FenceSetBuilder().build() }

  /// Number of stored corners of all fences.
  public var vertexCount: Int { vertices.count }

  /// Returns whether a position is in a fence or on its boundary.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - fence: index of the fence in ``fences``.
  public func contains(_ position: GeoPosition, fence: Int) -> Bool {
    standing(of: Place(position), at: fence, within: 0).isInside
  }

  /// Returns the distance in m from a position, inside or outside, to the boundary of a fence.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - fence: index of the fence in ``fences``.
  ///   - limit: upper limit of the result, m, greater than 0.
  /// - Returns: `nil` if the distance is not less than `limit`.
  public func distance(from position: GeoPosition, toBoundaryOf fence: Int, limit: Double = 100_000) -> Double? {
    let standing = standing(of: Place(position), at: fence, within: limit)
    return standing.distance < limit ? standing.distance : nil
  }

  /// Returns whether a place is inside a fence, and its distance from the fence's boundary.
  ///
  /// - Parameter limit: the maximum distance that the caller needs, m; 0 if it asks only whether the place is inside.
  func standing(of place: Place, at fence: Int, within limit: Double) -> Standing {
    let shape = shapes[fence]
    switch shape.kind {
    case .area: return area(shape, from: place, within: limit)
    case .circle: return circles[Int(shape.first)].standing(of: place.point, within: limit)
    case .corridor: return corridor(shape, from: place, within: limit)
    }
  }
}

/// Whether a place is inside a fence, and its distance from the boundary.
struct Standing: BitwiseCopyable {
  var isInside: Bool
  /// Distance from the boundary, m. If the boundary is farther away than the requested limit, the value is not exact,
  /// but not less than the limit.
  var distance: Double
}

/// The geometry of one fence.
struct Shape: BitwiseCopyable, Sendable {
  enum Kind: UInt8, BitwiseCopyable, Sendable { case area, circle, corridor }

  var kind: Kind
  /// Whether the fence is cut at the antimeridian. Edges on the antimeridian are then not part of the boundary.
  var hasSeam = false
  /// Index of the fence's first part in ``FenceSet/parts``, or of its circle in ``FenceSet/circles``.
  var first: Int32
  /// Number of the fence's parts.
  var count: Int32 = 1
  /// Radius if the fence is a corridor, m.
  var radius: Float = 0
}

/// A part of a fence: a polygon with its holes, or a line.
struct Part: BitwiseCopyable, Sendable {
  /// Meridian from which the x coordinates of the part's corners are counted, 1e-7°.
  var meridian: Int32
  var firstChunk: Int32
}

/// Consecutive edges of one ring or line, with a box around them.
struct Chunk: BitwiseCopyable, Sendable {
  /// Maximum number of edges of one chunk.
  static var capacity: Int { 64 }

  var box: Box
  /// Index of the corner at which the first edge begins, in ``FenceSet/vertices``.
  var first: Int32
  /// Number of edges in the chunk. The chunk has one corner more.
  var count: Int32
}
