import Foundation
import TestKit
import Testing

/// Adapters that are pulled out and put back, on a machine whose devices umockdev plugs in and out: the daemon finds
/// them by itself, and knows each again.
@Suite struct PluggingTests {
  private static let vins = ["1D4GP00R55B123456", "WP0ZZZ99ZTS392124"]

  /// Runs the daemon until so many lines were recovered and records came behind; its records, nil where the tools are
  /// missing.
  private static func run(recoveries: Int, _ steps: @escaping @Sendable ([String]) -> String) async throws -> [String]?
  {
    guard let wrapper = try Tool.required("umockdev-wrapper"), let program = try Tool.obdgated, try hasModules()
    else { return nil }
    return try await aside {
      let scratch = try ScratchFolder()
      let adapters = try vins.map { try SimulatedAdapter(.tcp(0), scenario: Scenarios.car(vin: $0), in: scratch.path) }
      defer { for adapter in adapters { adapter.stop() } }
      let file = try scratch.write("steps.json", steps(try adapters.map { try $0.name }))
      let configuration = try scratch.write(
        "gateway.json",
        #"{"gatewayId": "gw-test", "discovery": {"bluetooth": false}, "poll": {"defaultPeriod": 0.1}, "record": {"period": 0.2}}"#
      )
      // The reader leaves when it has seen enough, and so ends the daemon.
      let reader = """
        n=0; m=0; while IFS= read -r line; do printf '%s\\n' "$line"
        case "$line" in *'"event":"recovered"'*) n=$((n+1));; *'"rpm"'*) [ $n -ge \(recoveries) ] && m=$((m+1));; esac
        [ $m -ge 10 ] && break; done
        """
      let result = try Tool.run(
        wrapper,
        [
          "/usr/bin/python3", TestData.projectRoot + "/scripts/testbed/udev.py", file, "bash", "-c",
          "'\(program)' --config '\(configuration)' | { \(reader); exit 0; }",
        ], limit: .seconds(60))
      guard result.status == 0 else {
        throw DaemonRun.Missing(
          what: "status \(result.status): \(result.errors) \(result.output.suffix(2_000))")
      }
      return result.lines.map(String.init)
    }
  }

  private static func hasModules() throws -> Bool {
    let check = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    if try Tool.run("/usr/bin/python3", ["-c", check]).status == 0 { return true }
    if TestData.isCI { throw TestData.Missing("gir1.2-umockdev-1.0 and python3-gi") }
    print("skipped: gir1.2-umockdev-1.0 and python3-gi missing (make test installs them)")
    return false
  }

  private static func plug(_ name: String, _ number: Int, at address: String) -> String {
    let socket = name == "a" ? "1-1" : "1-2"
    return """
      {"plug": "\(name)", "socket": "\(socket)", "number": \(number), "vendor": "0403", "product": "6015",
       "serial": "11301109940\(name == "a" ? 1 : 2)", "maker": "ScanTool.net LLC", "name": "OBDLink SX", "tcp": "\(address)"}
      """
  }

  private static func devices(_ lines: [String], _ event: String) -> [String] {
    lines.filter { $0.contains("\"event\":\"\(event)\"") }.compactMap { line in
      line.components(separatedBy: "\"device\":\"").dropFirst().first?.components(separatedBy: "\"").first
    }
  }

  @Test(arguments: [0, 3]) func an_adapter_that_is_put_back_is_polled_again_whatever_its_number(_ number: Int)
    async throws
  {
    let lines = try await Self.run(recoveries: 1) { addresses in
      """
      [\(Self.plug("a", 0, at: addresses[0])), {"start": true}, {"await": "\\"rpm\\""},
       {"unplug": "a"}, {"await": "portClosed"}, \(Self.plug("a", number, at: addresses[0])), {"await": "recovered"}]
      """
    }
    guard let lines else { return }
    #expect(Self.devices(lines, "connected") == ["/dev/ttyUSB0"])
    #expect(Self.devices(lines, "recovered") == ["/dev/ttyUSB\(number)"])
    #expect(Self.devices(lines, "lost").first == "/dev/ttyUSB0")
  }

  @Test func two_adapters_that_are_swapped_stay_the_vehicles_they_were() async throws {
    let lines = try await Self.run(recoveries: 2) { addresses in
      """
      [\(Self.plug("a", 0, at: addresses[0])), \(Self.plug("b", 1, at: addresses[1])), {"start": true},
       {"await": "\\"event\\":\\"connected\\""}, {"await": "\\"event\\":\\"connected\\""},
       {"await": "\\"type\\":\\"vehicle\\""}, {"await": "\\"type\\":\\"vehicle\\""},
       {"unplug": "a"}, {"await": "portClosed"}, {"unplug": "b"}, {"await": "portClosed"},
       \(Self.plug("a", 1, at: addresses[0])), \(Self.plug("b", 0, at: addresses[1])),
       {"await": "\\"event\\":\\"recovered\\""}, {"await": "\\"event\\":\\"recovered\\""}]
      """
    }
    guard let lines else { return }
    #expect(Self.devices(lines, "connected").sorted() == ["/dev/ttyUSB0", "/dev/ttyUSB1"])
    #expect(Self.devices(lines, "recovered").sorted() == ["/dev/ttyUSB0", "/dev/ttyUSB1"])
    #expect(!lines.contains { $0.contains("vehicleChanged") }, "neither is taken for the other")
    // The one that was ttyUSB0 is ttyUSB1 now, in the same vehicle.
    for (vin, device) in zip(Self.vins, ["/dev/ttyUSB1", "/dev/ttyUSB0"]) {
      let recovered = lines.filter { $0.contains("\"event\":\"recovered\"") && $0.contains("\"vehicleId\":\"\(vin)\"") }
      #expect(recovered.count == 1 && recovered.allSatisfy { $0.contains("\"device\":\"\(device)\"") }, "\(recovered)")
    }
  }
}
