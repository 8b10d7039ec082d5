import FleetDomain
import FleetFigures
import Telemetry
import TestKit
import Testing

@Suite struct DayBuilderTests {
  private static let date = CalendarDate("2026-05-04")!
  private static let start = ZoneRules.utc.start(of: date)

  private static func sample(
    _ second: Int, speed: Double? = nil, gps: Double? = nil, rpm: Double? = nil, fuel: Double? = nil,
    odometer: Double? = nil, place: (Double, Double)? = nil
  ) -> DaySample {
    var values = TelemetryValues()
    (values.speed, values.gpsSpeed, values.rpm, values.fuelRate, values.odometer) = (speed, gps, rpm, fuel, odometer)
    (values.latitude, values.longitude) = (place?.0, place?.1)
    return DaySample(time: start + Int64(second) * 1_000, values: values)
  }

  private static func day(
    _ samples: [DaySample], trips: [DayTrip] = [], events: [Int] = []
  ) -> VehicleDay? {
    var builder = DayBuilder(
      date, in: .utc, trips: trips,
      drivingEvents: events.map { DayEvent(time: start + Int64($0) * 1_000, isOfDriver: true) })
    for sample in samples { builder.add(sample) }
    return builder.finish()
  }

  private static func trip(
    _ second: Int, ends: Bool, id: String = "a", start began: Int? = nil, end: Int? = nil, fuel: Double? = nil,
    distance: Double? = nil
  ) -> DayTrip {
    var trip = DayTrip(time: start + Int64(second) * 1_000)
    (trip.id, trip.hasEnded, trip.fuelUsed, trip.distance) = (id, ends, fuel, distance)
    trip.startTime = began.map { start + Int64($0) * 1_000 }
    trip.endTime = end.map { start + Int64($0) * 1_000 }
    return trip
  }

  /// Second by second, from the definitions.
  private static func slowly(_ samples: [DaySample]) -> (on: Int, moving: Int, idle: Int, unknown: Int) {
    func seconds(_ sample: DaySample) -> Int { Int((sample.time - start) / 1_000) }
    func known(_ index: Int, _ key: (TelemetryValues) -> Double?) -> Double? {
      for other in samples[...index].reversed() {
        if seconds(samples[index]) - seconds(other) > 15 { return nil }
        if let value = key(other.values) { return value }
      }
      return nil
    }
    var (on, moving, idle, unknown) = (0, 0, 0, 0)
    for now in 0..<86_400 {
      guard let index = samples.lastIndex(where: { seconds($0) <= now }), index + 1 < samples.count else { continue }
      let (first, second) = (seconds(samples[index]), seconds(samples[index + 1]))
      var moves: Bool?
      if let speed = known(index, \.speed) {
        moves = speed > 0
      } else if let speed = known(index, \.gpsSpeed) {
        moves = speed >= 3
      }
      var runs: Bool?
      if let rpm = known(index, \.rpm) { runs = rpm > 0 || moves == true } else if moves == true { runs = true }
      if second - first > 120 {
        if first >= 0, second < 86_400, runs != false { unknown += 1 }
      } else if runs == nil {
        unknown += 1
      } else if runs == true {
        on += 1
        if moves == nil { unknown += 1 } else if moves == true { moving += 1 } else { idle += 1 }
      }
    }
    return (on, moving, idle, unknown)
  }

  @Test func times_agree_with_a_second_by_second_computation() throws {
    for seed in 0..<40 {
      var random = SplitMix(seed: UInt64(seed))
      var second = Int.random(in: -130...300, using: &random)
      var samples: [DaySample] = []
      while samples.count < 120 {
        func perhaps(_ values: [Double]) -> Double? {
          Bool.random(using: &random) ? values.randomElement(using: &random) : nil
        }
        samples.append(
          Self.sample(
            second, speed: perhaps([0, 0, 5, 50]), gps: perhaps([0, 2.9, 3, 40]), rpm: perhaps([0, 0, 800])))
        let steps = [1, 1, 5, 16, 60, 120, 121, 900, 9_000]
        second += steps.randomElement(using: &random) ?? 1
        if second > 86_400 + 130 { break }
      }
      let expected = Self.slowly(samples)
      let day = try #require(Self.day(samples))
      #expect(day.engineOn == Int64(expected.on) * 1_000, "\(seed)")
      #expect(day.moving == Int64(expected.moving) * 1_000, "\(seed)")
      #expect(day.idle == Int64(expected.idle) * 1_000, "\(seed)")
      #expect(day.unknown == Int64(expected.unknown) * 1_000, "\(seed)")
    }
  }

