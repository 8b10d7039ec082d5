import Foundation
import Testing

@testable import Geofencing

/// Inside, outside and on the boundary.
@Suite struct FenceSetTests {
  private let square = rectangle(west: 9, south: 47, east: 10, north: 48)

  @Test func the_boundary_and_its_corners_are_inside() throws {
    let set = try FenceSet.area([square])
    for position in [at(47, 9), at(48, 9), at(48, 10), at(47, 10), at(47.5, 9), at(47.5, 10), at(47, 9.5), at(48, 9.5)]
    {
      #expect(set.contains(position, fence: 0), "\(position)")
    }
    for position in [at(46.9999999, 9), at(48.0000001, 9.5), at(47.5, 8.9999999), at(47.5, 10.0000001), at(-47.5, 9.5)]
    {
      #expect(!set.contains(position, fence: 0), "\(position)")
    }
  }

  @Test func a_point_on_a_slanting_edge_is_inside() throws {
    let set = try FenceSet.area([[at(0, 0), at(0, 3), at(3, 0), at(0, 0)]])
    #expect(set.contains(at(1, 2), fence: 0))
    #expect(set.contains(at(1.5, 1.5), fence: 0))
    #expect(!set.contains(at(1.0000001, 2), fence: 0))
  }

  @Test func a_hole_is_outside_and_its_edge_inside() throws {
    let hole = rectangle(west: 9.4, south: 47.4, east: 9.6, north: 47.6)
    let set = try FenceSet.area([square, hole])
    #expect(!set.contains(at(47.5, 9.5), fence: 0))
    #expect(set.contains(at(47.5, 9.4), fence: 0))
    #expect(set.contains(at(47.4, 9.4), fence: 0))
    #expect(set.contains(at(47.3, 9.5), fence: 0))
  }

  @Test func edges_are_straight_in_longitude_and_latitude() throws {
    // On a great circle from (60, 0) to (60, 90) the middle lies at 67.8 degrees north.
    let set = try FenceSet.area([rectangle(west: 0, south: 50, east: 90, north: 60)])
    #expect(set.contains(at(60, 45), fence: 0))
    #expect(!set.contains(at(60.01, 45), fence: 0))
    #expect(set.contains(at(50.01, 45), fence: 0))
  }

  @Test func the_direction_of_a_ring_does_not_matter() throws {
    let set = try FenceSet.area([square.reversed()])
    #expect(set.contains(at(47.5, 9.5), fence: 0))
  }

