import Foundation

@testable import Geofencing

/// Fixes of a vehicle on a flat piece of Earth: metres east and north of 48 N, 11 E, a clock in seconds.
final class Track {
  static let origin = at(48, 11)
  /// m for a degree there (GRS 80's series).
  static let perDegree = (latitude: 111_200.07, longitude: 74_625.16)

  var watch: FenceWatch
  var heard = Heard()
  var seconds = 0.0

  init(_ set: FenceSet, _ change: (inout FenceRules) -> Void = { _ in }) {
    var rules = FenceRules()
    change(&rules)
    watch = FenceWatch(set, rules: rules)
  }

  init(_ set: FenceSet, resuming memory: FenceMemory, at seconds: Double) {
    watch = FenceWatch(set, resuming: memory, at: Int64(seconds * 1e9))
    self.seconds = seconds
  }

  static func place(east: Double, north: Double = 0) -> GeoPosition {
    at(origin.latitude + north / perDegree.latitude, origin.longitude + east / perDegree.longitude)
  }

  /// Adds a fix at the clock's time, and advances the clock by `step`.
  func fix(
    east: Double, north: Double = 0, hdop: Double? = 1, speed: Double? = nil, doppler: Double? = nil, step: Double = 1
  ) {
    let position = Self.place(east: east, north: north)
    watch.fix(
      FenceFix(
        time: Int64((seconds * 1e9).rounded()), latitude: position.latitude, longitude: position.longitude, hdop: hdop,
        vehicleSpeed: speed, groundSpeed: doppler), into: &heard)
    seconds += step
  }

  /// Fixes along a line to the east at one speed in m/s, once a second.
  func drive(from start: Double, to end: Double, speed: Double, north: Double = 0, hdop: Double = 1) {
    let way = abs(end - start)
    var gone = 0.0
    while gone <= way {
      fix(east: start + (end > start ? gone : -gone), north: north, hdop: hdop, speed: speed * 3.6)
      gone += speed
    }
  }

  /// `enter 12.5`, `exit 30`: kinds and times in s.
  var story: [String] {
    heard.events.map { "\($0.kind) \((Double($0.time) / 1e7).rounded() / 100)" }
  }

  func isInside(_ fence: Int) -> Bool { watch.isInside(fence) }
  var speedLimit: (fence: Int, limit: Double)? { watch.speedLimit }
  var kinds: [FenceEvent.Kind] { heard.events.map(\.kind) }

  /// A square of that half side around a place.
  static func square(_ half: Double, east: Double = 0, fence: Fence = Fence(id: "a")) throws -> FenceSet {
    try FenceSet.area([ring(half, east: east)], fence: fence)
  }

  static func ring(_ half: Double, east: Double = 0) -> [GeoPosition] {
    let low = place(east: east - half, north: -half)
    let high = place(east: east + half, north: half)
    return rectangle(west: low.longitude, south: low.latitude, east: high.longitude, north: high.latitude)
  }
}
