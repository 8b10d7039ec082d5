import Foundation
import Glibc
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

/// A program with a spool and a file sink is killed at any moment. Every record that the spool numbered is in the file
/// once, or is reported as lost.
@Suite struct FileSinkKillTests {
  @Test func killed_again_and_again_every_committed_record_is_in_the_file_once() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let config = try scratch.write(
        "sinks.json", #"[{"type":"file","path":"records.jsonl","rotate":{"bytes":1000000000}}]"#)
      for round in 0..<8 {
        let program = try RunningProgram(
          try Tool.probe("SinksProbe"), ["run", scratch.file("spool"), config, "2000000"])
        // The program is killed when it has written a little, at another place each time.
        let file = scratch.file("records.jsonl")
        let before = Self.size(file)
        let deadline = ContinuousClock.now + .seconds(120)
        while Self.size(file) < before + 40_000 + round * 77_777, .now < deadline { sched_yield() }
        program.send(SIGKILL)
        #expect(try program.end(within: .seconds(60)) == 128 + SIGKILL)
      }
      let last = try Tool.run(try Tool.probe("SinksProbe"), ["run", scratch.file("spool"), config, "1"])
      #expect(last.status == 0, "\(last.output)")
      try Self.check(scratch.file("records.jsonl"), spool: scratch.file("spool"))
    }
  }

  /// The disk rejects writes for a while. This is reported, and every record is in the file in the end.
  @Test(arguments: [ENOSPC, EROFS]) func a_temporarily_failing_disk_loses_no_record(
    _ fault: Int32
  ) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let folder = scratch.file("disk")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let config = try scratch.write("sinks.json", #"[{"type":"file","path":"disk/records.jsonl"}]"#)
      let switchFile = try scratch.write("fault", "\(fault)\n")
      let program = try RunningProgram(
        try Tool.probe("SinksProbe"), ["run", scratch.file("spool"), config, "500"],
        environment: [
          "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": folder, "STORAGE_FAULT": switchFile,
        ])
      let told = try program.line(within: .seconds(60)) { $0.hasPrefix("events file: ") }
      #expect(told.text.hasSuffix("; its records wait"))
      try scratch.write("fault", "0\n")
      try program.line(within: .seconds(120)) { $0.hasSuffix("records.jsonl: written to") }
      #expect(try program.end(within: .seconds(60)) == 0)
      let lines = try String(contentsOfFile: folder + "/records.jsonl", encoding: .utf8).split(separator: "\n")
      let numbers = lines.compactMap { RecordLine.number(Array($0.utf8)[...])?.sequence }
      #expect(numbers.sorted() == Array(1...500))
    }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func check(_ path: String, spool: String) throws {
    var seen: [String: Set<UInt64>] = [:]
    let text = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(text.last == 0x0A)
    for line in text.split(separator: 0x0A) {
      let number = try #require(RecordLine.number(line))
      #expect(line.last == UInt8(ascii: "}"))
      let isNew = seen[number.epoch, default: []].insert(number.sequence).inserted
      #expect(isNew, "record \(number.sequence) twice")
    }
    // The spool's database, read by SQLite's shell: no record waits, and each missing number belongs to an unreported
    // loss.
    let sql = "select coalesce(max(last),0), (select count(*) from event)+(select count(*) from telemetry) from state"
    let state = try Tool.run("python3", ["-c", Self.script, spool + "/spool.db", sql])
    #expect(state.status == 0, "\(state.errors)")
    let words = state.output.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    #expect(words.count == 2 && words[1] == 0)
    let holes = try Tool.run(
      "python3", ["-c", Self.script, spool + "/spool.db", "select first, last from loss order by first"])
    var missing: Set<UInt64> = []
    for line in holes.lines {
      let ends = line.split(separator: " ").compactMap { UInt64($0) }
      if ends.count == 2 { missing.formUnion(ends[0]...ends[1]) }
    }
    let numbers = seen.values.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
    let lost = Set(1...words[0]).subtracting(numbers).subtracting(missing)
    #expect(lost.isEmpty, "\(lost.count) records are in neither, the first \(lost.min() ?? 0)")
  }

  private static let script =
    "import sqlite3,sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)"
}
