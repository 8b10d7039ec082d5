import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct GatheringTests {
  private let second: Int64 = 1_000_000_000
  private let limit = RecordBatch.Limit(records: 100)

  private func arrived(_ events: UInt64 = 0, telemetry: UInt64 = 0) -> Spool.Arrived {
    var arrived = Spool.Arrived()
    arrived.events = events
    arrived.telemetry = telemetry
    return arrived
  }

  /// A pace whose sink has been handed the backlog.
  private func caughtUp(_ interval: Int64) -> Pace {
    var pace = Pace(Gathering(records: 100, interval: interval))
    pace.handedOut(RecordBatch(), limit)
    return pace
  }

  @Test func a_backlog_is_requested_at_the_start() {
    #expect(Pace(Gathering()).due == .min)
  }

  @Test func telemetry_is_gathered_for_a_limited_time() {
    var pace = caughtUp(300 * second)
    #expect(pace.due == .max)
    pace.noticed(arrived(telemetry: 1), at: 10 * second)
    pace.noticed(arrived(telemetry: 60), at: 70 * second)
    #expect(pace.due == 310 * second)
    pace.noticed(arrived(telemetry: 100), at: 110 * second)
    #expect(pace.due == .min)
  }

  @Test func an_event_is_delivered_at_once() {
    var pace = caughtUp(300 * second)
    pace.noticed(arrived(1, telemetry: 3), at: 10 * second)
    #expect(pace.due == .min)
    pace.handedOut(Batches.telemetry(1...4), limit)
    #expect(pace.due == .max)
  }

  @Test func a_full_batch_leaves_more_behind() {
    var pace = caughtUp(300 * second)
    pace.handedOut(Batches.telemetry(1...100), limit)
    #expect(pace.due == .min)
    pace.handedOut(Batches.telemetry(1...99), limit)
    #expect(pace.due == .max)
  }

  @Test func returned_records_are_due_at_the_sinks_retry_time() {
    var pace = caughtUp(300 * second)
    pace.handedOut(Batches.telemetry(1...3), limit)
    var delivery = Delivery()
    delivery.acknowledge(0..<1)
    delivery.notBefore = 44 * second
    pace.settled(delivery, of: 3)
    #expect(pace.due == 44 * second)
  }

  @Test func events_also_wait_for_the_sinks_retry_time() {
    var pace = caughtUp(0)
    var delivery = Delivery()
    delivery.notBefore = 20 * second
    pace.settled(delivery, of: 0)
    pace.noticed(arrived(1), at: 5 * second)
    #expect(pace.due == 20 * second)
  }
}
