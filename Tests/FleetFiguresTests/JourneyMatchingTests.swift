import Telemetry
import TestKit
import Testing

@testable import FleetFigures

@Suite struct JourneyMatchingTests {
  private static func time(_ minute: Int) -> Timestamp { Timestamp(nanoseconds: Int64(minute) * 60_000_000_000) }
  private static func id(_ number: Int) -> UUIDv7 { UUIDv7(milliseconds: 0, first: 0, rest: UInt64(number)) }

  private static func journey(
    _ number: Int, _ from: Int, _ to: Int?, _ startOdometer: Double? = nil, _ endOdometer: Double? = nil
  ) -> JourneyMatching.Declared {
    .init(id: id(number), from: time(from), to: to.map(time), startOdometer: startOdometer, endOdometer: endOdometer)
  }

  private static func trip(_ number: Int, _ from: Int, _ to: Int) -> JourneyMatching.Trip {
    .init(id: id(number), from: time(from), to: time(to))
  }

  @Test func a_journey_has_all_trips_that_it_mostly_covers() {
    let matching = JourneyMatching(
      [Self.journey(1, 0, 60), Self.journey(2, 100, 200), Self.journey(3, 300, nil)],
      [
        Self.trip(11, -5, 20), Self.trip(12, 30, 55), Self.trip(13, 58, 90), Self.trip(14, 250, 260),
        Self.trip(15, 500, 600),
      ])
    #expect(matching.matches.map(\.journey.id) == [Self.id(1), Self.id(3)])
    #expect(matching.matches.map { $0.trips.map(\.id) } == [[Self.id(11), Self.id(12)], [Self.id(15)]])
    #expect(matching.unclaimed.map(\.id) == [Self.id(13), Self.id(14)])
    #expect(matching.withoutTrip.map(\.id) == [Self.id(2)])
  }

  @Test func readings_of_successive_journeys_are_compared() {
    let matching = JourneyMatching(
      [
        Self.journey(3, 20, 30, 130, 150), Self.journey(1, 0, 10, 100, 110), Self.journey(2, 10, 20, 110, 125),
        Self.journey(4, 40, 50, 149, nil), Self.journey(5, 60, 70, 170, 180),
      ], [])
    #expect(
      matching.gaps == [
        .init(after: Self.id(2), before: Self.id(3), kilometers: 5),
        .init(after: Self.id(3), before: Self.id(4), kilometers: -1),
      ])
    #expect(matching.overlaps.isEmpty)
  }

  @Test func journeys_at_the_same_time_are_found() {
    let matching = JourneyMatching(
      [Self.journey(1, 0, 30), Self.journey(2, 10, 20), Self.journey(3, 25, nil), Self.journey(4, 100, 110)], [])
    #expect(matching.overlaps.map { [$0.first, $0.second] } == [[1, 2], [1, 3], [3, 4]].map { $0.map(Self.id) })
  }

  /// Matches journeys and trips by the definition: every journey is compared with every trip, minute by minute.
  private static func obvious(
    _ journeys: [(from: Int, to: Int)], _ trips: [(from: Int, to: Int)]
  ) -> [Int?] {
    trips.map { trip in
      let minutes = trip.from..<trip.to
      let covered = journeys.map { journey in minutes.filter { journey.from <= $0 && $0 < journey.to }.count }
      guard let most = covered.max(), most * 2 >= minutes.count else { return nil }
      // If several journeys cover the same part, use the first one.
      return covered.firstIndex(of: most)
    }
  }

  @Test(arguments: 1...40) func random_journeys_agree_with_the_definition(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<50 {
      func spans(_ most: Int) -> [(from: Int, to: Int)] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
          let from = Int.random(in: 0...200, using: &random)
          return (from, from + Int.random(in: 1...60, using: &random))
        }.sorted { $0.from < $1.from }
      }
      let (journeys, trips) = (spans(8), spans(12))
      let matching = JourneyMatching(
        journeys.enumerated().map { Self.journey($0, $1.from, $1.to) }.shuffled(using: &random),
        trips.enumerated().map { Self.trip($0, $1.from, $1.to) }.shuffled(using: &random))
      let expected = Self.obvious(journeys, trips)
      var found: [Int?] = Array(repeating: nil, count: trips.count)
      for match in matching.matches {
        for trip in match.trips {
          found[trips.indices.first { Self.id($0) == trip.id } ?? 0] = journeys.indices.first {
            Self.id($0) == match.journey.id
          }
        }
      }
      #expect(found == expected, "\(journeys) \(trips)")
      #expect(matching.unclaimed.count == expected.filter { $0 == nil }.count)
      #expect(matching.withoutTrip.count == journeys.count - matching.matches.count)
      let pairs = journeys.indices.flatMap { first in
        journeys.indices.filter { first < $0 && journeys[$0].from < journeys[first].to }
      }
      #expect(matching.overlaps.count == pairs.count)
    }
  }
}
