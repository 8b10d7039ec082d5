import TestKit
import Testing

/// `scan` and commands without --device on a machine with Bluetooth devices. A program imitates BlueZ; no radio is
/// used.
@Suite struct BluetoothScanTests {
  private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"
  private static let adapter = """
    {"controller": "hci0", "address": "00:1D:A5:68:98:8A", "name": "OBDLink LX", "paired": true,
     "services": ["\(serialPort)"]}
    """
  private static let phone = """
    {"controller": "hci0", "address": "00:00:00:00:00:02", "name": "Pixel 8", "alias": "phone", "paired": true,
     "services": ["\(serialPort)"]}
    """
  private static let around = """
    {"controller": "hci0", "address": "11:22:33:44:55:66", "name": "OBDII", "heard": true}
    """

  private func run(_ arguments: [String], _ devices: [String]) async throws -> Tool.Result {
    try Tool.required("dbus-daemon")
    try Self.requireTestbed()
    return try await runBlocking {
      let scratch = try ScratchFolder()
      let file = try scratch.write(
        "devices.json", "{\"controllers\": [\"hci0\"], \"devices\": [\(devices.joined(separator: ", "))]}")
      let program = try Tool.obdgate
      let bed = TestData.projectRoot + "/scripts/testbed/bluez.py"
      return try punctual { try Tool.run("/usr/bin/python3", [bed, file, program] + arguments, limit: .seconds(200)) }
    }
  }

  private static func requireTestbed() throws {
    if try Tool.run("/usr/bin/python3", ["-c", "import dbus, dbusmock"]).status == 0 { return }
    try Tool.missing("python3-dbusmock", remedy: "make test installs it")
  }

  @Test func a_scan_lists_bluetooth_devices_and_does_not_open_unknown_ones() async throws {
    let result = try await run(["scan", "--json"], [Self.adapter, Self.phone, Self.around])
    #expect(result.status == 0, "\(result.errors)")
    let rows = try PrintedJSON.lines(result.output)
    #expect(
      rows.map { $0.only("device", "label", "kind", "reason") } == [
        .object(["device": "rfcomm:00:00:00:00:00:02", "label": "phone", "kind": "unknown", "reason": "notProbed"]),
        .object([
          "device": "rfcomm:00:1D:A5:68:98:8A", "label": "OBDLink LX", "kind": "adapter", "reason": "knownProduct",
        ]),
        .object(["device": "rfcomm:11:22:33:44:55:66", "label": "OBDII", "kind": "unknown", "reason": "notPaired"]),
      ])
    // Only the adapter is called, and it cannot be reached here.
    #expect(rows.map { $0["problem"] != nil } == [false, true, false])
  }

  @Test func the_only_paired_adapter_is_the_one_that_is_asked() async throws {
    let result = try await run(["vin"], [Self.adapter, Self.phone])
    #expect(result.status == 69)
    #expect(result.errors.hasPrefix("obdgate vin: rfcomm:00:1D:A5:68:98:8A: "))
  }

  @Test func an_unknown_bluetooth_device_is_listed_and_not_opened() async throws {
    let result = try await run(["vin"], [Self.phone])
    #expect(result.status == 69)
    #expect(result.errors.contains("not asked: rfcomm:00:00:00:00:00:02 (phone)"))
  }
}

/// An adapter with Bluetooth LE, behind which a car is simulated.
@Suite struct BluetoothLowEnergyTests {
  private static let address = "AA:BB:CC:00:00:01"

  private func run(_ arguments: [String], trusted: Bool) async throws -> Tool.Result {
    try await runBlocking {
      let scratch = try ScratchFolder()
      let car = try SimulatedAdapter(.tcp(0), scenario: "{}", in: scratch.path)
      defer { car.stop() }
      func long(_ uuid: String) -> String { "0000\(uuid)-0000-1000-8000-00805f9b34fb" }
      let scene = """
        {"devices": [{"address": "\(Self.address)", "name": "IOS-Vlink", "uuids": ["\(long("fff0"))"], "sockets": true,
          "trusted": \(trusted), "peer": "\(try car.name)", "services": [{"uuid": "\(long("fff0"))", "characteristics": [
            {"uuid": "\(long("fff1"))", "flags": ["notify"]},
            {"uuid": "\(long("fff2"))", "flags": ["write-without-response"]}]}]}]}
        """
      let bed = try BluetoothBed.start(scene)
      let program = try Tool.obdgate
      return try Tool.run(program, arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bed.bus])
    }
  }

  @Test func a_scan_opens_only_a_trusted_bluetooth_le_device() async throws {
    for trusted in [true, false] {
      let result = try await run(["scan", "--json"], trusted: trusted)
      #expect(result.status == 0, "\(result.errors)")
      let rows = try PrintedJSON.lines(result.output)
      #expect(
        rows.map { $0.only("device", "label", "kind", "reason") } == [
          .object([
            "device": .text("ble:\(Self.address)"), "label": "IOS-Vlink",
            "kind": .text(trusted ? "adapter" : "unknown"),
            "reason": .text(trusted ? "knownProduct" : "notTrusted"),
          ])
        ])
      #expect(rows.map { $0["identity"] != nil } == [trusted], "\(rows)")
    }
  }

  @Test func a_named_bluetooth_le_device_is_always_asked() async throws {
    let result = try await run(["vin", "--device", "ble:\(Self.address)"], trusted: false)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("1D4GP00RX5B123456"), "\(result.output)")
  }
}
