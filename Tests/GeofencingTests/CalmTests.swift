import Foundation
import Testing

@testable import Geofencing

/// Fixes far from every boundary are skipped without a change of the events.
@Suite struct CalmTests {
  @Test(arguments: 1...12) func a_resting_fence_watch_reports_the_same_events(seed: Int) throws {
    var random = SplitMix(seed)
    var builder = FenceSetBuilder()
    for index in 0..<300 {
      let east = Double.random(in: -6_000...6_000, using: &random)
      let north = Double.random(in: -6_000...6_000, using: &random)
      let middle = Track.place(east: east, north: north)
      let fence = Fence(id: "\(index)", dwell: index.isMultiple(of: 4) ? 20_000_000_000 : nil)
      let size = Double.random(in: 5...800, using: &random)
      switch index % 3 {
      case 0: try builder.addCircle(fence, around: middle, radius: size)
      case 1:
        let end = Track.place(east: east + size, north: north + .random(in: -size...size, using: &random))
        try builder.addCorridor(fence, along: [middle, end], radius: Double.random(in: 3...60, using: &random))
      default:
        let low = Track.place(east: east - size, north: north - size / 3)
        builder.beginArea(fence)
        try builder.addRing(
          rectangle(
            west: low.longitude, south: low.latitude, east: middle.longitude + 0.001, north: middle.latitude + 0.001))
        try builder.endPolygon()
        builder.endArea()
      }
    }
    let set = builder.build()
    let resting = Track(set)
    let looking = Track(set)
    var (east, north, heading) = (0.0, 0.0, 0.0)
    for _ in 0..<6_000 {
      heading += Double.random(in: -0.2...0.2, using: &random)
      if abs(east) > 6_000 || abs(north) > 6_000 { heading += 0.5 }
      let speed = Double.random(in: 0...30, using: &random)
      let step = Double.random(in: 0.2...4, using: &random)
      east += cos(heading) * speed * step
      north += sin(heading) * speed * step
      let hdop = Double.random(in: 0.5...4, using: &random)
      looking.watch.calm = nil
      for track in [resting, looking] {
        track.fix(east: east, north: north, hdop: hdop, speed: speed < 2 ? 0 : speed * 3.6, step: step)
      }
    }
    let pairs = zip(resting.heard.events, looking.heard.events)
    #expect(pairs.first { $0 != $1 } == nil)
    #expect(resting.heard.events.count == looking.heard.events.count)
    #expect(resting.heard.events.count > 20)
  }
}
