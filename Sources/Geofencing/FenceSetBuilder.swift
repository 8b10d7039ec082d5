/// Puts fences together to a ``FenceSet``.
///
/// Call order: for each fence ``addCircle(_:around:radius:)``, ``addCorridor(_:along:radius:)``, or ``beginArea(_:)``, for
/// each of its polygons ``addRing(_:)`` with the outer ring and then the holes and ``endPolygon()``, and ``endArea()``.
/// Last ``build()``. After an error the builder is good for nothing more.
///
/// An edge between two longitudes more than 180° apart goes the short way, across the antimeridian (RFC 7946, 3.1.9,
/// asks writers to cut there, which is understood as well). Which way round a ring runs is not looked at.
public struct FenceSetBuilder: Sendable {
  /// m; the largest circle.
  public static var greatestRadius: Double { 1_000_000 }
  /// m; the widest corridor, to either side.
  public static var greatestCorridorRadius: Double { 20_000 }

  var set = FenceSet()
  var polygon = PolygonDraft()
  private var entries: [BoxTree.Entry] = []
  private var area = Shape(kind: .area, first: 0, count: 0)

  /// - Parameter corners: how many there will be at most, if that is known: their memory is then taken at once, and what
  ///   arrays leave behind while they grow does not lie around later.
  public init(corners: Int = 0) { set.vertices.reserveCapacity(corners) }

  /// A circle.
  ///
  /// - Parameter radius: m, above 0 and up to ``greatestRadius``.
  public mutating func addCircle(
    _ fence: Fence, around middle: GeoPosition, radius: Double
  ) throws(FenceError) {
    try Self.check(middle, at: 0, ring: 0)
    guard radius > 0, radius <= Self.greatestRadius else {
      throw FenceError(.radius(radius, limit: Self.greatestRadius))
    }
    let x = Grid.units(middle.longitude)
    let y = Grid.units(middle.latitude)
    addEntries(west: x, south: y, east: x, north: y, margin: radius * 1.01)
    add(fence, Shape(kind: .circle, first: Int32(set.circles.count)))
    set.circles.append(Circle(around: middle, radius: radius))
  }

  /// All that lies no farther than `radius` from a line.
  ///
  /// - Parameters:
  ///   - line: at least 2 positions.
  ///   - radius: m, above 0 and up to ``greatestCorridorRadius``.
  public mutating func addCorridor(
    _ fence: Fence, along line: [GeoPosition], radius: Double
  ) throws(FenceError) {
    guard radius > 0, radius <= Self.greatestCorridorRadius else {
      throw FenceError(.radius(radius, limit: Self.greatestCorridorRadius))
    }
    guard line.count >= 2 else { throw FenceError(.tooFewPositions(line.count)) }
    polygon.begin()
    try polygon.addLine(line)
    let first = set.parts.count
    let box = try takePart()
    addEntries(box, margin: radius * 1.01)
    add(fence, Shape(kind: .corridor, first: Int32(first), radius: Float(radius)))
  }

  /// Begins a fence of one polygon or several.
  public mutating func beginArea(_ fence: Fence) {
    area = Shape(kind: .area, first: Int32(set.parts.count), count: 0)
    set.fences.append(fence)
    polygon.begin()
  }

  /// The outer ring of the next polygon, or another hole of the one begun.
  ///
  /// - Parameter ring: at least 4 positions, the last as the first.
  public mutating func addRing(_ ring: [GeoPosition]) throws(FenceError) { try polygon.addRing(ring) }

  /// Ends a polygon.
  ///
  /// - Throws: if its rings meet, or a hole is not where a hole can be.
  public mutating func endPolygon() throws(FenceError) {
    try polygon.check()
    addEntries(try takePart(), margin: 0)
    area.count += 1
    polygon.begin()
  }

  /// Ends the fence that ``beginArea(_:)`` began.
  public mutating func endArea() {
    area.hasSeam = area.count > 1 && touchesAntimeridianOnBothSides(area)
    set.shapes.append(area)
  }

