import TestKit
import Testing

@testable import Spool
@testable import Telemetry

@Suite struct SpoolSinksTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func events_go_first_then_the_newest_record_then_the_backlog() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...5)
    try spool.event(6)
    try spool.telemetry(7...9)
    spool.commitAll()
    #expect(spool.nextRecords(records: 4).map(\.value) == [6, 9, 1, 2])
    #expect(spool.nextRecords(records: 4).map(\.value) == [3, 4, 5, 7])
    #expect(spool.nextRecords(records: 4).map(\.value) == [8])
  }

  @Test func a_backlog_does_not_hold_up_what_is_new() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...50)
    spool.commitAll()
    #expect(spool.nextRecords(records: 3).map(\.value) == [50, 1, 2])
    try spool.telemetry(51...52)
    spool.commitAll()
    #expect(spool.nextRecords(records: 3).map(\.value) == [52, 3, 4])
  }

  @Test func without_a_backlog_telemetry_comes_in_its_order() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...5)
    spool.commitAll()
    #expect(spool.nextRecords(records: 5).map(\.value) == [1, 2, 3, 4, 5])
    try spool.telemetry(6...7)
    spool.commitAll()
    #expect(spool.nextRecords(records: 5).map(\.value) == [6, 7])
  }

  @Test func a_batch_keeps_to_its_bytes_and_gives_one_record_however_long() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...10, text: 1_000)
    spool.commitAll()
    var batch = RecordBatch()
    spool.nextBatch(for: 0, limit: RecordBatch.Limit(records: 100, bytes: 3_000), at: 0, into: &batch)
    #expect(batch.records.count == 2)
    #expect(batch.bytes.count <= 3_000)
    #expect(batch.bytes.count == batch.records.reduce(0) { $0 + $1.range.count })
    spool.nextBatch(for: 0, limit: RecordBatch.Limit(records: 100, bytes: 10), at: 0, into: &batch)
    #expect(batch.records.count == 1)
  }

  @Test func unacknowledged_records_are_resent_unchanged_after_a_crash() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .system), at: 0)
    try spool.telemetry(1...6)
    spool.commitAll()
    let first = spool.nextRecords(records: 4)
    spool.acknowledge(Array(first.prefix(2)))
    spool.commitAll()
    // The record was acknowledged, but this was not committed, so it may be sent again.
    spool.acknowledge(Array(first.dropFirst(2).prefix(1)))
    // The spool is not closed, as after a kill. Its lock and its file are released with it.
    spool = Spool(SpoolOptions(folder: "/dev/null/none", sinks: []) { UUIDv7(milliseconds: 0, first: 0, rest: 0) })
    var again = Spool(options)
    // The clock was set meanwhile: a record that was sent with the earlier time keeps it.
    again.setWallTime(WallTime(offset: SpoolLines.day + 3_600 * SpoolLines.second, quality: .ntp), at: 0)
    let second = again.nextRecords()
    let resent = first.dropFirst(2)
    #expect(resent.allSatisfy { second.contains($0) })
    #expect(second.count == 4)
    #expect(second.filter { !resent.contains($0) }.allSatisfy { $0.json.contains("T01:00:0") })
    #expect(resent.allSatisfy { $0.json.contains("T00:00:0") && $0.json.contains("system") })
  }

  @Test func each_sink_keeps_the_time_that_it_was_given() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["a", "b"]))
    try spool.telemetry(1...1)
    spool.commitAll()
    let unset = spool.nextRecords(0)
    #expect(unset.first?.json.contains(#""elapsed":1,"timeQuality":"unset""#) == true)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .gps), at: 0)
    let known = spool.nextRecords(1)
    #expect(known.first?.json.contains(#""timestamp":"2026-11-21T00:00:01.000Z","timeQuality":"gps""#) == true)
    spool.requeue(by: 0)
    #expect(spool.nextRecords(0) == unset)
  }

  /// Takes a batch of all records, and lets the sink return it.
  private func attempt(_ spool: inout Spool, sink: Int = 0, sentNothing: Bool) -> [Seen] {
    var batch = RecordBatch()
    spool.nextBatch(for: sink, at: spool.now, into: &batch)
    spool.complete(batch, acknowledged: [], sentNothing: sentNothing, by: sink)
    return batch.seen
  }

  @Test(arguments: [WallTime.unknown, WallTime(offset: 77, quality: .system)])
  func a_record_that_was_never_sent_gets_the_corrected_time(_ wrong: WallTime) throws {
    var spool = Spool(SpoolOptions(scratch))
    spool.setWallTime(wrong, at: 0)
    try spool.telemetry(1...2)
    try spool.event(3)
    spool.commitAll()
    for _ in 1...3 {
      let seen = attempt(&spool, sentNothing: true)
      #expect(seen.count == 3 && seen.allSatisfy { $0.json.contains(#""timeQuality":"\#(wrong.quality.name)""#) })
    }
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: spool.now)
    let right = spool.nextRecords()
    #expect(right.map(\.value) == [3, 1, 2])
    #expect(right.allSatisfy { $0.json.contains(#""timestamp":"2026-11-21T00:00:0"#) })
    // The file does not contain the other time any more either.
    spool.commitAll()
    let stamps = try spool.file?.connection.number("SELECT count(*) FROM stamp", "look")
    #expect(stamps == 0)
  }

  @Test func a_record_that_may_have_been_delivered_keeps_its_time() throws {
    let options = SpoolOptions(scratch, sinks: ["a", "b"])
    var spool = Spool(options)
    try spool.telemetry(1...2)
    spool.commitAll()
    let first = attempt(&spool, sentNothing: false)
    #expect(attempt(&spool, sentNothing: true) == first)
    // This does not apply to the other sink.
    _ = attempt(&spool, sink: 1, sentNothing: true)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: spool.now)
    #expect(attempt(&spool, sentNothing: true) == first)
    #expect(spool.nextRecords(1).allSatisfy { $0.json.contains("ntp") })
  }

  /// It is unknown whether they were sent before the crash.
  @Test func records_in_delivery_during_a_crash_keep_their_time() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...2)
    spool.commitAll()
    let first = spool.nextRecords()
    spool = Spool(SpoolOptions(folder: "/dev/null/none", sinks: []) { UUIDv7(milliseconds: 0, first: 0, rest: 0) })
    var again = Spool(options)
    #expect(attempt(&again, sentNothing: true) == first)
    again.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    #expect(again.nextRecords() == first)
  }

  @Test func records_of_an_earlier_boot_get_the_time_of_their_boot() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options, boot: "first")
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    try spool.telemetry(1...1)
    spool.commitAll()
    spool.close(at: 0)
    var clockless = Spool(options, boot: "second")
    try clockless.telemetry(2...2)
    clockless.commitAll()
    clockless.close(at: 0)
    var third = Spool(options, boot: "third")
    third.setWallTime(WallTime(offset: SpoolLines.day * 2, quality: .ntp), at: 0)
    try third.telemetry(3...3)
    third.commitAll()
    let seen = third.nextRecords()
    #expect(seen.map(\.value) == [1, 2, 3])
    #expect(seen[0].json.contains("2026-11-21T00:00:01.000Z"))
    #expect(seen[1].json.contains(#""elapsed":2,"#))
    #expect(seen[2].json.contains("2083-"))
  }

  @Test func only_returned_records_are_delivered_again() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...5)
    spool.commitAll()
    let seen = spool.nextRecords()
    spool.acknowledge(seen.filter { $0.sequence == 2 })
    spool.requeue(1...3, in: seen[0].number.source, by: 0)
    #expect(spool.nextRecords().map(\.value) == [1, 3])
    spool.requeue(by: 0)
    #expect(spool.nextRecords().map(\.value) == [1, 3, 4, 5])
  }

  @Test func a_sink_that_hangs_holds_up_no_other() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["hangs", "goes"]))
    for round in 0..<20 {
      try spool.telemetry((round * 10 + 1)...(round * 10 + 10))
      spool.commitAll()
      #expect(spool.drain(1).count == 10)
    }
    #expect(spool.nextRecords(0).compactMap(\.value).sorted() == Array(1...200))
  }

  @Test func of_a_returned_batch_what_is_not_acknowledged_comes_again() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...6)
    spool.commitAll()
    var batch = RecordBatch()
    spool.nextBatch(for: 0, at: 0, into: &batch)
    #expect(batch.records.count == 6)
    spool.complete(batch, acknowledged: [0..<2, 3..<4], by: 0)
    #expect(spool.nextRecords().compactMap(\.value).sorted() == [3, 5, 6])
    #expect(spool.nextRecords().isEmpty)
  }

  @Test func records_arrive_for_sinks_when_they_are_committed() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3)
    #expect(spool.arrived == Spool.Arrived())
    try spool.event(4)
    spool.commitAll()
    #expect(spool.arrived.telemetry == 3)
    #expect(spool.arrived.events == 1)
  }
}
