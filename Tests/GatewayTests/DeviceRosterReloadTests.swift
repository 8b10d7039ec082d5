import Ports
import Testing

@testable import Gateway

/// Effects of a new configuration, of a tag, and of two devices with the same serial number.
@Suite struct DeviceRosterReloadTests {
  private func device(_ node: String, serial: String = "113", tag: String = "") -> DeviceIdentity {
    DeviceIdentity(
      node: node, systemPath: "/sys\(node)", links: [], place: "usb-1",
      usb: .init(vendor: 0x0403, product: 0x6015, serial: serial, productName: "OBDLink SX"), tag: tag)
  }

  private func configuration(_ text: String) throws -> GatewayConfiguration {
    try GatewayConfiguration(parsing: Array(text.utf8), file: "gateway.json")
  }

  private func roster(_ text: String) throws -> DeviceRoster {
    let configuration = try configuration(text)
    var roster = DeviceRoster(configuration)
    _ = roster.configured(configuration)
    return roster
  }

  @Test func a_reload_keeps_named_adapters_and_ends_removed_ones() throws {
    var roster = try roster(#"{"adapters": [{"tcp": "10.0.0.1"}, {"tcp": "10.0.0.2"}]}"#)
    let steps = roster.reconfigure(try configuration(#"{"adapters": [{"tcp": "10.0.0.2"}, {"tcp": "10.0.0.3"}]}"#))
    #expect(steps.count == 2)
    #expect(steps.first == .stop(0))
    guard case .start(2, .tcp("10.0.0.3", 35_000), _) = steps.last else {
      Issue.record("\(steps)")
      return
    }
  }

  @Test func a_found_adapter_restarts_when_the_configuration_names_it() throws {
    var roster = try roster("{}")
    _ = roster.present([device("/dev/ttyUSB0")])
    let named = try configuration(#"{"adapters": [{"device": "/dev/ttyUSB0", "baud": 115200}]}"#)
    let steps = roster.reconfigure(named)
    #expect(steps.first == .stop(0))
    #expect(steps.contains { if case .start(1, .serial("/dev/ttyUSB0", 115_200), _) = $0 { true } else { false } })
    #expect(roster.apply(.absent(node: "/dev/ttyUSB0", systemPath: "/sys/dev/ttyUSB0")) == [.move(1, nil)])
  }

  @Test func the_same_configuration_again_changes_nothing() throws {
    var roster = try roster("{}")
    _ = roster.present([device("/dev/ttyUSB0")])
    #expect(roster.reconfigure(try configuration("{}")) == [])
  }

  @Test func an_adapter_tagged_as_ignored_is_closed() throws {
    var roster = try roster("{}")
    _ = roster.present([device("/dev/ttyUSB0")])
    #expect(roster.apply(.present(device("/dev/ttyUSB0", tag: "ignore"))) == [.move(0, nil)])
  }

  @Test func a_second_device_with_the_same_number_takes_nothing_from_the_first() throws {
    var roster = try roster("{}")
    _ = roster.present([device("/dev/ttyUSB0")])
    #expect(roster.apply(.present(device("/dev/ttyUSB1"))) == [])
    #expect(roster.apply(.absent(node: "/dev/ttyUSB1", systemPath: "/sys/dev/ttyUSB1")) == [])
  }
}
