import Testing

@testable import Geofencing

/// The geometry is sorted in memory in the order of the index; nothing of that shows.
@Suite struct ArrangementTests {
  /// Adds fence `number` of a mixture that is distributed over the whole Earth.
  private func add(_ number: Int, to builder: inout FenceSetBuilder) throws {
    var random = SplitMix(number)
    let fence = Fence(id: "\(number)")
    let middle = at(.random(in: -70...70, using: &random), .random(in: -180...180, using: &random))
    func corner(_ north: Double, _ east: Double) -> GeoPosition {
      let longitude = middle.longitude + east
      return at(
        middle.latitude + north, longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
    }
    switch number % 4 {
    case 0: try builder.addCircle(fence, around: middle, radius: .random(in: 50...200_000, using: &random))
    case 1: try builder.addCorridor(fence, along: [middle, corner(1, 2), corner(0, 3)], radius: 15_000)
    case 2:
      builder.beginArea(fence)
      // Two polygons, the first with a hole.
      try builder.addRing([corner(0, 0), corner(0, 4), corner(4, 4), corner(4, 0), corner(0, 0)])
      try builder.addRing([corner(1, 1), corner(1, 2), corner(2, 2), corner(2, 1), corner(1, 1)])
      try builder.endPolygon()
      try builder.addRing([corner(-3, 0), corner(-1, 0), corner(-1, 3), corner(-3, 0)])
      try builder.endPolygon()
      builder.endArea()
    default:
      // An area without a polygon has no box in the index.
      builder.beginArea(fence)
      if number % 8 == 3 {
        try builder.addRing([corner(0, 0), corner(0, 3), corner(3, 1), corner(0, 0)])
        try builder.endPolygon()
      }
      builder.endArea()
    }
  }

  @Test func each_fence_keeps_its_geometry() throws {
    let count = 200
    var builder = FenceSetBuilder()
    for number in 0..<count { try add(number, to: &builder) }
    let set = builder.build()
    var random = SplitMix(1)
    var hits = 0
    for number in 0..<count {
      var one = FenceSetBuilder()
      try add(number, to: &one)
      let alone = one.build()
      #expect(set.fences[number].id == "\(number)")
      var places = (0..<20).map { _ in
        at(.random(in: -80...80, using: &random), .random(in: -180...180, using: &random))
      }
      // The position is near the fence: it is made from the same random numbers.
      var own = SplitMix(number)
      let middle = at(.random(in: -70...70, using: &own), .random(in: -180...180, using: &own))
      for _ in 0..<40 {
        let longitude = middle.longitude + .random(in: -1...5, using: &random)
        places.append(
          at(middle.latitude + .random(in: -4...5, using: &random), longitude > 180 ? longitude - 360 : longitude))
      }
      for place in places {
        let isInside = alone.contains(place, fence: 0)
        #expect(set.contains(place, fence: number) == isInside, "fence \(number), \(place)")
        #expect(
          set.distance(from: place, toBoundaryOf: number, limit: 50_000)
            == alone.distance(from: place, toBoundaryOf: 0, limit: 50_000))
        if isInside { hits += 1 }
      }
    }
    #expect(hits > 500)
  }
}
