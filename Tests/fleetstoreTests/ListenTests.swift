import Foundation
import TestKit
import Testing

@testable import FleetstoreTestKit

/// The addresses on which `fleetstore serve` listens. If it cannot listen, it prints one error line before it changes
/// anything.
@Suite struct ListenTests {
  @Test func an_IPv6_address_stands_in_brackets_and_can_be_asked_as_it_is_printed() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"database":"sqlite:fleet.db","metrics":{"listen":"[::1]:0"}}"#)
      let store = try ServedStore(["--listen", "[::1]:0", "--config", settings])
      defer { store.program.kill() }
      for (said, path) in [("listening on http://[::1]:", "/api/health"), ("metrics at http://[::1]:", "")] {
        let line = try store.program.anyErrorLine(within: .seconds(60)) { $0.contains(said) }.text
        let url = try #require(line.split(separator: " ").last) + path
        #expect(try Tool.run("curl", ["-gsS", "-o", "-", "-w", "%{http_code}", String(url)]).output.hasSuffix("200"))
      }
    }
  }

  @Test(arguments: [
    // A name of digits only is never found. For the other name, a machine without a resolver cannot answer.
    ("256.1.1.1:41852", "listen 256.1.1.1:41852: "),
    ("no-such-host.invalid:41852", "listen no-such-host.invalid:41852: "),
  ])
  func a_host_without_an_address_is_reported(_ address: String, _ said: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let result = try FleetstoreProgram.run(["serve", "--listen", address], in: scratch.path)
      // The status is 69 if the resolver cannot be reached at the moment.
      #expect([69, 78].contains(result.status), "\(result.errors)")
      #expect(result.errors.hasPrefix("fleetstore: \(said)"), "\(result.errors)")
      #expect(result.errors.hasSuffix("; expected an address of this machine\n"), "\(result.errors)")
      try Self.expectNothingDone(result, scratch)
    }
  }

  @Test func an_address_of_another_machine_is_reported() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      // RFC 5737: an address for documentation.
      let result = try FleetstoreProgram.run(["serve", "--listen", "192.0.2.1:0"], in: scratch.path)
      #expect(result.status == 69)
      #expect(
        result.errors
          == "fleetstore: listen 192.0.2.1:0: Cannot assign requested address; expected an address of this machine\n")
      try Self.expectNothingDone(result, scratch)
    }
  }

  @Test func a_star_is_rejected_as_listen_address_with_the_valid_forms() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"listen":"*:0"}"#)
      for (arguments, status) in [(["--listen", "*:0"], 64), (["--config", settings], 78)] as [([String], Int32)] {
        let result = try FleetstoreProgram.run(["serve"] + arguments, in: scratch.path)
        #expect(
          result.status == status && result.errors.contains("0.0.0.0:8080 or [::]:8080 for all"), "\(result.errors)")
        try Self.expectNothingDone(result, scratch)
      }
    }
  }

  @Test func a_port_in_use_is_reported_and_no_token_is_created() async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let first = try ServedStore(["--database", "sqlite:\(scratch.file("first.db"))"])
      defer { first.program.kill() }
      let taken = "127.0.0.1:\(first.port)"
      let settings = try scratch.write("c.json", #"{"metrics":{"listen":"\#(taken)"}}"#)
      for (arguments, key) in [
        (["--listen", taken], "listen"), (["--listen", "127.0.0.1:0", "--config", settings], "metrics.listen"),
      ] {
        let second = try FleetstoreProgram.run(["serve"] + arguments, in: scratch.path)
        #expect(second.status == 69)
        #expect(
          second.errors
            == "fleetstore: \(key) \(taken): Address already in use; stop what listens there, or name another port\n")
        try Self.expectNothingDone(second, scratch)
      }
    }
  }

  @Test(arguments: [
    ("127.0.0.1:41871", "127.0.0.1:41871"), ("0.0.0.0:41871", "127.0.0.1:41871"), ("[::1]:41871", "[0::1]:41871"),
    ("[::1]:41871", "[::]:41871"), ("[::]:41871", "127.0.0.1:41871"), ("localhost:41871", "localhost:41871"),
  ])
  func metrics_are_not_taken_at_the_servers_own_address(_ server: String, _ metrics: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"listen":"\#(server)","metrics":{"listen":"\#(metrics)"}}"#)
      for arguments in [["--check"], []] {
        let result = try FleetstoreProgram.run(["serve", "--config", settings] + arguments, in: scratch.path)
        #expect(result.status == 78)
        #expect(result.errors.hasPrefix("fleetstore: \(settings):1:"), "\(result.errors)")
        #expect(
          result.errors.contains(": metrics.listen: expected an address or a port of its own, found \(metrics): "),
          "\(result.errors)")
        try Self.expectNothingDone(result, scratch)
      }
      // The command line overrides the configuration.
      let other = ["serve", "--config", settings, "--check", "--listen", "127.0.0.1:41872"]
      #expect(try FleetstoreProgram.run(other, in: scratch.path).status == 0)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:0", "127.0.0.1:0"), ("127.0.0.1:41871", "127.0.0.2:41871"), ("0.0.0.0:41871", "[::1]:41871"),
    ("127.0.0.1:41871", "127.0.0.1:41872"),
  ])
  func metrics_are_taken_at_another_address(_ server: String, _ metrics: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let settings = try scratch.write("c.json", #"{"listen":"\#(server)","metrics":{"listen":"\#(metrics)"}}"#)
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", settings], in: scratch.path)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  /// Expects one line, no token, and no database.
  private static func expectNothingDone(_ result: Tool.Result, _ scratch: borrowing ScratchFolder) throws {
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scratch.file("fleet.db")))
  }
}
