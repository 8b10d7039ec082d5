import Geofencing
import Telemetry

/// Builds a simplified track from positions that are added one by one. Only a few positions are in memory.
///
///     var builder = TrackBuilder(tolerance: 10)
///     for point in points { builder.add(point) }
///     let track = builder.finish()
///
/// Positions are added in the order of their times.
public struct TrackBuilder: Sendable {
  /// The time without a position after which a new segment begins, ms: 5 minutes.
  public static let longestGap: Int64 = 300_000
  /// The maximum number of positions that are simplified together. It limits the work, which in the worst case grows
  /// with the square of this number. The first and the last of these positions are never removed.
  static let partCount = 2_000

  private let tolerance: Double
  /// Positions of the current segment that are not simplified yet.
  private var part: [TrackPoint] = []
  /// Simplified positions of the current segment.
  private var segment: [TrackPoint] = []
  private var segments: [[TrackPoint]] = []
  /// The number of simplified positions in all segments.
  private(set) public var pointCount = 0

  /// Creates an empty track.
  ///
  /// - Parameter tolerance: the maximum distance of a removed position from the line, m; 0 or more.
  public init(tolerance: Double) { self.tolerance = tolerance }

  public mutating func add(_ point: TrackPoint) {
    if let last = part.last, point.time.milliseconds - last.time.milliseconds > Self.longestGap { finishSegment() }
    part.append(point)
    if part.count == Self.partCount { finishPart() }
  }

  /// Ends the track, and returns it.
  public consuming func finish() -> Track {
    finishSegment()
    return Track(segments: segments)
  }

  /// Simplifies the positions in ``part``, and begins the next part with the last of them.
  private mutating func finishPart() {
    guard let last = part.last else { return }
    let simplified = LineSimplification.simplified(part, tolerance: tolerance)
    pointCount += simplified.count - 1
    segment += simplified.dropLast()
    part = [last]
  }

  private mutating func finishSegment() {
    finishPart()
    guard let last = part.last else { return }
    segments.append(segment + [last])
    pointCount += 1
    (segment, part) = ([], [])
  }
}

/// The Douglas-Peucker algorithm for simplifying lines.
public enum LineSimplification {
  /// Removes those positions of a line whose distance from the resulting line is at most a tolerance, and returns the
  /// others. The first and the last position are never removed.
  ///
  /// - Parameter tolerance: the maximum distance, m.
  public static func simplified(_ points: [TrackPoint], tolerance: Double) -> [TrackPoint] {
    guard points.count > 2 else { return points }
    let places = PlanePlace.all(of: points)
    var isKept = [Bool](repeating: false, count: points.count)
    (isKept[0], isKept[points.count - 1]) = (true, true)
    var open = [(first: 0, last: points.count - 1)]
    while let (first, last) = open.popLast() {
      guard last - first > 1 else { continue }
      var (farthest, distance) = (first, tolerance)
      for index in (first + 1)..<last {
        let own = places[index].distance(toLineFrom: places[first], to: places[last])
        if own > distance { (farthest, distance) = (index, own) }
      }
      guard farthest > first else { continue }
      isKept[farthest] = true
      open.append((first, farthest))
      open.append((farthest, last))
    }
    return points.indices.filter { isKept[$0] }.map { points[$0] }
  }

  /// Returns the distance in m from a position to the line between two others. The line is straight in longitude and
  /// latitude (RFC 7946, 3.1.1), and takes the shorter way around the Earth.
  public static func distance(from point: TrackPoint, toLineFrom first: TrackPoint, to last: TrackPoint) -> Double {
    let places = PlanePlace.all(of: [first, point, last])
    return places[1].distance(toLineFrom: places[0], to: places[2])
  }
}

/// A position on a flat map of longitude and latitude. Includes the scale of the map at this position.
private struct PlanePlace {
  /// Longitude, °. It changes continuously along the line, so it may be below −180 or above 180.
  let longitude: Double
  let latitude: Double
  let metresPerLongitude: Double
  let metresPerLatitude: Double

  static func all(of points: [TrackPoint]) -> [PlanePlace] {
    var places: [PlanePlace] = []
    places.reserveCapacity(points.count)
    var turns = 0.0
    for (index, point) in points.enumerated() {
      if index > 0 { turns -= ((point.longitude - points[index - 1].longitude) / 360).rounded() }
      let scale = GeoPosition(latitude: point.latitude, longitude: point.longitude).metresPerDegree
      places.append(
        PlanePlace(
          longitude: point.longitude + 360 * turns, latitude: point.latitude, metresPerLongitude: scale.longitude,
          metresPerLatitude: scale.latitude))
    }
    return places
  }

  /// Returns the distance to the straight line between two positions, m. The map's scale at this position is used.
  func distance(toLineFrom first: PlanePlace, to last: PlanePlace) -> Double {
    let startX = (first.longitude - longitude) * metresPerLongitude
    let startY = (first.latitude - latitude) * metresPerLatitude
    let alongX = (last.longitude - first.longitude) * metresPerLongitude
    let alongY = (last.latitude - first.latitude) * metresPerLatitude
    let square = alongX * alongX + alongY * alongY
    let part = square > 0 ? min(max(-(startX * alongX + startY * alongY) / square, 0), 1) : 0
    let (x, y) = (startX + part * alongX, startY + part * alongY)
    return (x * x + y * y).squareRoot()
  }
}
