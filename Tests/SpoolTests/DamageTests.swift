import Foundation
import TestKit
import Testing

@testable import Spool

/// Bytes of the file are overwritten. Damaged records are never sent, undamaged ones are kept, and the spool continues.
@Suite struct DamageTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Makes and closes a spool with this number of records.
  private func made(_ count: Int) throws -> SpoolOptions {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.event(1)
    try spool.telemetry(2...count, text: 200)
    spool.close(at: 0)
    return options
  }

  private func change(_ options: SpoolOptions, _ body: (inout Data) -> Void) throws {
    let url = URL(fileURLWithPath: scratch.file("spool") + "/spool.db")
    var data = try Data(contentsOf: url)
    body(&data)
    try data.write(to: url)
  }

  @Test func a_spool_file_that_is_not_a_database_is_set_aside_and_reported() throws {
    let options = try made(10)
    try change(options) { $0 = Data("this is no database, but a file of another program that is long enough".utf8) }
    var spool = Spool(options)
    let news = spool.allNews()
    #expect(spool.state == .durable)
    guard
      case .setAside(let error, let kept, saved: 0)? = news.first(where: {
        if case .setAside = $0 { true } else { false }
      })
    else {
      Issue.record("\(news)")
      return
    }
    #expect(error.kind == .damaged)
    #expect(FileManager.default.contents(atPath: kept)?.starts(with: Data("this is no database".utf8)) == true)
    // The lost records are unknown.
    let loss = try spool.reportLosses()
    #expect(loss.map(\.reason) == [.damagedSpool])
    #expect(loss.first?.sequences == nil && loss.first?.count == nil)
    try spool.telemetry(5...6)
    spool.commitAll()
    #expect(spool.drain().compactMap(\.value) == [5, 6])
  }

  @Test func another_programs_database_is_set_aside() throws {
    let options = SpoolOptions(scratch)
    try FileManager.default.createDirectory(atPath: scratch.file("spool"), withIntermediateDirectories: true)
    do {
      let other = try SQLiteConnection(path: scratch.file("spool") + "/spool.db")
      try other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')", "make")
    }
    var spool = Spool(options)
    #expect(spool.allNews().contains { if case .setAside = $0 { true } else { false } })
    #expect(spool.state == .durable)
  }

  @Test func a_new_epoch_begins_with_a_new_file() throws {
    let options = try made(10)
    let before = try #require(try epoch(options))
    try change(options) { $0.replaceSubrange(0..<100, with: Data(repeating: 0xEE, count: 100)) }
    let after = try #require(try epoch(options))
    #expect(before != after)
    #expect(try epoch(options) == after)
  }

  private func epoch(_ options: SpoolOptions) throws -> String? {
    var spool = Spool(options)
    defer { spool.close(at: 0) }
    return spool.epoch?.string
  }

  @Test func at_most_two_damaged_files_are_kept() throws {
    let options = try made(3)
    for round in 0..<5 {
      try change(options) { $0 = Data("damage \(round) ".utf8) + Data(repeating: 7, count: 2_000) }
      var spool = Spool(options)
      spool.close(at: 0)
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: scratch.file("spool")).filter {
      $0.contains("damaged")
    }
    #expect(kept.sorted() == ["spool.db.damaged-1", "spool.db.damaged-2"])
    let newest = FileManager.default.contents(atPath: scratch.file("spool") + "/spool.db.damaged-2")
    #expect(newest?.starts(with: Data("damage 4".utf8)) == true)
  }

  /// SQLite does not detect a page in which only a digit has changed.
  @Test func a_record_with_a_changed_digit_is_not_delivered() throws {
    let options = try made(30)
    try change(options) { data in
      let place = data.range(of: Data("\"speed\":1,".utf8)) ?? data.range(of: Data("\"speed\":1}".utf8))
      #expect(place != nil)
      if let place { data[place.lowerBound + 8] = UInt8(ascii: "9") }
    }
    var spool = Spool(options)
    let first = spool.drain()
    #expect(first.compactMap(\.value) == Array(2...30))
    let damaged = try #require(
      spool.allNews().compactMap { if case .damagedRecord(_, let number) = $0 { number } else { nil } }.first)
    spool.commitAll()
    let losses = try spool.reportLosses()
    #expect(losses.map(\.sequences) == [damaged...damaged])
    #expect(losses.map(\.reason) == [.damagedSpool])
    #expect(losses.map(\.count) == [1])
    spool.commitAll()
    #expect(spool.drain().count == 1)
    spool.commitAll()
    #expect(spool.depth.file == 0)
  }

  /// The old database is closed after the new one exists. This must not remove the log of the new one.
  @Test func damage_found_while_running_begins_a_file_that_survives_a_crash() throws {
    let options = try made(400)
    var spool = Spool(options)
    let before = spool.epoch
    try change(options) { $0.replaceSubrange(16_384..<$0.count, with: Data(count: $0.count - 16_384)) }
    _ = spool.drain()
    #expect(spool.allNews().contains { if case .setAside = $0 { true } else { false } })
    #expect(spool.state == .durable)
    let after = spool.epoch
    #expect(after != nil && after != before)
    let losses = try spool.reportLosses()
    #expect(losses.map(\.reason) == [.damagedSpool])
    #expect(losses.first?.epoch == before)
    try spool.telemetry(500...510)
    spool.commitAll()
    spool = Spool(SpoolOptions(folder: "/dev/null/none", sinks: [], newEpoch: options.newEpoch))
    var again = Spool(options)
    let epoch = again.epoch
    #expect(epoch == after)
    #expect(Set(again.drain().compactMap(\.value)).isSuperset(of: 500...510))
  }

  /// One page in the middle is lost: about ten records.
  @Test func the_readable_records_of_a_damaged_spool_are_kept() throws {
    let options = try made(2_000)
    let before = try epoch(options)
    try change(options) { data in
      let page = data.count / 2_048 * 1_024
      data.replaceSubrange(page..<page + 1_024, with: Data(repeating: 0xA5, count: 1_024))
    }
    var spool = Spool(options)
    let seen = spool.drain()
    let values = Set(seen.compactMap(\.value))
    let saved = spool.allNews().compactMap { if case .setAside(_, _, let saved) = $0 { saved } else { nil } }
    #expect(values.count >= 1_985 && values.count < 2_000, "\(values.count)")
    #expect(saved == [UInt64(values.count)])
    let losses = try spool.reportLosses()
    #expect(losses.map(\.epoch?.string) == [before])
    #expect(losses.map(\.count) == [UInt64(2_000 - values.count)])
    // Each record is delivered under one epoch and number.
    #expect(Set(seen.map(\.sequence)).count == seen.count)
  }

  @Test func records_of_a_damaged_spool_that_a_sink_has_are_not_delivered_again() throws {
    var options = SpoolOptions(scratch, sinks: ["a", "b"])
    options.commitInterval = 1
    var spool = Spool(options, boot: "first")
    spool.setWallTime(WallTime(offset: SpoolLines.day, quality: .ntp), at: 0)
    try spool.telemetry(1...1_000, text: 200)
    spool.commitAll()
    spool.acknowledge(spool.nextRecords(0, records: 300))
    spool.commitAll()
    spool.close(at: 0)
    try change(options) { data in
      let page = (data.count / 1_024 - 32) * 1_024
      data.replaceSubrange(page..<page + 1_024, with: Data(repeating: 0xA5, count: 1_024))
    }
    var again = Spool(options, boot: "second")
    let all = again.drain(1)
    let rest = again.drain(0)
    #expect(all.count >= 985 && all.count < 1_000)
    #expect(Set(rest.compactMap(\.value)).isDisjoint(with: 1...299))
    #expect(rest.count >= 685 && rest.count <= 700)
    // Each record has the time of its own boot.
    #expect(all.allSatisfy { $0.json.contains("\"timestamp\":\"2026-11-21T00:") })
  }

  /// Random bytes at random positions: no crash, no false record, and later records are stored.
  @Test(arguments: 0..<40) func a_damaged_spool_never_delivers_a_false_record(_ seed: Int) throws {
    var random = Reproducible(seed)
    let options = try made(400)
    let honest = Set(
      (2...400).map { Self.values(String(decoding: SpoolLines.telemetry($0, text: 200), as: UTF8.self)) })
    try change(options) { data in
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        // A quarter of the bytes are in the header and the first pages, which describe the tables.
        let limit = Int.random(in: 0..<4, using: &random) == 0 ? 8_192 : data.count
        let start = Int.random(in: 0..<limit, using: &random)
        for place in start..<min(start + Int.random(in: 1...600, using: &random), data.count) {
          data[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
    }
    for _ in 0..<2 {
      var spool = Spool(options)
      #expect(spool.state == .durable)
      try spool.reportLosses()
      for record in spool.drain() where record.json.contains(#""type":"telemetry""#) {
        #expect(honest.contains(Self.values(record.json)), "\(record.json)")
      }
      #expect(spool.state == .durable)
      try spool.reportLosses()
      try spool.telemetry(500...510)
      spool.commitAll()
      #expect(spool.drain().compactMap(\.value).suffix(11) == Array(500...510)[...])
      spool.close(at: 0)
    }
  }

  // MARK: Removed while in use

  /// Returns the number of records in the folder, as another process that opens it would find them.
  private func found(_ options: SpoolOptions) throws -> Int64 {
    try SQLiteConnection(path: options.folder! + "/spool.db").number("SELECT events + telemetry FROM state", "look")
  }

  @Test(arguments: [true, false]) func a_file_that_is_removed_is_followed_by_another(_ withFolder: Bool) throws {
    let options = SpoolOptions(scratch, sinks: ["a", "b"])
    var spool = Spool(options)
    try spool.event(1)
    try spool.telemetry(2...20)
    spool.commitAll()
    _ = spool.drain(0)
    let some = spool.nextRecords(1, records: 5)
    spool.acknowledge(some, by: 1)
    let (before, generation) = (spool.epoch, spool.generation)
    let gone = options.folder! + (withFolder ? "" : "/spool.db")
    try FileManager.default.removeItem(atPath: gone)
    if !withFolder { for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: gone + end) } }
    try spool.telemetry(21...22)
    _ = spool.allNews()
    spool.commitAll()
    #expect(spool.state == .durable)
    let after = spool.epoch
    #expect(after != before && spool.generation == generation + 1)
    let news = spool.allNews()
    #expect(news.contains(.fileGone(path: options.folder! + "/spool.db")))
    #expect(try found(options) == 2)
    // One sink has all records, the other lacks those that it has not acknowledged.
    let losses = try spool.reportLosses()
    #expect(losses.map(\.sink) == ["b"])
    #expect(losses.first?.epoch == before)
    #expect(losses.first?.reason == .damagedSpool && losses.first?.count == 15)
    #expect(losses.first?.sequences == 5...19)
    spool.commitAll()
    // The spool is released as after a kill.
    spool = Spool(SpoolOptions(folder: "/dev/null/none", sinks: [], newEpoch: options.newEpoch))
    var again = Spool(options)
    let epoch = again.epoch
    #expect(epoch == after)
    #expect(again.drain(1).filter { $0.sequence <= 2 }.map(\.value) == [21, 22])
  }

  @Test func a_removed_file_is_not_used_again_after_a_full_disk() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    spool.fail(SQLiteError(.full, "commit", "the disk is full"))
    try FileManager.default.removeItem(atPath: options.folder!)
    try spool.telemetry(4...5)
    spool.advance(to: spool.now + options.retryInterval)
    #expect(spool.state == .durable)
    #expect(try found(options) == 2)
    let losses = try spool.reportLosses()
    #expect(losses.map(\.sequences) == [1...3])
  }

  @Test func a_file_removed_before_the_end_is_reported_at_the_next_start() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    try FileManager.default.removeItem(atPath: options.folder!)
    spool.close(at: spool.now)
    var again = Spool(options)
    let loss = again.popLoss()
    #expect(loss?.sequences == 1...3 && loss?.count == 3)
  }

  @Test func a_folder_that_cannot_come_back_leaves_records_in_memory() throws {
    var options = SpoolOptions(scratch)
    let parent = scratch.file("state")
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    options.folder = parent + "/spool"
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    try FileManager.default.removeItem(atPath: parent)
    try spool.telemetry(4...5)
    spool.commitAll()
    #expect(spool.state != .durable)
    #expect(spool.nextRecords().map(\.value) == [4, 5])
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    try spool.telemetry(6...6)
    spool.advance(to: spool.now + options.retryInterval)
    #expect(spool.state == .durable)
    #expect(spool.nextRecords().map(\.value) == [6])
    let losses = try spool.reportLosses()
    #expect(losses.map(\.sequences) == [1...3])
  }

  /// After the copy was made, numbers were used that the copy does not know.
  @Test func a_restored_copy_does_not_reuse_numbers() throws {
    let options = SpoolOptions(scratch)
    let path = options.folder! + "/spool.db"
    var spool = Spool(options)
    try spool.telemetry(1...3)
    spool.commitAll()
    for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: path + ".copy" + end) }
    for number in 4...400 {
      try spool.telemetry(number...number)
      spool.commitAll()
    }
    #expect(spool.drain().count == 400)
    for end in ["", "-wal"] {
      try FileManager.default.removeItem(atPath: path + end)
      try FileManager.default.moveItem(atPath: path + ".copy" + end, toPath: path + end)
    }
    try? FileManager.default.removeItem(atPath: path + "-shm")
    try spool.telemetry(401...401)
    spool.commitAll()
    #expect(spool.state == .durable)
    let seen = spool.drain().filter { $0.value == 401 }
    #expect(seen.count == 1 && seen.allSatisfy { $0.sequence > 400 })
  }

  /// Returns a record's text from its first value on.
  private static func values(_ json: String) -> Substring {
    json.range(of: "\"rpm\":").map { json[$0.lowerBound...] } ?? ""
  }
}
