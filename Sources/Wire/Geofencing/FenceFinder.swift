/// Finds the fences that contain a position. Unlike ``FenceWatch``, it stores no state of a vehicle, and treats
/// positions as exact.
///
///     var finder = FenceFinder(set)
///     finder.forEachFence(containing: position) { fence in print(set.fences[fence].id) }
///
/// Only the initializer allocates memory. A query takes least time if its position is near the position of the previous
/// query.
public struct FenceFinder: ~Copyable {
  /// The set of fences that is searched.
  public let set: FenceSet
  /// The fences near a wide window, which is a rectangle around the last positions. ``view`` is made from these fences.
  private var wide: FenceSurvey
  /// Answers queries for positions in a smaller window inside the wide window.
  private var view: FenceView
  /// The fences near a position that is far from the previous position.
  private var near: FenceList
  private var last = (x: Int64.min / 2, y: Int64.min / 2)

  /// Length of a view's window in the direction of travel, as a multiple of the distance between the last two
  /// positions.
  private static var steps: Int64 { 8 }
  /// Length of the wide window in the direction of travel, as a multiple of the distance between the last two
  /// positions. Views are made from the fences near this window.
  private static var wideSteps: Int64 { 40 }
  /// A survey searches the index for fences in a region. This is the region's length in the direction of travel, as a
  /// multiple of the distance between the last two positions.
  private static var regionSteps: Int64 { 200 }
  /// A window or region has a margin on each side. The width of the margin, in 1e-7°, is this number multiplied by
  /// `steps`, `wideSteps` or `regionSteps`.
  private static var margin: Int64 { 100 }
  /// A view is made if a position is at most this far from the previous position, 1e-7°. A position farther away is
  /// treated as unrelated to the previous one.
  private static var longestStep: Int64 { 20_000 }

  /// Creates a finder for a set of fences and allocates its memory.
  public init(_ set: FenceSet) {
    self.set = set
    wide = FenceSurvey(set)
    view = FenceView(set)
    near = FenceList(capacity: set.fences.count)
  }

  /// Calls `body` once for each fence that contains a position or has it on its boundary. The argument is the index of
  /// the fence; the order is undefined.
  ///
  /// - Parameter position: the position. If its latitude or longitude is out of range, no fence contains it.
  public mutating func forEachFence(containing position: GeoPosition, _ body: (Int) -> Void) {
    guard position.isOnEarth else { return }
    let x = Grid.units(position.longitude)
    let y = Grid.units(position.latitude)
    if !view.window.contains(x, y) {
      guard load(around: x, y) else {
        forEachFence(containing: Place(position), body)
        return
      }
    }
    last = (x, y)
    for index in view.around.indices { body(Int(view.around[index])) }
    let place = SIMD2(Float(x - view.map.x), Float(y - view.map.y))
    let flat = view.map.point(x, y)
    let point = SIMD2(Float(flat.x), Float(flat.y))
    var found: Int32 = -1
    for index in view.pieces.indices {
      let piece = view.pieces[index]
      if piece.fence != found, view.contains(place, point, piece) ?? isInside(position, piece.fence) {
        found = piece.fence
        body(Int(found))
      }
    }
  }

  /// Returns whether a fence contains a position. It is called only if the view cannot decide this. Such calls are
  /// rare, so the function is not inlined.
  @inline(never)
  private func isInside(_ position: GeoPosition, _ fence: Int32) -> Bool { set.contains(position, fence: Int(fence)) }

  /// Makes the view of a window that begins at a position and extends in the direction of travel.
  ///
  /// - Returns: `false` if no view was made, because the position is far from the previous position or the window
  ///   crosses the antimeridian.
  @inline(never)
  private mutating func load(around x: Int64, _ y: Int64) -> Bool {
    let step = (x: x - last.x, y: y - last.y)
    last = (x, y)
    guard abs(step.x) < Self.longestStep, abs(step.y) < Self.longestStep else { return false }
    let window = Self.window(x, y, step, Self.steps)
    if !wide.window.contains(window) {
      let far = Self.window(x, y, step, Self.wideSteps)
      guard far.query.second == nil else { return false }
      let region = Self.window(x, y, step, Self.regionSteps)
      wide.begin(far, in: region.query.second == nil ? region : far, of: set)
    }
    wide.collect(in: window, of: set, into: &view)
    return true
  }

  /// Finds the fences that contain a position, without using a view.
  @inline(never)
  private mutating func forEachFence(containing place: Place, _ body: (Int) -> Void) {
    near.begin()
    set.tree.search(BoxQuery(west: place.x, south: place.y, east: place.x, north: place.y), into: &near)
    let found = near.fences.span
    for index in found.indices where set.standing(of: place, at: Int(found[index]), within: 0).isInside {
      body(Int(found[index]))
    }
  }

  /// Returns the window that begins around a position and extends ahead by `steps` times `step`, the vector from the
  /// previous position to this one.
  private static func window(_ x: Int64, _ y: Int64, _ step: (x: Int64, y: Int64), _ steps: Int64) -> Window {
    let ahead = (x: step.x * steps, y: step.y * steps)
    return Window(
      west: x + min(ahead.x, 0) - margin * steps, south: y + min(ahead.y, 0) - margin * steps,
      east: x + max(ahead.x, 0) + margin * steps, north: y + max(ahead.y, 0) + margin * steps)
  }
}
