import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// The notifications of the daemon to the service manager that started it.
@Suite struct ServiceManagerTests {
  /// Starts a daemon with a spool in a separate folder.
  private static func started(_ scratch: borrowing ScratchFolder, _ manager: NotifySocket) throws -> RunningProgram {
    let program = try Tool.obdgated
    let configuration = try scratch.write(
      "gateway.json",
      """
      {"gatewayId": "gw-test", "discovery": {"serial": false, "bluetooth": false}, "stateDirectory": "state",
       "sinks": [{"type": "file", "path": "records.jsonl"}]}
      """)
    return try RunningProgram(program, ["--config", configuration], environment: ["NOTIFY_SOCKET": manager.path])
  }

  @Test func the_daemon_notifies_systemd_once_when_ready_and_when_stopping() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let manager = try NotifySocket(in: scratch)
      let daemon = try Self.started(scratch, manager)
      defer { daemon.kill() }
      #expect(try manager.awaitState("READY=1") == [])
      daemon.send(SIGTERM)
      #expect(try manager.awaitState("STOPPING=1") == [])
    }
  }

  @Test func recovery_of_a_damaged_spool_extends_the_start_timeout() async throws {
    let python = try Tool.required("python3")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let manager = try NotifySocket(in: scratch)
      try FileManager.default.createDirectory(atPath: scratch.file("state"), withIntermediateDirectories: true)
      let other = try Tool.run(
        python,
        ["-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('CREATE TABLE notes (text)')"]
          + [scratch.file("state") + "/spool.db"])
      #expect(other.status == 0, "\(other.errors)")
      let daemon = try Self.started(scratch, manager)
      defer { daemon.kill() }
      let before = try manager.awaitState("READY=1")
      #expect(before.first == "EXTEND_TIMEOUT_USEC=60000000")
      #expect(Set(before).count == 1, "\(before)")
    }
  }
}
