import Glibc
import TestKit
import Testing

@testable import Ports

/// An adapter with a simulation of BlueZ, on a separate bus.
@Suite struct BLEPortTests {
  /// Opens a port to the adapter of a scene, and runs a test with both.
  static func with(
    _ scene: String, _ body: @escaping @Sendable (inout BLEPort, BluetoothBed) throws -> Void
  ) async throws {
    try await runBlocking {
      let bed = try BluetoothBed.start(scene)
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      try port.open(within: .seconds(60), unless: nil)
      try body(&port, bed)
      port.close()
    }
  }

  /// Returns the error with which a port to the adapter of a scene does not open.
  static func refusal(_ scene: String, within limit: Duration = .seconds(60)) async throws
    -> PortError
  {
    try await runBlocking {
      let bed = try BluetoothBed.start(scene)
      var port = BLEPort(address: Scene.address, bus: bed.bus)
      let error = PortContract.error { () throws(PortError) in
        try port.open(within: limit, unless: nil)
      }
      #expect(port.isOpen == false)
      #expect(port.descriptor == -1)
      return try #require(error)
    }
  }

  static func wait(for port: borrowing BLEPort) throws {
    var waiting = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, 60_000) == 1 else { throw TestData.Missing("anything to read from \(port.name)") }
  }

  /// Reads until this number of bytes has arrived.
  static func read(_ count: Int, _ port: inout BLEPort, room: Int = 256) throws -> String {
    var text = ""
    while text.utf8.count < count {
      try wait(for: port)
      text += try PortContract.read(&port, room: room)
    }
    return text
  }

  /// Reads until the connection has ended, and returns the reason.
  static func end(of port: inout BLEPort) throws -> PortError? {
    while true {
      try wait(for: port)
      if let error = PortContract.error({ () throws(PortError) in _ = try PortContract.read(&port) }
      ) {
        return error
      }
    }
  }

  /// Writes all bytes, like a loop: if there is no room, it waits until the descriptor is ready.
  static func write(_ text: String, _ port: inout BLEPort) throws {
    var rest = Substring(text)
    while !rest.isEmpty {
      let count = try PortContract.write(String(rest), &port)
      rest = rest.dropFirst(count)
      if count > 0 { continue }
      try wait(for: port)
      #expect(try PortContract.read(&port) == "")
    }
  }

  static func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func notify(_ pieces: [String], _ bed: BluetoothBed) throws {
    let list = pieces.map { "\"\(hex($0))\"" }.joined(separator: ", ")
    try bed.order("{\"do\": \"notify\", \"pieces\": [\(list)]}")
  }

  static let messages = #""sockets": false"#

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

  /// The characteristics are distinguished by their properties.
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
  func every_family_of_adapters_is_supported(_ service: String) async throws {
    try await Self.with(Scene.adapter(service, Self.messages)) { port, bed in
      try Self.write("ATZ\r", &port)
      #expect(try bed.event("write") == "write command \(Self.hex("ATZ\r"))")
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
    }
  }

  @Test func notifications_are_joined_to_one_stream() async throws {
    for facts in [#""sockets": true"#, Self.messages] {
      try await Self.with(Scene.adapter(Scene.ffe0, facts)) { port, bed in
        try Self.notify(["4", "1 0C 1", "", "A F8\r", "\r", ">SEARCH", "ING...\r\r>"], bed)
        // An empty notification is ignored, and is not an end.
        #expect(try Self.read(29, &port, room: 7) == "41 0C 1A F8\r\r>SEARCHING...\r\r>")
      }
    }
  }

  @Test(arguments: [
    // The message with which BlueZ passes the socket. It is not sent before both sides have agreed.
    (#""sockets": true, "mtu": 23"#, 20), (#""sockets": true, "mtu": 103"#, 100),
    (#""sockets": true, "mtu": 0"#, 20),
    (#""sockets": true, "mtu": 65535"#, 512),
  ])
  func writes_are_split_into_packets(_ row: (facts: String, packet: Int)) async throws {
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
    // Without writes without response, each write waits for an answer.
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

  static func expect(
    _ text: String, inPackets packet: Int, _ type: String, _ bed: BluetoothBed
  ) throws {
    var rest = Substring(text)
    while !rest.isEmpty {
      #expect(try bed.event("write") == "write \(type) \(hex(String(rest.prefix(packet))))")
      rest = rest.dropFirst(packet)
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

  @Test func gatt_services_with_wrong_types_are_ignored() async throws {
    let service =
      #"{"uuid": "0000ffe0-0000-1000-8000-00805f9b34fb", "characteristics": [{"uuid": "x", "nonsense": true}]}"#
    let error = try await Self.refusal(Scene.adapter(service))
    #expect(error.kind == .noSerialService)
  }

  @Test func signals_of_other_bus_clients_about_the_device_are_ignored() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, Self.messages)) { port, bed in
      try bed.order(#"{"do": "spoof"}"#)
      try Self.notify([">"], bed)
      #expect(try Self.read(1, &port) == ">")
      #expect(try PortContract.read(&port) == "")
    }
  }

  @Test func an_oversized_notification_ends_the_connection() async throws {
    try await Self.with(Scene.adapter(Scene.ffe0, Self.messages)) { port, bed in
      try bed.order(#"{"do": "flood", "count": 1, "bytes": 100000}"#)
      let error = try Self.end(of: &port)
      #expect(error?.kind == .system)
      #expect(error?.detail == "a notification of 100000 bytes; at most 512 are valid")
    }
    try await Self.with(Scene.adapter()) { port, bed in
      try bed.order(#"{"do": "flood", "count": 1, "bytes": 4000}"#)
      let error = try Self.end(of: &port)
      #expect(error?.kind == .system)
      #expect(error?.detail == "a notification of more than 512 bytes; at most 512 are valid")
    }
  }

  @Test func a_flood_of_notifications_is_read_completely() async throws {
    for facts in [#""sockets": true"#, Self.messages] {
      try await Self.with(Scene.adapter(Scene.ffe0, facts)) { port, bed in
        let work = BackgroundWork { try? bed.order(#"{"do": "flood", "count": 400, "bytes": 512}"#) }
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
