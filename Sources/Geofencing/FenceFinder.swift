/// Which fences a position is in, asked without a vehicle: no state, no error circle.
///
///     var finder = FenceFinder(set)
///     finder.forEachFence(containing: position) { fence in … }
///
/// A question allocates nothing: all memory is taken when the finder is made.
public struct FenceFinder: ~Copyable {
  /// The fences that are asked about.
  public let set: FenceSet
  /// Fences whose boxes meet `window`.
  private var near: FenceList
  private var window = (west: Int64(1), south: Int64(1), east: Int64(0), north: Int64(0))
  private var last = (x: Int64.min / 2, y: Int64.min / 2)

  /// 1e-7°: how far around a position the index is asked where the one before was nearer than this. Along a drive most
  /// questions then need none.
  private static var reach: Int64 { 20_000 }

  /// - Parameter set: the fences.
  public init(_ set: FenceSet) {
    self.set = set
    near = FenceList(capacity: set.fences.count)
  }

  /// Calls `body` with the index of each fence that a position is in or on the boundary of, each once, in no order.
  public mutating func forEachFence(containing position: GeoPosition, _ body: (Int) -> Void) {
    guard position.isOnEarth else { return }
    let place = Place(position)
    if place.x < window.west || place.x > window.east || place.y < window.south || place.y > window.north {
      look(place)
    }
    last = (place.x, place.y)
    let found = near.fences.span
    for index in found.indices where set.standing(of: place, at: Int(found[index]), within: 0).isInside {
      body(Int(found[index]))
    }
  }

  private mutating func look(_ place: Place) {
    let isNear = abs(place.x - last.x) < Self.reach && abs(place.y - last.y) < Self.reach
    let reach = isNear ? Self.reach : 0
    window = (place.x - reach, place.y - reach, place.x + reach, place.y + reach)
    near.begin()
    set.tree.search(
      BoxQuery(west: window.west, south: window.south, east: window.east, north: window.north), into: &near)
  }
}
