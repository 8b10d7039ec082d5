import FleetDomain
import FleetWork
import Telemetry
import TestKit
import Testing

@testable import FleetFigures

/// Trips that several gateways of one vehicle report.
@Suite struct MergedTripTests {
  private static func time(_ minute: Int) -> Timestamp { Timestamp(nanoseconds: Int64(minute) * 60_000_000_000) }

  private static func trip(_ number: Int, _ from: Int, _ to: Int, _ distance: Double?, odometer: Double? = nil)
    -> EndedTrip
  {
    EndedTrip(
      id: UUIDv7(milliseconds: 1, first: 0, rest: UInt64(number)), from: time(from), to: time(to), distance: distance,
      endOdometer: odometer)
  }

  private static func minutes(_ trip: EndedTrip) -> Range<Int> {
    Int(trip.from.milliseconds / 60_000)..<Int(trip.to.milliseconds / 60_000)
  }

  /// Merges the trips minute by minute: in each minute, the trip counts that has a distance and is the longest one.
  private static func slowly(_ trips: [EndedTrip]) -> [(minutes: Range<Int>, distance: Double?)] {
    func length(_ trip: EndedTrip) -> Int { minutes(trip).count }
    let best = trips.filter { $0.distance != nil }.sorted {
      (-length($0), -($0.distance ?? 0)) < (-length($1), -($1.distance ?? 0))
    }
    var merged: [(minutes: Range<Int>, distance: Double?)] = []
    // Minutes belong to the same trip if a trip contains both of them.
    let last = trips.map { minutes($0).upperBound }.max() ?? 0
    var start: Int?
    var distance: Double?
    for minute in 0...last {
      let isDriven = trips.contains { minutes($0).contains(minute) }
      let continues = trips.contains { minutes($0).contains(minute) && minutes($0).contains(minute - 1) }
      if let begun = start, !continues {
        merged.append((begun..<minute, distance))
        (start, distance) = (nil, nil)
      }
      guard isDriven else { continue }
      start = start ?? minute
      if let source = best.first(where: { minutes($0).contains(minute) }), let way = source.distance {
        distance = (distance ?? 0) + way / Double(length(source))
      }
    }
    return merged
  }

  @Test(arguments: 1...20) func merged_trips_are_those_of_a_computation_by_minutes(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<60 {
      let trips = (0..<Int.random(in: 1...14, using: &random)).map { number in
        let from = Int.random(in: 0...300, using: &random)
        let isKnown = Int.random(in: 0..<5, using: &random) > 0
        return Self.trip(
          number, from, from + Int.random(in: 1...60, using: &random),
          isKnown ? Double(Int.random(in: 0...90, using: &random)) : nil)
      }
      // Repeated trips count once, and the order does not matter.
      let merged = EndedTrip.merged((trips + trips.prefix(2)).shuffled(using: &random))
      let expected = Self.slowly(trips)
      #expect(merged.map(Self.minutes) == expected.map(\.minutes))
      for (found, slow) in zip(merged, expected) {
        #expect((found.distance == nil) == (slow.distance == nil))
        #expect(abs((found.distance ?? 0) - (slow.distance ?? 0)) < 1e-9)
        #expect(trips.contains { $0.id == found.id && !Self.minutes($0).clamped(to: slow.minutes).isEmpty })
      }
    }
  }

  @Test func two_gateways_report_one_trip() {
    let reading = Meter.Point(at: Self.time(0), value: 20_000, lifetime: 20_000)
    let trips = EndedTrip.merged([Self.trip(1, 60, 120, 60), Self.trip(2, 60, 120, 60)])
    #expect(Meter.odometer.estimate(after: reading, trips)?.value == 20_060)
    #expect(Meter.engineHours.estimate(after: reading, trips)?.value == 20_001)
    // A gateway that was off for a part of the drive reports two trips.
    let parts = [
      Self.trip(3, 0, 20, 18), Self.trip(4, 30, 60, 25, odometer: 150), Self.trip(5, 0, 60, 50, odometer: 149),
    ]
    let whole = EndedTrip.merged(parts)
    #expect(whole == [Self.trip(5, 0, 60, 50, odometer: 150)])
    // A gateway that began late has the end of the drive.
    #expect(EndedTrip.merged([Self.trip(6, 0, 40, 40), Self.trip(7, 30, 60, 60)]).map(\.distance) == [80])
    // A trip that starts when another one ends is a trip of its own.
    #expect(EndedTrip.merged([Self.trip(8, 0, 40, 40), Self.trip(9, 40, 60, 60)]).count == 2)
  }
}
