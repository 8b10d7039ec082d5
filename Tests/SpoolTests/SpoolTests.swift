import TestKit
import Testing

@testable import Spool
@testable import Telemetry

@Suite struct SpoolTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func a_committed_record_is_there_after_a_restart() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...3)
    try spool.event(4)
    spool.commitAll()
    spool.close(at: spool.now)
    var again = Spool(options)
    let loss = again.popLoss()
    #expect(loss == nil)
    #expect(again.nextRecords().map(\.value) == [4, 1, 2, 3])
  }

  @Test func uncommitted_records_are_not_delivered() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3)
    spool.advance(to: 0)
    #expect(spool.nextRecords().isEmpty)
    #expect(spool.nextDue == spool.options.commitInterval)
    spool.advance(to: spool.options.commitInterval - 1)
    #expect(spool.nextRecords().isEmpty)
    spool.advance(to: spool.options.commitInterval)
    #expect(spool.nextRecords().count == 3)
  }

  @Test func an_event_is_committed_at_once_and_telemetry_with_it() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...2)
    try spool.event(3)
    #expect(spool.nextDue == .min)
    spool.advance(to: 7)
    #expect(spool.nextRecords().map(\.value) == [3, 1, 2])
    #expect(spool.nextDue == .max)
  }

  @Test func numbers_count_from_one_and_go_on_after_a_restart() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    #expect(spool.nextRecords().map(\.sequence) == [1, 2, 3])
    let epoch = spool.epoch
    spool.close(at: 0)
    var again = Spool(options)
    try again.telemetry(4...4)
    again.commitAll()
    #expect(again.epoch == epoch)
    #expect(again.nextRecords().map(\.sequence) == [1, 2, 3, 4])
    #expect(again.drain().isEmpty)
  }

  @Test func another_gateway_starts_a_new_epoch_at_sequence_number_one() throws {
    var options = SpoolOptions(scratch)
    // A file of an older version without a gateway ID belongs to any gateway.
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.setNote([1], as: "trips")
    spool.commitAll()
    #expect(spool.drain().count == 3)
    let epoch = spool.epoch
    spool.close(at: 0)
    options.gatewayId = "gw-1"
    var same = Spool(options)
    try same.telemetry(4...150)
    same.commitAll()
    #expect(same.drain().map(\.sequence) == Array(4...150))
    let kept = same.epoch
    #expect(kept == epoch)
    same.close(at: 0)
    options.gatewayId = "gw-\"2\""
    for round in 1...2 {
      var other = Spool(options)
      let renewed = other.epoch
      #expect(renewed != epoch)
      let trips = other.note("trips")
      #expect(trips == [1])
      try other.telemetry((round * 100)...(round * 100 + 99))
      other.commitAll()
      #expect(other.drain().map(\.sequence) == Array(UInt64(round * 100 - 99)...UInt64(round * 100)))
      let loss = other.popLoss()
      #expect(loss == nil)
      other.close(at: 0)
    }
  }

  @Test func waiting_records_of_the_old_gateway_continue_its_numbering() throws {
    var options = SpoolOptions(scratch)
    options.gatewayId = "gw-1"
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.close(at: 0)
    options.gatewayId = "gw-2"
    var other = Spool(options)
    try other.telemetry(4...4)
    other.commitAll()
    #expect(other.drain().map(\.sequence) == [1, 2, 3, 4])
    let epoch = other.epoch
    other.close(at: 0)
    var again = Spool(options)
    try again.telemetry(5...5)
    again.commitAll()
    #expect(again.drain().map(\.sequence) == [1])
    let renewed = again.epoch
    #expect(renewed != epoch)
  }

  @Test func losses_of_the_previous_gateway_are_reported_in_the_new_epoch() throws {
    var options = SpoolOptions(scratch)
    options.gatewayId = "gw-1"
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    #expect(spool.drain().count == 3)
    spool.commitAll()
    let epoch = spool.epoch
    // A power cut.
    spool.file = nil
    spool.lock = nil
    options.gatewayId = "gw-2"
    var other = Spool(options, boot: "boot-2")
    let losses = try other.reportLosses()
    #expect(losses.map(\.reason) == [.powerLoss] && losses.first?.epoch == epoch)
    other.commitAll()
    let seen = other.drain()
    #expect(seen.map(\.sequence) == [1])
    #expect(seen.first?.json.contains("lostEpoch") == true)
  }

  @Test func a_record_says_the_epoch_and_number_of_the_spool() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...1)
    spool.commitAll()
    let seen = spool.nextRecords()
    let object = try #require(seen.first).object
    #expect(object["seq"] as? Int == 1)
    #expect(object["epoch"] as? String == spool.epoch?.string)
    #expect(object["rpm"] as? Int == 1)
  }

  @Test func records_that_every_sink_has_are_removed() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["a", "b"]))
    try spool.telemetry(1...10)
    try spool.event(11)
    spool.commitAll()
    #expect(spool.drain(0).count == 11)
    spool.commitAll()
    #expect(spool.depth.file == 11)
    let some = spool.nextRecords(1, records: 5)
    spool.acknowledge(some, by: 1)
    spool.commitAll()
    #expect(spool.depth.file == 6)
    #expect(spool.drain(1).count == 6)
    spool.commitAll()
    #expect(spool.depth.file == 0)
  }

  @Test func a_new_sink_gets_the_stored_records_and_a_removed_one_holds_none() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["a", "b"]))
    try spool.telemetry(1...4)
    spool.commitAll()
    _ = spool.drain(0)
    spool.close(at: 0)
    var other = Spool(SpoolOptions(scratch, sinks: ["c", "a"]))
    #expect(other.drain(1).isEmpty)
    #expect(other.drain(0).map(\.value) == [1, 2, 3, 4])
    other.commitAll()
    #expect(other.depth.file == 0)
  }

  @Test func records_of_a_removed_sink_are_reported_once() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["a", "b", "c"]))
    try spool.telemetry(1...20)
    try spool.event(21)
    spool.commitAll()
    let some = spool.nextRecords(0, records: 5)
    spool.acknowledge(some, by: 0)
    _ = spool.drain(2)
    spool.close(at: 0)
    var other = Spool(SpoolOptions(scratch, sinks: ["b"]))
    let news = other.allNews()
    #expect(news.contains(.sinkForgotten(path: other.path, sink: "a", records: 16)))
    // The other sink had all records.
    #expect(news.count == 2)
    other.close(at: 0)
    var again = Spool(SpoolOptions(scratch, sinks: ["b"]))
    let later = again.allNews()
    #expect(later.count == 1)
  }

  @Test func only_one_process_can_open_a_spool() throws {
    let first = Spool(SpoolOptions(scratch))
    var second = Spool(SpoolOptions(scratch))
    guard case .inMemory(let error) = second.state else {
      Issue.record("two have it")
      return
    }
    #expect(error.kind == .inUse)
    #expect(second.allNews() == [.inMemory(error)])
    #expect(first.state == .durable)
  }

  /// If opening fails, the descriptor is closed only once, because its number may then belong to another file of any
  /// thread.
  @Test func a_spool_in_use_by_another_process_is_unchanged() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let first = Spool(SpoolOptions(scratch))
      let second = try Tool.run(
        try Tool.probe("SpoolProbe"), ["open", scratch.file("spool")],
        environment: ["LD_PRELOAD": try StorageShim.library()])
      #expect(second.status == 0 && second.output.contains("records=0"), "\(second.errors)")
      #expect(first.state == .durable)
    }
  }

  @Test func a_jumping_clock_does_not_lengthen_commits() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    var rows: [Int64] = []
    func changes(_ spool: borrowing Spool) throws -> Int64 {
      try spool.file?.connection.number("SELECT total_changes()", "look") ?? 0
    }
    for step in 1...10_000 {
      spool.setWallTime(WallTime(offset: Int64(step) * (SpoolLines.day / 40_000), quality: .gps), at: Int64(step))
      guard step % 10 == 0 else { continue }
      let before = try changes(spool)
      spool.commitAll(at: spool.now)
      rows.append(try changes(spool) - before)
    }
    // Ten steps in, ten out, the state.
    #expect(rows.count == 1_000 && rows.allSatisfy { (11...21).contains($0) })
    spool.commitAll(at: spool.now)
    let count = try spool.file?.connection.number("SELECT count(*) FROM clock", "look")
    #expect(count == Int64(ClockHistory.mostEntries))
    let known = spool.file?.clock
    spool.close(at: spool.now)
    let again = Spool(options)
    let kept = again.file?.clock
    #expect(kept == known)
  }

  @Test func excess_clock_steps_of_an_earlier_version_are_removed() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .gps), at: 1)
    spool.close(at: spool.now)
    let connection = try SQLiteConnection(path: options.folder! + "/spool.db")
    try connection.execute(
      """
      WITH RECURSIVE step(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < 10000)
        INSERT INTO clock SELECT 1, n, 0, n FROM step
      """, "look")
    var again = Spool(options)
    again.setWallTime(WallTime(offset: SpoolLines.day * 2, quality: .gps), at: 20_000)
    again.commitAll(at: 20_000)
    let rows = try connection.number("SELECT count(*) FROM clock", "look")
    let first = try connection.number("SELECT min(since) FROM clock", "look")
    #expect(rows == Int64(ClockHistory.mostEntries))
    #expect(first == Int64(10_002 - ClockHistory.mostEntries))
  }

  @Test func a_large_burst_is_committed_in_parts() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3_000, text: 300)
    #expect(spool.depth.file > 2_000)
    spool.commitAll()
    #expect(spool.drain().compactMap(\.value).sorted() == Array(1...3_000))
  }
}
