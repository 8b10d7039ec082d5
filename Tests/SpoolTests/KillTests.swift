import Glibc
import TestKit
import Testing

@testable import Spool

/// The process is killed at random times, and restarts with the remaining files: 20 times, or `SPOOL_KILLS`.
@Suite struct KillTests {
  @Test func no_committed_record_is_lost_and_no_number_used_twice() async throws {
    let faults = try await runBlocking { () throws -> [String] in
      let scratch = try ScratchFolder()
      let folder = scratch.file("spool")
      var random = Reproducible(Torture.count("SPOOL_SEED", usually: 17))
      var account = ProbeAccount()
      for round in 1...Torture.count("SPOOL_KILLS", usually: 20) {
        let probe = try RunningProgram(try Tool.probe("SpoolProbe"), ["run", folder, "\(round)", "1000000"])
        defer { probe.kill() }
        // The kill comes after a random line and then a random time, so in the middle of any operation.
        var left = Int.random(in: 1...400, using: &random)
        try probe.line(within: .seconds(60)) { _ in
          left -= 1
          return left == 0
        }
        usleep(UInt32.random(in: 0...3_000, using: &random))
        probe.send(SIGKILL)
        #expect(try probe.end(within: .seconds(120)) == 128 + SIGKILL)
        // All output from before the kill is available; then the pipe ends.
        #expect(throws: RunningProgram.Late.self) { try probe.line(within: .seconds(60)) { _ in false } }
        for line in probe.output { account.record(line.text[...]) }
      }
      #expect(account.committed.count > 1_000)
      // At most 60 records are in memory. During a commit, the reported number may be twice as large.
      #expect(account.losses.allSatisfy { $0.reason == "processKilled" && $0.numbers <= 2 * 60 + 1 })
      return try account.faults(of: folder, boot: "probe", reason: .processKilled)
    }
    #expect(faults == [])
  }
}
