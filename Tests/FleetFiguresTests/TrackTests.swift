import FleetFigures
import Geofencing
import Telemetry
import TestKit
import Testing

@Suite struct TrackTests {
  private static func point(_ seconds: Double, _ latitude: Double, _ longitude: Double) -> TrackPoint {
    TrackPoint(time: Timestamp(nanoseconds: Int64(seconds * 1e9)), latitude: latitude, longitude: longitude)
  }

  /// Returns a random drive with a point each second.
  private static func drive(
    _ random: inout SplitMix, count: Int, from start: (latitude: Double, longitude: Double)
  ) -> [TrackPoint] {
    var (latitude, longitude) = start
    var (north, east) = (0.0, 0.0)
    return (0..<count).map { index in
      north += Double.random(in: -2e-5...2e-5, using: &random)
      east += Double.random(in: -2e-5...2e-5, using: &random)
      latitude = min(max(latitude + north, -89), 89)
      longitude += east
      if longitude > 180 { longitude -= 360 }
      if longitude < -180 { longitude += 360 }
      return point(Double(index), latitude, longitude)
    }
  }

  /// Returns the distance from a point to a line. It is found by trying many places of the line, and is measured
  /// through space, not in a plane.
  private static func tried(_ point: TrackPoint, _ first: TrackPoint, _ last: TrackPoint) -> Double {
    var east = last.longitude - first.longitude
    if east > 180 { east -= 360 }
    if east < -180 { east += 360 }
    let own = GeoPosition(latitude: point.latitude, longitude: point.longitude)
    func distance(_ part: Double) -> Double {
      own.distance(
        to: GeoPosition(
          latitude: first.latitude + part * (last.latitude - first.latitude), longitude: first.longitude + part * east))
    }
    // The distance has one minimum along a short line.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let (left, right) = (low + (high - low) / 3, high - (high - low) / 3)
      if distance(left) < distance(right) { high = right } else { low = left }
    }
    return distance((low + high) / 2)
  }

  @Test(arguments: [(48.2, 16.4), (0.0, 179.999), (-17.0, -179.9995), (69.6, 18.9), (-54.8, -68.3)], [1.0, 10, 250])
  func every_removed_point_is_within_the_tolerance(_ start: (Double, Double), _ tolerance: Double) {
    for seed in 0..<12 {
      var random = SplitMix(seed: UInt64(seed) &+ UInt64(tolerance))
      let points = Self.drive(&random, count: 900, from: start)
      let kept = LineSimplification.simplified(points, tolerance: tolerance)
      #expect(kept.first == points.first && kept.last == points.last)
      #expect(kept.count < points.count)
      var next = 1
      for point in points {
        if point == kept[next], next + 1 < kept.count { next += 1 }
        let distance = Self.tried(point, kept[next - 1], kept[next])
        #expect(distance <= tolerance * 1.0001 + 0.001, "\(point)")
      }
    }
  }

  @Test func short_lines_stay_and_points_on_a_line_go() {
    let line = (0..<5).map { Self.point(Double($0), 48, 16 + Double($0) / 1_000) }
    #expect(LineSimplification.simplified([], tolerance: 1) == [])
    #expect(LineSimplification.simplified(Array(line.prefix(2)), tolerance: 1) == Array(line.prefix(2)))
    #expect(LineSimplification.simplified(line, tolerance: 0.01) == [line[0], line[4]])
    let place = Array(repeating: line[0], count: 9)
    #expect(LineSimplification.simplified(place, tolerance: 0) == [line[0], line[0]])
  }

  @Test func the_error_bound_is_in_metres_of_the_ellipsoid() {
    // A degree of latitude at 60° N has 111,412.3 m, one of longitude 55,800.0 m (NIMA TR 8350.2).
    let (first, last) = (Self.point(0, 60, 10), Self.point(2, 60, 10.2))
    let north = Self.point(1, 60.001, 10.1)
    #expect(abs(LineSimplification.distance(from: north, toLineFrom: first, to: last) - 111.412) < 0.01)
    let east = Self.point(1, 60, 10.201)
    #expect(abs(LineSimplification.distance(from: east, toLineFrom: first, to: last) - 55.8) < 0.01)
    #expect(LineSimplification.simplified([first, north, last], tolerance: 111).count == 3)
    #expect(LineSimplification.simplified([first, north, last], tolerance: 112).count == 2)
  }

  @Test func a_year_of_points_is_simplified_in_parts() {
    var random = SplitMix(seed: 3)
    let points = Self.drive(&random, count: 25_000, from: (48.2, 16.4))
    var builder = TrackBuilder(tolerance: 5)
    for point in points { builder.add(point) }
    let track = builder.finish()
    #expect(track.segments.count == 1)
    #expect(track.segments[0].first == points.first && track.segments[0].last == points.last)
    let kept = track.segments[0]
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(kept.count < points.count / 4)
  }

  @Test func a_gap_begins_a_new_segment() {
    var builder = TrackBuilder(tolerance: 0)
    for seconds in [0.0, 300, 600.001, 601, 2_000] { builder.add(Self.point(seconds, 48, 16 + seconds / 1e5)) }
    #expect(builder.finish().segments.map(\.count) == [2, 2, 1])
    #expect(TrackBuilder(tolerance: 0).finish() == Track())
  }

  @Test func lines_are_cut_at_the_antimeridian() throws {
    let track = Track(segments: [[Self.point(0, 10, 179), Self.point(40, 14, -177)]])
    let lines = track.lines
    #expect(lines.count == 2)
    #expect(lines[0] == [Self.point(0, 10, 179), Self.point(10, 11, 180)])
    #expect(lines[1] == [Self.point(10, 11, -180), Self.point(40, 14, -177)])
    let back = Track(segments: [[Self.point(0, 0, -179.5), Self.point(2, 2, 179.5)]]).lines
    #expect(
      back == [[Self.point(0, 0, -179.5), Self.point(1, 1, -180)], [Self.point(1, 1, 180), Self.point(2, 2, 179.5)]])
  }

  @Test func a_track_is_written_as_geojson_and_gpx() {
    let first = [Self.point(0, 48, 16.5), Self.point(1, 48.25, 16.5)]
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    #expect(
      text(Track(segments: [first]).geoJSON(members: #","vehicleId":"V""#))
        == #"{"type":"LineString","coordinates":[[16.5,48.0],[16.5,48.25]],"times":["1970-01-01T00:00:00.000Z","1970-01-01T00:00:01.000Z"],"vehicleId":"V"}"#
    )
    #expect(text(Track().geoJSON()) == #"{"type":"LineString","coordinates":[],"times":[]}"#)
    let two = Track(segments: [first, [Self.point(900, 1e-7, -2e-6)]])
    #expect(
      text(two.geoJSON()).hasPrefix(
        #"{"type":"MultiLineString","coordinates":[[[16.5,48.0],[16.5,48.25]],[[-2e-06,1e-07],[-2e-06,1e-07]]],"times":[["#
      ))
    let gpx = text(two.gpx(name: "A<&>B"))
    #expect(gpx.contains("<name>A&lt;&amp;&gt;B</name>"))
    #expect(
      gpx.contains(
        #"</trkseg><trkseg><trkpt lat="0.000000100" lon="-0.000002000"><time>1970-01-01T00:15:00.000Z</time>"#))
    #expect(gpx.hasSuffix("</trkseg></trk></gpx>\n"))
  }
}
