import Foundation
import TestKit
import Testing

@testable import DaemonTestKit

/// stdout has only records.
@Suite struct OutputTests {
  @Test func two_adapters_at_once_give_one_count_without_a_hole() async throws {
    try await runBlocking {
      let vins = ["1D4GP00R55B123456", "WP0ZZZ99ZTS392124"]
      let run = try DaemonRun(vins.map { Scenarios.car(vin: $0) })
      for vin in vins {
        try run.daemon.line(within: .seconds(60)) {
          $0.contains("\"type\":\"vehicle\"") && $0.contains(vin) || $0.contains("\"vehicleId\":\"\(vin)\"")
        }
      }
      try run.awaitReadings(10)
      run.daemon.send(SIGTERM)
      #expect(try run.daemon.end(within: .seconds(60)) == 0)
      #expect(try run.sequences == Array(1...run.daemon.output.count))
      let texts = run.daemon.output.map(\.text)
      for adapter in run.adapters {
        let name = try adapter.name
        #expect(texts.contains { $0.contains("\"event\":\"connected\"") && $0.contains(name) }, "\(name)")
      }
    }
  }

  @Test func a_reader_that_leaves_ends_it_quietly() async throws {
    try await runBlocking {
      let program = try Tool.obdgated
      let scratch = try ScratchFolder()
      let adapter = try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(), in: scratch.path)
      defer { adapter.stop() }
      let file = try scratch.write(
        "gateway.json",
        """
        {"adapters": [{"tcp": "\(try adapter.name)"}], "discovery": {"serial": false, "bluetooth": false},
         "record": {"period": 0.1}, "gatewayId": "gw-test"}
        """)
      let result = try Tool.shell("'\(program)' --config '\(file)' | head -1", limit: .seconds(120))
      #expect(result.status == 0)
      #expect(result.errors == "")
      #expect(result.lines.count == 1)
    }
  }
}
