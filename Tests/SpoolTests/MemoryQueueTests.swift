import TestKit
import Testing

@testable import Spool
@testable import Telemetry

/// A spool whose folder cannot be created: all records stay in memory.
@Suite struct MemoryQueueTests {
  private var options: SpoolOptions {
    var options = SpoolOptions(folder: "/dev/null/spool", sinks: ["a", "b"]) {
      UUIDv7(milliseconds: 3, first: 3, rest: .random(in: 0...UInt64.max))
    }
    options.memoryBytes = 64 << 10
    return options
  }

  @Test func records_from_memory_are_numbered_from_one() throws {
    var spool = Spool(options)
    try spool.telemetry(1...3)
    try spool.event(4)
    let first = spool.nextRecords(0)
    #expect(first.map(\.value) == [4, 1, 2, 3])
    #expect(first.map(\.sequence) == [1, 2, 3, 4])
    #expect(first.allSatisfy { $0.number.source == .memory(0) })
    #expect(spool.epoch == nil)
  }

  @Test func all_sinks_get_the_same_bytes_and_acknowledged_records_are_removed() throws {
    var spool = Spool(options)
    try spool.telemetry(1...3)
    let one = spool.nextRecords(0)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    let other = spool.nextRecords(1)
    #expect(one == other)
    spool.acknowledge(one, by: 0)
    #expect(spool.depth.memory == 3)
    spool.acknowledge(other, by: 1)
    #expect(spool.depth.memory == 0)
  }

  @Test func returned_records_in_memory_are_delivered_again() throws {
    var spool = Spool(options)
    try spool.telemetry(1...3)
    let first = spool.nextRecords(0)
    #expect(spool.nextRecords(0).isEmpty)
    spool.requeue(by: 0)
    #expect(spool.nextRecords(0) == first)
  }

  @Test func records_in_memory_that_were_not_sent_get_the_corrected_time() throws {
    var spool = Spool(options)
    try spool.telemetry(1...3)
    var (one, other) = (RecordBatch(), RecordBatch())
    spool.nextBatch(for: 0, at: 0, into: &one)
    spool.complete(one, acknowledged: [], sentNothing: true, by: 0)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .system), at: 0)
    spool.nextBatch(for: 0, at: 0, into: &one)
    #expect(one.seen.count == 3 && one.seen.allSatisfy { $0.json.contains("system") })
    // One sink has the records, or may have sent them. The other one then reports the same.
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    spool.nextBatch(for: 1, at: 0, into: &other)
    #expect(other.seen == one.seen)
    spool.complete(one, acknowledged: [], by: 0)
    spool.complete(other, acknowledged: [], sentNothing: true, by: 1)
    #expect(spool.nextRecords(1) == one.seen)
  }

  @Test func memory_is_bounded_and_dropped_records_are_reported() throws {
    var spool = Spool(options)
    try spool.event(1)
    for number in 2...5_000 {
      try spool.telemetry(number...number, text: 100)
      // The loss is reported at once, as the gateway does it.
      try spool.reportLosses()
    }
    let depth = spool.depth.memory
    #expect(depth < 200)
    let seen = spool.nextRecords(0)
    #expect(seen.first?.value == 1)
    let values = seen.filter { $0.json.contains(#""type":"telemetry""#) }.compactMap(\.value)
    #expect(values == Array((values.first ?? 0)...5_000))
    // Every number is either that of a record or in a gap.
    var known = SequenceSet()
    var lost: UInt64 = 0
    for record in seen {
      known.insert(record.sequence...record.sequence)
      let object = try record.object
      if let from = object["fromSeq"] as? UInt64, let to = object["toSeq"] as? UInt64 {
        known.insert(from...to)
        lost += object["count"] as? UInt64 ?? to - from + 1
      }
    }
    #expect(known.ranges.count == 1)
    #expect(known.ranges.first?.lowerBound == 1)
    #expect(lost == UInt64((values.first ?? 0) - 2))
  }

  @Test func a_spool_folder_that_cannot_be_created_is_reported_once_and_retried() throws {
    var spool = Spool(options)
    #expect(spool.allNews().count == 1)
    #expect(spool.nextDue == options.retryInterval)
    for second in 1...60 { spool.advance(to: Int64(second) * SpoolLines.second) }
    #expect(spool.allNews().isEmpty)
    #expect(spool.nextDue == 65 * SpoolLines.second)
  }

  @Test func records_in_memory_that_no_sink_has_seen_move_to_the_file() throws {
    let scratch = try ScratchFolder()
    var options = SpoolOptions(scratch)
    // Another spool has the folder at first.
    var other = Spool(options)
    options.sinks = ["a"]
    var spool = Spool(options)
    try spool.telemetry(1...2)
    let early = spool.nextRecords()
    try spool.telemetry(3...5)
    other.close(at: 0)
    spool.advance(to: 10 * SpoolLines.second)
    #expect(spool.state == .durable)
    let late = spool.nextRecords()
    #expect(late.map(\.value) == [3, 4, 5])
    #expect(late.allSatisfy { $0.number.source == .file(1) })
    #expect(spool.depth.memory == 2)
    spool.acknowledge(early)
    #expect(spool.depth.memory == 0)
  }

  @Test func records_in_memory_that_one_sink_has_seen_move_to_the_file_for_the_others() throws {
    let scratch = try ScratchFolder()
    let options = SpoolOptions(scratch, sinks: ["a", "b"])
    var other = Spool(options)
    var spool = Spool(options)
    try spool.telemetry(1...4)
    let first = spool.nextRecords(0)
    spool.acknowledge(first.filter { $0.value != 4 })
    other.close(at: 0)
    spool.advance(to: 10 * SpoolLines.second)
    #expect(spool.state == .durable)
    // Record 4 is still being sent to a.
    #expect(spool.depth.memory == 1)
    #expect(spool.nextRecords(0).isEmpty)
    let rest = spool.nextRecords(1)
    #expect(rest.compactMap(\.value).sorted() == [1, 2, 3, 4])
    spool.requeue(by: 0)
    spool.commitAll()
    // Sink a has returned the record, and it is being sent to b. It keeps its number for b.
    #expect(spool.nextRecords(0).map(\.value) == [4])
    spool.acknowledge(rest, by: 1)
    spool.requeue(by: 0)
    spool.commitAll()
    #expect(spool.depth.memory == 0)
    let last = spool.drain(0)
    #expect(last.map(\.value) == [4])
    #expect(last.first?.number.source == .file(1))
    spool.commitAll()
    #expect(spool.depth.file == 0)
    // A late acknowledgement has no effect.
    spool.acknowledge(first)
  }
}
