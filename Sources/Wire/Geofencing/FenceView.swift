/// Finds the fences that contain a place in one window (a rectangle of longitude and latitude), without searching the
/// set.
///
/// During a drive, most fences near the window contain either all or none of its places. The other fences have only a
/// few edges near it.
///
/// The view is made once for the window. It computes in single precision, with four edges at a time. If a place is too
/// near to a boundary for this precision, the caller must ask the set, so that the results always equal those of
/// ``FenceSet/contains(_:fence:)``. The initializer allocates all memory.
struct FenceView: ~Copyable {
  /// A fence, or a part of a fence, that may contain some places of the window but not all of them.
  struct Piece: BitwiseCopyable, Sendable {
    enum Kind: UInt8, BitwiseCopyable, Sendable {
      /// A polygon of an area. Its edges near the window decide whether a place is inside, together with `isInside`.
      case area
      /// Lines or a point on the map, with a radius.
      case flat
      /// A fence that the view cannot evaluate, so that the caller must ask the ``FenceSet``.
      case whole
    }

    var kind: Kind
    /// For an area: whether a place is inside if the ray from the place to the east crosses none of the piece's edges.
    /// Each edge that the ray crosses inverts the result.
    var isInside = false
    var fence: Int32
    /// Index of the piece's first element in ``FenceView/lines`` or ``FenceView/segments``.
    var first: Int32 = 0
    /// Index after the piece's last element in ``FenceView/lines`` or ``FenceView/segments``.
    var end: Int32 = 0
    /// For a flat piece, a distance in m. A place at most this far away is inside. For a place between `inner` and
    /// `outer`, the view cannot decide.
    var inner: Float = 0
    /// For a flat piece, a distance in m. A place farther away is outside.
    var outer: Float = 0
  }

  struct Edge: BitwiseCopyable, Sendable {
    var a: Vertex
    var b: Vertex
  }

  /// The fences that contain the whole window.
  var around: FixedList<Int32>
  /// Pieces of the fences that contain only some places of the window. A piece is a polygon of an area, reduced to its
  /// edges near the window; a circle; a corridor; or a whole fence. The pieces of one fence are consecutive.
  var pieces: FixedList<Piece>
  var lines = FixedList<LineGroup>(capacity: FenceView.room + 1)
  var segments = FixedList<SegmentGroup>(capacity: FenceView.room + 1)
  /// The window in which the view answers queries.
  private(set) var window = Window.empty
  private(set) var map = FlatMap()

  /// Maximum number of groups of four edges in one view. A fence whose groups do not fit becomes a piece of the kind
  /// `whole`, for which the caller must ask the ``FenceSet``.
  static var room: Int { 1_024 }

  init(_ set: borrowing FenceSet) {
    around = FixedList(capacity: set.fences.count)
    pieces = FixedList(capacity: set.parts.count + set.fences.count)
  }

  @inline(__always)
  mutating func clear(_ window: Window, _ map: FlatMap) {
    self.window = window
    self.map = map
    around.cut(to: 0)
    pieces.cut(to: 0)
    lines.cut(to: 0)
    segments.cut(to: 0)
  }

  // MARK: Queries

  /// Returns whether a place is in a piece; `nil` if it is too near to the boundary to decide.
  ///
  /// - Parameters:
  ///   - place: the place, in 1e-7° from the middle of the map.
  ///   - point: the place again, in m from the middle of the map.
  @inline(__always)
  func contains(_ place: SIMD2<Float>, _ point: SIMD2<Float>, _ piece: Piece) -> Bool? {
    switch piece.kind {
    case .area: area(piece, contains: place)
    case .flat: flat(piece, contains: point)
    case .whole: nil
    }
  }

  @inline(__always)
  private func area(_ piece: Piece, contains place: SIMD2<Float>) -> Bool? {
    var crossings = SIMD4<Int32>.zero
    for index in Int(piece.first)..<Int(piece.end) {
      if lines[index].cross(place, &crossings) { return nil }
    }
    return piece.isInside != (crossings.wrappedSum() & 1 == 1)
  }

  @inline(__always)
  private func flat(_ piece: Piece, contains point: SIMD2<Float>) -> Bool? {
    var isFar = true
    for index in Int(piece.first)..<Int(piece.end) {
      let squares = segments[index].squares(to: point)
      if any(squares .<= piece.outer * piece.outer) {
        if piece.inner > 0, any(squares .<= piece.inner * piece.inner) { return true }
        isFar = false
      }
    }
    return isFar ? false : nil
  }

  // MARK: Smaller windows

  /// Adds a piece of the wide window's view to this view, if it matters in this smaller window.
  mutating func narrow(_ wider: Piece, _ wide: borrowing FenceView, _ bounds: FloatWindow, _ circle: WindowCircle) {
    switch wider.kind {
    case .area: narrowArea(wider, wide, bounds)
    case .flat: narrowFlat(wider, wide, circle)
    case .whole: pieces.append(wider)
    }
  }

  @inline(__always)
  private mutating func narrowArea(_ wider: Piece, _ wide: borrowing FenceView, _ bounds: FloatWindow) {
    var piece = wider
    piece.first = Int32(lines.count)
    var crossings = SIMD4<Int32>.zero
    let found = wide.lines.span
    for index in Int(wider.first)..<Int(wider.end) {
      let group = found[index]
      lines.append(group, if: group.meets(bounds, &crossings))
    }
    piece.end = Int32(lines.count)
    if crossings.wrappedSum() & 1 == 1 { piece.isInside.toggle() }
    if piece.first < piece.end {
      pieces.append(piece)
    } else if piece.isInside {
      around.append(piece.fence)
    }
  }

  @inline(__always)
  private mutating func narrowFlat(_ wider: Piece, _ wide: borrowing FenceView, _ circle: WindowCircle) {
    let inner = wider.inner - circle.radius
    let outer = wider.outer + circle.radius
    let begun = segments.count
    let found = wide.segments.span
    for index in Int(wider.first)..<Int(wider.end) {
      let squares = found[index].squares(to: circle.middle)
      guard any(squares .<= outer * outer) else { continue }
      if inner > 0, any(squares .< inner * inner) {
        segments.cut(to: begun)
        around.append(wider.fence)
        return
      }
      segments.append(found[index])
    }
    guard segments.count > begun else { return }
    var piece = wider
    piece.first = Int32(begun)
    piece.end = Int32(segments.count)
    pieces.append(piece)
  }
}

/// A circle around a window on a ``FlatMap``, in m.
struct WindowCircle: BitwiseCopyable {
  let middle: SIMD2<Float>
  let radius: Float

  /// Creates a circle that contains a window.
  ///
  /// - Parameter error: the relative error of distances on the map.
  init(around window: Window, _ map: FlatMap, error: Double) {
    let point = map.point(window.middle.x, window.middle.y)
    middle = SIMD2(Float(point.x), Float(point.y))
    // The additional 1 mm and the factor allow for the rounding of single precision.
    radius = Float(window.halfDiagonal * (1.000_001 + error) + 0.001)
  }
}
