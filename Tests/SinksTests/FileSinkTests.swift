import Foundation
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit
@testable import Spool

@Suite struct FileSinkTests: ~Copyable {
  private let scratch: ScratchFolder
  private let path: String

  init() throws {
    scratch = try ScratchFolder()
    path = scratch.file("records.jsonl")
  }

  private func text(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func sink(_ change: (inout FileSinkConfiguration.Rotation) -> Void = { _ in }) -> FileSink {
    var configuration = FileSinkConfiguration(path: path)
    change(&configuration.rotation)
    return FileSink(configuration)
  }

  /// Returns everything that was written, the oldest file first, decompressed by zstd itself.
  private func all() throws -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in try RotatedFiles(path).entries() {
      let name = "\(path).\(entry.number)"
      if entry.isCompressed {
        let result = try Tool.run("zstd", ["-dc", name + ".zst"])
        #expect(result.status == 0, "\(result.errors)")
        bytes += result.stdout
      } else {
        bytes += try text(name)
      }
    }
    return bytes + (try text(path))
  }

  @Test func lines_are_appended_whole_and_acknowledged() throws {
    var sink = sink()
    let wakeUp = try SinkWakeUp()
    #expect(sink.deliver(Batches.telemetry(1...3), wakeUp).acknowledged == [0..<3])
    #expect(sink.deliver(Batches.telemetry(4...5), wakeUp).acknowledged == [0..<2])
    #expect(try text(path) == Batches.telemetry(1...5).bytes)
  }

  @Test func a_file_that_another_process_writes_is_not_changed() throws {
    let python = try Tool.required("python3")
    let half = #"{"type":"telemetry","half"#
    let path = try scratch.write("records.jsonl", half)
    // Another daemon has locked the file in the middle of a line.
    let lock =
      "import fcntl, signal, sys; f = open(sys.argv[1], 'a'); fcntl.lockf(f, fcntl.LOCK_EX); print('locked', flush=True); signal.pause()"
    let other = try RunningProgram(python, ["-c", lock, path])
    defer { other.kill() }
    try other.line(within: .seconds(60)) { $0 == "locked" }
    #expect(throws: SinkError.self) { _ = try RecordFile(path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == half)
    other.kill()
    _ = try other.end(within: .seconds(60))
    #expect(try RecordFile(path).repair == .cutLineRemoved(bytes: half.utf8.count))
  }

  @Test func after_a_crash_what_the_file_has_is_not_written_again() throws {
    var before = sink()
    let wakeUp = try SinkWakeUp()
    _ = before.deliver(Batches.telemetry(1...3), wakeUp)
    var after = sink()
    // The batch is passed again, because the spool had not stored the acknowledgement.
    #expect(after.deliver(Batches.telemetry(2...5), wakeUp).acknowledged == [0..<4])
    #expect(try text(path) == Batches.telemetry(1...5).bytes)
  }

  @Test(arguments: [true, false]) func after_a_crash_behind_a_rotation_nothing_is_written_again(
    _ compresses: Bool
  ) throws {
    try Tool.required("zstd")
    let rotation = { (rotation: inout FileSinkConfiguration.Rotation) in
      rotation.bytes = 70_000
      rotation.compresses = compresses
    }
    var before = sink(rotation)
    let wakeUp = try SinkWakeUp()
    var last = 0
    // Records are delivered until the file was rotated for the third time.
    while try RotatedFiles(path).entries().count < 3 {
      _ = before.deliver(Batches.telemetry((last + 1)...(last + 40)), wakeUp)
      last += 40
    }
    // All records whose acknowledgement the spool had not stored are passed again.
    var after = sink(rotation)
    for first in stride(from: 1, through: last, by: 40) {
      #expect(after.deliver(Batches.telemetry(first...(first + 39)), wakeUp).acknowledged == [0..<40])
    }
    #expect(after.deliver(Batches.telemetry((last + 1)...(last + 5)), wakeUp).acknowledged == [0..<5])
    #expect(try all() == Batches.telemetry(1...(last + 5)).bytes)
  }

  @Test func a_batch_that_the_full_file_has_already_is_not_put_into_the_next_one() throws {
    let wakeUp = try SinkWakeUp()
    var before = sink { $0.bytes = 1 << 20 }
    _ = before.deliver(Batches.telemetry(1...40), wakeUp)
    // The last batch filled the file, and its acknowledgement was lost in a crash.
    let size = try text(path).count
    var after = sink { $0.bytes = size }
    #expect(after.deliver(Batches.telemetry(1...40), wakeUp).acknowledged == [0..<40])
    #expect(after.deliver(Batches.telemetry(30...42), wakeUp).acknowledged == [0..<13])
    #expect(try RotatedFiles(path).entries().count == 1)
    try Tool.required("zstd")
    #expect(try all() == Batches.telemetry(1...42).bytes)
  }

  @Test func an_incomplete_last_line_is_removed_and_reported() throws {
    try scratch.write("records.jsonl", Batches.line(1) + Batches.line(2).dropLast(9))
    var sink = sink()
    let delivery = sink.deliver(Batches.telemetry(2...3), try SinkWakeUp())
    #expect(delivery.acknowledged == [0..<2])
    #expect(delivery.events.contains { "\($0)".contains("an incomplete last line was removed") })
    #expect(try text(path) == Batches.telemetry(1...3).bytes)
  }

