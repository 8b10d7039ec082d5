import Foundation
import TestKit
import Testing

@testable import Spool
@testable import Telemetry

@Suite struct SpoolLossesTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Drops a spool without closing it, as a kill or a power cut does.
  private func crash(_ spool: consuming Spool) {}

  @Test func after_a_clean_stop_nothing_is_missing() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.close(at: 0)
    var again = Spool(options)
    let losses = try again.reportLosses()
    #expect(losses.isEmpty)
    #expect(again.allNews() == [.opened(path: again.path, records: 3)])
  }

  @Test func a_gap_after_a_power_cut_names_the_reserved_numbers() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...8)
    spool.commitAll()
    try spool.telemetry(9...13)
    spool.advance(to: spool.now)
    crash(spool)
    var again = Spool(options, boot: "boot-2")
    #expect(again.allNews().contains(.uncleanStop(path: again.path)))
    let losses = try again.reportLosses()
    try again.telemetry(14...14)
    again.commitAll()
    let loss = try #require(losses.first)
    #expect(losses.count == 1)
    #expect(loss.reason == .powerLoss)
    // Eight records were committed together. Half as many more numbers than these are reserved.
    #expect(loss.sequences == 9...20)
    #expect(loss.count == 12)
    #expect(loss.epoch == again.epoch)
    let seen = again.drain()
    // The gap record is the first one after the gap, and it reports nothing but the gap.
    #expect(seen.map(\.sequence) == [21] + Array(1...8) + [22])
    let gap = try #require(seen.first).object
    #expect(gap["type"] as? String == "gap")
    #expect(gap["reason"] as? String == "powerLoss")
    #expect(gap["fromSeq"] as? Int == 9)
    #expect(gap["toSeq"] as? Int == 20)
    #expect(gap["count"] as? Int == 12)
  }

  @Test(arguments: 0...5) func a_gap_after_a_kill_counts_the_records_in_memory(_ pending: Int) throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...10)
    spool.commitAll()
    if pending > 0 { try spool.telemetry(11...(10 + pending)) }
    spool.advance(to: spool.now)
    crash(spool)
    var again = Spool(options)
    let losses = try again.reportLosses()
    // One more record may have been on its way to the spool.
    let most = UInt64(pending + 1)
    #expect(losses.map(\.reason) == [.processKilled])
    #expect(losses.map(\.sequences) == [11...(10 + most)])
    #expect(losses.map(\.count) == [most])
    try again.telemetry(21...21)
    again.commitAll()
    #expect(again.drain().map(\.sequence) == [11 + most] + Array(1...10) + [12 + most])
  }

  @Test func records_of_many_commits_before_a_kill_are_not_counted_as_lost() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    for round in 0..<20 {
      try spool.telemetry((round * 50)...(round * 50 + 49))
      spool.commitAll()
    }
    crash(spool)
    var again = Spool(options)
    #expect(try again.reportLosses().map(\.sequences) == [1_001...1_001])
  }

  @Test func without_a_mark_a_kill_counts_the_reserved_numbers() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...8)
    spool.commitAll()
    crash(spool)
    try Data("4711\n".utf8).write(to: URL(fileURLWithPath: scratch.file("spool/spool.lock")))
    var again = Spool(options)
    let losses = try again.reportLosses()
    #expect(losses.map(\.reason) == [.processKilled])
    #expect(losses.map(\.sequences) == [9...20])
  }

  @Test func one_event_does_not_make_the_next_commit_small() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...100)
    spool.commitAll()
    try spool.event(101)
    spool.commitAll()
    let reserve = spool.file.map { $0.reserved - $0.last }
    // The commits had 8, 12, 18, 27 and 35 records. The last of them reserved 35 + 17 numbers, and the commit of the
    // event three quarters of that.
    #expect(reserve == 39)
  }

  @Test func no_number_is_used_twice_however_often_it_crashes() throws {
    let options = SpoolOptions(scratch)
    var names: [UInt64: Int] = [:]
    for round in 0..<12 {
      var spool = Spool(options)
      try spool.reportLosses()
      try spool.telemetry((round * 10)...(round * 10 + 4))
      spool.commitAll()
      for record in spool.nextRecords() {
        guard let value = record.value else { continue }
        #expect(names.updateValue(value, forKey: record.sequence) ?? value == value)
      }
      // Never acknowledged, never closed.
      try spool.telemetry((round * 10 + 5)...(round * 10 + 9))
      crash(spool)
    }
    #expect(names.count == 60)
  }

  @Test func a_loss_stays_unreported_until_its_gap_record_is_committed() throws {
    let options = SpoolOptions(scratch)
    crash(Spool(options))
    var second = Spool(options)
    try second.reportLosses()
    // The record about the loss was made, and then lost.
    crash(second)
    var third = Spool(options)
    let owed = try third.reportLosses()
    #expect(owed.map(\.reason) == [.processKilled, .processKilled])
    third.commitAll()
    third.close(at: 0)
    var fourth = Spool(options)
    let none = fourth.popLoss()
    #expect(none == nil)
    #expect(fourth.drain().count == 2)
  }

  @Test func a_full_spool_drops_the_oldest_telemetry_and_reports_it() throws {
    var options = SpoolOptions(scratch)
    options.maximumBytes = 1 << 20
    var spool = Spool(options)
    try spool.event(1)
    try spool.telemetry(2...6_000, text: 300)
    spool.commitAll()
    let used = try spool.file?.usedBytes() ?? .max
    #expect(used <= 1 << 20)
    let losses = try spool.reportLosses()
    spool.commitAll()
    let seen = spool.drain()
    let left = seen.compactMap(\.value).filter { $0 != 1 }.sorted()
    // The event is there, and so is the newest telemetry without a gap.
    #expect(seen.first?.value == 1)
    #expect(left == Array((left.first ?? 0)...6_000))
    #expect(losses.count == 1)
    let loss = try #require(losses.first)
    #expect(loss.reason == .spoolFull)
    #expect(loss.types == [.telemetry])
    #expect(loss.count == UInt64(6_000 - 1 - left.count))
    #expect(loss.sequences == 2...UInt64((left.first ?? 0) - 1))
    #expect(loss.sink == nil)
  }

  @Test func events_are_dropped_once_there_is_no_telemetry_and_their_gaps_are_told_again() throws {
    var options = SpoolOptions(scratch)
    options.maximumBytes = 512 << 10
    var spool = Spool(options)
    try spool.telemetry(1...3_000, text: 300)
    spool.commitAll()
    let first = try spool.reportLosses()
    spool.commitAll()
    for number in 3_001...6_000 {
      try spool.event(number)
      // Twenty at a time, because each commit is expensive.
      if number % 20 == 0 { spool.advance(to: spool.now) }
    }
    var losses = try spool.reportLosses()
    spool.commitAll()
    while let more = Optional(try spool.reportLosses()), !more.isEmpty {
      losses += more
      spool.commitAll()
    }
    let seen = spool.drain()
    #expect(first.first?.types == [.telemetry])
    #expect(seen.allSatisfy { !$0.json.contains(#""type":"telemetry""#) })
    // Each missing record is in a reported gap.
    var known = SequenceSet()
    for record in seen {
      known.insert(record.sequence...record.sequence)
      let object = try record.object
      if let from = object["fromSeq"] as? UInt64, let to = object["toSeq"] as? UInt64 { known.insert(from...to) }
    }
    #expect(known.ranges.count == 1)
    #expect(known.ranges.first?.lowerBound == 1)
    #expect(!losses.isEmpty)
  }

  @Test func a_sink_that_acknowledged_the_records_has_no_loss() throws {
    var options = SpoolOptions(scratch, sinks: ["has", "lacks"])
    options.maximumBytes = 1 << 20
    var spool = Spool(options)
    for round in 0..<6 {
      try spool.telemetry((round * 1_000 + 1)...(round * 1_000 + 1_000), text: 300)
      spool.commitAll()
      _ = spool.drain(0)
    }
    spool.commitAll()
    let losses = try spool.reportLosses()
    #expect(!losses.isEmpty)
    #expect(losses.allSatisfy { $0.sink == "lacks" })
  }

  @Test func records_past_the_maximum_age_are_dropped() throws {
    var options = SpoolOptions(scratch)
    options.maximumAge = 100 * SpoolLines.second
    var spool = Spool(options)
    try spool.telemetry(1...50)
    spool.advance(to: 60 * SpoolLines.second)
    try spool.telemetry(51...130)
    spool.advance(to: 130 * SpoolLines.second)
    spool.advance(to: 136 * SpoolLines.second)
    let losses = try spool.reportLosses()
    #expect(losses.map(\.count) == [35])
    #expect(losses.map(\.sequences) == [1...35])
    #expect(spool.nextRecords().compactMap(\.value).min() == 36)
  }

  @Test func records_of_an_earlier_boot_age_by_the_clock() throws {
    var options = SpoolOptions(scratch)
    options.maximumAge = 3_600 * SpoolLines.second
    var spool = Spool(options, boot: "first")
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    try spool.telemetry(1...2)
    spool.close(at: 0)
    // The time without power is unknown: the records are at least as old as this boot.
    var clockless = Spool(options, boot: "second")
    try clockless.telemetry(3...3)
    clockless.commitAll()
    #expect(clockless.depth.file == 3)
    clockless.setWallTime(
      WallTime(offset: SpoolLines.day + 7_200 * SpoolLines.second, quality: .ntp), at: clockless.now)
    clockless.commitAll()
    let losses = try clockless.reportLosses()
    #expect(losses.map(\.sequences) == [1...2])
  }
}
