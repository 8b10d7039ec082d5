import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// When the vehicle is identified, polling no longer allocates memory.
@Suite struct DaemonAllocationTests {
  @Test func polling_flat_out_allocates_nothing() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let report = scratch.file("counts")
      let run = try DaemonRun(
        [Scenarios.car(baud: 500_000)],
        settings: #""poll": {"defaultPeriod": 0, "dtcPeriod": 3600}, "record": {"period": 0.2}"#,
        environment: ["LD_PRELOAD": try MeasuredRun.counter(), "ALLOCATION_COUNTS": report])
      try run.awaitReadings(20)
      var (before, after) = (try counts(run, report, block: 0), [String: Int]())
      for pair in 1...3 {
        let seen = run.daemon.output.count
        try run.awaitReadings(20)
        after = try counts(run, report, block: pair)
        // If the machine stops for seconds, the first errors allocate memory and are reported: measure again.
        let wasDisturbed = run.daemon.output.dropFirst(seen).contains {
          $0.text.contains("\"event\":\"error\"") || $0.text.contains("\"event\":\"lost\"")
        }
        guard wasDisturbed, pair < 3 else { break }
        before = after
      }
      for (thread, count) in after where thread.hasPrefix("obdgated-") {
        let more = count - (before[thread] ?? 0)
        #expect(more == 0, "\(thread): \(more) allocations in 4 s")
      }
      #expect(after.keys.contains("obdgated-link0") && after.keys.contains("obdgated-fusion"), "\(after)")
    }
  }

  /// Requests the counts and returns them, by the names of the threads.
  private func counts(_ run: DaemonRun, _ report: String, block: Int) throws -> [String: Int] {
    run.daemon.send(SIGUSR1)
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let text = (try? String(contentsOfFile: report, encoding: .utf8)) ?? ""
      let blocks = text.components(separatedBy: "end\n")
      guard blocks.count > block + 1 else {
        poll(nil, 0, 5)
        continue
      }
      var counts: [String: Int] = [:]
      for line in blocks[block].split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.first == "thread", words.count >= 4, let count = Int(words[words.count - 1]) else { continue }
        counts[words[2..<(words.count - 1)].joined(separator: " "), default: 0] += count
      }
      return counts
    }
    throw DaemonRun.Missing(what: "report of allocations")
  }
}