  @Test func a_long_file_is_rotated_and_compressed() throws {
    try Tool.required("zstd")
    var sink = sink { $0.bytes = 70_000 }
    let wakeUp = try SinkWakeUp()
    var expected: [UInt8] = []
    for round in 0..<60 {
      let batch = Batches.telemetry((round * 40 + 1)...(round * 40 + 40))
      #expect(sink.deliver(batch, wakeUp).acknowledged == [0..<40])
      expected += batch.bytes
    }
    #expect(try all() == expected)
    let entries = try RotatedFiles(path).entries()
    #expect(entries.count > 5)
    #expect(entries.allSatisfy { $0.isCompressed })
    #expect(try text(path).count <= 70_000)
  }

  @Test func no_more_files_are_kept_than_wanted() throws {
    var sink = sink {
      $0.bytes = 70_000
      $0.keep = 2
      $0.compresses = false
    }
    let wakeUp = try SinkWakeUp()
    for round in 0..<60 { _ = sink.deliver(Batches.telemetry((round * 40 + 1)...(round * 40 + 40)), wakeUp) }
    let entries = try RotatedFiles(path).entries()
    #expect(entries.count == 2)
    #expect(entries.allSatisfy { !$0.isCompressed })
    #expect(entries[0].number > 3)
  }

  @Test func a_file_is_rotated_by_the_time_of_its_records() throws {
    var sink = sink {
      $0.bytes = nil
      $0.milliseconds = 60_000
      $0.compresses = false
    }
    let wakeUp = try SinkWakeUp()
    let hour: UInt64 = 1_795_219_200_000
    for (number, seconds) in [(1, 0), (2, 30), (3, 59), (4, 61), (5, 100), (6, 125)] as [(Int, UInt64)] {
      let line = Batches.line(number, milliseconds: hour + seconds * 1_000)
      _ = sink.deliver(Batches.batch([(.telemetry, line)], from: number), wakeUp)
    }
    let counts = try (1...2).map { try text("\(path).\($0)").count { $0 == 0x0A } }
    #expect(counts == [3, 2])
    #expect(try text(path).count { $0 == 0x0A } == 1)
  }

  @Test func an_externally_rotated_file_is_replaced_by_a_new_one() throws {
    var sink = sink()
    let wakeUp = try SinkWakeUp()
    _ = sink.deliver(Batches.telemetry(1...3), wakeUp)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    #expect(sink.deliver(Batches.telemetry(4...5), wakeUp).acknowledged == [0..<2])
    try FileManager.default.removeItem(atPath: path)
    #expect(sink.deliver(Batches.telemetry(6...6), wakeUp).acknowledged == [0..<1])
    #expect(try text(path + ".old") == Batches.telemetry(1...3).bytes)
    #expect(try text(path) == Batches.telemetry(6...6).bytes)
  }

  @Test func files_that_a_crash_left_uncompressed_are_compressed_at_the_start() throws {
    try Tool.required("zstd")
    try scratch.write("records.jsonl.1", Batches.line(1))
    try scratch.write("records.jsonl.1.zst.new", [1, 2, 3])
    var sink = sink()
    _ = sink.deliver(Batches.telemetry(2...2), try SinkWakeUp())
    #expect(try RotatedFiles(path).entries() == [RotatedFiles.Entry(number: 1, isCompressed: true)])
    #expect(try all() == Batches.telemetry(1...2).bytes)
    #expect(!FileManager.default.fileExists(atPath: path + ".1.zst.new"))
  }

  @Test func an_unwritable_file_is_reported_once_and_retried() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    var sink = sink()
    let wakeUp = try SinkWakeUp()
    let first = sink.deliver(Batches.telemetry(1...2), wakeUp)
    #expect(first.acknowledged.isEmpty)
    #expect(first.notBefore > .min)
    #expect(first.sentNothing)
    #expect(first.events.map { "\($0)".hasSuffix("; its records wait") } == [true])
    #expect(sink.deliver(Batches.telemetry(1...2), wakeUp).events.isEmpty)
    try FileManager.default.removeItem(atPath: path)
    let after = sink.deliver(Batches.telemetry(1...2), wakeUp)
    #expect(after.acknowledged == [0..<2])
    #expect(after.events == [.working("\(path): written to")])
  }

  @Test func each_file_is_filled_with_records_up_to_its_limit() throws {
    let limit = 65_536
    var sink = sink {
      $0.bytes = limit
      $0.compresses = false
      $0.keep = 100
    }
    let wakeUp = try SinkWakeUp()
    for first in stride(from: 1, to: 2_000, by: 50) {
      #expect(sink.deliver(Batches.telemetry(first...(first + 49)), wakeUp).acknowledged == [0..<50])
    }
    let longest = Batches.line(2_000).count
    let entries = try RotatedFiles(path).entries()
    #expect(entries.count > 3)
    for entry in entries {
      let size = try text("\(path).\(entry.number)").count
      #expect(size <= limit && size + longest > limit, "\(size)")
    }
    #expect(try all() == Batches.telemetry(1...2_000).bytes)
  }

  @Test func written_records_are_acknowledged_even_if_rotation_fails() throws {
    // A name to which no number can be added: 255 bytes are the most (NAME_MAX).
    let path = scratch.file(String(repeating: "r", count: 254))
    var configuration = FileSinkConfiguration(path: path)
    configuration.rotation.bytes = 3 * Batches.line(1).count
    var sink = FileSink(configuration)
    let wakeUp = try SinkWakeUp()
    let delivery = sink.deliver(Batches.telemetry(1...5), wakeUp)
    #expect(delivery.acknowledged == [0..<3] && !delivery.events.isEmpty && delivery.notBefore > .min)
    #expect(sink.deliver(Batches.telemetry(4...5), wakeUp).acknowledged.isEmpty)
    #expect(try text(path) == Batches.telemetry(1...3).bytes)
  }
}
