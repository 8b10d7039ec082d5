import Foundation
import TestKit
import Testing

/// Log lines if stderr is systemd's journal.
@Suite struct JournalTests {
  @Test func lines_carry_their_importance_and_fields_and_nothing_goes_to_stderr() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let journal = scratch.file("journal")
      let listener = """
        import json, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("ready", flush=True)
        while True:
          entry = s.recv(65536).decode()
          print(json.dumps(dict(line.split("=", 1) for line in entry.splitlines())), flush=True)
        """
      let listening = try RunningProgram(try Tool.required("python3"), ["-c", listener, journal])
      defer { listening.kill() }
      try listening.line(within: .seconds(60)) { $0 == "ready" }
      let configuration = try scratch.write(
        "c.json",
        #"{"gatewayId":"g","discovery":{"serial":false,"bluetooth":false},"adapters":[{"device":"/dev/nothing"}]}"#)
      // systemd passes the device and inode of stderr to a service.
      let daemon = try RunningProgram(
        "/bin/sh",
        [
          "-c", "JOURNAL_STREAM=$(stat -Lc %d:%i /dev/fd/2) exec \"$0\" --config \"$1\"",
          try Tool.obdgated, configuration,
        ],
        environment: ["OBDGATED_JOURNAL": journal])
      defer { daemon.kill() }
      let line = try listening.line(within: .seconds(60)) { $0.contains("OBDGATE_EVENT") }.text
      let entry = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      #expect(entry["MESSAGE"]?.hasPrefix("/dev/nothing: lost: missing: ") == true, "\(entry)")
      #expect(entry["PRIORITY"] == "4" && entry["SYSLOG_IDENTIFIER"] == "obdgated")
      #expect(entry["OBDGATE_DEVICE"] == "/dev/nothing" && entry["OBDGATE_EVENT"] == "lost")
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      #expect(daemon.errorLines.isEmpty)
    }
  }
}
