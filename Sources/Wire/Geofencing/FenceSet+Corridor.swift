extension FenceSet {
  /// Returns whether a place is inside a corridor, and its distance from the boundary. A corridor consists of all
  /// points within its radius from a line.
  func corridor(_ shape: Shape, from place: Place, within limit: Double) -> Standing {
    let radius = Double(shape.radius)
    let far = radius + max(limit, 1)
    // If the caller asks only whether the place is inside, the first edge that is near enough decides.
    let distance = distance(toLineOf: shape, from: place, limit: far, enough: limit > 0 ? 0 : radius)
    return Standing(isInside: distance <= radius, distance: abs(distance - radius))
  }

  /// Returns the distance from a place to the line of a corridor, in m.
  ///
  /// - Parameters:
  ///   - limit: the maximum result, m. It is returned if the line is farther away.
  ///   - enough: the search ends at the first edge whose distance is at most this, m. The result may then be greater
  ///     than the distance to the nearest edge.
  func distance(toLineOf shape: Shape, from place: Place, limit: Double, enough: Double) -> Double {
    let reach = place.reach(limit)
    let chunks = self.chunks.span
    let vertices = self.vertices.span
    let part = parts[Int(shape.first)]
    let x = Grid.wrapped(place.x - Int64(part.meridian))
    let measure = EdgeDistance(from: place, meridian: part.meridian)
    var best = limit
    for index in Int(part.firstChunk)..<Int(parts[Int(shape.first) + 1].firstChunk) {
      let chunk = chunks[index]
      let box = chunk.box
      if place.y < Int64(box.south) - reach.y || place.y > Int64(box.north) + reach.y { continue }
      if x < Int64(box.west) - reach.x || x > Int64(box.east) + reach.x { continue }
      for edge in Int(chunk.first)..<Int(chunk.first + chunk.count) {
        let a = vertices[edge]
        let b = vertices[edge + 1]
        if Int64(min(a.y, b.y)) > place.y + reach.y || Int64(max(a.y, b.y)) < place.y - reach.y { continue }
        if Int64(min(a.x, b.x)) > x + reach.x || Int64(max(a.x, b.x)) < x - reach.x { continue }
        best = measure.metres(to: a, b, best: best)
        if best <= enough { return best }
      }
    }
    return best
  }
}