  @Test func unknown_time_is_never_idle() throws {
    // The engine runs, then nothing is known for an hour.
    let silent = try #require(Self.day([Self.sample(0, speed: 0, rpm: 800), Self.sample(3_600, speed: 0, rpm: 800)]))
    #expect(silent.idle == 0 && silent.unknown == 3_600_000 && silent.engineOn == 0)
    // The engine runs, and the speed is unknown.
    let noSpeed = try #require(Self.day([Self.sample(0, rpm: 800), Self.sample(60, rpm: 800)]))
    #expect(noSpeed.idle == 0 && noSpeed.unknown == 60_000 && noSpeed.engineOn == 60_000)
    // Only positions of a vehicle at rest.
    let tracker = try #require(Self.day([Self.sample(0, gps: 0), Self.sample(60, gps: 0)]))
    #expect(tracker.idle == 0 && tracker.unknown == 60_000)
  }

  @Test func a_parked_vehicle_is_not_unknown() throws {
    let off = [Self.sample(0, speed: 0, rpm: 0), Self.sample(30_000, speed: 0, rpm: 800)]
    #expect(try #require(Self.day(off)).unknown == 0)
    let ended = [Self.sample(0, speed: 0, rpm: 800), Self.sample(30_000, speed: 0, rpm: 800)]
    #expect(try #require(Self.day(ended, trips: [Self.trip(200, ends: true, end: 5)])).unknown == 5_000)
    // A tracker that reports positions while the vehicle is parked.
    let tracker = [Self.sample(10, gps: 0), Self.sample(100, gps: 0), Self.sample(5_000, gps: 0)]
    #expect(try #require(Self.day(tracker, trips: [Self.trip(8, ends: true)])).unknown == 0)
    #expect(try #require(Self.day(tracker, trips: [Self.trip(8, ends: false)])).unknown == 4_990_000)
  }

  /// Two trips of 590 s at 60 km/h, with a stop between them, and one record each 10 s during the trips.
  @Test(arguments: [20, 110, 120, 140]) func a_vehicle_does_not_move_between_two_trips(stop: Int) throws {
    let next = 590 + stop
    let samples = [0, next].flatMap { first in
      stride(from: 0, through: 590, by: 10).map { Self.sample(first + $0, speed: 60, rpm: 2_000) }
    }
    let trips = [0, next].map {
      Self.trip($0 + 590, ends: true, id: "\($0)", start: $0, end: $0 + 590, distance: 590.0 / 60)
    }
    let day = try #require(Self.day(samples, trips: trips))
    #expect(abs((day.distance ?? 0) - 2 * 590.0 / 60) < 1e-9)
    #expect(day.moving == 1_180_000 && day.engineOn == 1_180_000 && day.idle == 0 && day.unknown == 0)
    #expect(day.trips == 2)
    // Without the records of the trips, a short stop is not known.
    let unknown = try #require(Self.day(samples))
    #expect(unknown.moving == (stop <= 120 ? 1_180_000 + Int64(stop) * 1_000 : 1_180_000))
  }