  /// The fences that were added.
  public consuming func build() -> FenceSet {
    set.parts.append(Part(meridian: 0, firstChunk: Int32(set.chunks.count)))
    set.tree = BoxTree(entries)
    set.fingerprint = set.fences.reduce(into: 0) { $0 &+= Self.hash($1.id) }
    return set
  }

  // MARK: Parts

  private mutating func add(_ fence: Fence, _ shape: Shape) {
    set.fences.append(fence)
    set.shapes.append(shape)
  }

  /// Moves the polygon or line from the draft into the set; its box, from the part's own meridian.
  private mutating func takePart() throws(FenceError) -> (box: Box, meridian: Int64) {
    let meridian = polygon.middleMeridian
    set.parts.append(Part(meridian: Int32(meridian), firstChunk: Int32(set.chunks.count)))
    var whole = Box.empty
    for ring in polygon.rings {
      guard set.vertices.count + ring.count + 1 < Int(Int32.max) else { throw FenceError(.tooMany) }
      let first = set.vertices.count
      for point in polygon.points[ring] {
        set.vertices.append(Vertex(x: Int32(point.x - meridian), y: Int32(point.y)))
      }
      var start = first
      while start < set.vertices.count - 1 {
        let end = min(start + Chunk.capacity, set.vertices.count - 1)
        var box = Box.empty
        for index in start...end { box.add(set.vertices[index]) }
        set.chunks.append(Chunk(box: box, first: Int32(start), count: Int32(end - start)))
        whole.add(box)
        start = end
      }
    }
    return (whole, meridian)
  }

  private mutating func addEntries(_ part: (box: Box, meridian: Int64), margin: Double) {
    addEntries(
      west: Int64(part.box.west) + part.meridian, south: Int64(part.box.south),
      east: Int64(part.box.east) + part.meridian, north: Int64(part.box.north), margin: margin)
  }

  /// Puts a box into the index: widened by some metres, and in two where it lies across the antimeridian.
  private mutating func addEntries(west: Int64, south: Int64, east: Int64, north: Int64, margin: Double) {
    let latitude = Double(max(abs(south), abs(north))) / Grid.perDegree
    let (sine, cosine) = sineAndCosine(degrees: latitude)
    let reach = margin > 0 ? Reach(metres: margin, sine: sine, cosine: cosine) : nil
    let fence = Int32(set.shapes.count)
    let query = BoxQuery(
      west: west - (reach?.x ?? 0), south: south - (reach?.y ?? 0), east: east + (reach?.x ?? 0),
      north: north + (reach?.y ?? 0))
    entries.append(BoxTree.Entry(box: query.first, fence: fence))
    if let second = query.second { entries.append(BoxTree.Entry(box: second, fence: fence)) }
  }

  private func touchesAntimeridianOnBothSides(_ area: Shape) -> Bool {
    var east = false
    var west = false
    for part in Int(area.first)..<Int(area.first + area.count) {
      let meridian = Int64(set.parts[part].meridian)
      let end = part + 1 < set.parts.count ? Int(set.parts[part + 1].firstChunk) : set.chunks.count
      for chunk in set.chunks[Int(set.parts[part].firstChunk)..<end] {
        if Int64(chunk.box.east) + meridian == Grid.halfTurn { east = true }
        if Int64(chunk.box.west) + meridian == -Grid.halfTurn { west = true }
      }
    }
    return east && west
  }

  static func check(_ position: GeoPosition, at index: Int, ring: Int) throws(FenceError) {
    // Written so that what is no number is refused.
    guard abs(position.latitude) <= 90 else {
      throw FenceError(.latitude(position.latitude), ring: ring, position: index)
    }
    guard abs(position.longitude) <= 180 else {
      throw FenceError(.longitude(position.longitude), ring: ring, position: index)
    }
  }

  /// FNV-1a.
  static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
