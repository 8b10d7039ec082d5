import Foundation
import TestKit
import Testing

@testable import GatewayTestKit

/// Rows of the matrix in which adapters are unplugged and plugged in, with devices that umockdev emulates. The daemon
/// discovers them and recognizes each one again.
@Suite struct PluggingTests {
  private static let vins = ["1D4GP00R55B123456", "WP0ZZZ99ZTS392124"]
  /// A start takes 1.4 s; 5 s more are allowed, and 2 s for a busy machine.
  private static let limit = 8.4

  /// The output of the daemon, and the result of the row.
  private struct Play {
    var lines: [RunningProgram.Line]
    var outcome = FaultRow.Outcome()

    func devices(_ event: String) -> [String] {
      lines.map(\.text).filter { $0.contains("\"event\":\"\(event)\"") }.compactMap { line in
        line.components(separatedBy: "\"device\":\"").dropFirst().first?.components(separatedBy: "\"").first
      }
    }
  }

  /// Runs the daemon until each of the vehicles was lost and read again; `nil` if the tools are missing.
  ///
  /// - Parameter steps: returns the steps for `scripts/testbed/udev.py`, which reports when the last adapter is plugged
  ///   in again.
  private static func play(
    _ vehicles: Int, _ steps: @escaping @Sendable ([String]) -> String
  ) async throws -> Play {
    let wrapper = try Tool.required("umockdev-wrapper")
    let program = try Tool.obdgated
    try requireModules()
    return try await runBlocking {
      let scratch = try ScratchFolder()
      let logs = (0..<vehicles).map { scratch.file("log\($0).capture") }
      let adapters = try zip(vins, logs).map { vin, log in
        try SimulatedAdapter(.tcp(0), scenario: #"{"cars": [\#(Cars.car(vin: vin))]}"#, log: log, in: scratch.path)
      }
      defer { for adapter in adapters { adapter.stop() } }
      let file = try scratch.write("steps.json", steps(try adapters.map { try $0.name }))
      let configuration = try scratch.write(
        "gateway.json",
        """
        {"gatewayId": "gw-test", "discovery": {"bluetooth": false}, "poll": {"defaultPeriod": 0.1},
         "record": {"period": 0.2}}
        """)
      let bed = TestData.projectRoot + "/scripts/testbed/udev.py"
      let machine = try RunningProgram(
        wrapper, ["/usr/bin/python3", bed, file, program, "--config", configuration])
      defer { machine.kill() }
      // The script has a shorter limit for its own waits, and reports them.
      let back = try machine.errorLine(within: .seconds(120)) { $0 == "back" }.time
      var play = Play(lines: [])
      for _ in 0..<vehicles {
        try machine.line(within: .seconds(120)) { $0.contains("\"event\":\"recovered\"") }
      }
      for vin in vins.prefix(vehicles) {
        try machine.line(within: .seconds(120)) { $0.contains("\"rpm\":") && $0.contains(vin) }
      }
      machine.send(SIGTERM)
      if try machine.end(within: .seconds(120)) != 0 { play.outcome.complaints.append("SIGTERM did not end it with 0") }
      play.lines = machine.output
      for adapter in adapters { adapter.stop() }
      try judge(&play, vehicles, back: back)
      for log in logs {
        play.outcome.commands += FaultRow.commands(inLog: try String(contentsOfFile: log, encoding: .utf8))
      }
      return play
    }
  }

  private static func judge(_ play: inout Play, _ vehicles: Int, back: ContinuousClock.Instant) throws {
    let records = try play.lines.map { (time: $0.time, record: try Record($0.text.utf8)) }
    var truth = Truth()
    truth.vins = Set(vins)
    play.outcome.said = records.compactMap(\.record.said)
    play.outcome.complaints += Set(records.flatMap { $0.record.untruths(truth) }).map { "not so: \($0)" }
    if records.map(\.record.sequence) != Array(1...records.count) { play.outcome.complaints.append("seq has a hole") }
    // The recovery of the last vehicle counts.
    let recoveries = vins.prefix(vehicles).map { vin -> Double in
      let own = records.drop { $0.record.said != "recovered" || $0.record["vehicleId"] != vin }
      let first = own.first { $0.record.number("rpm") != nil && $0.record["vehicleId"] == vin }
      return first.map { ($0.time - back).inSeconds } ?? .infinity
    }
    play.outcome.recovery = recoveries.max()
    if let worst = recoveries.max(), worst > limit { play.outcome.complaints.append("recovered after \(worst) s") }
  }

  static func requireModules() throws {
    let check = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    if try Tool.run("/usr/bin/python3", ["-c", check]).status == 0 { return }
    try Tool.missing("gir1.2-umockdev-1.0 and python3-gi", remedy: "make test installs them")
  }

  private static func plug(_ name: String, _ number: Int, at address: String) -> String {
    let socket = name == "a" ? "1-1" : "1-2"
    return """
      {"plug": "\(name)", "socket": "\(socket)", "number": \(number), "vendor": "0403", "product": "6015",
       "serial": "11301109940\(name == "a" ? 1 : 2)", "maker": "ScanTool.net LLC", "name": "OBDLink SX", "tcp": "\(address)"}
      """
  }

  /// Adds the row to the table of the other rows.
  private static func show(_ row: String, _ plays: [Play]) {
    var entry = MatrixTable.Entry(row, limit: limit)
    for play in plays { entry.add(play.outcome, FaultRow.Play(faults: row, ends: 0)) }
    var table = MatrixTable()
    table.add(entry)
    table.show("the daemon, devices plugged in and out")
    #expect(entry.complaints == [])
  }

  @Test func an_adapter_that_is_put_back_is_polled_again_whatever_its_number() async throws {
    var plays: [Play] = []
    for number in [0, 3] {
      let play = try await Self.play(1) { addresses in
        """
        [\(Self.plug("a", 0, at: addresses[0])), {"start": true}, {"await": "\\"rpm\\""},
         {"await": "\\"vehicleId\\":\\"\(Self.vins[0])\\""},
         {"unplug": "a"}, {"await": "portClosed"}, \(Self.plug("a", number, at: addresses[0])), {"tell": "back"},
         {"await": "recovered"}]
        """
      }
      #expect(play.devices("connected") == ["/dev/ttyUSB0"])
      #expect(play.devices("recovered") == ["/dev/ttyUSB\(number)"])
      #expect(play.devices("lost").first == "/dev/ttyUSB0")
      plays.append(play)
    }
    Self.show("unplug, replug: other ttyUSB number", plays)
  }

  @Test func two_adapters_that_are_swapped_stay_the_vehicles_they_were() async throws {
    let play = try await Self.play(2) { addresses in
      """
      [\(Self.plug("a", 0, at: addresses[0])), \(Self.plug("b", 1, at: addresses[1])), {"start": true},
       {"await": "\\"event\\":\\"connected\\""}, {"await": "\\"event\\":\\"connected\\""},
       {"await": "\\"type\\":\\"vehicle\\""}, {"await": "\\"type\\":\\"vehicle\\""},
       {"unplug": "a"}, {"await": "portClosed"}, {"unplug": "b"}, {"await": "portClosed"},
       \(Self.plug("a", 1, at: addresses[0])), \(Self.plug("b", 0, at: addresses[1])), {"tell": "back"},
       {"await": "\\"event\\":\\"recovered\\""}, {"await": "\\"event\\":\\"recovered\\""}]
      """
    }
    #expect(play.devices("connected").sorted() == ["/dev/ttyUSB0", "/dev/ttyUSB1"])
    #expect(play.devices("recovered").sorted() == ["/dev/ttyUSB0", "/dev/ttyUSB1"])
    let lines = play.lines.map(\.text)
    #expect(!lines.contains { $0.contains("vehicleChanged") }, "neither is taken for the other")
    // The former ttyUSB0 is ttyUSB1 now, in the same vehicle.
    for (vin, device) in zip(Self.vins, ["/dev/ttyUSB1", "/dev/ttyUSB0"]) {
      let recovered = lines.filter { $0.contains("\"event\":\"recovered\"") && $0.contains("\"vehicleId\":\"\(vin)\"") }
      #expect(recovered.count == 1 && recovered.allSatisfy { $0.contains("\"device\":\"\(device)\"") }, "\(recovered)")
    }
    Self.show("two adapters swapped", [play])
  }
}
