import Foundation
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

  /// The drives are slow and fast, straight and in bends, at mid-latitudes, on the antimeridian and near a pole.
  @Test(arguments: [
    (47.0, 9.0, 5e-6), (47, 9, 1.75e-4), (47, 9, 1e-3), (-17, 179.99, 2e-4), (-17, -179.95, 2e-4), (0, 0, 1.5e-4),
    (84.9, 20, 2e-4), (-89.97, 0, 3e-4),
  ])
  func along_a_drive_it_finds_the_fences_that_each_say_they_contain_the_position(
    latitude: Double, longitude: Double, step: Double
  ) throws {
    var random = SplitMix(Int(latitude * 7 + step * 1e7))
    var builder = FenceSetBuilder()
    func turned(_ longitude: Double) -> Double {
      longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }
    let extent = step * 90
    for number in 0..<200 {
      let fence = Fence(id: "\(number)")
      let x = longitude + .random(in: -extent...extent, using: &random)
      let y = max(-89.999, min(89.999, latitude + .random(in: -extent...extent, using: &random)))
      let size = extent * .random(in: 0.05...0.6, using: &random)
      func corner(_ dx: Double, _ dy: Double) -> GeoPosition {
        GeoPosition(latitude: max(-90, min(90, y + dy * size)), longitude: turned(x + dx * size))
      }
      switch number % 4 {
      case 0:
        try builder.addCircle(fence, around: corner(0, 0), radius: size * .random(in: 1_000...90_000, using: &random))
      case 1:
        let line = [corner(0, 0), corner(0.4, 0.2), corner(0.5, 0), corner(1, 0.1)]
        try builder.addCorridor(fence, along: line, radius: size * .random(in: 500...20_000, using: &random))
      case 2:
        builder.beginArea(fence)
        try builder.addRing([corner(0, 0), corner(0.4, 0), corner(0.2, 0.6), corner(0, 0)])
        try builder.endPolygon()
        try builder.addRing([corner(0.5, 0.4), corner(0.8, 0), corner(0.8, 0.4), corner(0.5, 0.4)])
        try builder.endPolygon()
        builder.endArea()
      default:
        builder.beginArea(fence)
        let around = (0..<40).map { corner(cos(Double($0) * .pi / 20), sin(Double($0) * .pi / 20)) }
        try builder.addRing(around + [around[0]])
        let hole = (0..<40).map { corner(0.3 * cos(Double($0) * .pi / 20), 0.3 * sin(Double($0) * .pi / 20)) }
        try builder.addRing(hole + [hole[0]])
        try builder.endPolygon()
        builder.endArea()
      }
    }
    var finder = FenceFinder(builder.build())
    var position = GeoPosition(latitude: latitude, longitude: longitude)
    var course = 0.7
    var (hits, misses) = (0, 0)
    for _ in 0..<600 {
      course += .random(in: -0.1...0.1, using: &random)
      position.latitude = max(-90, min(90, position.latitude + step * cos(course)))
      position.longitude = turned(position.longitude + step * sin(course))
      if abs(position.latitude - latitude) > extent { course += .pi / 2 }
      var found: [Int] = []
      finder.forEachFence(containing: position) { found.append($0) }
      let expected = finder.set.fences.indices.filter { finder.set.contains(position, fence: $0) }
      #expect(found.sorted() == expected)
      hits += found.count
      misses += finder.set.fences.count - found.count
    }
    #expect(hits > 200)
    #expect(misses > 200)
  }

  /// Shapes at the limits of single precision: edges across a continent, nearly along a parallel or a meridian,
  /// thousands of corners in one view, wide circles and corridors, holes and parts. Every fifth position is on a
  /// corner.
  @Test(arguments: [1e-6, 2e-5, 1.2e-4, 9e-4])
  func large_and_intricate_fences_are_found_along_a_drive(step: Double) throws {
    var random = SplitMix(Int(step * 1e7))
    var builder = FenceSetBuilder()
    let home = at(48, 11)
    func near(_ extent: Double) -> GeoPosition {
      at(
        home.latitude + .random(in: -extent...extent, using: &random),
        home.longitude + .random(in: -extent...extent, using: &random))
    }
    var corners: [GeoPosition] = []
    var number = 0
    func count() -> Int {
      number += 1
      return number
    }
    func addArea(_ rings: [[GeoPosition]]) throws {
      builder.beginArea(Fence(id: "\(count())"))
      for ring in rings {
        try builder.addRing(ring + [ring[0]])
        corners += ring.filter { abs($0.latitude - home.latitude) < step * 80 && abs($0.longitude - 11) < step * 80 }
      }
      try builder.endPolygon()
      builder.endArea()
    }
    for _ in 0..<15 {
      let place = near(step * 60)
      try addArea([[place, at(place.latitude + 20, 60), at(place.latitude + 30, -30)]])
      try addArea([[place, at(place.latitude + 1e-7, 12), at(40, 11)]])
      try addArea([[place, at(50, place.longitude - 1e-7), at(50, place.longitude - 1)]])
      try builder.addCircle(Fence(id: "\(count())"), around: at(place.latitude + 0.5, 11), radius: 55_600)
      try builder.addCircle(Fence(id: "\(count())"), around: place, radius: max(0.02, step * 2e6))
      try builder.addCorridor(
        Fence(id: "\(count())"), along: [at(47, 10), place, at(place.latitude, 17)], radius: max(0.05, step * 1e6))
    }
    func ring(_ count: Int, _ size: Double) -> [GeoPosition] {
      (0..<count).map { number in
        let angle = 2 * Double.pi * Double(number) / Double(count)
        let radius = size * Double.random(in: 0.6...1, using: &random)
        return at(home.latitude + radius * sin(angle), home.longitude + radius * cos(angle))
      }
    }
    // More edges in a view than it has room for, and a hole.
    try addArea([ring(5_000, max(0.005, step * 60)), ring(200, max(0.001, step * 20))])
    var finder = FenceFinder(builder.build())
    var position = home
    var course = 0.3
    var (hits, misses) = (0, 0)
    for turn in 0..<300 {
      course += .random(in: -0.2...0.2, using: &random)
      position.latitude += step * cos(course)
      position.longitude += step * sin(course)
      if abs(position.latitude - home.latitude) > step * 60 || abs(position.longitude - home.longitude) > step * 60 {
        course += .pi / 2
      }
      if turn % 5 == 4, let corner = corners.randomElement(using: &random) { position = corner }
      var found: [Int] = []
      finder.forEachFence(containing: position) { found.append($0) }
      let expected = finder.set.fences.indices.filter { finder.set.contains(position, fence: $0) }
      #expect(found.sorted() == expected)
      hits += found.count
      misses += finder.set.fences.count - found.count
    }
    #expect(hits > 1_000)
    #expect(misses > 1_000)
  }

  @Test func places_on_corners_and_edges_are_found_along_them() throws {
    // Every step ends on the boundary, to which views are cut.
    let ring = rectangle(west: 9, south: 47, east: 9.01, north: 47.01)
    var finder = FenceFinder(try FenceSet.area([ring]))
    for (start, end) in zip(ring, ring.dropFirst()) {
      for step in 0...50 {
        let part = Double(step) / 50
        let position = at(
          start.latitude + part * (end.latitude - start.latitude),
          start.longitude + part * (end.longitude - start.longitude))
        var found = 0
        finder.forEachFence(containing: position) { _ in found += 1 }
        #expect(found == 1)
      }
    }
  }
}
