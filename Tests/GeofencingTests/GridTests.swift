import Testing

@testable import Geofencing

@Suite struct GridTests {
  @Test func degrees_are_rounded_as_the_standard_library_rounds_them() {
    var random = SplitMix(3)
    var cases = (0..<200_000).map { _ in Double.random(in: -360...360, using: &random) }
    // The numbers are halves, their neighbours, whole numbers and both zeros.
    for whole in [-1_800_000_000, -900_000_001, -3, -2, -1, 0, 1, 2, 3, 12_345_678, 900_000_000, 1_800_000_000] {
      for part in [-0.5, 0, 0.5] {
        let degrees = (Double(whole) + part) / Grid.perDegree
        cases += [degrees, degrees.nextUp, degrees.nextDown]
      }
    }
    cases += [-0.0, 180, -180, 90, -90]
    for degrees in cases {
      #expect(Grid.units(degrees) == Int64((degrees * Grid.perDegree).rounded()), "\(degrees)")
    }
  }

  @Test func a_probe_meets_the_boxes_that_share_a_point_with_its_own() {
    var random = SplitMix(4)
    func box() -> Box {
      let (a, b) = (Int32.random(in: -20...20, using: &random), Int32.random(in: -20...20, using: &random))
      let (c, d) = (Int32.random(in: -20...20, using: &random), Int32.random(in: -20...20, using: &random))
      return Box(Vertex(x: a, y: b), Vertex(x: c, y: d))
    }
    for _ in 0..<20_000 {
      let (one, other) = (box(), box())
      let expected =
        one.west <= other.east && other.west <= one.east && one.south <= other.north && other.south <= one.north
      #expect(BoxProbe(one).meets(other) == expected)
      var around = one
      around.add(other)
      let probe = BoxProbe(box())
      #expect(probe.meets(RotatedBox(one).union(RotatedBox(other))) == probe.meets(around))
    }
  }

  /// Few different values, so that many corners lie on a side; also coordinates whose difference does not fit in 32
  /// bits.
  @Test(arguments: [(Int32(6), Int32(1)), (6, 300_000_000)])
  func the_edge_filter_keeps_edges_that_may_cross_the_box(range: Int32, unit: Int32) {
    var random = SplitMix(Int(range + unit))
    func corner() -> Vertex {
      Vertex(
        x: .random(in: -range...range, using: &random) * unit, y: .random(in: -range...range, using: &random) * unit)
    }
    for _ in 0..<3_000 {
      let count = Int.random(in: 1...9, using: &random)
      let vertices = (0...(count + 2)).map { _ in corner() }
      let box = Box(corner(), corner())
      var expected: [String] = []
      for edge in 1..<(1 + count) {
        let around = Box(vertices[edge], vertices[edge + 1])
        if around.east < box.west || around.north < box.south || around.south > box.north { continue }
        expected.append("\(vertices[edge]) \(vertices[edge + 1]) \(around.west > box.east)")
      }
      var found: [String] = []
      let chunk = Chunk(box: box, first: 1, count: Int32(count))
      let isAll = EdgeSieve(box).forEachEdge(of: chunk, vertices.span) { a, b, isEast in
        found.append("\(a) \(b) \(isEast)")
        return true
      }
      #expect(isAll)
      #expect(found == expected)
    }
  }
}
