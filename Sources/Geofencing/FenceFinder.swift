/// Which fences a position is in, asked without a vehicle: no state, no error circle.
///
///     var finder = FenceFinder(set)
///     finder.forEachFence(containing: position) { fence in … }
///
/// A question allocates nothing: all memory is taken when the finder is made.
public struct FenceFinder: ~Copyable {
  /// The fences that are asked about.
  public let set: FenceSet
  private var near: FenceList

  /// - Parameter set: the fences.
  public init(_ set: FenceSet) {
    self.set = set
    near = FenceList(capacity: set.fences.count)
  }

  /// Calls `body` with the index of each fence that a position is in or on the boundary of, each once, in no order.
  public mutating func forEachFence(containing position: GeoPosition, _ body: (Int) -> Void) {
    guard position.isOnEarth else { return }
    let place = Place(position)
    near.begin()
    set.tree.search(BoxQuery(west: place.x, south: place.y, east: place.x, north: place.y), into: &near)
    let found = near.fences.span
    for index in found.indices where set.standing(of: place, at: Int(found[index]), within: 0).isInside {
      body(Int(found[index]))
    }
  }
}
