import Geofencing
import Telemetry

/// A position of a vehicle at a time.
public struct TrackPoint: Equatable, Sendable {
  public let time: Timestamp
  /// Latitude, ° of WGS 84, −90 to 90.
  public let latitude: Double
  /// Longitude, ° of WGS 84, −180 to 180.
  public let longitude: Double

  public init(time: Timestamp, latitude: Double, longitude: Double) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The path of a vehicle, in segments. Between two segments, there was no position for some time.
public struct Track: Equatable, Sendable {
  /// The segments, in the order of their times. None is empty.
  public var segments: [[TrackPoint]]

  public init(segments: [[TrackPoint]] = []) { self.segments = segments }

  public var pointCount: Int { segments.reduce(0) { $0 + $1.count } }

  /// The track as lines that do not cross the antimeridian: segments are cut there (RFC 7946, section 3.1.9). Position
  /// and time of a cut are interpolated between the positions before and after it.
  public var lines: [[TrackPoint]] { segments.flatMap(Self.cut) }

  private static func cut(_ segment: [TrackPoint]) -> [[TrackPoint]] {
    var lines: [[TrackPoint]] = []
    var line: [TrackPoint] = []
    for point in segment {
      if let last = line.last, abs(point.longitude - last.longitude) > 180 {
        let side: Double = last.longitude > 0 ? 180 : -180
        let whole = point.longitude + 2 * side - last.longitude
        let part = whole == 0 ? 0 : (side - last.longitude) / whole
        let latitude = last.latitude + part * (point.latitude - last.latitude)
        let span = Double(point.time.nanoseconds(since: last.time))
        let time = last.time.adding(nanoseconds: Int64((part * span).rounded()))
        line.append(TrackPoint(time: time, latitude: latitude, longitude: side))
        lines.append(line)
        line = [TrackPoint(time: time, latitude: latitude, longitude: -side)]
      }
      line.append(point)
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
