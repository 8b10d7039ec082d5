import Foundation
import TestKit
import Testing

@testable import Spool
@testable import Telemetry

/// Similar lines need little space and are read back unchanged.
@Suite struct PackingTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private var database: String { scratch.file("spool") + "/spool.db" }

  /// A record with many signals, whose names contain the form.
  private static func line(_ number: Int, form: String = "", signals: Int = 90) -> [UInt8] {
    var random = Reproducible(number)
    var line = JSONLineEncoder()
    line.begin()
    SpoolLines.head(.telemetry, number).write(to: &line)
    line.field("rpm", number)
    for signal in 0..<signals {
      line.key("\(form)signalOfTheCar\(signal * 7)")
      line.value(Double(Int.random(in: 0..<2_550, using: &random)) / 10)
    }
    line.finish()
    return line.line.indices.map { line.line[$0] }
  }

  /// Returns a record of letters that differs from all others.
  private static func noise(_ number: Int) -> [UInt8] {
    var random = Reproducible(number)
    var line = JSONLineEncoder()
    line.begin()
    SpoolLines.head(.telemetry, number).write(to: &line)
    line.field("rpm", number)
    let letters = (0..<600).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
    line.field("note", String(decoding: letters, as: UTF8.self))
    line.finish()
    return line.line.indices.map { line.line[$0] }
  }

  /// Returns the text of a record from its first value on.
  private static func values(_ json: String) -> Substring {
    json.range(of: "\"rpm\":").map { json[$0.lowerBound...] } ?? ""
  }

  private static func append(_ lines: [[UInt8]], to spool: inout Spool) throws {
    for (index, line) in lines.enumerated() { try spool.append(line.span, at: Int64(index) * SpoolLines.second) }
    spool.commitAll()
  }

  private func number(_ sql: String) throws -> Int64 {
    let connection = try SQLiteConnection(path: database)
    return try connection.number(sql, "look")
  }

  @Test func records_of_one_car_take_a_third_of_their_size_at_most() throws {
    var spool = Spool(SpoolOptions(scratch))
    let lines = (1...2_000).map { Self.line($0) }
    try Self.append(lines, to: &spool)
    let kept = try #require(try spool.file?.usedBytes())
    #expect(kept * 3 < Int64(lines.map(\.count).reduce(0, +)))
  }

  /// The first records of a car lack most of its signals. Other records are compressed against them only for a short
  /// time.
  @Test func a_record_that_lacks_most_signals_serves_no_later_one() throws {
    var spool = Spool(SpoolOptions(scratch))
    try Self.append((1...3).map { Self.line($0, signals: 9) } + (4...200).map { Self.line($0) }, to: &spool)
    let first = try number("SELECT sum(length(line)) FROM telemetry WHERE seq BETWEEN 101 AND 200")
    try Self.append((201...600).map { Self.line($0) }, to: &spool)
    let later = try number("SELECT sum(length(line)) FROM telemetry WHERE seq BETWEEN 501 AND 600")
    #expect(first * 10 < later * 11)
  }

  /// Removing a record writes nothing, because writing wears out flash memory.
  @Test func packed_records_that_every_sink_has_are_removed_without_overwriting() throws {
    var spool = Spool(SpoolOptions(scratch))
    try Self.append((1...300).map { Self.line($0) }, to: &spool)
    let pages = try number("PRAGMA page_count")
    #expect(spool.drain().count == 300)
    let before = try bytesOfLog()
    spool.commitAll()
    let written = try bytesOfLog() - before
    #expect(spool.depth.file == 0 && written < pages * 1_024 / 4)
  }

  private func bytesOfLog() throws -> Int64 {
    let found = try FileManager.default.attributesOfItem(atPath: database + "-wal")[.size]
    return try #require(found as? Int64)
  }

  /// Records of alternating cars and forms, some unlike all others, in one commit or in many, read at once or after a
  /// restart.
  @Test(arguments: 0..<6) func compressed_lines_are_delivered_unchanged(_ seed: Int) throws {
    var random = Reproducible(seed)
    let forms = ["", "a", "b", "c", "d", "e"].prefix(Int.random(in: 1...6, using: &random))
    let lines = (1...1_500).map { number in
      switch Int.random(in: 0..<10, using: &random) {
      case 0: Self.noise(number)
      case 1: SpoolLines.telemetry(number)
      default:
        Self.line(
          number, form: forms.randomElement(using: &random) ?? "", signals: Int.random(in: 3...90, using: &random))
      }
    }
    let expected = lines.map { Self.values(String(decoding: $0, as: UTF8.self)) }
    let options = SpoolOptions(scratch, sinks: ["early", "late"])
    var spool = Spool(options)
    var early: [Substring] = []
    var rest = lines[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(400, rest.count), using: &random)
      for line in rest.prefix(count) { try spool.append(line.span, at: spool.now) }
      rest = rest.dropFirst(count)
      spool.commitAll()
      early += spool.drain(0, records: Int.random(in: 1...300, using: &random)).map { Self.values($0.json) }
      if Int.random(in: 0..<3, using: &random) == 0 {
        spool.close(at: spool.now)
        spool = Spool(options)
      }
    }
    #expect(early.sorted() == expected.sorted())
    let late = spool.drain(1, records: 100).map { Self.values($0.json) }
    #expect(late.sorted() == expected.sorted())
    spool.commitAll()
    #expect(spool.depth.file == 0)
  }

  @Test func an_unused_compression_base_is_removed() throws {
    var spool = Spool(SpoolOptions(scratch))
    for round in 0..<20 {
      try Self.append((1...PackingPlan.mostLines).map { Self.line($0 + round * 1_000, signals: 5) }, to: &spool)
      #expect(spool.drain().count == PackingPlan.mostLines)
    }
    spool.commitAll()
    #expect(try number("SELECT count(*) FROM base") <= 2)
  }

  /// The records that were compressed against it are lost and reported as lost; no others are.
  @Test func a_damaged_base_loses_the_records_compressed_with_it() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try Self.append((1...1_000).map { Self.line($0) }, to: &spool)
    spool.close(at: spool.now)
    let base = try number("SELECT base FROM telemetry WHERE seq = 500")
    let lost = try number("SELECT count(*) FROM telemetry WHERE base = \(base)")
    #expect(lost > 100 && lost <= PackingPlan.mostLines)
    do {
      let connection = try SQLiteConnection(path: database)
      try connection.execute(
        """
        UPDATE base SET line = CAST(replace(line, 'signalOfTheCar14', 'signalOfTheCar15') AS BLOB)
          WHERE number = \(base)
        """, "damage")
      #expect(connection.changes == 1)
    }
    spool = Spool(options)
    let values = Set(spool.drain().compactMap(\.value))
    #expect(values.count == 1_000 - Int(lost) && !values.contains(500))
    spool.commitAll()
    let losses = try spool.reportLosses()
    #expect(losses.allSatisfy { $0.reason == .damagedSpool })
    #expect(losses.compactMap(\.count).reduce(0, +) == UInt64(lost))
    spool.commitAll()
    #expect(spool.drain().allSatisfy { $0.json.contains("\"type\":\"gap\"") })
    spool.commitAll()
    #expect(spool.depth.file == 0)
  }

  /// Either the first page of the base is damaged, or the page with the rest of it.
  @Test(arguments: [0, 1]) func a_base_on_a_lost_page_loses_the_records_compressed_with_it(_ page: Int) throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try Self.append((1...1_000).map { Self.line($0) }, to: &spool)
    spool.close(at: spool.now)
    // The first base is the last entry of its page.
    let lost = Int(try number("SELECT count(*) FROM telemetry WHERE base = 1"))
    // SQLite reports these as free; moved or removed content may still exist on other pages.
    let kind = page == 0 ? "leaf" : "overflow"
    let number = try number(
      "SELECT pageno FROM dbstat WHERE name = 'base' AND pagetype = '\(kind)' ORDER BY path LIMIT 1")
    let damaged = (Int(number) - 1) * 1_024
    let url = URL(fileURLWithPath: database)
    var data = try Data(contentsOf: url)
    data.replaceSubrange(damaged..<damaged + 1_024, with: Data(repeating: 0xA5, count: 1_024))
    try data.write(to: url)
    spool = Spool(options)
    var values: [Int] = []
    var told: [Loss] = []
    for _ in 0..<3 {
      values += spool.drain().compactMap(\.value)
      spool.commitAll()
      told += try spool.reportLosses()
      spool.commitAll()
    }
    #expect(Set(values).count == values.count && Set(values).isDisjoint(with: 1...lost))
    #expect(told.compactMap(\.count).reduce(0, +) == UInt64(1_000 - values.count), "\(told)")
    // If other bases begin on the page, they are lost too.
    if page == 1 { #expect(values.count == 1_000 - lost) }
    #expect(spool.state == .durable && spool.depth.file == 0)
  }

  @Test func the_spool_file_is_readable_by_its_owner_only() throws {
    var spool = Spool(SpoolOptions(scratch))
    try spool.telemetry(1...3)
    spool.commitAll()
    for name in ["spool.db", "spool.db-wal"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("spool") + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func a_changed_byte_of_a_frame_loses_that_record() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    try Self.append((1...100).map { Self.line($0) }, to: &spool)
    spool.close(at: spool.now)
    do {
      let connection = try SQLiteConnection(path: database)
      let half = "length(line) / 2"
      try connection.execute(
        """
        UPDATE telemetry SET line = CAST(substr(line, 1, \(half)) || x'7F' || substr(line, \(half) + 2) AS BLOB)
          WHERE seq = 50
        """, "damage")
    }
    spool = Spool(options)
    #expect(Set(spool.drain().compactMap(\.value)) == Set(1...100).subtracting([50]))
    spool.commitAll()
    #expect(try spool.reportLosses().map(\.sequences) == [50...50])
  }

  /// Version 1 of the file did not have packed records.
  @Test func a_spool_of_the_first_version_is_upgraded() throws {
    let options = SpoolOptions(scratch)
    var spool = Spool(options)
    let epoch = spool.epoch
    // The record is too short to be packed, so that only the tables differ.
    try spool.event(1)
    for number in 2...40 { try spool.append(Self.short(number).span, at: Int64(number)) }
    spool.close(at: 0)
    #expect(try number("SELECT count(*) FROM telemetry WHERE base IS NOT NULL") == 0)
    do {
      let connection = try SQLiteConnection(path: database)
      try connection.execute(
        """
        ALTER TABLE event DROP COLUMN base; ALTER TABLE telemetry DROP COLUMN base; DROP TABLE base;
        PRAGMA user_version = 1;
        """, "make an old one")
    }
    spool = Spool(options)
    #expect(spool.epoch == epoch && spool.state == .durable)
    try Self.append((41...400).map { Self.line($0) }, to: &spool)
    #expect(spool.drain().compactMap(\.value).sorted() == Array(1...400))
    #expect(try number("PRAGMA user_version") == 2)
  }

  /// Returns a record of at most 127 bytes.
  private static func short(_ number: Int) -> [UInt8] {
    let id = UUIDv7(milliseconds: 1, first: 2, rest: UInt64(number)).string
    let epoch = "\"epoch\":\"\(id)\",\"seq\":1"
    return Array(
      """
      {"type":"telemetry","id":"\(id)","elapsed":1,"timeQuality":"unset","gatewayId":"g","vehicleId":"v",\(epoch),"rpm":\(number)}

      """.utf8)
  }

  // MARK: Without zstd

  private func probe(_ arguments: [String], hasLibrary: Bool = true) throws -> String {
    var environment: [String: String] = [:]
    if !hasLibrary { environment = ["LD_PRELOAD": try StorageShim.library(), "STORAGE_WITHOUT": "libzstd.so.1"] }
    let result = try Tool.run(
      try Tool.probe("SpoolProbe"), [arguments[0], scratch.file("spool")] + arguments.dropFirst(),
      environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines.last.map { String($0.prefix { $0 != " " }) } ?? ""
  }

  @Test func without_zstd_records_are_stored_uncompressed() throws {
    #expect(try probe(["fill", "600"], hasLibrary: false) == "records=600")
    #expect(try number("SELECT count(*) FROM telemetry WHERE base IS NOT NULL") == 0)
    #expect(try probe(["drain"]) == "records=600")
  }

  /// Compressed records are complete, and wait until zstd is installed again.
  @Test func compressed_records_wait_for_zstd() throws {
    #expect(try probe(["fill", "600"]) == "records=600")
    #expect(try number("SELECT count(*) FROM telemetry WHERE base IS NOT NULL") > 500)
    #expect(try probe(["drain"], hasLibrary: false) == "records=0")
    #expect(try probe(["drain"]) == "records=600")
  }
}
