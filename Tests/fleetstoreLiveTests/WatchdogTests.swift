import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The notifications of `fleetstore serve` to a service manager with a watchdog (sd_watchdog_enabled(3)).
@Suite struct WatchdogTests {
  /// Starts a server with a watchdog limit on a separate database.
  private static func served(
    _ database: String, _ manager: NotifySocket, seconds: Int, _ environment: [String: String] = [:]
  ) throws -> ServedStore {
    let watched = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "\(seconds)000000"]
    return try ServedStore(
      ["--database", database], environment: watched.merging(environment) { _, other in other })
  }

  @Test func a_stuck_writer_is_reported_and_not_pinged_for() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let manager = try NotifySocket(in: scratch)
      let held = scratch.file("held")
      let store = try Self.served(
        "sqlite:\(scratch.file("fleet.db"))", manager, seconds: 2,
        [
          "LD_PRELOAD": try StorageShim.library(), "STORAGE_FOLDER": scratch.file("fleet.db"),
          "STORAGE_HELD": held,
        ])
      defer { store.program.kill() }
      try manager.awaitState("READY=1")
      for _ in 0..<3 { try manager.awaitState("WATCHDOG=1") }
      // The disk accepts writes and does not confirm them.
      try scratch.write("held", "")
      try scratch.write("header", "Authorization: Bearer \(try #require(store.token))")
      let change = try RunningProgram(
        "curl",
        [
          "-sS", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "@\(scratch.file("header"))", "--json",
          #"{"id":"VAN-1"}"#, "http://127.0.0.1:\(store.port)/api/vehicles",
        ])
      defer { change.kill() }
      try store.program.errorLine(within: .seconds(120)) { $0.contains("the storage's threads are stuck") }
      // A slow machine may still send a ping for an earlier moment; after that there are no pings.
      manager.forget()
      let limit = ContinuousClock.now + .seconds(120)
      while manager.state(within: .seconds(1)) != nil, .now < limit {}
      #expect(manager.state(within: .seconds(3)) == nil)
      // Readers are still answered.
      #expect(try store.request("/api/vehicles", token: store.token) == #"{"data":[]}"#)
      try FileManager.default.removeItem(atPath: held)
      try manager.awaitState("WATCHDOG=1")
      try store.program.errorLine(within: .seconds(120)) { $0.contains("the storage's threads make progress again") }
      #expect(try change.line(within: .seconds(120)) { !$0.isEmpty }.text == "201")
      store.program.send(SIGTERM)
      try manager.awaitState("STOPPING=1")
    }
  }

  @Test func an_unavailable_database_does_not_trigger_the_watchdog() async throws {
    try await runBlocking {
      let server = try PostgreSQLServer()
      let scratch = try ScratchFolder()
      let manager = try NotifySocket(in: scratch)
      let store = try Self.served(try server.database(), manager, seconds: 20)
      defer { store.program.kill() }
      try manager.awaitState("READY=1")
      try server.killNow()
      while try !store.request("/api/health", token: nil).contains("storageUnavailable") {}
      manager.forget()
      for _ in 0..<3 { try manager.awaitState("WATCHDOG=1") }
      #expect(!store.program.errorLines.contains { $0.contains("stuck") })
    }
  }
}
