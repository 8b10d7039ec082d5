import Ports
import Testing

@testable import Gateway

@Suite struct DeviceRosterTests {
  private func device(
    _ node: String, serial: String = "", name: String = "OBDLink SX", vendor: UInt16 = 0x0403, product: UInt16 = 0x6015,
    place: String = "usb-1", links: [String] = [], tag: String = ""
  ) -> DeviceIdentity {
    DeviceIdentity(
      node: node, systemPath: "/sys\(node)", links: links, place: place,
      usb: .init(vendor: vendor, product: product, serial: serial, productName: name), tag: tag)
  }

  private func gone(_ node: String) -> DeviceEvent { .absent(node: node, systemPath: "/sys\(node)") }

  private func roster(_ text: String = "{}") throws -> (DeviceRoster, [DeviceRoster.Step]) {
    let configuration = try GatewayConfiguration(parsing: Array(text.utf8), file: "gateway.json")
    var roster = DeviceRoster(configuration)
    let steps = roster.configured(configuration)
    return (roster, steps)
  }

  private func serial(_ path: String, baud: Int? = nil) -> PortAddress { .serial(path: path, baud: baud) }

  @Test func an_adapter_that_comes_back_under_another_number_is_the_same_one() throws {
    var (roster, _) = try roster()
    #expect(
      roster.present([device("/dev/ttyUSB0", serial: "113")]) == [
        .start(0, serial("/dev/ttyUSB0"), configured: nil)
      ])
    #expect(roster.apply(gone("/dev/ttyUSB0")) == [.move(0, nil)])
    #expect(
      roster.apply(.present(device("/dev/ttyUSB3", serial: "113"))) == [.move(0, serial("/dev/ttyUSB3"))])
  }

  @Test func two_adapters_that_are_swapped_keep_their_numbers() throws {
    var (roster, _) = try roster()
    _ = roster.present([device("/dev/ttyUSB0", serial: "A1"), device("/dev/ttyUSB1", serial: "B2")])
    #expect(roster.apply(gone("/dev/ttyUSB0")) == [.move(0, nil)])
    #expect(roster.apply(gone("/dev/ttyUSB1")) == [.move(1, nil)])
    #expect(roster.apply(.present(device("/dev/ttyUSB0", serial: "B2"))) == [.move(1, serial("/dev/ttyUSB0"))])
    #expect(roster.apply(.present(device("/dev/ttyUSB1", serial: "A1"))) == [.move(0, serial("/dev/ttyUSB1"))])
  }

  @Test func a_configured_adapter_begins_at_once_and_keeps_its_rate_wherever_it_is() throws {
    var (roster, steps) = try roster(#"{"adapters": [{"device": "/dev/obd", "baud": 115200}]}"#)
    #expect(steps.count == 1)
    guard case .start(0, let address, _) = steps.first else {
      Issue.record("\(steps)")
      return
    }
    #expect(address == serial("/dev/obd", baud: 115_200))
    let found = roster.present([device("/dev/ttyUSB2", serial: "113", links: ["/dev/obd"])])
    #expect(found == [.move(0, serial("/dev/ttyUSB2", baud: 115_200))])
  }

  @Test func bluetooth_adapters_use_their_supported_transport() throws {
    let named = try #require(BluetoothAddress("AA:BB:CC:00:00:01"))
    let mine = try #require(BluetoothAddress("AA:BB:CC:00:00:02"))
    let classic = try #require(BluetoothAddress("AA:BB:CC:00:00:03"))
    let stranger = try #require(BluetoothAddress("AA:BB:CC:00:00:04"))
    var (roster, steps) = try roster(#"{"adapters": [{"ble": "AA:BB:CC:00:00:01"}]}"#)
    guard case .start(0, .ble(named), _) = steps.first else {
      Issue.record("\(steps)")
      return
    }
    let found = roster.bluetooth([
      BluetoothDevice(address: named, name: "OBDBLE", isTrusted: true, hasAdapterService: true),
      BluetoothDevice(address: mine, name: "OBDBLE", isTrusted: true, hasAdapterService: true),
      BluetoothDevice(address: classic, name: "OBDII", isPaired: true, hasSerialPort: true, hasAdapterService: true),
      BluetoothDevice(address: stranger, name: "OBDBLE", alias: "OBDBLE", hasAdapterService: true),
    ])
    #expect(
      found == [
        .start(1, .ble(mine), configured: nil), .start(2, .rfcomm(classic, channel: nil), configured: nil),
        .leave(device: "ble:AA:BB:CC:00:00:04", label: "OBDBLE", .notTrusted),
      ])
    #expect(roster.name(of: 1) == "ble:AA:BB:CC:00:00:02")
  }

  @Test func unknown_bluetooth_devices_are_logged_at_most_32_times() throws {
    var (roster, _) = try roster()
    var told = 0
    for number in 0..<2_000 {
      let text = String(number, radix: 16, uppercase: true)
      let digits = Array(String(repeating: "0", count: 4 - text.count) + text)
      let address = try #require(BluetoothAddress("AA:BB:CC:00:\(String(digits[..<2])):\(String(digits[2...]))"))
      told +=
        roster.bluetooth([BluetoothDevice(address: address, name: "OBDII", alias: "OBDII", hasSerialPort: true)]).count
    }
    #expect(told == 32)
    // A paired device is used nevertheless.
    let mine = try #require(BluetoothAddress("AA:BB:CC:01:00:00"))
    let paired = BluetoothDevice(
      address: mine, name: "OBDII", isPaired: true, hasSerialPort: true, hasAdapterService: true)
    #expect(roster.bluetooth([paired]) == [.start(0, .rfcomm(mine, channel: nil), configured: nil)])
  }

  @Test func an_ignored_device_is_never_started() throws {
    var (roster, _) = try roster()
    #expect(
      roster.present([device("/dev/ttyUSB0", serial: "113", tag: "ignore")]) == [
        .leave(device: "/dev/ttyUSB0", label: "OBDLink SX", .ignored)
      ])
  }

  @Test func an_unknown_usb_device_is_only_listened_to() throws {
    var (roster, _) = try roster()
    let stranger = device("/dev/ttyUSB0", name: "USB2.0-Serial", vendor: 0x1A86, product: 0x7523)
    #expect(roster.present([stranger]) == [.listen(stranger)])
    #expect(
      roster.handle(.nothing, from: stranger) == [
        .leave(device: "/dev/ttyUSB0", label: "USB2.0-Serial", .notProbed)
      ])
  }

  @Test func an_unknown_device_that_sends_nmea_is_a_receiver() throws {
    var (roster, _) = try roster()
    let stranger = device("/dev/ttyUSB0", name: "USB2.0-Serial", vendor: 0x1A86, product: 0x7523)
    _ = roster.present([stranger])
    #expect(
      roster.handle(.sentences(baud: 9600), from: stranger) == [
        .startReceiver(0, .serial(path: "/dev/ttyUSB0", baud: 9600), .heard, label: "USB2.0-Serial")
      ])
  }

  @Test func a_receiver_that_is_named_begins_at_once_and_follows_its_plug() throws {
    var (roster, steps) = try roster(#"{"gps": [{"device": "/dev/ttyUSB0"}, {"gpsd": "localhost"}]}"#)
    #expect(
      steps == [
        .startReceiver(0, .serial(path: "/dev/ttyUSB0", baud: nil), .configured, label: ""),
        .startReceiver(1, .tcp(host: "localhost", port: 2947), .configured, label: ""),
      ])
    let receiver = device("/dev/ttyUSB0", name: "u-blox 7", vendor: 0x1546, product: 0x01A7)
    #expect(roster.present([receiver]) == [.move(0, serial("/dev/ttyUSB0"))])
    #expect(roster.apply(gone("/dev/ttyUSB0")) == [.move(0, nil)])
    let back = device("/dev/ttyUSB3", name: "u-blox 7", vendor: 0x1546, product: 0x01A7)
    #expect(roster.present([back]) == [.move(0, serial("/dev/ttyUSB3"))])
  }

  @Test func a_receiver_that_is_found_keeps_its_number_in_another_socket() throws {
    var (roster, _) = try roster()
    let receiver = device("/dev/ttyACM0", name: "u-blox 7 - GPS/GNSS Receiver", vendor: 0x1546, product: 0x01A7)
    let steps = roster.present([receiver])
    #expect(steps.count == 1)
    guard case .startReceiver(0, _, .knownProduct, _) = steps.first else {
      Issue.record("\(steps)")
      return
    }
    #expect(roster.apply(gone("/dev/ttyACM0")) == [.move(0, nil)])
  }

  @Test func an_unknown_device_is_probed_if_the_configuration_permits_it() throws {
    var (roster, _) = try roster(#"{"discovery": {"probe": true}}"#)
    let stranger = device("/dev/ttyUSB0", name: "USB2.0-Serial", vendor: 0x1A86, product: 0x7523)
    _ = roster.present([stranger])
    #expect(roster.handle(.nothing, from: stranger) == [.start(0, serial("/dev/ttyUSB0"), configured: nil)])
  }

  @Test func an_unknown_device_unplugged_while_listening_is_removed() throws {
    var (roster, _) = try roster(#"{"discovery": {"probe": true}}"#)
    let stranger = device("/dev/ttyUSB0", name: "USB2.0-Serial", vendor: 0x1A86, product: 0x7523)
    _ = roster.present([stranger])
    #expect(roster.apply(gone("/dev/ttyUSB0")) == [])
    #expect(roster.handle(.nothing, from: stranger) == [])
  }

  @Test func two_that_share_a_serial_number_are_told_apart_by_their_sockets() throws {
    var (roster, _) = try roster()
    let steps = roster.present([
      device("/dev/ttyUSB0", serial: "A50285BI", place: "usb-1"),
      device("/dev/ttyUSB1", serial: "A50285BI", place: "usb-2"),
    ])
    #expect(
      steps == [
        .start(0, serial("/dev/ttyUSB0"), configured: nil), .start(1, serial("/dev/ttyUSB1"), configured: nil),
      ])
    #expect(roster.apply(gone("/dev/ttyUSB1")) == [.move(1, nil)])
  }

  @Test func no_device_is_found_if_discovery_is_off() throws {
    var (roster, _) = try roster(#"{"discovery": {"serial": false}}"#)
    #expect(roster.present([device("/dev/ttyUSB0", serial: "113")]) == [])
  }
}
