import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The log of `fleetstore`: its lines and their destination.
@Suite struct ServerLogTests {
  @Test func a_priority_stands_in_front_of_a_line_only_in_the_journal() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("c.json", #"{"database":"sqlite:a.db","listen":"127.0.0.1:0"}"#)
      for (setting, prefix) in [
        ("", "fleetstore: listening on"), ("0:1", "fleetstore: listening on"), ("own", "<6>listening on"),
      ] {
        // systemd.exec(5): device and inode of the stream.
        let value = setting == "own" ? "$(stat -L -c %d:%i /proc/self/fd/2)" : setting
        let program = try RunningProgram(
          "bash", ["-c", "JOURNAL_STREAM=\(value) exec \(try FleetstoreProgram.path) serve --config \(file)"])
        defer { program.kill() }
        let line = try program.errorLine(within: .seconds(60)) { $0.contains("listening on") }.text
        #expect(line.hasPrefix(prefix), "\(line)")
      }
    }
  }

  @Test func requests_are_logged_if_wanted_without_queries_and_keys() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("c.json", #"{"database":"sqlite:a.db","accessLog":true}"#)
      let store = try ServedStore(["--config", file])
      defer { store.program.kill() }
      let token = try #require(store.token)
      _ = try store.request("/api/vehicles/VAN-1?token=\(token)", token: token)
      let line = try store.program.errorLine(within: .seconds(20)) { $0.contains("/api/vehicles/VAN-1") }.text
      #expect(
        try
          #/^fleetstore: access: 127\.0\.0\.1 default token [0-9a-f-]{36} GET /api/vehicles/VAN-1 400 \d+ B \d+\.\d ms$/#
          .wholeMatch(in: line) != nil, "\(line)")
      _ = try store.request("/api/tokens/\(token)", token: "nobody")
      let other = try store.program.errorLine(within: .seconds(20)) { $0.contains("/api/tokens/") }.text
      #expect(other.contains("127.0.0.1 - - GET /api/tokens/… "), "\(other)")
      #expect(!store.program.errorLines.contains { $0.contains(token) })
    }
  }

  @Test func a_websocket_handshake_is_logged_with_the_tokens_owner() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write("c.json", #"{"database":"sqlite:a.db","accessLog":true}"#)
      let store = try ServedStore(["--config", file])
      defer { store.program.kill() }
      let listener = try LiveListener(port: store.port, token: try #require(store.token))
      let line = try store.program.errorLine(within: .seconds(20)) { $0.contains(" /ws ") }.text
      #expect(
        try #/^fleetstore: access: 127\.0\.0\.1 default token [0-9a-f-]{36} GET /ws 101 0 B \d+\.\d ms$/#
          .wholeMatch(in: line) != nil, "\(line)")
      // Without a token in the handshake, the owner is not known yet.
      let socket = try LoadSocket(port: store.port)
      try socket.write(
        Array(
          ("GET /api/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8))
      let other = try store.program.errorLine(within: .seconds(20)) { $0.contains(" /api/ws ") }.text
      #expect(other.contains("127.0.0.1 - - GET /api/ws 101 0 B "), "\(other)")
      try listener.awaitSubscribed()
    }
  }

  /// A full disk, simulated by a limit of the process: the health check reports it, and the log counts the failures.
  @Test func a_full_disk_is_reported_by_the_health_check_and_counted_in_the_log() async throws {
    let prlimit = try Tool.required("prlimit")
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = scratch.file("fleet.db")
      let store = try ServedStore(["--database", "sqlite:\(database)"])
      defer { store.program.kill() }
      let token = try #require(store.token)
      func send(_ number: Int) throws -> String {
        try LoadSocket(port: store.port).post(
          Array((0..<100).map { LoadClient.record(number * 100 + $0 + 1, 0) }.joined(separator: "\n").utf8), key: token,
          coding: nil)
      }
      #expect(try send(0).contains("\"stored\":100"))
      #expect(try store.request("/api/health", token: nil).contains("\"status\":\"ok\""))
      let limit = ["--pid", String(store.program.pid), "--fsize=4096:unlimited"]
      #expect(try Tool.run(prlimit, limit).status == 0)
      for number in 1...5 { #expect(try send(number).contains("503")) }
      // The storage is checked at most once a second.
      let told = try Self.health(store) { $0.hasPrefix("503 ") }
      #expect(told.contains("records") && !told.contains(database), "\(told)")
      // The first line names the file; further ones are counted and not written.
      let lines = store.program.errorLines.filter { $0.contains("storage: ") }
      #expect(lines.contains { $0.hasPrefix("fleetstore: error: storage: \(database): ") }, "\(lines)")
      #expect(Set(lines).count == lines.count && lines.count <= 3, "\(lines)")
      #expect(try Tool.run(prlimit, ["--pid", String(store.program.pid), "--fsize=unlimited"]).status == 0)
      #expect(try send(1).contains("\"stored\":100"))
      _ = try Self.health(store) { $0.contains("\"status\":\"ok\"") }
      store.program.send(SIGTERM)
      #expect(try store.program.end(within: .seconds(20)) == 0)
      #expect(store.program.errorLines.contains { $0.contains(" more times within ") }, "\(store.program.errorLines)")
    }
  }

  @Test func a_read_only_postgresql_is_reported_by_the_health_check() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer()
      let address = try server.database()
      let store = try ServedStore(["--database", address])
      defer { store.program.kill() }
      let token = try #require(store.token)
      func send() throws -> String {
        try LoadSocket(port: store.port).post(Array(LoadClient.record(1, 0).utf8), key: token, coding: nil)
      }
      #expect(try send().contains("\"stored\":1"))
      let name = try #require(address.split(separator: "/").last)
      let others =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
      try server.sql("ALTER DATABASE \(name) SET default_transaction_read_only = on; \(others)", in: "postgres")
      while try !send().contains("503") {}
      let told = try Self.health(store) { $0.hasPrefix("503 ") }
      #expect(told.contains("records are not stored"), "\(told)")
      try server.sql("ALTER DATABASE \(name) SET default_transaction_read_only = off; \(others)", in: "postgres")
      while try send().contains("503") {}
      _ = try Self.health(store) { $0.contains("\"status\":\"ok\"") }
    }
  }

  /// Requests `/api/health` until the answer fulfils a condition.
  ///
  /// - Returns: status and body.
  private static func health(_ store: ServedStore, until isWanted: (String) -> Bool) throws -> String {
    let limit = ContinuousClock.now + .seconds(60)
    while true {
      let answer = try store.request("/api/health", token: nil, ["-w", " %{http_code}"])
      let told = "\(answer.suffix(3)) \(answer.dropLast(4))"
      if isWanted(told) { return told }
      try #require(.now < limit, "the health is still \(told)")
    }
  }

  @Test func a_stop_gives_event_loops_that_have_ended_no_work() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      var isFirst = true
      var token = ""
      for _ in 0..<12 {
        let store = try ServedStore(["--database", "sqlite:\(scratch.file("a.db"))"], isFirst: isFirst)
        defer { store.program.kill() }
        if isFirst { token = try #require(store.token) }
        isFirst = false
        // When the stop arrives, the authentication, the subscription and the records of these sockets are in progress.
        let listeners = try (0..<20).map { _ in try LiveListener(port: store.port, token: token) }
        let socket = try LoadSocket(port: store.port)
        _ = try socket.post(Array(LoadClient.record(1, 0).utf8), key: token, coding: nil)
        store.program.send(SIGTERM)
        #expect(try store.program.end(within: .seconds(30)) == 0)
        #expect(!listeners.isEmpty)
        #expect(!store.program.errorLines.contains { $0.contains("ERROR") || $0.contains("EventLoop") })
      }
    }
  }
}
