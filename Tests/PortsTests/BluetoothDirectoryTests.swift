import TestKit
import Testing

/// A simulation of BlueZ on a separate bus.
@Suite struct BluetoothDirectoryTests {
  private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

  private static func run(_ devices: String, _ arguments: [String]) throws -> Tool.Result {
    try Tool.required("dbus-daemon")
    let bed = try Testbed.path("bluez.py", modules: "import dbus, dbusmock", packages: "python3-dbusmock")
    let scratch = try ScratchFolder()
    let file = try scratch.write("devices.json", devices)
    return try Tool.run(
      "/usr/bin/python3", [bed, file, try Tool.probe("PortsProbe")] + arguments, limit: .seconds(200))
  }

  @Test func paired_devices_are_listed_with_names_and_verdicts() throws {
    let devices = """
      {"controllers": ["hci0"], "devices": [
        {"controller": "hci0", "address": "00:1D:A5:68:98:8A", "name": "OBDLink LX", "paired": true,
         "services": ["\(Self.serialPort)"], "signal": -48},
        {"controller": "hci0", "address": "00:00:00:00:00:02", "name": "Pixel 8", "alias": "phone", "paired": true,
         "services": ["0000110a-0000-1000-8000-00805f9b34fb", "\(Self.serialPort.uppercased())"], "signal": -70},
        {"controller": "hci0", "address": "00:00:00:00:00:03", "name": "Headphones", "paired": true, "signal": -71}]}
      """
    let result = try Self.run(devices, ["bluetooth"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(
      result.lines == [
        "00:00:00:00:00:02 'Pixel 8' 'phone' -70 dBm leave(notProbed)",
        "00:00:00:00:00:03 'Headphones' 'Headphones' -71 dBm leave(unrelated)",
        "00:1D:A5:68:98:8A 'OBDLink LX' 'OBDLink LX' -48 dBm adapter(knownProduct)",
      ])
  }

  @Test func a_device_with_a_random_address_uses_bluetooth_le() throws {
    let devices = """
      {"controllers": ["hci0"], "devices": [
        {"controller": "hci0", "address": "C4:1D:A5:68:98:8A", "name": "OBDBLE", "paired": true, "random": true,
         "signal": -50},
        {"controller": "hci0", "address": "00:1D:A5:68:98:8B", "name": "OBDBLE", "paired": true, "signal": -60}]}
      """
    let result = try Self.run(devices, ["bluetooth"])
    #expect(
      result.lines == [
        "00:1D:A5:68:98:8B 'OBDBLE' 'OBDBLE' -60 dBm leave(noSerialPort)",
        "C4:1D:A5:68:98:8A 'OBDBLE' 'OBDBLE' -50 dBm adapter(knownProduct)",
      ])
  }

  @Test func an_inquiry_finds_unknown_devices() throws {
    let devices = """
      {"controllers": ["hci0"], "devices": [
        {"controller": "hci0", "address": "11:22:33:44:55:66", "name": "OBDII", "heard": true, "signal": -60}]}
      """
    // Time for the simulation to detect the inquiry and to report the device.
    let result = try Self.run(devices, ["inquire", "5"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.lines == ["11:22:33:44:55:66 'OBDII' 'OBDII' -60 dBm leave(notPaired)"])
  }

  @Test func without_bluez_there_is_one_reason() throws {
    let result = try Self.run("null", ["bluetooth"])
    #expect(
      result.lines == [
        "error Bluetooth not searched: bluetoothd is not running; apt install bluez, or start bluetooth"
      ])
  }

  @Test func without_a_controller_an_inquiry_says_so_and_a_list_is_empty() throws {
    let devices = #"{"controllers": [], "devices": []}"#
    let inquiry = try Self.run(devices, ["inquire", "5"])
    let list = try Self.run(devices, ["bluetooth"])
    #expect(
      inquiry.lines == [
        "error Bluetooth not searched: no controller; plug one in, or rfkill unblock bluetooth"
      ])
    #expect(list.status == 0)
    #expect(list.lines == [])
  }

  @Test func without_a_bus_there_is_one_reason() throws {
    let result = try Tool.run(
      try Tool.probe("PortsProbe"), ["bluetooth"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"])
    #expect(result.lines.count == 1)
    #expect(result.output.hasPrefix("error Bluetooth not searched: no D-Bus system bus ("), "\(result.output)")
  }
}
