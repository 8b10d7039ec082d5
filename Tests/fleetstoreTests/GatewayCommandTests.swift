import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// `fleetstore gateway` and `fleetstore geofences` while a server runs.
@Suite struct GatewayCommandTests {
  private static let twoDatabases = ["sqlite", "postgres"]

  @Test(arguments: twoDatabases)
  func a_gateway_gets_other_vehicles_and_is_removed_by_commands(_ kind: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      var database = "sqlite:\(scratch.file("fleet.db"))"
      if kind == "postgres" {
        let server = try PostgreSQLServer.shared
        database = try server.database()
      }
      let store = try ServedStore(["--database", database])
      defer { store.program.kill() }
      let token = try #require(store.token)
      func run(_ arguments: String...) throws -> Tool.Result {
        try FleetstoreProgram.run(arguments + ["--database", database], in: scratch.path)
      }
      let key = try run("gateway", "add", "gw-0", "--vehicle", "VAN-9").output
        .trimmingCharacters(in: .whitespacesAndNewlines)
      func send(_ number: Int) throws -> String {
        try LoadSocket(port: store.port).post(Array(LoadClient.record(number, 0).utf8), key: key, coding: nil)
      }
      /// Waits for the effect of a command, which the server reads within two seconds.
      func wait(for mark: String, _ number: Int) throws {
        let limit = ContinuousClock.now + .seconds(20)
        while try !send(number).contains(mark) { try #require(.now < limit, "\(mark) never came") }
      }
      #expect(try send(1).contains("\"refused\":1"))
      #expect(try run("gateway", "set", "gw-0", "--vehicle", "VAN-0", "--vehicle", "VAN-1").status == 0)
      try wait(for: "\"stored\":1", 1)
      // Stores what the server has recorded of the gateway.
      _ = try store.request("/api/gateways", token: token)
      #expect(try run("gateway", "list").output.hasSuffix("\tVAN-0,VAN-1\tVAN-0\n"))
      #expect(try run("gateway", "set", "gw-0", "--no-vehicles").status == 0)
      #expect(try run("gateway", "list").output.hasSuffix("\t-\tVAN-0\n"))
      for (arguments, text) in [
        (["set", "gw-0"], "expected --vehicle or --no-vehicles, found neither"),
        (["set", "gw-0", "--vehicle", "A", "--no-vehicles"], "expected --vehicle or --no-vehicles, found both"),
        (["set", "gw-0", "--vehicle", "A", "--vehicle", "A"], "--vehicle \"A\" given twice"),
      ] {
        let result = try FleetstoreProgram.run(["gateway"] + arguments + ["--database", database], in: scratch.path)
        #expect(result.status == 64 && result.errors.contains(text), "\(result.errors)")
      }
      #expect(try run("gateway", "set", "gw-7", "--vehicle", "A").errors.contains("no such gateway"))
      _ = try run("tenant", "add", "north")
      #expect(try run("gateway", "remove", "gw-0", "--tenant", "north").status == 1)
      #expect(try run("gateway", "remove", "gw-0").status == 0)
      #expect(try run("gateway", "list").output.isEmpty)
      #expect(try run("gateway", "remove", "gw-0").status == 1)
      try wait(for: " 401 ", 2)
      #expect(try store.request("/api/vehicles/VAN-0/telemetry", token: token).contains("\"seq\":1"))
    }
  }

  @Test func geofences_are_removed_by_a_command() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let database = "sqlite:\(scratch.file("fleet.db"))"
      let store = try ServedStore(["--database", database])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let fences =
        #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"yard","radius":9},"#
        + #""geometry":{"type":"Point","coordinates":[9.1774,47.6595]}}]}"#
      let put = try LoadSocket(port: store.port).send("PUT", "/api/geofences", key: token, json: fences)
      #expect(put.contains(" 204 "), "\(put)")
      #expect(try store.request("/api/geofences", token: token).contains("yard"))
      let removed = try FleetstoreProgram.run(["geofences", "remove", "--database", database], in: scratch.path)
      #expect(removed.status == 0, "\(removed.errors)")
      #expect(try store.request("/api/geofences", token: token) == #"{"type":"FeatureCollection","features":[]}"#)
    }
  }
}
