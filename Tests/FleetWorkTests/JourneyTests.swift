import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetWork

@Suite struct JourneyTests {
  private static func event(_ event: JourneyEvent.Event, _ minute: Int, odometer: Double? = nil) -> JourneyEvent {
    JourneyEvent(
      event, id: UUIDv7(milliseconds: UInt64(minute), first: 0, rest: 1),
      at: Timestamp(nanoseconds: Int64(minute) * 60_000_000_000), odometer: odometer)
  }

  private static func journey(_ events: [JourneyEvent]) -> Journey {
    var journey = Journey()
    journey.log = events
    journey.replay()
    return journey
  }

  /// For each state, a shortest sequence of events that leads to it.
  private static let ways: [Journey.Status: [JourneyEvent.Event]] = [
    .planned: [], .inProgress: [.started], .paused: [.started, .paused], .completed: [.started, .completed],
    .cancelled: [.cancelled],
  ]

  /// For each state, the state after each event; an event that is not listed is not allowed.
  private static let table: [(Journey.Status, [JourneyEvent.Event: Journey.Status])] = [
    (.planned, [.started: .inProgress, .cancelled: .cancelled, .incident: .planned]),
    (.inProgress, [.paused: .paused, .completed: .completed, .cancelled: .cancelled, .incident: .inProgress]),
    (.paused, [.resumed: .inProgress, .completed: .completed, .cancelled: .cancelled, .incident: .paused]),
    (.completed, [.incident: .completed]),
    (.cancelled, [.incident: .cancelled]),
  ]

  @Test func every_event_in_every_state_obeys_the_table() throws {
    #expect(Self.table.map(\.0) == Journey.Status.allCases)
    for (state, results) in Self.table {
      let way = try #require(Self.ways[state]).enumerated().map { Self.event($1, $0) }
      #expect(Self.journey(way).status == state)
      for event in JourneyEvent.Event.allCases {
        let journey = Self.journey(way + [Self.event(event, 10)])
        #expect(journey.status == results[event] ?? state, "\(event) in \(state)")
        #expect(journey.log.last?.doubt == (results[event] == nil ? .invalidState : nil), "\(event) in \(state)")
        #expect(journey.needsReview == (results[event] == nil))
        #expect(event.allowedFrom.contains(state) == (results[event] != nil))
      }
    }
  }

  @Test func times_and_readings_come_from_the_start_and_the_end() {
    let journey = Self.journey([
      Self.event(.completed, 9, odometer: 160), Self.event(.paused, 5, odometer: 130), Self.event(.resumed, 6),
      Self.event(.started, 2, odometer: 100),
    ])
    #expect(journey.startTime?.nanoseconds == 120_000_000_000 && journey.endTime?.nanoseconds == 540_000_000_000)
    #expect(journey.startOdometer == 100 && journey.endOdometer == 160 && !journey.needsReview)
  }

  @Test func a_lower_reading_at_the_end_needs_a_review() {
    let journey = Self.journey([Self.event(.started, 1, odometer: 100), Self.event(.completed, 2, odometer: 99)])
    #expect(journey.needsReview && journey.log.last?.doubt == .odometer && journey.status == .completed)
  }

  /// Commands may arrive in another order than they were made. Every order leads to the same journey as the order of
  /// their times, which is computed from the table.
  @Test(arguments: 1...20) func any_order_of_arrival_gives_the_same_journey(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    for _ in 0..<600 {
      let events = (0..<Int.random(in: 0...20, using: &random)).map { minute in
        Self.event(
          JourneyEvent.Event.allCases.randomElement(using: &random) ?? .incident, minute,
          odometer: Double(Int.random(in: 0...5, using: &random)))
      }
      var (state, doubts) = (Journey.Status.planned, 0)
      for event in events {
        guard let next = Self.table.first(where: { $0.0 == state })?.1[event.event] else {
          doubts += 1
          continue
        }
        state = next
      }
      let expected = Self.journey(events)
      #expect(expected.status == state && expected.log.filter { $0.doubt == .invalidState }.count == doubts)
      var journey = Journey()
      for event in events.shuffled(using: &random) {
        journey.log.append(event)
        journey.replay()
      }
      #expect(journey == expected)
    }
  }
}
