import Foundation
import TestKit
import Testing

@testable import Spool

/// A disk that accepts no writes for a while. The program continues and reports it, and no appended record is lost.
@Suite struct DiskFaultTests {
  private struct Sent: Hashable {
    let source: String
    let sequence: Int
    let value: Int
  }

  /// For each `errno`, the output of the run with that fault.
  private static let runs = Result { () throws -> [Int32: [String]] in
    let scratch = try ScratchFolder()
    let fault = try scratch.write("fault", "0\n")
    let result = try Tool.run(
      try Tool.probe("SpoolProbe"), ["faults", scratch.file("spool"), fault],
      environment: [
        "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": scratch.file("spool"), "STORAGE_FAULT": fault,
      ])
    #expect(result.status == 0, "\(result.errors)")
    var runs: [Int32: [String]] = [:]
    var current: Int32 = 0
    for line in result.lines {
      if line.hasPrefix("fault ") {
        current = Int32(line.dropFirst(6)) ?? -1
      } else {
        runs[current, default: []].append(String(line))
      }
    }
    return runs
  }

  private static func lines(_ fault: Int32) async throws -> [String] {
    try await runBlocking { try runs.get()[fault] ?? [] }
  }

  private static func sent(_ lines: [String]) -> [Sent] {
    lines.filter { $0.hasPrefix("sent ") }.map { line in
      let words = line.split(separator: " ")
      return Sent(source: String(words[1]), sequence: Int(words[2]) ?? -1, value: Int(words[3]) ?? -1)
    }
  }

  @Test(arguments: [ENOSPC, EROFS, EIO]) func a_spool_on_a_failing_disk_continues_in_memory_and_returns_to_the_disk(
    _ fault: Int32
  ) async throws {
    let lines = try await Self.lines(fault)
    let states = lines.filter { $0.hasPrefix("state ") }
    #expect(states == ["state durable", "state memory", "state memory", "state durable", "state durable"])
    let news = lines.filter { $0.hasPrefix("news ") }
    #expect(news.contains { $0.hasSuffix("the newest records are kept in memory") })
    #expect(news.contains { $0.hasSuffix("records are kept in the file again") })
    let reason = [ENOSPC: "disk is full", EROFS: "Read-only file system", EIO: "Input/output error"][fault] ?? "?"
    #expect(news.contains { $0.contains(reason) }, "\(news)")
  }

  @Test(arguments: [ENOSPC, EROFS, EIO]) func every_record_arrives_once(_ fault: Int32) async throws {
    let sent = Self.sent(try await Self.lines(fault))
    #expect(sent.map(\.value).sorted() == Array(1...400))
  }

  /// While the disk fails, sinks receive the newest records from memory and older ones from the file.
  @Test(arguments: [ENOSPC, EROFS, EIO]) func sinks_receive_records_during_disk_failures(_ fault: Int32) async throws {
    let lines = try await Self.lines(fault)
    let back = lines.lastIndex(of: "state durable") ?? 0
    let during = Self.sent(Array(lines[..<back]))
    #expect(during.filter { $0.source == "memory" }.map(\.value) == Array(101...200))
    #expect(during.filter { $0.source == "file" }.count == 20)
  }

  /// A trip in progress continues, although the disk is full when the program starts.
  @Test(arguments: ["closed", "cut"]) func a_spool_on_a_full_disk_opens_with_its_records(
    _ end: String
  ) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let folder = scratch.file("spool 100%")
      let kept = try Tool.run(try Tool.probe("SpoolProbe"), ["keep", folder, end])
      #expect(kept.status == 0, "\(kept.errors)")
      let fault = try scratch.write("fault", "0\n")
      let result = try Tool.run(
        try Tool.probe("SpoolProbe"), ["note", folder, fault],
        environment: ["LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": folder, "STORAGE_FAULT": fault])
      #expect(result.lines == ["note under way", "note under way"], "\(result.errors)")
    }
  }

  /// Records in memory are numbered from 1 in a separate epoch. Those of the file have no gap.
  @Test(arguments: [ENOSPC, EROFS, EIO]) func sequence_numbers_have_no_gap_after_disk_failures(_ fault: Int32)
    async throws
  {
    let sent = Self.sent(try await Self.lines(fault))
    #expect(sent.filter { $0.source == "memory" }.map(\.sequence) == Array(1...100))
    let kept = sent.filter { $0.source == "file" }.map(\.sequence).sorted()
    #expect(kept == Array((kept.first ?? 0)..<((kept.first ?? 0) + 300)))
  }
}
