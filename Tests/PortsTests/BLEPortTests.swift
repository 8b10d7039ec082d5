import Glibc
import TestKit
import Testing

@testable import Ports

/// An adapter behind a stand-in for BlueZ, on a bus of its own.
@Suite struct BLEPortTests {
  /// Opens a port to a scene's adapter and lets the test work with both.
  private static func with(
    _ scene: String, _ body: @escaping @Sendable (inout BLEPort, BluetoothBed) throws -> Void
  ) async throws {
    try await aside {
      guard let bed = try BluetoothBed.start(scene) else { return }
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      try port.open(within: .seconds(30), unless: nil)
      try body(&port, bed)
      port.close()
    }
  }

  /// Why a port to a scene's adapter does not open.
  private static func refusal(_ scene: String, within limit: Duration = .seconds(30)) async throws
    -> PortError?
  {
    try await aside {
      guard let bed = try BluetoothBed.start(scene) else { return nil }
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let error = PortContract.error { () throws(PortError) in
        try port.open(within: limit, unless: nil)
      }
      #expect(port.isOpen == false)
      #expect(port.descriptor == -1)
      return error
    }
  }

  private static func wait(for port: borrowing BLEPort) throws {
    var waiting = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, 30_000) == 1 else { throw TestData.Missing("anything to read from \(port.name)") }
  }

  /// Reads until so many bytes are there.
  private static func read(_ count: Int, _ port: inout BLEPort, room: Int = 256) throws -> String {
    var text = ""
    while text.utf8.count < count {
      try wait(for: port)
      text += try PortContract.read(&port, room: room)
    }
    return text
  }

  /// Reads until the line has ended, and says why.
  private static func end(of port: inout BLEPort) throws -> PortError? {
    while true {
      try wait(for: port)
      if let error = PortContract.error({ () throws(PortError) in _ = try PortContract.read(&port) }
      ) {
        return error
      }
    }
  }

  /// Writes all of it, as a loop does: what finds no room waits until the descriptor is ready.
  private static func write(_ text: String, _ port: inout BLEPort) throws {
    var rest = Substring(text)
    while !rest.isEmpty {
      let count = try PortContract.write(String(rest), &port)
      rest = rest.dropFirst(count)
      if count > 0 { continue }
      try wait(for: port)
      #expect(try PortContract.read(&port) == "")
    }
  }

  private static func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func notify(_ pieces: [String], _ bed: BluetoothBed) throws {
    let list = pieces.map { "\"\(hex($0))\"" }.joined(separator: ", ")
    try bed.order("{\"do\": \"notify\", \"pieces\": [\(list)]}")
  }

  private static let messages = #""sockets": false"#

  // MARK: Bytes

  @Test(arguments: [
    (Scene.ffe0, #""sockets": true"#, "socket"), (Scene.ffe0, messages, "command"),
    (Scene.fff0, #""sockets": true"#, "socket"), (Scene.fff0, messages, "command"),
  ])
  func bytes_go_both_ways(_ row: (services: String, facts: String, how: String)) async throws {
    try await Self.with(Scene.adapter(row.services, row.facts)) { port, bed in
      #expect(port.isOpen == true)
      #expect(port.baud == nil)
      #expect(try PortContract.read(&port) == "", "nothing was sent yet")
      try Self.write("010C\r", &port)
      #expect(try bed.event("write") == "write \(row.how) \(Self.hex("010C\r"))")
      try Self.notify(["41 0C 1A F8\r\r>"], bed)
      #expect(try Self.read(14, &port) == "41 0C 1A F8\r\r>")
    }
  }

  /// Which characteristic is which is told by what each can do.
  @Test(arguments: [
    Scene.service("fff0", [("fff1", ["write-without-response"]), ("fff2", ["notify"])]),
    Scene.service("fff0", [("fff4", ["write-without-response"]), ("fff7", ["indicate"])]),
    Scene.service(
      "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
      [
        ("6e400002-b5a3-f393-e0a9-e50e24dcca9e", ["write-without-response"]),
        ("6e400003-b5a3-f393-e0a9-e50e24dcca9e", ["notify"]),
      ]),
    Scene.service("18f0", [("2af0", ["notify"]), ("2af1", ["write-without-response"])]),
  ])
  func every_family_of_adapters_is_spoken_to(_ service: String) async throws {
    try await Self.with(Scene.adapter(service, Self.messages)) { port, bed in
      try Self.write("ATZ\r", &port)
      #expect(try bed.event("write") == "write command \(Self.hex("ATZ\r"))")
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
    }
  }

  @Test func notifications_are_joined_wherever_they_are_cut() async throws {
    for facts in [#""sockets": true"#, Self.messages] {
      try await Self.with(Scene.adapter(Scene.ffe0, facts)) { port, bed in
        try Self.notify(["4", "1 0C 1", "", "A F8\r", "\r", ">SEARCH", "ING...\r\r>"], bed)
        // An empty notification is none, and no end.
        #expect(try Self.read(29, &port, room: 7) == "41 0C 1A F8\r\r>SEARCHING...\r\r>")
      }
    }
  }

  @Test(arguments: [
    // What BlueZ hands the socket out with; none before the two sides have agreed.
    (#""sockets": true, "mtu": 23"#, 20), (#""sockets": true, "mtu": 103"#, 100),
    (#""sockets": true, "mtu": 0"#, 20),
    (#""sockets": true, "mtu": 65535"#, 512),
  ])
  func what_is_written_is_cut_to_packets(_ row: (facts: String, packet: Int)) async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, row.facts)) { port, bed in
      let text = String(repeating: "0123456789", count: 70)
      try Self.write(text, &port)
      try Self.expect(text, inPackets: row.packet, "socket", bed)
    }
  }

  @Test(arguments: [
    (Scene.service("ffe0", [("ffe1", ["write-without-response", "notify"])]), 20, "command"),
    (
      Scene.service("ffe0", [("ffe1", ["write-without-response", "notify"])], mtu: 53), 50,
      "command"
    ),
    // Without what needs no answer, each write waits for one.
    (Scene.service("ffe0", [("ffe1", ["write", "notify"])], mtu: 185), 182, "request"),
  ])
  func messages_are_cut_to_packets_too(_ row: (services: String, packet: Int, type: String))
    async throws
  {
    try await Self.with(Scene.adapter(row.services, Self.messages)) { port, bed in
      let text = String(repeating: "0123456789", count: 40)
      try Self.write(text, &port)
      try Self.expect(text, inPackets: row.packet, row.type, bed)
    }
  }

  private static func expect(
    _ text: String, inPackets packet: Int, _ type: String, _ bed: BluetoothBed
  ) throws {
    var rest = Substring(text)
    while !rest.isEmpty {
      #expect(try bed.event("write") == "write \(type) \(hex(String(rest.prefix(packet))))")
      rest = rest.dropFirst(packet)
    }
  }

  // MARK: Opening

  @Test func a_device_that_bluez_does_not_know_is_listened_for() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "known": false"#)) {
      port, bed in
      try bed.event("connect")
      let events = bed.events
      // The search is over before the call: both at once fail with many controllers.
      #expect(events.prefix(3) == ["bus \(bed.bus)", "discovery le", "discovery over"])
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
    }
  }

  @Test func a_device_that_is_not_there_ends_the_search_at_the_limit() async throws {
    let error = try await Self.refusal(#"{"devices": []}"#, within: .seconds(1))
    guard let error else { return }
    #expect(error.kind == .timedOut)
    #expect(
      error.description.hasPrefix(
        "ble:AA:BB:CC:00:00:01: not heard; is the adapter powered, near, and free"))
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
      "its service FFE0 has nothing that notifies and can be written to"
    ),
    (
      Scene.adapter(
        Scene.ffe0, #""connect": ["org.bluez.Error.Failed: le-connection-abort-by-local"]"#),
      .unreachable,
      "not connected (le-connection-abort-by-local); is the adapter powered, near, and free of other phones?"
    ),
    (
      Scene.adapter(Scene.ffe0, #""connect": ["org.bluez.Error.NotReady: Resource Not Ready"]"#),
      .noBluetooth,
      "the controller is off; bluetoothctl power on"
    ),
    (
      Scene.adapter(
        Scene.ffe0, #""connect": ["org.bluez.Error.AuthenticationFailed: Authentication Failed"]"#),
      .notPermitted,
      "wants to be paired (Authentication Failed); give its \"pin\", or bluetoothctl pair"
    ),
    (
      Scene.adapter(Scene.ffe0, #""sockets": "taken""#), .busy,
      "another program of this machine uses it (Notify acquired)"
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
  func what_is_missing_is_said_in_one_line(
    _ row: (scene: String, kind: PortError.Kind, text: String)
  ) async throws {
    guard let error = try await Self.refusal(row.scene) else { return }
    #expect(error.kind == row.kind)
    #expect(error.detail.hasPrefix(row.text), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test func services_that_never_come_end_at_the_limit() async throws {
    let error = try await Self.refusal(
      Scene.adapter(Scene.ffe0, #""resolves": false"#), within: .seconds(1))
    guard let error else { return }
    #expect(error.kind == .timedOut)
    #expect(error.detail.hasPrefix("connected, but its services do not come"), "\(error)")
  }

  @Test func without_bluez_or_a_bus_there_is_one_reason() async throws {
    try await aside {
      var port = BLEPort(address: Scene.address, bus: "unix:path=/nowhere")
      let error = PortContract.error { () throws(PortError) in try port.open() }
      #expect(error?.kind == .noBluetooth)
      #expect(
        error?.detail.hasPrefix("no D-Bus system bus (") == true,
        "\(error?.description ?? "opened")")
      guard let bed = try BluetoothBed.start(Scene.adapter()) else { return }
      try bed.order(#"{"do": "leave"}"#)
      port = BLEPort(address: Scene.address, bus: bed.bus)
      let gone = PortContract.error { () throws(PortError) in try port.open() }
      #expect(gone?.kind == .noBluetooth)
      #expect(gone?.detail == "bluetoothd is not running; apt install bluez, or start bluetooth")
    }
  }

  @Test func a_wake_up_ends_opening_and_goes_on_ringing() async throws {
    try await aside {
      guard let bed = try BluetoothBed.start(#"{"devices": []}"#) else { return }
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let wakeUp = try WakeUp()
      wakeUp.signal()
      #expect(
        PortContract.kind { () throws(PortError) in
          try port.open(within: .seconds(30), unless: wakeUp)
        }
          == .interrupted)
      #expect(wakeUp.silence())
    }
  }

  // MARK: The end

  @Test(arguments: [
    (#"{"do": "disconnect"}"#, #""sockets": true"#), (#"{"do": "disconnect"}"#, messages),
    (#"{"do": "drop"}"#, #""sockets": true"#), (#"{"do": "forget"}"#, messages),
    (#"{"do": "leave"}"#, messages),
    (#"{"do": "leave"}"#, #""sockets": true"#),
  ])
  func a_line_that_is_gone_says_so_once_all_is_read(_ row: (order: String, facts: String))
    async throws
  {
    try await Self.with(Scene.adapter(Scene.ffe0, row.facts)) { port, bed in
      try Self.notify(["STOPPED\r", ">"], bed)
      try bed.order(row.order)
      #expect(try Self.read(9, &port, room: 4) == "STOPPED\r>")
      let error = try Self.end(of: &port)
      #expect(error?.kind == .gone, "\(error?.description ?? "open")")
      #expect(error?.detail.isEmpty == false)
      #expect(
        PortContract.kind { () throws(PortError) in _ = try PortContract.write("ATZ\r", &port) }
          == .gone)
      port.close()
      #expect(port.descriptor == -1)
    }
  }

  @Test func reopening_after_the_device_went_works() async throws {
    try await Self.with(Scene.adapter()) { port, bed in
      for _ in 0..<3 {
        try Self.notify([">"], bed)
        #expect(try Self.read(1, &port) == ">")
        try bed.order(#"{"do": "disconnect"}"#)
        #expect(try Self.end(of: &port)?.kind == .gone)
        try port.open(within: .seconds(30), unless: nil)
      }
    }
  }

  @Test func closing_ends_the_connection_that_opening_made() async throws {
    try await Self.with(Scene.adapter()) { port, bed in
      port.close()
      try bed.event("disconnect")
    }
    try await Self.with(Scene.adapter(Scene.ffe0, #""sockets": true, "connected": true"#)) {
      port, bed in
      // Somebody else's connection: it was there before.
      #expect(!bed.events.contains("connect"))
      port.close()
      try bed.order(#"{"do": "nonsense"}"#)
      #expect(!bed.events.contains("disconnect"))
    }
  }

  // MARK: Hostile peers

  @Test func properties_of_wrong_types_change_nothing() async throws {
    for facts in [#""sockets": true"#, Self.messages] {
      try await Self.with(Scene.adapter(Scene.ffe0, facts)) { port, bed in
        try bed.order(#"{"do": "nonsense"}"#)
        try Self.notify([">"], bed)
        #expect(try Self.read(1, &port) == ">")
      }
    }
  }

  @Test func services_of_wrong_types_are_none() async throws {
    let service =
      #"{"uuid": "0000ffe0-0000-1000-8000-00805f9b34fb", "characteristics": [{"uuid": "x", "nonsense": true}]}"#
    let error = try await Self.refusal(Scene.adapter(service))
    guard let error else { return }
    #expect(error.kind == .noSerialService)
  }

  @Test func what_others_say_of_the_device_is_not_believed() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, Self.messages)) { port, bed in
      try bed.order(#"{"do": "spoof"}"#)
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
      #expect(try PortContract.read(&port) == "")
    }
  }

  @Test func a_notification_longer_than_any_can_be_ends_the_line() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, Self.messages)) { port, bed in
      try bed.order(#"{"do": "flood", "count": 1, "bytes": 1000000}"#)
      let error = try Self.end(of: &port)
      #expect(error?.kind == .system)
      #expect(error?.detail == "a notification of 1000000 bytes; 512 are the most that can be")
    }
    try await Self.with(Scene.adapter()) { port, bed in
      try bed.order(#"{"do": "flood", "count": 1, "bytes": 4000}"#)
      let error = try Self.end(of: &port)
      #expect(error?.kind == .system)
      #expect(error?.detail == "a notification of more than 512 bytes; 512 are the most that can be")
    }
  }

  @Test func a_flood_is_read_piece_by_piece_and_nothing_is_lost() async throws {
    for facts in [#""sockets": true"#, Self.messages] {
      try await Self.with(Scene.adapter(Scene.ffe0, facts)) { port, bed in
        let work = Aside { try? bed.order(#"{"do": "flood", "count": 400, "bytes": 512}"#) }
        var count = 0
        while count < 400 * 512 {
          try Self.wait(for: port)
          count += try PortContract.read(&port, room: 4_096).utf8.count
        }
        #expect(count == 400 * 512)
        #expect(work.ended())
      }
    }
  }
}
