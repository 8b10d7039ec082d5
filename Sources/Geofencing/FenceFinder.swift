/// Which fences a position is in, asked without a vehicle: no state, no error circle.
///
///     var finder = FenceFinder(set)
///     finder.forEachFence(containing: position) { fence in … }
///
/// A question allocates nothing: all memory is taken when the finder is made.
public struct FenceFinder: ~Copyable {
  /// The fences that are asked about.
  public let set: FenceSet
  /// Fences of one look, each once.
  private var near: FenceList
  private var wide: FenceView
  private var view: FenceView
  private var last = (x: Int64.min / 2, y: Int64.min / 2)

  /// How many steps like the last one a view reaches ahead, so that along a drive most questions need no look, and how
  /// many the wider one from which such views are cut.
  private static var steps: Int64 { 8 }
  private static var wideSteps: Int64 { 40 }
  /// 1e-7° for each of these steps: how far a view reaches to each side.
  private static var margin: Int64 { 100 }
  /// 1e-7°: a step that is longer is a leap, for which no view is made.
  private static var longestStep: Int64 { 20_000 }

  /// - Parameter set: the fences.
  public init(_ set: FenceSet) {
    self.set = set
    near = FenceList(capacity: set.fences.count)
    wide = FenceView(set)
    view = FenceView(set)
  }

  /// Calls `body` with the index of each fence that a position is in or on the boundary of, each once, in no order.
  public mutating func forEachFence(containing position: GeoPosition, _ body: (Int) -> Void) {
    guard position.isOnEarth else { return }
    let x = Grid.units(position.longitude)
    let y = Grid.units(position.latitude)
    if !view.window.contains(x, y) {
      let step = (x: x - last.x, y: y - last.y)
      last = (x, y)
      guard abs(step.x) < Self.longestStep, abs(step.y) < Self.longestStep else {
        forEachFence(containing: Place(position), body)
        return
      }
      let window = Self.window(x, y, step, Self.steps)
      if !wide.window.contains(window) {
        let far = Self.window(x, y, step, Self.wideSteps)
        guard far.query.second == nil else {
          forEachFence(containing: Place(position), body)
          return
        }
        wide.begin(far, of: set)
      }
      view.look(at: &wide, in: window, of: set, seen: &near)
    }
    last = (x, y)
    view.forEachFence(containing: position, x, y, of: set, body)
  }

  /// The same for one place far from the others.
  private mutating func forEachFence(containing place: Place, _ body: (Int) -> Void) {
    near.begin()
    set.tree.search(BoxQuery(west: place.x, south: place.y, east: place.x, north: place.y), into: &near)
    let found = near.fences.span
    for index in found.indices where set.standing(of: place, at: Int(found[index]), within: 0).isInside {
      body(Int(found[index]))
    }
  }

  /// What a view reaches over.
  private static func window(_ x: Int64, _ y: Int64, _ step: (x: Int64, y: Int64), _ steps: Int64) -> Window {
    let ahead = (x: step.x * steps, y: step.y * steps)
    return Window(
      west: x + min(ahead.x, 0) - margin * steps, south: y + min(ahead.y, 0) - margin * steps,
      east: x + max(ahead.x, 0) + margin * steps, north: y + max(ahead.y, 0) + margin * steps)
  }
}