  @Test func a_polygon_written_across_the_antimeridian_is_on_both_sides_of_it() throws {
    let set = try FenceSet.area([[at(-18, 179), at(-18, -179), at(-16, -179), at(-16, 179), at(-18, 179)]])
    for longitude in [179, 179.5, 180, -180, -179.5, -179] { #expect(set.contains(at(-17, longitude), fence: 0)) }
    for longitude in [178.9, -178.9, 0, 90, -90] { #expect(!set.contains(at(-17, longitude), fence: 0)) }
  }

  @Test func a_polygon_cut_at_the_antimeridian_has_no_boundary_there() throws {
    let set = try FenceSet.area(
      [rectangle(west: 179, south: -18, east: 180, north: -16)],
      [rectangle(west: -180, south: -18, east: -179, north: -16)])
    for longitude in [179.5, 180, -180, -179.5] { #expect(set.contains(at(-17, longitude), fence: 0)) }
    let distance = try #require(set.distance(from: at(-17, 180), toBoundaryOf: 0, limit: 200_000))
    #expect(abs(distance - 106_000) < 1_500, "\(distance)")
    let one = try FenceSet.area([rectangle(west: 179, south: -18, east: 180, north: -16)])
    #expect(one.contains(at(-17, 180), fence: 0) && one.contains(at(-17, -180), fence: 0))
    #expect(one.distance(from: at(-17, 180), toBoundaryOf: 0) == 0)
  }

  @Test func the_whole_world_is_a_fence() throws {
    let set = try FenceSet.area([rectangle(west: -180, south: -90, east: 180, north: 90)])
    for position in [at(0, 0), at(89.9, 17), at(-90, -180), at(12, 180)] { #expect(set.contains(position, fence: 0)) }
  }

  @Test func a_hole_across_the_antimeridian_is_found() throws {
    let set = try FenceSet.area([
      [at(-20, 178), at(-20, -178), at(-10, -178), at(-10, 178), at(-20, 178)],
      [at(-16, -179.5), at(-16, -179), at(-15, -179), at(-15, -179.5), at(-16, -179.5)],
    ])
    #expect(!set.contains(at(-15.5, -179.2), fence: 0))
    #expect(set.contains(at(-15.5, 179.2), fence: 0))
  }

  @Test func a_circle_reaches_as_far_as_its_radius() throws {
    let set = try FenceSet.circle(at(47, 9), radius: 1_000)
    // A degree of latitude has 111,171 m there (the survey formula 110,574 + 1,194 sin² φ).
    #expect(set.contains(at(47 + 999.5 / 111_171, 9), fence: 0))
    #expect(!set.contains(at(47 + 1_000.5 / 111_171, 9), fence: 0))
  }

  @Test func a_circle_at_the_pole_holds_all_longitudes() throws {
    let set = try FenceSet.circle(at(90, 0), radius: 10_000)
    for longitude in [-180, -90, 0, 45, 179] {
      #expect(set.contains(at(89.95, Double(longitude)), fence: 0))
      #expect(!set.contains(at(89.9, Double(longitude)), fence: 0))
    }
  }

  @Test func a_corridor_contains_positions_near_its_line_and_ends() throws {
    let set = try FenceSet.corridor([at(0, 9), at(0, 9.01)], radius: 50)
    let degree = 110_574.4
    #expect(set.contains(at(49 / degree, 9.005), fence: 0))
    #expect(!set.contains(at(51 / degree, 9.005), fence: 0))
    #expect(set.contains(at(0, 9 - 49 / 111_319.5), fence: 0))
    #expect(!set.contains(at(0, 9 - 51 / 111_319.5), fence: 0))
    #expect(!set.contains(at(40 / degree, 9 - 40 / 111_319.5), fence: 0))
  }

  @Test func a_corridor_goes_the_short_way_over_the_antimeridian() throws {
    let set = try FenceSet.corridor([at(-17, 179.99), at(-17, -179.99)], radius: 20)
    #expect(set.contains(at(-17, 180), fence: 0))
    #expect(set.contains(at(-17, -180), fence: 0))
    #expect(!set.contains(at(-17, 0), fence: 0))
  }

  @Test func distances_are_to_the_boundary_from_both_sides() throws {
    let set = try FenceSet.area([rectangle(west: 9, south: 0, east: 9.1, north: 0.1)])
    let inside = try #require(set.distance(from: at(0.05, 9.001), toBoundaryOf: 0))
    let outside = try #require(set.distance(from: at(0.05, 8.999), toBoundaryOf: 0))
    #expect(abs(inside - 111.319) < 0.01, "\(inside)")
    #expect(abs(outside - 111.319) < 0.01, "\(outside)")
    #expect(set.distance(from: at(0.05, 8.9), toBoundaryOf: 0, limit: 100) == nil)
  }

  @Test(arguments: 1...40) func random_polygons_agree_with_counting_crossings(seed: Int) throws {
    var random = SplitMix(seed)
    let centre = at(.random(in: -80...80, using: &random), .random(in: -170...170, using: &random))
    let size = [0.001, 0.05, 2.0][seed % 3]
    func ring(_ count: Int, _ range: ClosedRange<Double>) -> [GeoPosition] {
      let corners = (0..<count).map { corner in
        let angle = 2 * Double.pi * Double(corner) / Double(count)
        let radius = size * Double.random(in: range, using: &random)
        return at(
          ((centre.latitude + radius * sin(angle)) * 1e7).rounded() / 1e7,
          ((centre.longitude + radius * cos(angle)) * 1e7).rounded() / 1e7)
      }
      return corners + [corners[0]]
    }
    let outer = ring(Int.random(in: 3...400, using: &random), 1...3)
    let rings = seed.isMultiple(of: 2) ? [outer, ring(Int.random(in: 3...60, using: &random), 0.2...0.4)] : [outer]
    guard let set = try? FenceSet.area(rings) else {
      // The middle of a triangle need not be in the hole.
      #expect(seed.isMultiple(of: 2))
      return
    }
    var disagreements = 0
    for _ in 0..<2_000 {
      let point = at(
        ((centre.latitude + size * .random(in: -3.2...3.2, using: &random)) * 1e7).rounded() / 1e7,
        ((centre.longitude + size * .random(in: -3.2...3.2, using: &random)) * 1e7).rounded() / 1e7)
      if set.contains(point, fence: 0) != Naive.polygon(rings, contains: point) {
        // The difference is a rounding error of the naive implementation: 1e-7 degrees at the edge itself.
        if set.distance(from: point, toBoundaryOf: 0, limit: 1) == nil { disagreements += 1 }
      }
    }
    #expect(disagreements == 0)
    for corner in rings.joined() { #expect(set.contains(corner, fence: 0)) }
  }
}
