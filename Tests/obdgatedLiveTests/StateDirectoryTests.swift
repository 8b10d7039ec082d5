import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

@Suite struct StateDirectoryTests {
  @Test func a_missing_state_directory_is_made_when_stdout_is_the_only_sink() async throws {
    _ = try Tool.obdgated
    try await runBlocking {
      let scratch = try ScratchFolder()
      let folder = scratch.file("lib/obdgate")
      let run = try DaemonRun(settings: DaemonRun.quick + #", "stateDirectory": "\#(folder)""#)
      try run.awaitReadings(3)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      #expect(FileManager.default.fileExists(atPath: folder + "/adapters.jsonl"))
      #expect(run.daemon.errorLines.filter { $0.contains(folder) } == [])
    }
  }

  @Test func a_state_directory_that_cannot_be_made_ends_the_start_with_one_line() async throws {
    let program = try Tool.obdgated
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("file", "")
      let configuration = try scratch.write("gateway.json", #"{"stateDirectory": "file/below"}"#)
      let daemon = try RunningProgram(program, ["--config", configuration])
      defer { daemon.kill() }
      #expect(try daemon.end(within: .seconds(60)) != 0)
      #expect(daemon.errorLines.count == 1)
      #expect(daemon.errorLines.first?.contains("stateDirectory: \(file)") == true)
    }
  }
}
