import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct BatchPolicyTests {
  private let second: Int64 = 1_000_000_000
  private let limit = RecordBatch.Limit(records: 100)

  private func arrived(_ events: UInt64 = 0, telemetry: UInt64 = 0) -> Spool.Arrived {
    var arrived = Spool.Arrived()
    arrived.events = events
    arrived.telemetry = telemetry
    return arrived
  }

  /// Returns a timer whose sink has received the backlog.
  private func caughtUp(_ interval: Int64) -> BatchTimer {
    var batchTimer = BatchTimer(BatchPolicy(records: 100, interval: interval))
    batchTimer.batchFilled(RecordBatch(), limit)
    return batchTimer
  }

  @Test func a_backlog_is_requested_at_the_start() {
    #expect(BatchTimer(BatchPolicy()).due == .min)
  }

  @Test func telemetry_is_gathered_for_a_limited_time() {
    var batchTimer = caughtUp(300 * second)
    #expect(batchTimer.due == .max)
    batchTimer.recordsArrived(arrived(telemetry: 1), at: 10 * second)
    batchTimer.recordsArrived(arrived(telemetry: 60), at: 70 * second)
    #expect(batchTimer.due == 310 * second)
    batchTimer.recordsArrived(arrived(telemetry: 100), at: 110 * second)
    #expect(batchTimer.due == .min)
  }

  @Test func an_event_is_delivered_at_once() {
    var batchTimer = caughtUp(300 * second)
    batchTimer.recordsArrived(arrived(1, telemetry: 3), at: 10 * second)
    #expect(batchTimer.due == .min)
    batchTimer.batchFilled(Batches.telemetry(1...4), limit)
    #expect(batchTimer.due == .max)
  }

  @Test func a_full_batch_leaves_more_behind() {
    var batchTimer = caughtUp(300 * second)
    batchTimer.batchFilled(Batches.telemetry(1...100), limit)
    #expect(batchTimer.due == .min)
    batchTimer.batchFilled(Batches.telemetry(1...99), limit)
    #expect(batchTimer.due == .max)
  }

  @Test func returned_records_are_due_at_the_sinks_retry_time() {
    var batchTimer = caughtUp(300 * second)
    batchTimer.batchFilled(Batches.telemetry(1...3), limit)
    var delivery = Delivery()
    delivery.acknowledge(0..<1)
    delivery.notBefore = 44 * second
    batchTimer.batchFinished(delivery, of: 3)
    #expect(batchTimer.due == 44 * second)
  }

  @Test func events_also_wait_for_the_sinks_retry_time() {
    var batchTimer = caughtUp(0)
    var delivery = Delivery()
    delivery.notBefore = 20 * second
    batchTimer.batchFinished(delivery, of: 0)
    batchTimer.recordsArrived(arrived(1), at: 5 * second)
    #expect(batchTimer.due == 20 * second)
  }
}