  @Test func distance_is_integrated_and_cut_at_midnight() throws {
    // 100 s at 36 km/h are 1 km.
    let steady = try #require(Self.day([Self.sample(0, speed: 36), Self.sample(100, speed: 36)]))
    #expect(abs((steady.distance ?? 0) - 1) < 1e-9)
    // A step across midnight counts for each day with its share.
    let across = try #require(Self.day([Self.sample(-25, speed: 36), Self.sample(75, speed: 36)]))
    #expect(abs((across.distance ?? 0) - 0.75) < 1e-9)
    #expect(across.moving == 75_000)
    // A degree of latitude at the equator has 110.574 km; the vehicle reports no speed.
    let places = [Self.sample(0, gps: 50, place: (0, 10)), Self.sample(60, gps: 50, place: (0.01, 10))]
    #expect(abs((try #require(Self.day(places)).distance ?? 0) - 1.10574) < 1e-4)
    let wandering = [Self.sample(0, gps: 0, place: (0, 10)), Self.sample(60, gps: 1, place: (0.01, 10))]
    #expect(try #require(Self.day(wandering)).distance == 0)
    // The odometer gives the distance of a time without records, unless it is implausible.
    let gap = [Self.sample(0, rpm: 800, odometer: 1_000), Self.sample(3_600, rpm: 800, odometer: 1_050.5)]
    #expect(try #require(Self.day(gap)).distance == 50.5)
    let jump = [Self.sample(0, rpm: 800, odometer: 1_000), Self.sample(3_600, rpm: 800, odometer: 1_201)]
    #expect(try #require(Self.day(jump)).distance == nil)
    #expect(try #require(Self.day([Self.sample(0, rpm: 800)])).distance == nil)
  }

