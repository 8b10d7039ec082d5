import TestKit
import Testing

@testable import Spool
@testable import Telemetry

/// Followers see records without consuming them.
@Suite struct FollowerPositionTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static func look(
    _ spool: inout Spool, _ followerPosition: inout FollowerPosition, records: Int = 1_000
  ) -> [Seen] {
    var batch = RecordBatch()
    spool.show(RecordBatch.Limit(records: records), to: &followerPosition, into: &batch)
    return batch.seen
  }

  @Test func a_follower_sees_what_is_committed_from_now_on_in_the_order_of_its_numbers() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3)
    spool.commitAll()
    var followerPosition = FollowerPosition()
    #expect(Self.look(&spool, &followerPosition).isEmpty)
    try spool.telemetry(4...5)
    try spool.event(6)
    try spool.telemetry(7...8)
    #expect(Self.look(&spool, &followerPosition).isEmpty, "not committed yet")
    spool.commitAll()
    let seen = Self.look(&spool, &followerPosition)
    #expect(seen.map(\.value) == [4, 5, 6, 7, 8])
    #expect(seen.map(\.sequence) == [4, 5, 6, 7, 8])
    #expect(Self.look(&spool, &followerPosition).isEmpty)
  }

  @Test func observers_see_the_same_lines_as_sinks() throws {
    var spool = Spool(SpoolOptions(scratch))
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    var followerPosition = FollowerPosition()
    _ = Self.look(&spool, &followerPosition)
    try spool.telemetry(1...20)
    spool.commitAll()
    var shown: [Seen] = []
    while case let part = Self.look(&spool, &followerPosition, records: 7), !part.isEmpty { shown += part }
    #expect(spool.drain() == shown)
    #expect(shown.count == 20)
  }

  @Test func records_in_memory_are_shown_with_the_numbers_that_sinks_see() throws {
    var spool = Spool(SpoolOptions(folder: nil, sinks: ["a"]) { UUIDv7(milliseconds: 1, first: 1, rest: 1) })
    var followerPosition = FollowerPosition()
    _ = Self.look(&spool, &followerPosition)
    try spool.telemetry(1...3)
    let first = spool.nextRecords(records: 2)
    #expect(first.map(\.sequence) == [1, 2])
    #expect(Self.look(&spool, &followerPosition) == first, "the third has no number yet")
    let second = spool.nextRecords()
    #expect(second.map(\.sequence) == [3])
    #expect(Self.look(&spool, &followerPosition) == second)
    #expect(Self.look(&spool, &followerPosition).isEmpty)
  }

  @Test func the_age_of_records_in_memory_counts_for_every_sink() throws {
    let epoch = UUIDv7(milliseconds: 1, first: 1, rest: 1)
    var spool = Spool(SpoolOptions(folder: nil, sinks: ["quick", "slow"]) { epoch })
    try spool.telemetry(1...3)
    _ = spool.drain(0)
    let figures = spool.figures(at: 50 * SpoolLines.second)
    #expect(figures.sinkAges == [nil, 49 * SpoolLines.second])
    #expect(figures.oldestAge == 49 * SpoolLines.second)
  }

  @Test func an_observer_moved_to_the_end_sees_later_records() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3)
    var followerPosition = FollowerPosition()
    spool.moveToEnd(&followerPosition)
    spool.commitAll()
    #expect(Self.look(&spool, &followerPosition).map(\.value) == [1, 2, 3])
  }

  @Test func spool_figures_have_the_backlog_and_its_age_by_sink() throws {
    var spool = Spool(SpoolOptions(scratch, sinks: ["quick", "slow"]))
    try spool.telemetry(1...10)
    spool.commitAll()
    _ = spool.drain(0)
    let now = 100 * SpoolLines.second
    let figures = spool.figures(at: now)
    #expect(figures.records == 10 && figures.memoryRecords == 0)
    #expect(figures.sinkAges == [nil, 99 * SpoolLines.second])
    #expect(figures.oldestAge == 99 * SpoolLines.second)
    #expect(figures.bytes > 4_096 && figures.state == .durable)
    _ = spool.drain(1)
    spool.commitAll()
    let after = spool.figures(at: now)
    #expect(after.records == 0 && after.sinkAges == [nil, nil] && after.oldestAge == nil)
  }
}
