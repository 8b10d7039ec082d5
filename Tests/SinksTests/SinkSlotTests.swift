import Foundation
import Ports
import Synchronization
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct SinkSlotTests {
  /// A sink that accepts every batch, or hangs until it is stopped.
  private struct TestSink: Sink, ~Copyable {
    var hangs = false
    var isOver = false

    mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
      var delivery = Delivery()
      if hangs {
        while !wakeUp.isStopping { wakeUp.wait(until: .max) }
        return delivery
      }
      delivery.acknowledge(0..<batch.records.count)
      delivery.isOver = isOver
      return delivery
    }
  }

  private struct Late: Error {}

  /// Waits for a report, as the spool's thread does.
  private func report(_ slot: SinkSlot, _ wakeUp: WakeUp) throws -> SinkSlot.Report {
    let deadline = BootClock.now + 60_000_000_000
    while BootClock.now < deadline {
      if let report = slot.popReport() { return report }
      if wakeUp.wait(until: deadline) { wakeUp.clear() }
    }
    throw Late()
  }

  private func run(_ slot: SinkSlot, hangs: Bool = false, isOver: Bool = false) {
    Thread.detachNewThread { slot.run(TestSink(hangs: hangs, isOver: isOver)) }
  }

  @Test func batches_go_one_after_the_other_and_come_back() async throws {
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      run(slot)
      for round in 1...200 {
        var batch = Batches.telemetry(1...round)
        slot.offer(&batch)
        #expect(batch.isEmpty)
        let report = try report(slot, wakeUp)
        #expect(report.batch?.records.count == round)
        #expect(report.delivery.acknowledged == [0..<round])
        #expect(slot.takesBatch)
      }
      slot.stop()
    }
  }

  @Test func a_sink_that_hangs_delays_no_other_and_stops_when_told() async throws {
    try await runBlocking {
      let wakeUp = try WakeUp()
      let (hanging, going) = (try SinkSlot(reportsTo: wakeUp), try SinkSlot(reportsTo: wakeUp))
      run(hanging, hangs: true)
      run(going)
      var batch = Batches.telemetry(1...5)
      hanging.offer(&batch)
      for _ in 0..<50 {
        var batch = Batches.telemetry(1...5)
        going.offer(&batch)
        _ = try report(going, wakeUp)
      }
      #expect(!hanging.takesBatch)
      #expect(hanging.popReport() == nil)
      hanging.stop()
      let report = try report(hanging, wakeUp)
      #expect(report.batch?.records.count == 5)
      #expect(report.delivery.acknowledged.isEmpty)
      going.stop()
    }
  }

  @Test func an_ended_sink_accepts_no_batch() async throws {
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      run(slot, isOver: true)
      var batch = Batches.telemetry(1...2)
      slot.offer(&batch)
      #expect(try report(slot, wakeUp).delivery.isOver)
      while !slot.hasEnded { if wakeUp.wait(until: BootClock.now + 1_000_000_000) { wakeUp.clear() } }
      #expect(!slot.takesBatch)
    }
  }

  /// The batch was filled while the sink ended.
  @Test func a_batch_that_was_offered_after_the_end_comes_back_whole() async throws {
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      slot.stop()
      slot.run(TestSink())
      #expect(slot.hasEnded)
      wakeUp.clear()
      var batch = Batches.telemetry(1...3)
      slot.offer(&batch)
      let report = try report(slot, wakeUp)
      #expect(report.batch?.records.count == 3)
      #expect(report.delivery.acknowledged.isEmpty && report.delivery.sentNothing)
    }
  }

  @Test func a_batch_that_was_offered_too_late_comes_back_whole() async throws {
    try await runBlocking {
      let wakeUp = try WakeUp()
      let slot = try SinkSlot(reportsTo: wakeUp)
      var batch = Batches.telemetry(1...2)
      slot.offer(&batch)
      slot.stop()
      slot.run(TestSink())
      let report = try report(slot, wakeUp)
      #expect(report.batch?.records.count == 2)
      #expect(report.delivery.acknowledged.isEmpty && report.delivery.sentNothing)
    }
  }
}
