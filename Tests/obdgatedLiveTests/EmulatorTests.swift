import Foundation
import TestKit
import Testing

/// An adapter and a car of an independent project: ELM327-emulator from PyPI.
@Suite struct EmulatorTests {
  private struct Emulated: Decodable {
    var port: String
    /// For each key of a record, every value that the tables of the emulator can give.
    var values: [String: [Double]]
    /// The VINs of the emulator, which returns a different one for each request.
    var vins: Set<String>
  }

  @Test func every_value_read_from_ELM327_emulator_is_one_that_it_sends() async throws {
    let python = try Tool.python(with: "elm")
    let program = try Tool.obdgated
    try await runBlocking {
      let emulator = try RunningProgram(python, [TestData.projectRoot + "/scripts/testbed/emulator.py", "car"])
      defer { emulator.kill() }
      let told = try emulator.line(within: .seconds(60)) { $0.hasPrefix("{") }.text
      let emulated = try JSONDecoder().decode(Emulated.self, from: Data(told.utf8))
      let scratch = try ScratchFolder()
      let signals = emulated.values.keys.sorted().map { "\"\($0)\": 0" }.joined(separator: ", ")
      let configuration = try scratch.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "adapters": [{"device": "\(emulated.port)"}],
         "discovery": {"serial": false, "bluetooth": false}, "poll": {"signals": {\(signals)}}, "record": {"period": 0.2}}
        """)
      let daemon = try RunningProgram(program, ["--config", configuration])
      defer { daemon.kill() }

      // Wait until each value was read three times; the answers of the emulator vary.
      var seen: [String: Int] = [:]
      var wrong: [String] = []
      var vins: Set<String> = []
      while seen.count < emulated.values.count || seen.values.contains(where: { $0 < 3 }) {
        let line = try daemon.line(within: .seconds(180)) { _ in true }.text
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        if let vin = record["vin"] as? String { vins.insert(vin) }
        guard record["type"] as? String == "telemetry" else { continue }
        for (key, possible) in emulated.values {
          guard let value = (record[key] as? NSNumber)?.doubleValue else { continue }
          seen[key, default: 0] += 1
          if !possible.contains(where: { abs($0 - value) < 0.001 }) { wrong.append("\(key): \(value)") }
        }
      }
      #expect(wrong == [])
      #expect(seen.count >= 10, "\(seen)")
      #expect(!vins.isEmpty && vins.isSubset(of: emulated.vins), "\(vins)")
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      emulator.send(SIGTERM)
      #expect(try emulator.end(within: .seconds(60)) == 0)
    }
  }

  /// The emulator's default scenario claims many PIDs that it never answers.
  @Test func a_car_with_many_silent_PIDs_is_not_lost() async throws {
    let python = try Tool.python(with: "elm")
    let program = try Tool.obdgated
    try await runBlocking {
      let emulator = try RunningProgram(python, [TestData.projectRoot + "/scripts/testbed/emulator.py", "default"])
      defer { emulator.kill() }
      let told = try emulator.line(within: .seconds(60)) { $0.hasPrefix("{") }.text
      let emulated = try JSONDecoder().decode(Emulated.self, from: Data(told.utf8))
      let scratch = try ScratchFolder()
      let configuration = try scratch.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "adapters": [{"device": "\(emulated.port)"}],
         "discovery": {"serial": false, "bluetooth": false}, "record": {"period": 0.2}}
        """)
      let daemon = try RunningProgram(program, ["--config", configuration])
      defer { daemon.kill() }
      // As many poll cycles as lost the vehicle forty times before.
      for _ in 0..<100 { try daemon.line(within: .seconds(180)) { $0.contains("\"type\":\"telemetry\"") } }
      #expect(daemon.output.filter { $0.text.contains("\"event\":\"lost\"") }.map(\.text) == [])
      daemon.send(SIGTERM)
      #expect(try daemon.end(within: .seconds(60)) == 0)
      emulator.send(SIGTERM)
      #expect(try emulator.end(within: .seconds(60)) == 0)
    }
  }
}
