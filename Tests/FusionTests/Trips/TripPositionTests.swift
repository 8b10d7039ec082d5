import Fusion
import Testing

/// Trips that are detected only from positions.
@Suite struct TripPositionTests {
  @Test func a_parked_receiver_makes_no_trip_in_a_day() {
    var watch = TripWatch()
    var random = Lehmer(state: 42)
    var (north, east) = (0.0, 0.0)
    var changes = 0
    for second in 0..<86_400 {
      // The position wanders by some metres, sometimes jumps by 100 m, and has gaps; the Doppler speed has noise.
      north = north * 0.98 + Double.random(in: -1...1, using: &random)
      east = east * 0.98 + Double.random(in: -1...1, using: &random)
      let leap = second % 1_800 < 4 ? 100.0 : 0
      guard second % 600 > 20 else { continue }
      let now = Int64(second) * 1_000_000_000
      watch.fix(
        latitude: 48 + (north + leap) / 111_200, longitude: 11 + east / 74_400,
        speed: second < 43_200 ? Double.random(in: 0...1.4, using: &random) : nil, at: now)
      while watch.decide(at: now) != nil { changes += 1 }
    }
    #expect(changes == 0)
  }

  @Test func an_invalid_position_does_not_change_the_trip() {
    var road = Road()
    road.go(60, .drive(36)) { watch, now in
      for value in [Double.nan, -Double.infinity, 91] {
        watch.fix(latitude: value, longitude: 0, speed: value, at: now)
      }
    }
    #expect(road.park() == [.init(0, 59, metres: 590, idle: 0, max: 36)])
  }

  @Test func fixes_make_a_trip_without_an_adapter() throws {
    var session = Session()
    for second in 0...60 { session.fix(48 + Double(second) * 0.0001, 11, at: Double(second)) }
    session.advance(to: 400)
    let records = try session.finish(at: 401).of("trip")
    #expect(records.map { $0.text("event") } == ["start", "end"])
    #expect(records.last?.text("distanceSource") == "gps")
    #expect(records.last?.number("distance").map { abs($0 - 0.667) < 0.004 } == true)
  }

  /// Lengths on WGS 84 as GeographicLib 2.1 gives them (`Geodesic.WGS84.Inverse`).
  @Test(arguments: [
    (0.0, 0.0, 0.0, 0.01, 1_113.194_91), (48.0, 11.0, 48.01, 11.0, 1_111.904_20), (48.0, 11.0, 48.0, 11.01, 746.253_54),
    (-33.9, 151.2, -33.905, 151.205, 722.111_88), (69.6, 18.9, 69.605, 18.93, 1_293.799_31),
    (10.0, 179.995, 10.0, -179.995, 1_096.393_64),
  ])
  func distances_between_positions_are_those_on_the_ellipsoid(
    _ way: (latitude: Double, longitude: Double, toLatitude: Double, toLongitude: Double, metres: Double)
  ) {
    var watch = TripWatch()
    // The receiver moves back and forth, one leg a minute. It is slower than 80 m/s, and every leg counts.
    for leg in 0...10 {
      let isThere = !leg.isMultiple(of: 2)
      watch.fix(
        latitude: isThere ? way.toLatitude : way.latitude, longitude: isThere ? way.toLongitude : way.longitude,
        speed: 60, at: Int64(leg) * 60_000_000_000)
      _ = watch.decide(at: Int64(leg) * 60_000_000_000)
    }
    guard case .end(let report)? = watch.finish(at: 600_000_000_000) else {
      Issue.record("no trip")
      return
    }
    #expect(abs(report.distance - way.metres / 100) < way.metres / 100 * 1e-5)
  }
}
