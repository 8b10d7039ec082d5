import Foundation
import Geofencing
import Testing

/// Invalid fences, and the position in the error.
@Suite struct FenceSetBuilderTests {
  private func refusal(_ rings: [GeoPosition]...) -> FenceError? {
    do { _ = try FenceSet.area(rings) } catch { return error as? FenceError }
    return nil
  }

  /// Returns a ring from pairs of longitude and latitude.
  private func ring(_ pairs: (Double, Double)...) -> [GeoPosition] { pairs.map { at($0.1, $0.0) } }

  @Test func an_open_ring_is_refused() {
    #expect(refusal(ring((0, 0), (1, 0), (1, 1), (0, 1))) == FenceError(.openRing, position: 3))
  }

  @Test func a_ring_of_three_positions_is_refused() {
    #expect(refusal(ring((0, 0), (1, 0), (0, 0))) == FenceError(.tooFewPositions(3)))
  }

  @Test func a_ring_without_area_is_refused() {
    #expect(refusal(ring((0, 0), (1, 0), (1, 0), (0, 0))) == FenceError(.noArea))
    #expect(refusal(ring((0, 0), (1, 1), (2, 2), (0, 0)))?.kind == .crossing(.init(ring: 0, position: 0)))
  }

  @Test func a_self_intersecting_ring_is_rejected_with_both_edges() {
    #expect(
      refusal(ring((0, 0), (1, 1), (1, 0), (0, 1), (0, 0)))
        == FenceError(.crossing(.init(ring: 0, position: 0)), position: 2))
  }

  @Test func a_ring_that_touches_itself_or_turns_back_is_refused() {
    #expect(refusal(ring((0, 0), (4, 0), (4, 4), (2, 0), (0, 4), (0, 0))) != nil)
    #expect(refusal(ring((0, 0), (4, 0), (4, 4), (4, 2), (0, 4), (0, 0))) != nil)
  }

  @Test func corners_twice_in_the_same_place_are_one() throws {
    let set = try FenceSet.area([ring((0, 0), (0, 0), (4, 0), (4, 4), (4, 4), (0, 4), (0, 0), (0, 0))])
    #expect(set.contains(at(2, 2), fence: 0))
    #expect(set.vertexCount == 5)
  }

  @Test func positions_outside_the_valid_range_are_rejected() {
    #expect(refusal(ring((0, 0), (1, 0), (1, 91), (0, 0))) == FenceError(.latitude(91), position: 2))
    #expect(refusal(ring((0, 0), (181, 0), (1, 1), (0, 0))) == FenceError(.longitude(181), position: 1))
    #expect(throws: FenceError.self) { try FenceSet.circle(at(.nan, 0), radius: 10) }
  }

  @Test func a_hole_must_be_inside_its_ring() {
    let outer = ring((0, 0), (4, 0), (4, 4), (0, 4), (0, 0))
    #expect(refusal(outer, ring((5, 5), (6, 5), (6, 6), (5, 5))) == FenceError(.holeOutside, ring: 1))
    #expect(refusal(outer, ring((1, 1), (5, 1), (5, 2), (1, 1))) == FenceError(.holeOutside, ring: 1))
    let notch = ring((0, 0), (4, 0), (4, 4), (2, 1), (0, 4), (0, 0))
    #expect(refusal(notch, ring((1.9, 3), (2.1, 3), (2, 3.5), (1.9, 3)))?.kind == .holeOutside)
    #expect(refusal(notch, ring((1, 1), (3, 1), (3, 1.8), (1, 1.8), (1, 1)))?.place.ring == 1)
    #expect(refusal(outer, ring((0, 2), (1, 1), (1, 3), (0, 2))) == nil)
  }

  @Test func a_hole_in_a_hole_is_refused() {
    let outer = ring((0, 0), (9, 0), (9, 9), (0, 9), (0, 0))
    let hole = ring((1, 1), (8, 1), (8, 8), (1, 8), (1, 1))
    let inner = ring((3, 3), (4, 3), (4, 4), (3, 3))
    #expect(refusal(outer, hole, inner)?.kind == .holeInHole(ring: 1))
    #expect(refusal(outer, ring((1, 1), (2, 1), (2, 2), (1, 1)), inner) == nil)
  }

  @Test func a_ring_around_a_pole_is_refused() {
    #expect(refusal(ring((0, 80), (90, 80), (180, 80), (-90, 80), (0, 80)))?.kind == .aroundPole)
  }

  @Test(arguments: [0, -1, Double.nan, .infinity, 1_000_001]) func a_radius_must_be_possible(radius: Double) {
    #expect(throws: FenceError.self) { try FenceSet.circle(at(0, 0), radius: radius) }
    #expect(throws: FenceError.self) { try FenceSet.corridor([at(0, 0), at(0, 1)], radius: radius) }
  }

  @Test func a_line_of_one_position_is_refused() {
    #expect(throws: FenceError(.tooFewPositions(1))) { try FenceSet.corridor([at(0, 0)], radius: 10) }
  }

  /// The index returns each nearby fence, and no fence twice.
  @Test(arguments: [1, 15, 16, 17, 300, 5_000]) func the_index_agrees_with_a_linear_search(count: Int) throws {
    var random = SplitMix(count)
    var builder = FenceSetBuilder()
    for index in 0..<count {
      try builder.addCircle(
        Fence(id: "\(index)"),
        around: at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random)),
        radius: Double.random(in: 1...300_000, using: &random))
    }
    let set = builder.build()
    for _ in 0..<200 {
      let position = at(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      let inside = (0..<count).filter { set.contains(position, fence: $0) }
      var watch = FenceWatch(set, rules: announcing)
      var heard = Heard()
      watch.fix(FenceFix(time: 0, latitude: position.latitude, longitude: position.longitude), into: &heard)
      #expect(heard.events.map(\.fence).sorted() == inside)
    }
  }

  private var announcing: FenceRules {
    var rules = FenceRules()
    rules.announcesFirstFix = true
    return rules
  }
}
