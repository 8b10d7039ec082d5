import Foundation
import Geofencing

/// A minimal implementation of fences: RFC 7946, 3.1.1, in floating point.
enum Naive {
  /// Whether a ring contains a point: counts the crossings to the east. Not for points on edges.
  static func ring(_ ring: [GeoPosition], contains point: GeoPosition) -> Bool {
    var isInside = false
    for (a, b) in zip(ring, ring.dropFirst()) where (a.latitude > point.latitude) != (b.latitude > point.latitude) {
      let part = (point.latitude - a.latitude) / (b.latitude - a.latitude)
      if point.longitude < a.longitude + part * (b.longitude - a.longitude) { isInside.toggle() }
    }
    return isInside
  }

  static func polygon(_ rings: [[GeoPosition]], contains point: GeoPosition) -> Bool {
    ring(rings[0], contains: point) && !rings.dropFirst().contains { ring($0, contains: point) }
  }

  /// Great-circle distance in m on a sphere; up to 0.5 % off WGS 84.
  static func haversine(_ a: GeoPosition, _ b: GeoPosition) -> Double {
    let radians = Double.pi / 180
    let north = sin((b.latitude - a.latitude) * radians / 2)
    let east = sin((b.longitude - a.longitude) * radians / 2)
    let square = north * north + cos(a.latitude * radians) * cos(b.latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
  }
}

/// SplitMix64: each seed gives the same cases on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Stores events in the order in which they are reported.
struct Heard: FenceHandler {
  var events: [FenceEvent] = []
  mutating func fenceEvent(_ event: FenceEvent) { events.append(event) }
}

func at(_ latitude: Double, _ longitude: Double) -> GeoPosition {
  GeoPosition(latitude: latitude, longitude: longitude)
}

/// Returns the ring of a rectangle, counter-clockwise.
func rectangle(west: Double, south: Double, east: Double, north: Double) -> [GeoPosition] {
  [at(south, west), at(south, east), at(north, east), at(north, west), at(south, west)]
}

extension FenceSet {
  /// Returns a fence of one polygon or several.
  static func area(_ polygons: [[GeoPosition]]..., fence: Fence = Fence(id: "a")) throws -> FenceSet {
    var builder = FenceSetBuilder()
    builder.beginArea(fence)
    for rings in polygons {
      for ring in rings { try builder.addRing(ring) }
      try builder.endPolygon()
    }
    builder.endArea()
    return builder.build()
  }

  static func circle(_ middle: GeoPosition, radius: Double, fence: Fence = Fence(id: "c")) throws -> FenceSet {
    var builder = FenceSetBuilder()
    try builder.addCircle(fence, around: middle, radius: radius)
    return builder.build()
  }

  static func corridor(_ line: [GeoPosition], radius: Double, fence: Fence = Fence(id: "l")) throws -> FenceSet {
    var builder = FenceSetBuilder()
    try builder.addCorridor(fence, along: line, radius: radius)
    return builder.build()
  }
}
