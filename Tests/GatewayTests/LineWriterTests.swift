import Fusion
import Glibc
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Gateway
@testable import GatewayOutput
@testable import GatewayRecords
@testable import GatewayTestKit
@testable import Ports

@Suite struct LineWriterTests {
  /// A pipe that the test reads.
  private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
      // A write into a pipe without a reader must return EPIPE, as in the daemon.
      _ = signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [-1, -1]
      try #require(unsafe pipe(&ends) == 0)
      (reading, writing) = (ends[0], ends[1])
    }

    // Each end is closed only once, because its descriptor may belong to another test afterwards.
    private let hasReader = Atomic(true)
    private let hasWriter = Atomic(true)

    func closeReader() { if hasReader.exchange(false, ordering: .relaxed) { close(reading) } }
    func closeWriter() { if hasWriter.exchange(false, ordering: .relaxed) { close(writing) } }

    deinit {
      closeReader()
      closeWriter()
    }

    func read(to end: Bool = true) -> String {
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe Glibc.read(reading, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer[..<count]
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  @Test func all_lines_are_written_before_the_writer_ends() throws {
    let pipe = try Pipe()
    let queue = try RecordQueue()
    for number in 1...50 { queue.put(Array("record \(number)\n".utf8).span) }
    queue.end()
    var writer = LineWriter(pipe.writing, queue)
    #expect(writer.run { false } == .finished)
    _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK)
    #expect(pipe.read() == (1...50).map { "record \($0)\n" }.joined())
  }

  @Test func the_writer_ends_if_the_reader_has_left() throws {
    let pipe = try Pipe()
    pipe.closeReader()
    let queue = try RecordQueue()
    queue.put(Array("a\n".utf8).span)
    var writer = LineWriter(pipe.writing, queue)
    #expect(writer.run { false } == .readerLeft)
  }

  @Test func a_reader_that_leaves_while_there_is_nothing_to_write_is_noticed() async throws {
    let end = try await runBlocking {
      let pipe = try Pipe()
      let queue = try RecordQueue()
      let leaving = try Gateway.Thread("reader") { pipe.closeReader() }
      var writer = LineWriter(pipe.writing, queue)
      let end = writer.run { false }
      leaving.join()
      return end
    }
    #expect(end == .readerLeft)
  }

  @Test func a_peer_that_hangs_up_a_socket_while_there_is_nothing_to_write_is_noticed() async throws {
    let end = try await runBlocking {
      var ends: [Int32] = [-1, -1]
      try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      close(ends[0])
      defer { close(ends[1]) }
      var writer = LineWriter(ends[1], try RecordQueue())
      return writer.run { false }
    }
    #expect(end == .readerLeft)
  }

  @Test func a_slow_reader_delays_the_end_no_longer_than_allowed() async throws {
    let end = try await runBlocking {
      let pipe = try Pipe()
      let queue = try RecordQueue()
      let line = [UInt8](repeating: 0x78, count: 8_191) + [0x0A]
      for _ in 0..<100 { queue.put(line.span) }
      queue.end()
      // The reader is slow and would need ten seconds for everything.
      let reading = try Gateway.Thread("reader") {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while unsafe Glibc.read(pipe.reading, &buffer, buffer.count) > 0 { usleep(50_000) }
      }
      var writer = LineWriter(pipe.writing, queue)
      let started = BootClock.now
      let end = writer.run(patience: 300_000_000) { true }
      let took = BootClock.now - started
      // The rest is read, then the reader finds the end.
      pipe.closeWriter()
      reading.join()
      return (end, took)
    }
    #expect(end.0 == .late)
    #expect(end.1 < 5_000_000_000)
  }

  @Test func a_stopped_reader_delays_the_end_no_longer_than_allowed() async throws {
    let end = try await runBlocking {
      let pipe = try Pipe()
      let queue = try RecordQueue()
      let line = [UInt8](repeating: 0x78, count: 8_191) + [0x0A]
      for _ in 0..<40 { queue.put(line.span) }
      queue.end()
      var writer = LineWriter(pipe.writing, queue)
      let started = BootClock.now
      let end = writer.run(patience: 50_000_000) { true }
      return (end, BootClock.now - started)
    }
    #expect(end.0 == .late)
    #expect(end.1 < 5_000_000_000)
  }

  /// While nothing is read, the queue overflows. Then the reader finds complete lines, a gap in `seq`, and the record
  /// that reports the gap.
  @Test func a_slow_reader_gets_a_gap_record_and_no_torn_line() async throws {
    let text = try await runBlocking {
      let pipe = try Pipe()
      let queue = try RecordQueue(capacity: 1 << 14)
      let records = try RecordThread(.stdout(queue), kept: try WakeUp())
      let pipeline = RecordPipeline.Options(
        gatewayId: "gw-test", epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2), idSeed: 3)
      let recording = try Gateway.Thread("records") { records.run(pipeline) }
      let writing = try Gateway.Thread("writer") {
        var writer = LineWriter(pipe.writing, queue)
        _ = writer.run { false }
        pipe.closeWriter()
      }
      // The pipe has 64 KiB, the writer 64, the queue 16; 300 kB exceed them.
      for _ in 0..<1_000 {
        records.record(
          AdapterRecord(event: .found, device: "/dev/ttyUSB0", reason: String(repeating: "r", count: 80)),
          at: BootClock.now)
      }
      // The loss is reported with the next record.
      records.record(AdapterRecord(event: .found, device: "last"), at: BootClock.now)
      records.end()
      recording.join()
      let text = pipe.read()
      writing.join()
      return text
    }
    #expect(text.hasSuffix("\n"))
    let found = try text.split(separator: "\n").map { try Record($0.utf8) }
    let gap = try #require(found.first { $0.type == "gap" })
    #expect(gap["reason"] == "slowReader")
    let numbers = Set(found.map(\.sequence))
    let last = found.map(\.sequence).max() ?? 0
    let missing = (1...last).filter { !numbers.contains($0) }
    #expect(!missing.isEmpty)
    let explained = found.filter { $0.type == "gap" }.flatMap { gap in
      Array(Int(gap.number("fromSeq") ?? 0)...Int(gap.number("toSeq") ?? 0))
    }
    #expect(missing.allSatisfy { explained.contains($0) }, "missing \(missing.count), explained \(explained.count)")
  }
}
