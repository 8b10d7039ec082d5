import Foundation
import TestKit
import Testing

@testable import Spool

/// Power cuts while the program writes: the disk may lose whatever was not synchronised, in any of several ways.
///
/// A preloaded library records the real writes of a real run. Each cut builds the files that could exist afterwards,
/// opens a spool on them, and compares it with the output of the program up to the cut.
@Suite struct PowerCutTests {
  /// A run has 200 cuts. There are 3 runs, or the number that `SPOOL_RUNS` gives.
  @Test(arguments: 1...Torture.count("SPOOL_RUNS", usually: 3)) func no_committed_record_is_lost(_ seed: Int)
    async throws
  {
    let faults = try await runBlocking { try Self.run(seed, cuts: 200) }
    #expect(faults == [])
  }

  private static func run(_ seed: Int, cuts: Int) throws -> [String] {
    let scratch = try ScratchFolder()
    let log = scratch.file("log")
    let environment = [
      "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": scratch.file("run"), "STORAGE_LOG": log,
    ]
    // Each run continues with the file of the previous one, so that a cut can also occur while an existing file is
    // opened.
    let probe = try Tool.probe("SpoolProbe")
    let result = try Tool.run(probe, ["run", scratch.file("run"), "\(seed)", "14"], environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    var steps = try StorageLog([UInt8](Data(contentsOf: URL(fileURLWithPath: log)))).steps
    let again = try Tool.run(probe, ["run", scratch.file("run"), "\(seed + 100)", "14"], environment: environment)
    #expect(again.status == 0, "\(again.errors)")
    steps += try StorageLog([UInt8](Data(contentsOf: URL(fileURLWithPath: log)))).steps
    return try cut(steps, cuts, Reproducible(seed), scratch.file("after"))
  }

  private static func cut(
    _ steps: [StorageLog.Step], _ cuts: Int, _ generator: Reproducible, _ folder: String
  ) throws -> [String] {
    var random = generator
    var disk = CachedDisk()
    var account = ProbeAccount()
    let changes = steps.indices.filter { if case .said = steps[$0] { false } else { true } }
    let places = Set((0..<cuts).map { changes[$0 * changes.count / cuts] })
    #expect(places.count == min(cuts, changes.count))
    var faults: [String] = []
    for index in steps.indices {
      if places.contains(index) {
        let manner = CachedDisk.Manner.allCases.randomElement(using: &random) ?? .nothing
        try write(disk.afterCut(manner, &random), to: folder)
        faults += try account.faults(of: folder, boot: "next", reason: .powerLoss).map {
          "cut \(index), \(manner): \($0)"
        }
        try FileManager.default.removeItem(atPath: folder)
      }
      if case .said(let line) = steps[index] { account.record(line) } else { disk.apply(steps[index]) }
    }
    #expect(account.committed.count > 300)
    return faults
  }

  private static func write(_ files: [String: [UInt8]], to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (path, bytes) in files {
      let name = URL(fileURLWithPath: path).lastPathComponent
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
  }

  /// The check can fail: it detects writes that were never synchronised.
  @Test func lost_writes_of_a_disk_are_detected() async throws {
    let faults = try await runBlocking { () throws -> [String] in
      let scratch = try ScratchFolder()
      let log = scratch.file("log")
      let result = try Tool.run(
        try Tool.probe("SpoolProbe"), ["run", scratch.file("run"), "9", "30"],
        environment: [
          "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": scratch.file("run"), "STORAGE_LOG": log,
        ])
      #expect(result.status == 0, "\(result.errors)")
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: log)))
      // The disk really writes in the first five synchronisations, and in no later one.
      var honest = 5
      let steps = try StorageLog(bytes).steps.filter { step in
        guard case .synchronised = step else { return true }
        honest -= 1
        return honest >= 0
      }
      return try Self.cut(steps, 40, Reproducible(1), scratch.file("after"))
    }
    #expect(faults.contains { $0.contains("committed and gone") })
  }
}
