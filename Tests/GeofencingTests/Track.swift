import Foundation

@testable import Geofencing

/// Fixes of a vehicle on a small flat part of the Earth. Positions are metres east and north of 48 N, 11 E; times are
/// seconds.
final class Track {
  static let origin = at(48, 11)
  /// The length of a degree there, m (series of GRS 80).
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

  /// Adds fixes along a line to the east at a speed in m/s, one each second.
  func drive(from start: Double, to end: Double, speed: Double, north: Double = 0, hdop: Double = 1) {
    let way = abs(end - start)
    var gone = 0.0
    while gone <= way {
      fix(east: start + (end > start ? gone : -gone), north: north, hdop: hdop, speed: speed * 3.6)
      gone += speed
    }
  }

  /// The events with their times in s, for example `enter 12.5`, `exit 30`.
  var story: [String] {
    heard.events.map { "\($0.kind) \((Double($0.time) / 1e7).rounded() / 100)" }
  }

  func isInside(_ fence: Int) -> Bool { watch.isInside(fence) }
  var speedLimit: (fence: Int, limit: Double)? { watch.speedLimit }
  var kinds: [FenceEvent.Kind] { heard.events.map(\.kind) }

  /// Returns a square around a place, with half the length of its sides.
  static func square(_ half: Double, east: Double = 0, fence: Fence = Fence(id: "a")) throws -> FenceSet {
    try FenceSet.area([ring(half, east: east)], fence: fence)
  }

  static func ring(_ half: Double, east: Double = 0) -> [GeoPosition] {
    let low = place(east: east - half, north: -half)
    let high = place(east: east + half, north: half)
    return rectangle(west: low.longitude, south: low.latitude, east: high.longitude, north: high.latitude)
  }
}
