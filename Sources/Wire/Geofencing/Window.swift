/// A rectangle of longitude and latitude in 1e-7°, including its edges. If it crosses the antimeridian, one of its
/// sides is beyond −180…180°.
struct Window: BitwiseCopyable, Sendable {
  var west: Int64
  var south: Int64
  var east: Int64
  var north: Int64

  /// A window that contains no place.
  static var empty: Window { Window(west: 1, south: 1, east: 0, north: 0) }

  @inline(__always)
  func contains(_ x: Int64, _ y: Int64) -> Bool { x >= west && x <= east && y >= south && y <= north }

  func contains(_ other: Window) -> Bool {
    contains(other.west, other.south) && contains(other.east, other.north)
  }

  /// Returns the window enlarged by margins on all sides, in 1e-7°.
  func widened(x: Int64, y: Int64) -> Window {
    Window(west: west - x, south: south - y, east: east + x, north: north + y)
  }

  /// The window as a box. A side that a box cannot represent is limited to the range of `Int32`.
  var box: Box {
    Box(
      west: Int32(clamping: west), south: Int32(clamping: south), east: Int32(clamping: east),
      north: Int32(clamping: north))
  }

  var query: BoxQuery { BoxQuery(west: west, south: south, east: east, north: north) }

  var middle: (x: Int64, y: Int64) { ((west + east) / 2, (south + north) / 2) }

  /// Distance from the middle to a corner in m, rounded up. It is computed with degrees at the equator, which are the
  /// longest, and 1 % is added for the ellipsoid and for the rounding of the middle.
  var halfDiagonal: Double {
    let width = Double(east - west)
    let height = Double(north - south)
    return (width * width + height * height).squareRoot() / 2 * Ellipsoid.equatorialRadius * Grid.radians * 1.01 + 0.1
  }
}
