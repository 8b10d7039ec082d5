/// A box whose east and north sides are stored as bitwise complements, so that one comparison of four numbers shows
/// whether it intersects another box.
struct RotatedBox: BitwiseCopyable, Sendable {
  fileprivate let sides: SIMD4<Int32>

  @inline(__always)
  init(_ box: Box) { sides = SIMD4(box.west, box.south, box.east, box.north) ^ SIMD4(0, 0, -1, -1) }

  private init(_ sides: SIMD4<Int32>) { self.sides = sides }

  /// Returns the smallest box that contains this box and another box.
  func union(_ other: RotatedBox) -> RotatedBox {
    RotatedBox(sides.replacing(with: other.sides, where: other.sides .< sides))
  }
}

/// A box that is compared with many other boxes.
struct BoxProbe: BitwiseCopyable, Sendable {
  private let limits: SIMD4<Int32>

  init(_ box: Box) { limits = SIMD4(box.east, box.north, ~box.west, ~box.south) }

  @inline(__always)
  func meets(_ box: RotatedBox) -> Bool { !any(box.sides .> limits) }

  @inline(__always)
  func meets(_ box: Box) -> Bool { meets(RotatedBox(box)) }
}
