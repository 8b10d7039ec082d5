/// An immutable set of fences. Threads may share it.
///
///     var builder = FenceSetBuilder()
///     try builder.addCircle(Fence(id: "yard"), around: yard, radius: 120)
///     let set = builder.build()
///     var watch = FenceWatch(set)
///
/// Edges are straight in longitude and latitude (RFC 7946, 3.1.1). The boundary belongs to the fence. Corners are
/// stored in whole 1e-7° (1.1 cm). A tree of boxes finds the fences near a place, and boxes around up to 64 edges find
/// the edges near it, so that many or large fences cost little. Queries do not allocate.
public struct FenceSet: Sendable {
  /// The names and rules of the fences, in the order in which they were added.
  public internal(set) var fences = Fences()
  var shapes: [Shape] = []
  /// The parts, and a last element that marks the end of the last part's chunks.
  var parts: [Part] = []
  var chunks: [Chunk] = []
  var vertices: [Vertex] = []
  var circles: [Circle] = []
  var tree = BoxTree()
  /// Hash of all identifiers, independent of their order.
  var fingerprint: UInt64 = 0

  init() {}

  /// A set without fences.
  public static var none: FenceSet { FenceSetBuilder().build() }

  /// Number of stored corners.
  public var vertexCount: Int { vertices.count }

  /// Returns whether a position is in a fence or on its boundary.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - fence: index into ``fences``.
  public func contains(_ position: GeoPosition, fence: Int) -> Bool {
    standing(of: Place(position), at: fence, within: 0).isInside
  }

  /// Returns the distance in m from a position, inside or outside, to the boundary of a fence.
  ///
  /// - Parameters:
  ///   - position: the position.
  ///   - fence: index into ``fences``.
  ///   - limit: m, greater than 0.
  /// - Returns: `nil` if the distance is not less than `limit`.
  public func distance(from position: GeoPosition, toBoundaryOf fence: Int, limit: Double = 100_000) -> Double? {
    let standing = standing(of: Place(position), at: fence, within: limit)
    return standing.distance < limit ? standing.distance : nil
  }

  /// Returns the position of a place relative to one fence.
  ///
  /// - Parameter limit: the greatest distance of interest, m; 0 if only inside or outside matters.
  func standing(of place: Place, at fence: Int, within limit: Double) -> Standing {
    let shape = shapes[fence]
    switch shape.kind {
    case .area: return area(shape, from: place, within: limit)
    case .circle: return circles[Int(shape.first)].standing(of: place.point, within: limit)
    case .corridor: return corridor(shape, from: place, within: limit)
    }
  }
}

/// The position of a place relative to a fence.
struct Standing: BitwiseCopyable {
  var isInside: Bool
  /// Distance to the boundary, m. Beyond the requested limit it is not exact, but never less than the limit.
  var distance: Double
}

/// The geometry of one fence.
struct Shape: BitwiseCopyable, Sendable {
  enum Kind: UInt8, BitwiseCopyable, Sendable { case area, circle, corridor }

  var kind: Kind
  /// Whether the fence is cut at the antimeridian. Edges along it are then not part of the boundary.
  var hasSeam = false
  /// Index of the first part, or of the circle.
  var first: Int32
  /// Number of parts.
  var count: Int32 = 1
  /// Radius of a corridor, m.
  var radius: Float = 0
}

/// A polygon with its holes, or a line.
struct Part: BitwiseCopyable, Sendable {
  /// The meridian to which the corners' x coordinates are relative, 1e-7°.
  var meridian: Int32
  var firstChunk: Int32
}

/// Consecutive edges of one ring or line, and the box around them.
struct Chunk: BitwiseCopyable, Sendable {
  /// The most edges of one chunk.
  static var capacity: Int { 64 }

  var box: Box
  /// Index of the corner at which the first edge begins.
  var first: Int32
  /// Number of edges. There is one more corner.
  var count: Int32
}
