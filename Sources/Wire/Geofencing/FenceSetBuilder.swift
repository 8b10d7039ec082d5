/// Builds a ``FenceSet``.
///
/// For each fence, call ``addCircle(_:around:radius:)``, ``addCorridor(_:along:radius:)``, or ``beginArea(_:)`` and
/// ``endArea()``. Between these two calls, add each polygon: call ``addRing(_:)`` with the outer ring, then with each
/// hole, and then ``endPolygon()``. Finally, call ``build()``. After an error, the builder cannot be used any more.
///
///     var builder = FenceSetBuilder()
///     builder.beginArea(Fence(id: "yard"))
///     try builder.addRing(corners + [corners[0]])
///     try builder.endPolygon()
///     builder.endArea()
///     let set = builder.build()
///
/// An edge between longitudes more than 180° apart takes the short way across the antimeridian. Polygons that are cut
/// at the antimeridian, as RFC 7946, 3.1.9 recommends, are accepted as well. Rings may run in either direction.
public struct FenceSetBuilder: Sendable {
  /// Maximum radius of a circle, m.
  public static var greatestRadius: Double { 1_000_000 }
  /// Maximum distance of a corridor's boundary from its line, m.
  public static var greatestCorridorRadius: Double { 20_000 }

  /// Memory that a set needs for each corner, bytes.
  public static var bytesForCorner: Int { MemoryLayout<Vertex>.stride }
  /// Additional memory that is needed for each corner of a geometry while it is checked, bytes.
  public static var bytesForCheckedCorner: Int { PolygonDraft.bytesForCorner + EdgeSweep.bytesForCorner }

  var set = FenceSet()
  var polygon = PolygonDraft()
  private var entries: [BoxTree.Entry] = []
  private var area = Shape(kind: .area, first: 0, count: 0)

  /// Creates a builder.
  ///
  /// - Parameter corners: an upper bound of the number of corners; 0 if unknown. The memory for all corners is then
  ///   reserved in one piece. An array that grows step by step would leave gaps in memory.
  public init(corners: Int = 0) { set.vertices.reserveCapacity(corners) }

  /// Adds a circle.
  ///
  /// - Parameters:
  ///   - fence: name and rules.
  ///   - middle: the centre of the circle.
  ///   - radius: the radius in m, greater than 0 and at most ``greatestRadius``.
  /// - Throws: ``FenceError`` if a value is out of range, or the set is full.
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

  /// Adds a corridor: all points within `radius` of a line.
  ///
  /// - Parameters:
  ///   - fence: name and rules.
  ///   - line: the positions of the line, at least 2.
  ///   - radius: the radius in m, greater than 0 and at most ``greatestCorridorRadius``.
  /// - Throws: ``FenceError`` if a value is out of range, the line is too short or too long, or the set is full.
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
    let box = try finishPart()
    addEntries(box, margin: radius * 1.01)
    add(fence, Shape(kind: .corridor, first: Int32(first), radius: Float(radius)))
  }

  /// Begins a fence of one or more polygons.
  public mutating func beginArea(_ fence: Fence) {
    area = Shape(kind: .area, first: Int32(set.parts.count), count: 0)
    set.fences.append(fence)
    polygon.begin()
  }

  /// Adds the outer ring of a polygon, or a hole of it.
  ///
  /// - Parameter ring: the positions of the ring, at least 4. The last position equals the first.
  /// - Throws: ``FenceError`` if the ring is invalid.
  public mutating func addRing(_ ring: [GeoPosition]) throws(FenceError) { try polygon.addRing(ring) }

  /// Ends a polygon and checks it.
  ///
  /// - Throws: ``FenceError`` if edges of its rings cross or overlap, or if a hole is outside the outer ring or inside
  ///   another hole.
  public mutating func endPolygon() throws(FenceError) {
    try polygon.check()
    addEntries(try finishPart(), margin: 0)
    area.count += 1
    polygon.begin()
  }

  /// Ends the fence that ``beginArea(_:)`` has begun.
  public mutating func endArea() {
    area.hasSeam = area.count > 1 && touchesAntimeridianOnBothSides(area)
    set.shapes.append(area)
  }

  /// Builds the set of all fences that were added.
  public consuming func build() -> FenceSet {
    set.parts.append(Part(meridian: 0, firstChunk: Int32(set.chunks.count)))
    set.tree = BoxTree(entries)
    set.arrange()
    set.fingerprint = set.fences.reduce(into: 0) { $0 &+= Self.hash($1.id) }
    return set
  }

  // MARK: Parts

  private mutating func add(_ fence: Fence, _ shape: Shape) {
    set.fences.append(fence)
    set.shapes.append(shape)
  }

  /// Moves the polygon or line that was being added (the draft) into the set, as a part.
  ///
  /// - Returns: the part's box, relative to the part's meridian, and this meridian.
  private mutating func finishPart() throws(FenceError) -> (box: Box, meridian: Int64) {
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

  /// Adds a rectangle, widened by `margin` m, to the index. If it crosses the antimeridian, it is added as two boxes.
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
    // These comparisons are also false for values that are not numbers.
    guard abs(position.latitude) <= 90 else {
      throw FenceError(.latitude(position.latitude), ring: ring, position: index)
    }
    guard abs(position.longitude) <= 180 else {
      throw FenceError(.longitude(position.longitude), ring: ring, position: index)
    }
  }

  /// Returns the FNV-1a hash of a text.
  static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
