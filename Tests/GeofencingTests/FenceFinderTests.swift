import Geofencing
import Testing

struct FenceFinderTests {
  @Test func finds_the_fences_that_each_say_they_contain_the_position() throws {
    var random = SplitMix(7)
    var builder = FenceSetBuilder()
    for number in 0..<300 {
      let fence = Fence(id: "\(number)")
      let x = Double.random(in: 9...9.2, using: &random)
      let y = Double.random(in: 47...47.2, using: &random)
      func corner(_ dx: Double, _ dy: Double) -> GeoPosition { GeoPosition(latitude: y + dy, longitude: x + dx) }
      switch number % 3 {
      case 0: try builder.addCircle(fence, around: corner(0, 0), radius: .random(in: 50...5_000, using: &random))
      case 1: try builder.addCorridor(fence, along: [corner(0, 0), corner(0.02, 0.01), corner(0.03, 0)], radius: 400)
      default:
        builder.beginArea(fence)
        try builder.addRing([corner(0, 0), corner(0.02, 0), corner(0.01, 0.03), corner(0, 0)])
        try builder.endPolygon()
        try builder.addRing([corner(0.02, 0.02), corner(0.03, 0), corner(0.03, 0.02), corner(0.02, 0.02)])
        try builder.endPolygon()
        builder.endArea()
      }
    }
    var finder = FenceFinder(builder.build())
    var hits = 0
    for _ in 0..<3_000 {
      let position = GeoPosition(
        latitude: .random(in: 46.9...47.3, using: &random), longitude: .random(in: 8.9...9.3, using: &random))
      var found: [Int] = []
      finder.forEachFence(containing: position) { found.append($0) }
      let expected = finder.set.fences.indices.filter { finder.set.contains(position, fence: $0) }
      #expect(found.sorted() == expected)
      hits += found.count
    }
    #expect(hits > 5_000)
  }

  @Test func fence_across_the_antimeridian_is_found_once_from_both_sides() throws {
    var builder = FenceSetBuilder()
    try builder.addCircle(Fence(id: "a"), around: GeoPosition(latitude: -17, longitude: 179.99), radius: 5_000)
    var finder = FenceFinder(builder.build())
    for (longitude, count) in [(180.0, 1), (-180, 1), (-179.99, 1), (179.96, 1), (-179.9, 0), (.nan, 0)] {
      var found: [Int] = []
      finder.forEachFence(containing: GeoPosition(latitude: -17, longitude: longitude)) { found.append($0) }
      #expect(found.count == count)
    }
  }
}
