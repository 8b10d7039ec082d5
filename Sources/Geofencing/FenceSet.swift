/// Fences and where they lie: built once, never changed, shared by whoever asks.
///
///     var builder = FenceSetBuilder()
///     try builder.addCircle(Fence(id: "yard"), around: yard, radius: 120)
///     let set = builder.build()
///     var watch = FenceWatch(set)
///
/// Edges are straight in longitude and latitude (RFC 7946, 3.1.1), the boundary is inside. Corners are kept as whole
/// 1e-7° (1.1 cm); an index of boxes finds the fences near a place, and boxes of up to 64 edges the edges near it, so
/// that neither many fences nor large ones cost much. No question allocates.
public struct FenceSet: Sendable {
  /// What the fences are called, in the order in which they were added.
  public internal(set) var fences = Fences()
  var shapes: [Shape] = []
  /// One more than there are, so that the next one's beginning is always there.
  var parts: [Part] = []
  var chunks: [Chunk] = []
  var vertices: [Vertex] = []
  var circles: [Circle] = []
  var tree = BoxTree()
  /// The ids, whatever their order.
  var fingerprint: UInt64 = 0

  init() {}

  /// A set without a fence.
  public static var none: FenceSet { FenceSetBuilder().build() }

  /// Number of corners kept.
  public var vertexCount: Int { vertices.count }

  /// Whether a position is in a fence or on its boundary.
  ///
  /// - Parameter fence: index into ``fences``.
  public func contains(_ position: GeoPosition, fence: Int) -> Bool {
    standing(of: Place(position), at: fence, within: 0).isInside
  }

  /// The distance in m from a position to a fence's boundary, inside and outside alike; nil if it is not less than
  /// `limit`.
  ///
  /// - Parameters:
  ///   - fence: index into ``fences``.
  ///   - limit: m, greater than 0.
  public func distance(from position: GeoPosition, toBoundaryOf fence: Int, limit: Double = 100_000) -> Double? {
    let standing = standing(of: Place(position), at: fence, within: limit)
    return standing.distance < limit ? standing.distance : nil
  }

  /// Where a place is as seen from one fence.
  func standing(of place: Place, at fence: Int, within limit: Double) -> Standing {
    let shape = shapes[fence]
    switch shape.kind {
    case .area: return area(shape, from: place, within: limit)
    case .circle: return circles[Int(shape.first)].standing(of: place.point, within: limit)
    case .corridor: return corridor(shape, from: place, within: limit)
    }
  }
}

/// Where a place is as seen from a fence.
struct Standing: BitwiseCopyable {
  var isInside: Bool
  /// m to the boundary; not less than what was asked for where it is that far.
  var distance: Double
}

/// The geometry of one fence.
struct Shape: BitwiseCopyable, Sendable {
  enum Kind: UInt8, BitwiseCopyable, Sendable { case area, circle, corridor }

  var kind: Kind
  /// Cut at the antimeridian: edges along it are no boundary.
  var hasSeam = false
  /// Index of its first part, or of its circle.
  var first: Int32
  /// Number of parts.
  var count: Int32 = 1
  /// m, of a corridor.
  var radius: Float = 0
}

/// A polygon with its holes, or a line.
struct Part: BitwiseCopyable, Sendable {
  /// The meridian from which its corners count, 1e-7°.
  var meridian: Int32
  var firstChunk: Int32
}

/// Consecutive edges of one ring or line, and the box around them.
struct Chunk: BitwiseCopyable, Sendable {
  /// Edges of one chunk at most.
  static var capacity: Int { 64 }

  var box: Box
  /// The corner at which its first edge begins.
  var first: Int32
  /// Number of edges; there is one corner more.
  var count: Int32
}
