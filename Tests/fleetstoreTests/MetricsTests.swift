import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The separate address for metrics.
@Suite struct MetricsTests {
  @Test func a_scraper_needs_no_token_at_an_address_of_its_own_and_finds_nothing_else_there() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"database":"sqlite:fleet.db","metrics":{"listen":"127.0.0.1:0"}}"#)
      let store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      // This line may come before or after the line that the server is ready.
      let line = try store.program.anyErrorLine(within: .seconds(60)) { $0.contains("metrics at http://127.0.0.1:") }
      let address = try #require(line.text.split(separator: " ").last)
      func status(_ url: String, _ arguments: [String] = []) throws -> String {
        try Tool.run("curl", ["-sS", "-o", scratch.file("body"), "-w", "%{http_code}"] + arguments + [url]).output
      }
      #expect(try status(String(address)) == "200")
      let text = try String(contentsOfFile: scratch.file("body"), encoding: .utf8)
      #expect(text.contains("\nfleetstore_vehicles 0\n") && text.contains("# TYPE fleetstore_vehicles gauge\n"))
      #expect(try status(String(address), ["--head"]) == "200")
      let root = address.replacing("/metrics", with: "")
      for path in ["/", "/api/metrics", "/api/health", "/api/vehicles"] { #expect(try status(root + path) == "404") }
      let upgrade =
        ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        + ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
      #expect(try status(root + "/ws", upgrade.flatMap { ["-H", $0] }) == "404")
      #expect(try status(String(address), ["--data", "x"]) == "405")
      // The server's main address does not have the path, and still requires the token.
      #expect(try store.request("/metrics", token: nil).contains("no such path"))
      #expect(try store.request("/api/metrics", token: nil).contains("unauthorized"))
      store.program.send(SIGTERM)
      #expect(try store.program.end(within: .seconds(60)) == 0)
    }
  }

  @Test func without_an_address_for_them_nothing_listens_for_metrics() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let store = try ServedStore(["--database", "sqlite:\(scratch.file("fleet.db"))"])
      defer { store.program.kill() }
      #expect(!store.program.errorLines.contains { $0.contains("metrics") })
    }
  }

  @Test func a_tenants_metrics_count_its_records_from_a_broker() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let broker = try Mosquitto(in: scratch)
      let owner = String(repeating: "m", count: 40)
      try scratch.writeSecret("metrics.token", owner + "\n")
      let settings = try scratch.write(
        "c.json", #"{"database":"sqlite:fleet.db","metrics":{"tokenFile":"metrics.token"}}"#)
      let store = try ServedStore(["--config", settings, "--broker", "mqtt://127.0.0.1:\(broker.port)"])
      defer { store.program.kill() }
      try broker.says("Sending SUBACK to fleetstore")
      // The last two lines are not records of the topic's vehicle.
      let lines = [LoadClient.record(1, 7), LoadClient.record(1, 7), LoadClient.record(1, 8), "x"]
      let sent = try Tool.run(
        "mosquitto_pub",
        ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "fleet/VAN-7/telemetry", "-s"],
        stdin: Array((lines.joined(separator: "\n") + "\n").utf8))
      #expect(sent.status == 0, "\(sent.errors)")
      // The same records are sent over HTTP; one of them is a duplicate.
      let deadline = ContinuousClock.now + .seconds(60)
      let token = try #require(store.token)
      while try !store.request("/api/metrics", token: token).contains("fleetstore_records_refused_total 2\n") {
        try #require(.now < deadline, "the metrics do not count the refused records")
      }
      let body = try scratch.write("record", LoadClient.record(1, 7))
      let answer = try store.request("/api/telemetry", token: token, ["--json", "@\(body)"])
      #expect(answer.contains(#""duplicates":1"#))
      for token in [token, owner] {
        let text = try store.request("/api/metrics", token: token)
        #expect(text.contains("\nfleetstore_records_stored_total 1\n"))
        #expect(text.contains("\nfleetstore_records_duplicate_total 2\n"))
        #expect(text.contains("\nfleetstore_records_refused_total 2\n"))
      }
    }
  }
}
