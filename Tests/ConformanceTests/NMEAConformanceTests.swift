import Foundation
import NMEAWire
import TestKit
import Testing

/// The fixes that the reader finds in real receivers' logs, compared with those that gpsd published for the same bytes.
///
/// gpsd reports after each sentence or cycle, the reader once an epoch. Fixes are therefore compared by their UTC time
/// of day. Fixes that gpsd published before it knew the time are compared by their order. Dates are not compared,
/// because gpsd moves some dates forward.
@Suite struct NMEAConformanceTests {
  /// Tolerance in degrees. gpsd prints nine decimals, and the coarsest receivers of these logs send four decimals of a
  /// minute.
  private static let tolerance = 2e-6
  /// The maximum proportion of a file's fixes that may be missing.
  private static let mostMissing = 0.005

  @Test(.needsTestData, arguments: try NMEALogs.names())
  func fixes_equal_those_of_gpsd(_ name: String) throws {
    let bytes = try NMEALogs.bytes(name)
    let published = try GpsdFix.published(for: name)
    let ours = CollectedFixes.reading(bytes)
    let words = NMEALogs.words(in: bytes)
    let comparison = GpsdComparison(
      published: published, ours: ours.fixes, words: words, tolerance: Self.tolerance)
    let denied = comparison.missing.filter { fix in
      let there = words.filter { fix.isAt($0, within: Self.tolerance) }
      return !there.isEmpty && there.allSatisfy { !$0.isAffirmed }
    }
    let missing = comparison.missing.count - denied.count
    print(
      "nmea/\(name).log: gpsd has \(comparison.count) fixes, \(comparison.count - comparison.missing.count) found,",
      "\(denied.count) denied by the receiver, \(missing) missing; \(ours.fixes.count) epochs,",
      "\(ours.positions.count) with position, \(ours.accepted.count) sentences, \(ours.refusals.count) refused")
    #expect(Double(missing) <= Self.mostMissing * Double(comparison.count), "\(comparison.missing.prefix(10))")
    #expect(denied.count == GpsdDisagreement.with(gpsd: name)?.fixes ?? 0, "\(denied)")
  }

  /// A second parser, which shares no code with the reader and only uses the status of single sentences.
  @Test(.needsTestData, arguments: try NMEALogs.names())
  func a_sentence_without_a_fix_suppresses_the_position_of_its_epoch(_ name: String) throws {
    let bytes = try NMEALogs.bytes(name)
    let statuses = NMEALogs.statuses(in: bytes)
    let ours = CollectedFixes.reading(bytes)
    for fix in ours.positions {
      let time = try #require(fix.time)
      let said = try #require(statuses[time.milliseconds], "no sentence of \(time)")
      #expect(said.affirmed > 0 && said.denied == 0, "\(time): \(said)")
    }
    // No fix is missing if every sentence confirms it.
    let times = Set(ours.positions.compactMap { $0.time?.milliseconds })
    let withheld = statuses.filter { $0.value.affirmed > 0 && $0.value.denied == 0 && !times.contains($0.key) }
    #expect(withheld.isEmpty, "\(withheld)")
  }

  @Test(.needsTestData, arguments: try NMEALogs.names())
  func any_split_of_a_log_gives_the_same_fixes(_ name: String) throws {
    let bytes = try NMEALogs.bytes(name)
    let whole = CollectedFixes.reading(bytes)
    for size in [1, 7, 64, 255, 1000] {
      let split = CollectedFixes.reading(bytes, chunk: size)
      #expect(split.fixes == whole.fixes, "in chunks of \(size)")
      #expect(split.refusals == whole.refusals, "in chunks of \(size)")
    }
  }

  /// Sentences that were damaged on real serial lines.
  @Test func damaged_sentences_are_rejected_and_the_others_read() throws {
    let rows = try TestData.objects("nmea/corrupt.jsonl")
    #expect(!rows.isEmpty)
    for row in rows {
      let raw = try #require(row["raw"] as? String)
      let read = CollectedFixes.reading(Array((raw + "\r\n").utf8))
      switch try #require(row["expect"] as? String) {
      case "reject":
        #expect(read.accepted.isEmpty && read.fixes.isEmpty, "\(raw)")
      case "accept", "accept_after_resync":
        #expect(read.positions.count == 1 && read.refusals.isEmpty, "\(raw)")
      case "reject_first_or_recover_VTG":
        #expect(read.accepted == [.vtg] && read.positions.isEmpty && read.refusals.count == 1, "\(raw)")
      case let other: Issue.record("expectation \(other) is not known")
      }
    }
  }

  /// Damages single bytes, the same ones in every run. A sentence whose checksum is still right must be valid.
  @Test(.needsTestData, arguments: try NMEALogs.names())
  func no_fix_comes_from_a_sentence_whose_checksum_is_wrong(_ name: String) throws {
    var bytes = try NMEALogs.bytes(name)
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    var damaged = 0
    var index = 0
    while index < bytes.count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let bit = UInt8(1) << UInt8(state >> 60 & 7)
      bytes[index] ^= bit
      damaged += 1
      index += 20 + Int(state >> 33) % 60
    }
    let right = NMEALogs.bodies(in: bytes).count
    let read = CollectedFixes.reading(bytes)
    #expect(damaged > 0)
    let passedFieldByField = read.refusals.filter { NMEALogs.fieldReasons.contains($0.reason) }.count
    #expect(read.accepted.count + passedFieldByField == right)
  }
}
