import Glibc
import TestKit
import Testing

@testable import Ports

/// Successful and failed openings, and their errors.
extension BLEPortTests {
  @Test func a_device_unknown_to_bluez_is_searched_for() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "known": false"#)) {
      port, bed in
      try bed.event("connect")
      let events = bed.events
      // The search ends before the adapter is called, because both at the same time fail with many controllers.
      #expect(events.prefix(3) == ["bus \(bed.bus)", "discovery le", "discovery over"])
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
    }
  }

  @Test func a_device_that_is_not_there_ends_the_search_at_the_limit() async throws {
    // The limit is less than the ten seconds of the longest search.
    let error = try await Self.refusal(#"{"devices": []}"#, within: .seconds(8))
    #expect(error.kind == .timedOut)
    #expect(
      error.description.hasPrefix(
        "ble:AA:BB:CC:00:00:01: not found; is the adapter powered, in range, and not"))
  }

  @Test(arguments: [
    (
      Scene.adapter(Scene.service("180f", [("2a19", ["read", "notify"])])),
      PortError.Kind.noSerialService,
      "no adapter's service (FFE0, FFF0, Nordic UART, 18F0), but 180F; is it"
    ),
    (
      Scene.adapter(""), .noSerialService,
      "no adapter's service (FFE0, FFF0, Nordic UART, 18F0), but no service; is it"
    ),
    (
      Scene.adapter(Scene.service("ffe0", [("ffe1", ["read", "notify"])])), .noSerialService,
      "its service FFE0 has no characteristics to notify and to write"
    ),
    (
      Scene.adapter(
        Scene.ffe0, #""connect": ["org.bluez.Error.Failed: le-connection-abort-by-local"]"#),
      .unreachable,
      "not connected (le-connection-abort-by-local); is the adapter powered, in range, and not connected to a phone?"
    ),
    (
      Scene.adapter(Scene.ffe0, #""connect": ["org.bluez.Error.NotReady: Resource Not Ready"]"#),
      .noBluetooth,
      "the controller is off; bluetoothctl power on"
    ),
    (
      Scene.adapter(
        Scene.ffe0, #""connect": ["org.bluez.Error.AuthenticationFailed: Authentication Failed"]"#),
      .notPaired,
      "must be paired (Authentication Failed); configure its \"pin\", or run bluetoothctl pair"
    ),
    (
      Scene.adapter(Scene.ffe0, #""sockets": true, "wants key": true"#), .notPaired,
      "must be paired (Not paired); configure its \"pin\", or run bluetoothctl pair"
    ),
    (
      Scene.adapter(Scene.ffe0, #""connect": ["org.bluez.Error.NotAvailable: br-connection-profile-unavailable"]"#),
      .unreachable,
      "BlueZ used classic Bluetooth (br-connection-profile-unavailable); if the adapter supports both, write "
        + "rfcomm:ADDRESS"
    ),
    (
      Scene.adapter(Scene.ffe0, #""connect": ["org.bluez.Error.Failed: br-connection-page-timeout"]"#),
      .unreachable,
      "BlueZ used classic Bluetooth (br-connection-page-timeout); if the adapter supports both, write rfcomm:ADDRESS"
    ),
    (
      Scene.adapter(Scene.ffe0, #""sockets": "taken""#), .busy,
      "another program on this machine uses it (Notify acquired)"
    ),
    (
      #"{"powered": false, "devices": []}"#, .noBluetooth,
      "the Bluetooth controller is off; bluetoothctl power on"
    ),
    (
      #"{"controllers": [], "devices": []}"#, .noBluetooth,
      "no Bluetooth controller; plug one in, or rfkill unblock bluetooth"
    ),
  ])
  func a_missing_bluetooth_service_is_reported_in_one_line(
    _ row: (scene: String, kind: PortError.Kind, text: String)
  ) async throws {
    let error = try await Self.refusal(row.scene)
    #expect(error.kind == row.kind)
    #expect(error.detail.hasPrefix(row.text), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test func of_two_controllers_that_know_it_the_one_that_is_on_is_used() async throws {
    let device = #""address": "\#(Scene.address)", "sockets": true, "services": [\#(Scene.ffe0)]"#
    let scene = """
      {"controllers": ["hci0", "hci1"], "off": ["hci0"],
       "devices": [{\(device), "controller": "hci0", "paired": true}, {\(device), "controller": "hci1"}]}
      """
    try await Self.with(scene) { port, _ in #expect(port.isOpen == true) }
  }

  @Test(arguments: [#""sockets": true"#, messages])
  func notifications_during_opening_are_read(_ facts: String) async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, facts + #", "greets": "ELM327 v1.5\r\r>""#)) { port, _ in
      let text = try Self.read(14, &port)
      #expect(text == "ELM327 v1.5\r\r>")
    }
  }

  /// Some adapters report this only when they are written to.
  @Test func a_characteristic_that_requires_a_key_fails_when_it_is_written() async throws {
    let services = Scene.service("ffe0", [("ffe1", ["write", "notify"])])
    try await Self.with(Scene.adapter(services, Self.messages + #", "wants key": "write""#)) { port, _ in
      try Self.write("ATZ\r", &port)
      #expect(try Self.end(of: &port)?.kind == .notPaired)
    }
  }

  /// BlueZ 5.66 behaves like this if its channel to the adapter exists before it notices the link.
  @Test func a_connection_is_recognised_without_a_signal() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "signals": false"#)) { port, bed in
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
      try bed.order(#"{"do": "disconnect"}"#)
      #expect(try Self.end(of: &port)?.kind == .gone)
    }
  }

  /// BlueZ remembers services. An adapter may accept a connection before it offers all its services.
  @Test(arguments: ["", #""paired": true,"#, #""trusted": true,"#])
  func services_without_a_serial_connection_are_read_again(_ known: String) async throws {
    try await runBlocking {
      let facts = #"\#(known) "sockets": true, "first services": [\#(Scene.service("180a", []))]"#
      let bed = try BluetoothBed.start(Scene.adapter(Scene.ffe0, facts))
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let error = PortContract.error { () throws(PortError) in try port.open(within: .seconds(60), unless: nil) }
      #expect(error?.kind == .noSerialService)
      // Data that the owner has published remain known.
      try bed.event(known.isEmpty ? "removed" : "disconnect")
      guard known.isEmpty else { return }
      try port.open(within: .seconds(60), unless: nil)
      port.close()
    }
  }

  @Test func missing_services_fail_at_the_time_limit() async throws {
    let error = try await Self.refusal(
      Scene.adapter(Scene.ffe0, #""resolves": false"#), within: .seconds(15))
    #expect(error.kind == .timedOut)
    #expect(error.detail.hasPrefix("connected, but it reports no services"), "\(error)")
  }

  @Test func without_bluez_or_a_bus_there_is_one_reason() async throws {
    try await runBlocking {
      var port = BLEPort(address: Scene.address, bus: "unix:path=/nowhere")
      let error = PortContract.error { () throws(PortError) in try port.open() }
      #expect(error?.kind == .noBluetooth)
      #expect(
        error?.detail.hasPrefix("no D-Bus system bus (") == true,
        "\(error?.description ?? "opened")")
      let bed = try BluetoothBed.start(Scene.adapter())
      try bed.order(#"{"do": "leave"}"#)
      port = BLEPort(address: Scene.address, bus: bed.bus)
      let gone = PortContract.error { () throws(PortError) in try port.open() }
      #expect(gone?.kind == .noBluetooth)
      #expect(gone?.detail == "bluetoothd is not running; apt install bluez, or start bluetooth")
    }
  }

  @Test func a_wake_up_ends_opening_and_remains_signalled() async throws {
    try await runBlocking {
      let bed = try BluetoothBed.start(#"{"devices": []}"#)
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let wakeUp = try WakeUp()
      wakeUp.signal()
      #expect(
        PortContract.kind { () throws(PortError) in
          try port.open(within: .seconds(60), unless: wakeUp)
        }
          == .interrupted)
      #expect(wakeUp.clear())
    }
  }
}
