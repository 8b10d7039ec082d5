import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// SIGTERM while the database does not answer.
@Suite struct StopTests {
  @Test func a_stop_does_not_wait_for_a_database_that_does_not_answer() async throws {
    let python = try Tool.required("python3")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let token = String(repeating: "m", count: 40)
      try scratch.writeSecret("metrics.token", token + "\n")
      let settings = try scratch.write(
        "c.json", #"{"database":"sqlite:fleet.db","metrics":{"tokenFile":"metrics.token"}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      // Registers the vehicle for the listener.
      _ = try LoadSocket(port: store.port).post(
        Array(LoadClient.record(1, 0).utf8), key: try #require(store.token), coding: nil)
      let listener = try LiveListener(port: store.port, token: try #require(store.token))
      try listener.awaitSubscribed()
      // Another process holds a write lock, so that a batch waits for ten seconds before it fails.
      let lock = try RunningProgram(
        python,
        [
          "-c",
          "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE'); "
            + "print('locked', flush=True); time.sleep(600)", scratch.file("fleet.db"),
        ])
      defer { lock.kill() }
      try lock.line(within: .seconds(60)) { $0 == "locked" }
      let header = try scratch.write("header", "Authorization: Bearer \(try #require(store.token))")
      let record = try scratch.write("record", LoadClient.record(2, 0))
      let batch = try RunningProgram(
        "curl",
        [
          "-sS", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "@\(header)", "--data-binary", "@\(record)",
          "http://127.0.0.1:\(store.port)/api/telemetry",
        ])
      defer { batch.kill() }
      // The used memory shows that the request is being handled.
      while try store.request("/api/metrics", token: token).contains("fleetstore_memory_bytes 0\n") {
        try #require(batch.output.isEmpty, "it failed before it was seen to be under way")
      }
      store.program.send(SIGTERM)
      #expect(try store.program.end(within: .seconds(8)) == 0)
      let status = try batch.line(within: .seconds(60)) { !$0.isEmpty }.text
      #expect(status == "503" || status == "000")
    }
  }

  /// The worker ends before the requests.
  @Test func an_unreachable_broker_does_not_shorten_a_stop() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let nobody = try ReservedPort()
      let owner = String(repeating: "m", count: 40)
      try scratch.writeSecret("metrics.token", owner + "\n")
      // The limits are long enough for a slow machine; the test continues as soon as the work is done.
      let settings = try scratch.write(
        "c.json",
        #"{"database":"sqlite:fleet.db","limits":{"stopSeconds":100},"metrics":{"tokenFile":"metrics.token"}}"#)
      let store = try ServedStore(["--config", settings, "--broker", "mqtt://127.0.0.1:\(nobody.number)"])
      defer { store.program.kill() }
      let token = try #require(store.token)
      try store.program.anyErrorLine(within: .seconds(60)) { $0.contains("trying again") }
      let listener = try LiveListener(port: store.port, token: token)
      try listener.awaitSubscribed()
      let body = Array(LoadClient.record(1, 0).utf8)
      let socket = try LoadSocket(port: store.port)
      try socket.begin(
        body[..<100], of: body.count, to: "/api/telemetry",
        "Authorization: Bearer \(token)\r\nContent-Type: application/x-ndjson\r\n")
      // A stop closes a connection if the server has not begun to read its request.
      let limit = ContinuousClock.now + .seconds(120)
      while try store.request("/api/metrics", token: owner).contains("fleetstore_memory_bytes 0\n") {
        try #require(.now < limit, "the request is not seen to be under way")
      }
      store.program.send(SIGTERM)
      #expect(try listener.isTakenLeaveOf())
      try socket.write(Array(body[100...]))
      #expect(try socket.answer().contains(#""stored":1"#))
      #expect(try store.program.end(within: .seconds(60)) == 0)
      #expect(!store.program.errorLines.contains { $0.contains("Error") }, "\(store.program.errorLines)")
    }
  }
}
