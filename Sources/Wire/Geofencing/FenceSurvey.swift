/// The fences near a wide window, from which the views of smaller windows are made.
///
/// A fence's edges are read when the first smaller window meets its box. The initializer allocates all memory.
struct FenceSurvey: BoxList, ~Copyable {
  /// A fence that may overlap the window.
  struct Candidate: BitwiseCopyable, Sendable {
    var box: RotatedBox
    var fence: Int32
    /// Index of its first piece; −1 before its pieces are made.
    var first: Int32 = -1
    /// End of its pieces; −1 if it contains the whole window.
    var end: Int32 = 0
  }

  private(set) var candidates: FixedList<Candidate>
  /// The candidates whose boxes meet the present smaller window.
  private var met: FixedList<Int32>
  /// The fences whose boxes meet ``region``, so that the index is searched only once for several windows.
  private var nearby: FixedList<Candidate>
  private var region = Window.empty
  /// The fences of one search, each once.
  private var seen: FenceList
  var view: FenceView
  /// Collected edges of the fence that is being added.
  var edges = FixedList<FenceView.Edge>(capacity: FenceSurvey.room)
  var flats = FixedList<FlatEdge>(capacity: FenceSurvey.room)

  /// The most edges of one fence near the window.
  static var room: Int { 2_048 }

  init(_ set: borrowing FenceSet) {
    // One more than the number of fences, because `append(_:if:)` always writes.
    candidates = FixedList(capacity: set.fences.count + 1)
    met = FixedList(capacity: set.fences.count + 1)
    nearby = FixedList(capacity: set.fences.count)
    seen = FenceList(capacity: set.fences.count)
    view = FenceView(set)
  }

  var window: Window { view.window }

  /// Finds the fences whose boxes meet a window.
  ///
  /// - Parameter region: a larger window around it. The index is searched for it, unless the last region contains the
  ///   window.
  mutating func begin(_ window: Window, in region: Window, of set: borrowing FenceSet) {
    view.clear(window, FlatMap(around: window.middle))
    if !self.region.contains(window) {
      self.region = region
      nearby.cut(to: 0)
      seen.begin()
      set.tree.search(region.query, into: &self)
    }
    candidates.cut(to: 0)
    let probe = BoxProbe(window.box)
    for index in nearby.indices { candidates.append(nearby[index], if: probe.meets(nearby[index].box)) }
  }

  mutating func add(_ fence: Int32, _ box: Box) {
    guard !seen.add(fence) else {
      nearby.append(Candidate(box: RotatedBox(box), fence: fence))
      return
    }
    // The fence has several boxes.
    for index in nearby.indices.reversed() where nearby[index].fence == fence {
      nearby[index].box = nearby[index].box.union(RotatedBox(box))
      return
    }
  }

  /// Makes the view of a smaller window inside the surveyed one.
  mutating func collect(in window: Window, of set: borrowing FenceSet, into narrow: inout FenceView) {
    let map = view.map
    narrow.clear(window, map)
    let bounds = FloatWindow(window, from: map)
    let circle = WindowCircle(around: window, map, error: map.error(within: self.window.halfDiagonal))
    let probe = BoxProbe(window.box)
    met.cut(to: 0)
    for index in candidates.indices { met.append(Int32(index), if: probe.meets(candidates[index].box)) }
    for place in met.indices {
      let index = Int(met[place])
      if candidates[index].first < 0 { workOut(index, set) }
      let candidate = candidates[index]
      if candidate.end < 0 {
        narrow.around.append(candidate.fence)
        continue
      }
      let begun = narrow.pieces.count
      for place in Int(candidate.first)..<Int(candidate.end) {
        let known = narrow.around.count
        narrow.narrow(view.pieces[place], view, bounds, circle)
        if narrow.around.count > known {
          // The whole window is inside one part, and so inside the fence.
          narrow.pieces.cut(to: begun)
          break
        }
      }
    }
  }

  /// Collects the pieces of a candidate near the window.
  private mutating func workOut(_ index: Int, _ set: borrowing FenceSet) {
    let fence = candidates[index].fence
    let shape = set.shapes[Int(fence)]
    candidates[index].first = Int32(view.pieces.count)
    let isAround =
      switch shape.kind {
      case .area: addArea(shape, fence, set)
      case .circle: addCircle(set.circles[Int(shape.first)], fence)
      case .corridor: addCorridor(shape, fence, set)
      }
    candidates[index].end = isAround ? -1 : Int32(view.pieces.count)
  }

  mutating func addWhole(_ fence: Int32) { view.pieces.append(FenceView.Piece(kind: .whole, fence: fence)) }
}

extension FloatWindow {
  /// Creates a window relative to the middle of a map.
  init(_ window: Window, from map: FlatMap) {
    west = Float(window.west - map.x)
    south = Float(window.south - map.y)
    east = Float(window.east - map.x)
    north = Float(window.north - map.y)
  }
}
