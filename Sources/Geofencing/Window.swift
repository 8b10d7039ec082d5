/// A rectangle in 1e-7°, edges included; past −180…180° where it lies across the antimeridian.
struct Window: BitwiseCopyable, Sendable {
  var west: Int64
  var south: Int64
  var east: Int64
  var north: Int64

  /// Contains nothing.
  static var empty: Window { Window(west: 1, south: 1, east: 0, north: 0) }

  @inline(__always)
  func contains(_ x: Int64, _ y: Int64) -> Bool { x >= west && x <= east && y >= south && y <= north }

  func contains(_ other: Window) -> Bool {
    contains(other.west, other.south) && contains(other.east, other.north)
  }

  @inline(__always)
  func meets(_ box: Box) -> Bool {
    Int64(box.west) <= east && west <= Int64(box.east) && Int64(box.south) <= north && south <= Int64(box.north)
  }

  /// The same with room around it.
  func widened(x: Int64, y: Int64) -> Window {
    Window(west: west - x, south: south - y, east: east + x, north: north + y)
  }

  var query: BoxQuery { BoxQuery(west: west, south: south, east: east, north: north) }

  var middle: (x: Int64, y: Int64) { ((west + east) / 2, (south + north) / 2) }

  /// m from the middle to a corner, never too little: no 1e-7° is longer than one of the equator, 1 % for the ellipsoid
  /// and for the middle's rounding.
  var halfDiagonal: Double {
    let width = Double(east - west)
    let height = Double(north - south)
    return (width * width + height * height).squareRoot() / 2 * Ellipsoid.equatorialRadius * Grid.radians * 1.01 + 0.1
  }
}
