/// Four edges of an area near a window, in single precision. They are used to count how many edges the ray from a place
/// to the east crosses.
///
/// Coordinates are in 1e-7° from the middle of the survey's window. A place may be so near to an edge that rounding
/// could move it to the other side. The caller must then ask the ``FenceSet``, which computes with integers.
struct LineGroup: BitwiseCopyable, Sendable {
  /// For each edge, x at which the straight line through the edge has y = 0.
  let start: SIMD4<Float>
  /// For each edge, the change of x for each unit of y along the edge.
  let slope: SIMD4<Float>
  /// The minimum y of each edge; infinite for an unused element.
  let low: SIMD4<Float>
  /// The maximum y of each edge; negative infinite for an unused element.
  let high: SIMD4<Float>
  /// For each edge, the square of a distance in x. If a place is nearer to the edge than this distance, rounding may
  /// put it on the wrong side. The value is infinite for an edge along a parallel of latitude.
  let doubt: SIMD4<Float>

  /// Creates a group of up to four edges.
  ///
  /// - Parameters:
  ///   - first: index of the first edge.
  ///   - origin: x and y of the middle of the survey's window, where x is relative to the edges' meridian.
  ///   - reach: the maximum absolute value of y in the survey's window.
  init(_ edges: borrowing FixedList<FenceView.Edge>, from first: Int, origin: SIMD2<Double>, reach: Double) {
    let last = edges.count - 1
    let (e0, e1) = (edges[first], edges[min(first + 1, last)])
    let (e2, e3) = (edges[min(first + 2, last)], edges[min(first + 3, last)])
    let ax = SIMD4(Double(e0.a.x), Double(e1.a.x), Double(e2.a.x), Double(e3.a.x)) - origin.x
    let ay = SIMD4(Double(e0.a.y), Double(e1.a.y), Double(e2.a.y), Double(e3.a.y)) - origin.y
    let bx = SIMD4(Double(e0.b.x), Double(e1.b.x), Double(e2.b.x), Double(e3.b.x)) - origin.x
    let by = SIMD4(Double(e0.b.y), Double(e1.b.y), Double(e2.b.y), Double(e3.b.y)) - origin.y
    let isLevel = ay .== by
    let slope = ((bx - ax) / (by - ay)).replacing(with: 0, where: isLevel)
    let start = (ax - ay * slope).replacing(with: 0, where: isLevel)
    // Rounding to single precision moves a line by less than 2⁻²² of `size`. Rounding of the doubles in this function
    // moves it by less than 0.01.
    let size = Self.magnitude(start) + Self.magnitude(slope) * reach
    let doubt = (size * 0x1p-21 + 0.01).replacing(with: .infinity, where: isLevel)
    // The coordinates must be exact in single precision. Outside the window, only the side on which a coordinate lies
    // matters, so coordinates can be limited.
    let far = SIMD4<Double>(repeating: 4e6)
    var low = ay.replacing(with: by, where: by .< ay)
    var high = ay.replacing(with: by, where: by .> ay)
    low = low.replacing(with: -far, where: low .< -far).replacing(with: far, where: low .> far)
    high = high.replacing(with: -far, where: high .< -far).replacing(with: far, where: high .> far)
    let isUnused = SIMD4<Float>(0, 1, 2, 3) .> Float(last - first)
    self.start = SIMD4<Float>(start)
    self.slope = SIMD4<Float>(slope)
    self.low = SIMD4<Float>(low).replacing(with: .infinity, where: isUnused)
    self.high = SIMD4<Float>(high).replacing(with: -.infinity, where: isUnused)
    self.doubt = SIMD4<Float>(doubt * doubt)
  }

  @inline(__always)
  private static func magnitude(_ value: SIMD4<Double>) -> SIMD4<Double> {
    value.replacing(with: -value, where: value .< 0)
  }

  /// Casts a ray from a place to the east, and inverts the element of `crossings` for each edge that the ray crosses.
  ///
  /// - Returns: `true` if the place is too near to an edge to decide.
  @inline(__always)
  func cross(_ place: SIMD2<Float>, _ crossings: inout SIMD4<Int32>) -> Bool {
    let x = place.x - (start + slope * place.y)
    let isAbove = low .<= place.y
    let isCrossed = isAbove .& (place.y .< high) .& (x .< 0)
    crossings ^= isCrossed.numbers
    return any(isAbove .& (place.y .<= high) .& (x * x .<= doubt))
  }

  /// Compares these edges with a smaller window, and returns whether they must be tested for each place in it. This is
  /// necessary if an edge may pass through the window, or if rays to the east cross an edge from some places of the
  /// window but not from all.
  ///
  /// If the result is `false`, the rays from all places of the window cross the same edges. For each of these edges,
  /// the function inverts the edge's element of `crossings`.
  @inline(__always)
  func meets(_ window: FloatWindow, _ crossings: inout SIMD4<Int32>) -> Bool {
    let isNear = (low .<= window.north) .& (high .>= window.south)
    let southern = start + slope * low.replacing(with: window.south, where: low .< window.south)
    let northern = start + slope * high.replacing(with: window.north, where: high .> window.north)
    // For each edge: how far its westernmost point is east of the window's east side, and how far its easternmost point
    // is east of the west side.
    let west = southern.replacing(with: northern, where: northern .< southern) - window.east
    let east = southern.replacing(with: northern, where: northern .> southern) - window.west
    let isWest = (east .< 0) .& (east * east .> doubt)
    let isEast = (west .> 0) .& (west * west .> doubt)
    // If an edge in the east begins or ends within the window's latitudes, only the rays from some places cross it.
    let isPassed = isEast .& (low .<= window.south) .& (high .> window.north)
    let isMet = any(isNear .& .!(isWest .| isPassed))
    let passed = (isNear .& isPassed).numbers
    crossings ^= isMet ? .zero : passed
    return isMet
  }
}

/// A window in the coordinates of ``LineGroup``.
struct FloatWindow: BitwiseCopyable, Sendable {
  let west: Float
  let south: Float
  let east: Float
  let north: Float
}