  /// A tracker that reports only positions. A degree of latitude at the equator has 110.574 km.
  @Test func positions_without_speeds_give_a_distance_but_no_times() throws {
    let driven = try #require(
      Self.day((0...10).map { Self.sample($0 * 10, place: (Double($0) * 0.001, 10)) }))
    #expect(abs((driven.distance ?? 0) - 1.10574) < 1e-4)
    #expect(driven.unknown == 100_000 && !driven.hasTimes)
    // Every second, at a walking pace: no step is longer than 2 m.
    let walked = try #require(
      Self.day((0...100).map { Self.sample($0, place: (Double($0) * 0.000018, 10)) }))
    #expect(abs((walked.distance ?? 0) - 0.199) < 0.02)
    // The positions of a parked vehicle vary by some metres.
    let parked = try #require(
      Self.day((0...100).map { Self.sample($0 * 60, place: ($0 % 2 == 0 ? 0.00005 : -0.00005, 10)) }))
    #expect(parked.distance == 0)
    // The engine is off.
    let carried = [Self.sample(0, rpm: 0, place: (0, 10)), Self.sample(10, rpm: 0, place: (0.001, 10))]
    #expect(try #require(Self.day(carried)).distance == 0)
  }

  @Test func a_trip_counts_where_telemetry_gives_no_distance() throws {
    let trip = Self.trip(1_800, ends: true, start: 0, end: 1_800, distance: 30)
    let alone = try #require(Self.day([], trips: [trip]))
    #expect(alone.distance == 30 && alone.trips == 1 && alone.unknown == 1_800_000 && !alone.hasTimes)
    // A repeated record, and another source of the same trip.
    let other = Self.trip(1_790, ends: true, id: "b", start: 10, end: 1_790, distance: 29)
    #expect(try #require(Self.day([], trips: [trip, trip, other])).distance == 30)
    let next = Self.trip(5_400, ends: true, id: "c", start: 1_800, end: 5_400, distance: 12.5)
    #expect(try #require(Self.day([], trips: [next, trip])).distance == 42.5)
    // Telemetry of the whole trip: 36 km/h for half an hour are 18 km.
    let whole = (0...180).map { Self.sample($0 * 10, speed: 36) }
    #expect(abs((try #require(Self.day(whole, trips: [trip])).distance ?? 0) - 18) < 1e-9)
    // It lacks the first and the last minute.
    let most = (6...174).map { Self.sample($0 * 10, speed: 36) }
    #expect(abs((try #require(Self.day(most, trips: [trip])).distance ?? 0) - 16.8) < 1e-9)
    // It has only the first ten minutes. The distance is that of the trip.
    let part = try #require(Self.day((0...60).map { Self.sample($0 * 10, speed: 36) }, trips: [trip, next]))
    #expect(abs((part.distance ?? 0) - 42.5) < 1e-9)
    #expect(part.moving == 600_000 && part.unknown == 4_800_000 && part.hasTimes)
    // Telemetry without speeds and positions.
    let silent = (0...180).map { Self.sample($0 * 10, rpm: 800) }
    let known = try #require(Self.day(silent, trips: [trip]))
    #expect(known.distance == 30 && known.engineOn == 1_800_000 && known.unknown == 1_800_000)
    // The share after midnight.
    let late = Self.trip(600, ends: true, start: -1_800, end: 600, distance: 20)
    #expect(abs((try #require(Self.day([], trips: [late])).distance ?? 0) - 5) < 1e-9)
    // Without a distance, or with an impossible one, it is unknown.
    for distance in [nil, -1, 101] as [Double?] {
      let day = try #require(
        Self.day([], trips: [Self.trip(1_800, ends: true, start: 0, end: 1_800, distance: distance)]))
      #expect(day.distance == nil && day.trips == 1 && !day.hasTimes)
    }
  }

  /// Trips without telemetry, some of which pass one or more midnights: each day has its share, second by second.
  @Test func trips_over_midnight_are_divided_between_their_days() throws {
    let days = (0..<5).map { Self.date.adding(days: $0) }
    for seed in 0..<40 {
      var random = SplitMix(seed: UInt64(seed))
      var trips: [DayTrip] = []
      var second = 0
      while second < 4 * 86_400 {
        let start = second + Int.random(in: 0...40_000, using: &random)
        let end = start + Int.random(in: 60...90_000, using: &random)
        guard end < 5 * 86_400 else { break }
        let distance = Double(Int.random(in: 0...(end - start) / 36, using: &random))
        trips.append(Self.trip(end, ends: true, id: "\(start)", start: start, end: end, distance: distance))
        second = end
      }
      var total = 0.0
      for (number, date) in days.enumerated() {
        let seconds = (number * 86_400)..<((number + 1) * 86_400)
        var (distance, unknown, begun) = (0.0, 0, 0)
        for trip in trips {
          let (start, end) = (Int((trip.startTime! - Self.start) / 1_000), Int((trip.endTime! - Self.start) / 1_000))
          let inside = (start..<end).clamped(to: seconds).count
          distance += (trip.distance ?? 0) * Double(inside) / Double(end - start)
          unknown += inside
          begun += seconds.contains(start) ? 1 : 0
        }
        let day = DayBuilder(date, in: .utc, trips: trips.shuffled(using: &random), drivingEvents: []).finish()
        guard unknown > 0 else {
          #expect(day?.distance ?? 0 == 0)
          continue
        }
        let found = try #require(day)
        #expect(abs((found.distance ?? 0) - distance) < 1e-6, "\(seed), \(date)")
        #expect(found.unknown == Int64(unknown) * 1_000 && found.trips == begun, "\(seed), \(date)")
        #expect(Self.start + Int64(seconds.lowerBound) * 1_000 <= found.firstTime.milliseconds)
        #expect(found.lastTime.milliseconds < Self.start + Int64(seconds.upperBound) * 1_000)
        total += found.distance ?? 0
      }
      #expect(abs(total - trips.compactMap(\.distance).reduce(0, +)) < 1e-6, "\(seed)")
    }
  }

  /// The telemetry of a trip over midnight ends before midnight and begins again after it.
  @Test func a_gap_over_midnight_is_filled_by_the_trip() throws {
    // From 23:00 to 01:00 at 36 km/h. Telemetry has the first and the last half hour.
    let trip = Self.trip(90_000, ends: true, start: 82_800, end: 90_000, distance: 72)
    let before = (0...180).map { Self.sample(82_800 + $0 * 10, speed: 36, rpm: 900) }
    let after = (0...180).map { Self.sample(88_200 + $0 * 10, speed: 36, rpm: 900) }
    for (date, samples) in [(Self.date, before + [after[0]]), (Self.date.next, [before[180]] + after)] {
      var builder = DayBuilder(date, in: .utc, trips: [trip], drivingEvents: [])
      for sample in samples { builder.add(sample) }
      let day = try #require(builder.finish())
      #expect(abs((day.distance ?? 0) - 36) < 1e-9 && day.moving == 1_800_000, "\(date)")
      #expect(day.unknown == 1_800_000 && day.trips == (date == Self.date ? 1 : 0), "\(date)")
    }
  }

  @Test func a_trip_without_a_record_of_its_start_is_not_parking() throws {
    let trips = [
      Self.trip(600, ends: true, id: "a", start: 0, end: 600),
      Self.trip(2_000, ends: true, id: "b", start: 1_000, end: 2_000),
    ]
    let samples = [
      Self.sample(800, gps: 0), Self.sample(900, gps: 0), Self.sample(1_010, gps: 0), Self.sample(1_100, gps: 0),
    ]
    #expect(try #require(Self.day(samples, trips: trips)).unknown == 90_000)
  }

  @Test func fuel_is_integrated_or_that_of_the_trips() throws {
    let rate = try #require(Self.day([Self.sample(0, rpm: 800, fuel: 2), Self.sample(90, rpm: 800, fuel: 4)]))
    #expect(abs((rate.fuelUsed ?? 0) - 0.075) < 1e-9)
    let trips = [
      Self.trip(-50, ends: true, id: "x", end: -60, fuel: 100),
      Self.trip(900, ends: true, id: "a", start: 0, fuel: 1.5),
      Self.trip(2_000, ends: true, id: "b", start: 1_000, end: 1_990, fuel: 2),
    ]
    #expect(try #require(Self.day([Self.sample(0, rpm: 800)], trips: trips)).fuelUsed == 3.5)
    #expect(try #require(Self.day([Self.sample(0, rpm: 800)])).fuelUsed == nil)
  }

  @Test func a_trip_of_two_gateways_counts_once() throws {
    let trips = [
      Self.trip(1_000, ends: false, id: "a"),
      Self.trip(4_600, ends: true, id: "a", start: 1_000, fuel: 5, distance: 60),
      Self.trip(1_004, ends: false, id: "b"),
      Self.trip(4_598, ends: true, id: "b", start: 1_004, fuel: 4.9, distance: 59.9),
      // The second gateway misses a trip.
      Self.trip(9_000, ends: true, id: "c", start: 8_000, fuel: 1, distance: 10),
    ]
    let day = try #require(Self.day([], trips: trips))
    #expect(day.trips == 2 && day.distance == 70 && day.fuelUsed == 6)
    // Before the ends are known, nothing shows that the starts belong to one trip.
    #expect(try #require(Self.day([], trips: trips.filter { !$0.hasEnded })).trips == 2)
  }

  @Test func trips_and_events_of_the_day_are_counted() throws {
    let trips = [
      Self.trip(10, ends: false, id: "a"), Self.trip(900, ends: true, id: "a", start: 10),
      // Its start was not recorded.
      Self.trip(2_000, ends: true, id: "b", start: 1_500),
      // It began on the day before.
      Self.trip(5, ends: true, id: "c", start: -400),
      Self.trip(86_390, ends: false, id: "d"), Self.trip(86_410, ends: false, id: "e"),
    ]
    let day = try #require(Self.day([], trips: trips, events: [-1, 0, 50, 86_399, 86_400]))
    #expect(day.trips == 3)
    #expect(day.drivingEvents == 3)
    #expect(day.firstTime.milliseconds == Self.start)
    #expect(day.lastTime.milliseconds == Self.start + 86_399_000)
    #expect(Self.day([], trips: [Self.trip(-5, ends: false)]) == nil)
    #expect(Self.day([]) == nil)
  }

  @Test func hours_close_to_midnight_concern_two_days() throws {
    let hour = Self.start / 3_600_000
    func days(_ hour: Int64) -> [String] { StaleDays.days(of: hour, in: .utc).map(\.text) }
    #expect(days(hour + 12) == ["2026-05-04"])
    #expect(days(hour) == ["2026-05-03", "2026-05-04"])
    #expect(days(hour + 23) == ["2026-05-04", "2026-05-05"])
    let stale = StaleDays(vehicle: "V", change: 1, hours: [hour + 3, hour + 5, hour + 23, hour + 80, hour + 300])
    #expect(stale.nextDays(in: .utc, most: 2)?.hours == (hour + 3)...(hour + 23))
    #expect(stale.nextDays(in: .utc, most: 2)?.days.map(\.text) == ["2026-05-04", "2026-05-05"])
    #expect(stale.nextDays(in: .utc, most: 1)?.hours == (hour + 3)...(hour + 5))
    #expect(stale.nextDays(in: .utc, most: 99)?.days.count == 4)
    #expect(StaleDays(vehicle: "V", change: 1, hours: []).nextDays(in: .utc, most: 2) == nil)
  }
}
