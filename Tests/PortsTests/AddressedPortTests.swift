import Glibc
import Ports
import TestKit
import Testing

/// The port of an address behaves like the port of its kind.
@Suite struct AddressedPortTests {
  @Test func a_serial_address_opens_a_serial_line() throws {
    var line: Adapter? = try Adapter()
    var port = AddressedPort(.serial(path: line?.path ?? "", baud: nil))
    #expect(port.baud == 38_400)
    try port.open()
    try PortContract.carriesBytesBothWays(&port, peer: line?.master ?? -1)
    try port.setBaud(500_000)
    #expect(port.baud == 500_000)
    var second = SerialPort(path: port.name)
    #expect(PortContract.kind { () throws(PortError) in try second.open() } == .busy)
    line = nil
    try PortContract.findsThatTheDeviceWent(&port)
  }

  @Test func a_serial_line_reopens_at_the_rate_it_had() throws {
    // A program that another test is starting has a copy of the line until it runs.
    try Tool.withoutBirths {
      let line = try Adapter()
      var port = AddressedPort(.serial(path: line.path, baud: 9_600))
      try port.open()
      try port.setBaud(115_200)
      port.close()
      try port.open()
      #expect(port.baud == 115_200)
    }
  }

  /// Bytes that stay in the line would delay the last close(2) by 30 s (closing_wait).
  @Test func closing_a_serial_line_drops_what_the_device_does_not_take() throws {
    try Tool.withoutBirths {
      let line = try Adapter()
      var port = AddressedPort(.serial(path: line.path, baud: nil))
      try port.open()
      let text = String(repeating: "0100\r", count: 800)
      var written = 0
      while case let count = try PortContract.write(text, &port), count > 0 { written += count }
      #expect(written > 8_192, "nobody reads: the line is full")
      port.close()
      #expect(Peer.read(written, from: line.master).utf8.count < written)
    }
  }

  @Test func a_tcp_address_opens_a_connection() throws {
    let server = try Listening()
    var port = AddressedPort(.tcp(host: "127.0.0.1", port: server.port))
    #expect(port.baud == nil)
    try port.open()
    let peer = server.accepted()
    try PortContract.carriesBytesBothWays(&port, peer: peer)
    try port.setBaud(9_600)
    #expect(port.baud == nil)
    close(peer)
    try PortContract.findsThatTheDeviceWent(&port)
  }

  /// Test machines have no Bluetooth. On a machine with Bluetooth, no device answers.
  @Test func a_bluetooth_address_is_tried_and_fails_with_a_reason() throws {
    let address = try #require(BluetoothAddress("00:00:00:00:00:01"))
    var port = AddressedPort(.rfcomm(address, channel: 1))
    let error = PortContract.error { () throws(PortError) in try port.open(within: .milliseconds(200), unless: nil) }
    let expected: [PortError.Kind] = [.noBluetooth, .timedOut, .notPermitted, .invalid]
    #expect(expected.contains(error?.kind ?? .gone), "\(error?.description ?? "connected")")
    #expect(error?.description.hasPrefix("rfcomm:00:00:00:00:00:01/1: ") == true)
  }
}
