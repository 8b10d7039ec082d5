import Testing

@testable import Geofencing

/// The cost of checking a polygon of any shape.
@Suite struct PolygonDraftTests {
  private static func square(west: Double, south: Double, side: Double) -> [GeoPosition] {
    [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)].map { x, y in
      GeoPosition(latitude: south + Double(y) * side, longitude: west + Double(x) * side)
    }
  }

  /// Returns a square with this number of holes in each row and column.
  private static func sieve(_ count: Int) throws -> PolygonDraft {
    var draft = PolygonDraft()
    draft.begin()
    try draft.addRing(square(west: 0, south: 0, side: 10))
    let pitch = 10 / Double(count)
    for hole in 0..<(count * count) {
      let (row, column) = (Double(hole / count), Double(hole % count))
      try draft.addRing(square(west: (column + 0.25) * pitch, south: (row + 0.25) * pitch, side: pitch / 2))
    }
    return draft
  }

  @Test func four_thousand_holes_are_compared_with_their_neighbours_only() throws {
    var draft = try Self.sieve(64)
    let before = draft.budget.left
    try draft.check()
    // Comparing each hole with each other one would be 16 million comparisons, with 25 edges each.
    #expect(before - draft.budget.left < 4_000_000)
  }

  @Test func one_hole_in_another_is_found_among_thousands() throws {
    var draft = try Self.sieve(40)
    let pitch = 10 / 40.0
    try draft.addRing(Self.square(west: 20.4 * pitch, south: 30.4 * pitch, side: pitch / 8))
    var found: FenceError?
    do throws(FenceError) { try draft.check() } catch { found = error }
    #expect(found?.place.ring == 1_601)
    #expect(found?.kind == .holeInHole(ring: 1 + 30 * 40 + 20))
  }

  @Test func a_polygon_with_too_many_edge_comparisons_is_rejected() throws {
    var draft = PolygonDraft()
    draft.begin()
    // A slanted comb. Sorting its edges by their start does not help in either direction.
    var ring: [GeoPosition] = []
    for tooth in 0..<300 {
      let shift = Double(tooth) / 100
      ring.append(GeoPosition(latitude: 0, longitude: shift))
      ring.append(GeoPosition(latitude: 10, longitude: 10 + shift))
    }
    ring += [GeoPosition(latitude: -1, longitude: 10), GeoPosition(latitude: -1, longitude: 0), ring[0]]
    try draft.addRing(ring)
    draft.budget = CheckBudget(10_000)
    #expect(throws: FenceError(.tooIntricate)) { try draft.check() }
    draft.budget = CheckBudget()
    try draft.check()
  }
}
