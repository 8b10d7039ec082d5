import Foundation
import Ports
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct StdoutSinkTests {
  /// A pipe that is closed when the test ends.
  private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() {
      var ends: [Int32] = [0, 0]
      _ = unsafe pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
      // No write may end the test process.
      _ = signal(SIGPIPE, SIG_IGN)
    }

    deinit { close(writing) }

    func read(_ count: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      var done = 0
      while done < count {
        let more = unsafe bytes.withUnsafeMutableBytes {
          unsafe Glibc.read(reading, $0.baseAddress! + done, count - done)
        }
        guard more > 0 else { break }
        done += more
      }
      return Array(bytes[..<done])
    }

    func leave() { close(reading) }
  }

  @Test func lines_come_out_whole_and_are_acknowledged() async throws {
    try await runBlocking {
      let pipe = Pipe()
      let batch = Batches.telemetry(1...1_000)
      Thread.detachNewThread { _ = pipe.read(batch.bytes.count) }
      var sink = StdoutSink(descriptor: pipe.writing)
      let wakeUp = try SinkWakeUp()
      #expect(sink.deliver(batch, wakeUp).acknowledged == [0..<1_000])
    }
  }

  @Test func a_reader_that_leaves_ends_it_quietly() throws {
    let pipe = Pipe()
    pipe.leave()
    var sink = StdoutSink(descriptor: pipe.writing)
    let wakeUp = try SinkWakeUp()
    let idle = sink.idle(until: .max, wakeUp)
    #expect(idle.isOver)
    #expect(idle.events.isEmpty)
    let delivery = sink.deliver(Batches.telemetry(1...3), wakeUp)
    #expect(delivery.isOver)
    #expect(delivery.acknowledged.isEmpty)
    #expect(delivery.events.isEmpty)
  }

  @Test func a_stop_waits_for_a_slow_reader_for_a_limited_time() throws {
    let pipe = Pipe()
    // More than a pipe holds, and nothing is read.
    let batch = Batches.telemetry(1...2_000)
    let wakeUp = try SinkWakeUp()
    wakeUp.stop()
    var sink = StdoutSink(descriptor: pipe.writing, patience: 50_000_000)
    let delivery = sink.deliver(batch, wakeUp)
    let count = delivery.acknowledged.first?.count ?? 0
    #expect((1..<2_000).contains(count))
    // Acknowledged records are in the pipe, including their line feeds.
    let end = batch.records[count - 1].range.upperBound
    #expect(pipe.read(end) == Array(batch.bytes[..<end]))
    pipe.leave()
  }
}
