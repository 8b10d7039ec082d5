import FleetDomain
import FleetFigures
import FleetWork
import Telemetry
import TestKit
import Testing

/// Who drove, compared with a search through all minutes of a day.
@Suite struct WhoDroveTests {
  private static func time(_ minute: Int) -> Timestamp {
    Timestamp(nanoseconds: Int64(1_777_593_600 + minute * 60) * 1_000_000_000)
  }

  private static func stored<Value: Kind>(_ value: Value, _ number: Int) -> Stored<Value> {
    Stored(
      id: UUIDv7(milliseconds: 1, first: 0, rest: UInt64(number)), version: 1, createdAt: time(0), updatedAt: time(0),
      value: value)
  }

  @Test(arguments: 1...20) func the_driver_is_the_one_of_a_search_through_the_day(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let drivers = (1...3).map { UUIDv7(milliseconds: 2, first: 0, rest: UInt64($0)) }
    for _ in 0..<30 {
      var (journeys, assignments) = ([Stored<Journey>](), [Stored<Assignment>]())
      // For each minute: the driver of the assignment; and the start, whether it is confirmed, and the driver of the
      // journeys.
      var assigned = [UUIDv7?](repeating: nil, count: 200)
      var declared = [[(start: Int, number: Int, isConfirmed: Bool, driver: UUIDv7)]](repeating: [], count: 200)
      var minute = 0
      while minute < 180 {
        let (from, length) = (minute + Int.random(in: 0...30, using: &random), Int.random(in: 1...50, using: &random))
        var assignment = Assignment()
        assignment.driver = drivers.randomElement(using: &random)
        assignment.from = Self.time(from)
        let isOpen = from + length >= 200
        if !isOpen { assignment.to = Self.time(from + length) }
        assignments.append(Self.stored(assignment, 100 + minute))
        for place in from..<max(from, min(from + length, 200)) { assigned[place] = assignment.driver }
        minute = from + length
      }
      for number in 0..<Int.random(in: 0...6, using: &random) {
        let (from, length) = (Int.random(in: 0..<190, using: &random), Int.random(in: 1...80, using: &random))
        guard let driver = drivers.randomElement(using: &random) else { continue }
        var journey = Journey()
        (journey.driverID, journey.isConfirmed) = (driver, Bool.random(using: &random))
        (journey.startTime, journey.status) = (Self.time(from), .completed)
        journey.endTime = Self.time(from + length)
        if Int.random(in: 0..<5, using: &random) == 0 { journey.status = .cancelled }
        if Int.random(in: 0..<5, using: &random) == 0 { (journey.endTime, journey.status) = (nil, .inProgress) }
        journeys.append(Self.stored(journey, number))
        guard journey.status != .cancelled else { continue }
        for place in from..<(journey.endTime == nil ? 200 : min(from + length, 200)) {
          declared[place].append((from, number, journey.isConfirmed, driver))
        }
      }
      for place in 0..<200 {
        let ordered = declared[place].sorted { ($0.start, $0.number) < ($1.start, $1.number) }.reversed()
        var expected = assigned[place] ?? ordered.first?.driver
        for journey in ordered where journey.isConfirmed || journey.driver == assigned[place] {
          expected = journey.driver
          break
        }
        let found = WhoDrove(
          at: Self.time(place), journeys: journeys.shuffled(using: &random), assignments: assignments)
        #expect(found.driver == expected, "seed \(seed), minute \(place)")
      }
    }
  }
}
