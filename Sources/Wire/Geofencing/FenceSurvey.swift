/// The fences near a wide window (a rectangle of longitude and latitude). The views of smaller windows inside the wide
/// window are made from these fences.
///
/// A fence's edges are read when a smaller window intersects the fence's box for the first time. The initializer
/// allocates all memory.
struct FenceSurvey: BoxList, ~Copyable {
  /// A fence whose box intersects the wide window.
  struct Candidate: BitwiseCopyable, Sendable {
    var box: RotatedBox
    var fence: Int32
    /// Index of the fence's first piece in ``view``; −1 before the fence's pieces are made.
    var first: Int32 = -1
    /// Index after the fence's last piece in ``view``; −1 if the fence contains the whole wide window.
    var end: Int32 = 0
  }

  private(set) var candidates: FixedList<Candidate>
  /// The candidates whose boxes intersect the current smaller window, as indices into ``candidates``.
  private var met: FixedList<Int32>
  /// The fences whose boxes intersect ``region``. They are stored so that several windows need only one search of the
  /// index.
  private var nearby: FixedList<Candidate>
  private var region = Window.empty
  /// The fences that the current search has already found, so that each is added only once.
  private var seen: FenceList
  var view: FenceView
  /// The edges of the fence that is being added, if it is an area.
  var edges = FixedList<FenceView.Edge>(capacity: FenceSurvey.room)
  var flats = FixedList<FlatEdge>(capacity: FenceSurvey.room)

  /// Maximum number of edges near the window that one fence may have.
  static var room: Int { 2_048 }

  init(_ set: borrowing FenceSet) {
    // The capacity is one more than the number of fences, because `append(_:if:)` always writes an element.
    candidates = FixedList(capacity: set.fences.count + 1)
    met = FixedList(capacity: set.fences.count + 1)
    nearby = FixedList(capacity: set.fences.count)
    seen = FenceList(capacity: set.fences.count)
    view = FenceView(set)
  }

  var window: Window { view.window }

  /// Finds the fences whose boxes intersect a wide window.
  ///
  /// - Parameter region: a larger window around the wide window. The index is searched for fences in this region,
  ///   unless the region of the previous search contains the wide window.
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
    // The fence was found before, because it has several boxes.
    for index in nearby.indices.reversed() where nearby[index].fence == fence {
      nearby[index].box = nearby[index].box.union(RotatedBox(box))
      return
    }
  }

  /// Makes the view of a smaller window inside the wide window.
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
          // A part of the fence contains the whole smaller window.
          narrow.pieces.cut(to: begun)
          break
        }
      }
    }
  }

  /// Makes the pieces of one candidate, which is a fence that may contain some places of the wide window. Only its
  /// edges near the wide window are used.
  ///
  /// - Parameter index: index in `candidates`.
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
  /// Converts a window to coordinates that are relative to the middle of a map.
  init(_ window: Window, from map: FlatMap) {
    west = Float(window.west - map.x)
    south = Float(window.south - map.y)
    east = Float(window.east - map.x)
    north = Float(window.north - map.y)
  }
}
