/// Four edges of a corridor, or the centre of a circle, on a ``FlatMap``, in single precision.
struct SegmentGroup: BitwiseCopyable, Sendable {
  private let fromX: SIMD4<Float>
  private let fromY: SIMD4<Float>
  private let wayX: SIMD4<Float>
  private let wayY: SIMD4<Float>
  /// 1 / length² of each edge, in 1/m²; 0 for a point.
  private let inverse: SIMD4<Float>

  /// Creates a group of up to four edges.
  ///
  /// - Parameter first: index of the first edge.
  init(_ edges: borrowing FixedList<FlatEdge>, from first: Int) {
    let last = edges.count - 1
    // An element without an edge repeats the last edge.
    let (e0, e1) = (edges[first], edges[min(first + 1, last)])
    let (e2, e3) = (edges[min(first + 2, last)], edges[min(first + 3, last)])
    fromX = SIMD4<Float>(SIMD4(e0.from.x, e1.from.x, e2.from.x, e3.from.x))
    fromY = SIMD4<Float>(SIMD4(e0.from.y, e1.from.y, e2.from.y, e3.from.y))
    wayX = SIMD4<Float>(SIMD4(e0.wayX, e1.wayX, e2.wayX, e3.wayX))
    wayY = SIMD4<Float>(SIMD4(e0.wayY, e1.wayY, e2.wayY, e3.wayY))
    inverse = SIMD4<Float>(SIMD4(e0.inverse, e1.inverse, e2.inverse, e3.inverse))
  }

  /// For each edge, an upper bound of the absolute values of its coordinates, m.
  @inline(__always)
  var reach: SIMD4<Float> {
    Self.magnitude(fromX) + Self.magnitude(fromY) + Self.magnitude(wayX) + Self.magnitude(wayY)
  }

  @inline(__always)
  private static func magnitude(_ value: SIMD4<Float>) -> SIMD4<Float> {
    value.replacing(with: -value, where: value .< 0)
  }

  /// Returns the square of the distance from a point to the nearest point of each edge, in m².
  @inline(__always)
  func squares(to point: SIMD2<Float>) -> SIMD4<Float> {
    let x = fromX - point.x
    let y = fromY - point.y
    var part = (x * wayX + y * wayY) * -inverse
    part = part.replacing(with: 0, where: part .< 0)
    part = part.replacing(with: 1, where: part .> 1)
    let nearestX = x + part * wayX
    let nearestY = y + part * wayY
    return nearestX * nearestX + nearestY * nearestY
  }
}
