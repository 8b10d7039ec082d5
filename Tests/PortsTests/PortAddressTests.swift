import Ports
import Testing

@Suite struct PortAddressTests {
  private static let address = BluetoothAddress("00:1D:A5:68:98:8A")

  @Test func each_form_is_read() throws {
    let bluetooth = try #require(Self.address)
    let table: [(String, PortAddress)] = [
      ("/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", baud: nil)),
      ("/dev/ttyUSB0@115200", .serial(path: "/dev/ttyUSB0", baud: 115_200)),
      ("./car", .serial(path: "./car", baud: nil)), ("../car@9600", .serial(path: "../car", baud: 9_600)),
      ("192.168.0.10:35000", .tcp(host: "192.168.0.10", port: 35_000)),
      ("tcp:192.168.0.10", .tcp(host: "192.168.0.10", port: 35_000)),
      ("tcp:adapter.local:23", .tcp(host: "adapter.local", port: 23)),
      ("tcp:[fe80::1]:35000", .tcp(host: "fe80::1", port: 35_000)),
      ("tcp:[::1]", .tcp(host: "::1", port: 35_000)),
      ("rfcomm:00:1D:A5:68:98:8A", .rfcomm(bluetooth, channel: nil)),
      ("rfcomm:00:1d:a5:68:98:8a/2", .rfcomm(bluetooth, channel: 2)),
      ("00:1D:A5:68:98:8A", .rfcomm(bluetooth, channel: nil)),
      ("ble:00:1d:a5:68:98:8a", .ble(bluetooth)),
    ]
    for (text, expected) in table { #expect(try PortAddress(parsing: text) == expected, "\(text)") }
  }

  @Test(arguments: [
    "/dev/ttyUSB0@57600", "tcp:192.168.0.10:35000", "tcp:[::1]:23", "rfcomm:00:1D:A5:68:98:8A/3",
    "ble:00:1D:A5:68:98:8A",
  ])
  func a_port_address_reads_back_as_it_was_written(_ text: String) throws {
    #expect(try PortAddress(parsing: text).description == text)
  }

  @Test(arguments: [
    "", "ttyUSB0", "192.168.0.10", "192.168.0.10:0", "192.168.0.10:65536", "192.168.0.10:x", ":35000", "a b:1",
    "/dev/ttyUSB0@fast", "/dev/ttyUSB0@0", "rfcomm:00:1D:A5:68:98", "rfcomm:00:1D:A5:68:98:8G",
    "rfcomm:00:1D:A5:68:98:8A/0", "rfcomm:00:1D:A5:68:98:8A/31", "tcp:", "tcp:[::1", "tcp:::1", "http://a:1",
    "ble:", "ble:00:1D:A5:68:98", "ble:00:1D:A5:68:98:8A/1",
  ])
  func an_invalid_port_address_is_rejected_with_the_expected_form(_ text: String) {
    let error = PortContract.error { () throws(PortError) in _ = try PortAddress(parsing: text) }
    #expect(error?.kind == .invalid)
    #expect(error?.detail.contains(";") == true, "\(error?.description ?? "read")")
  }

  @Test func a_bluetooth_address_is_written_in_upper_case() {
    #expect(BluetoothAddress("00:1d:a5:68:98:8a")?.description == "00:1D:A5:68:98:8A")
    #expect(BluetoothAddress("FF:FF:FF:FF:FF:FF")?.bits == 0xFFFF_FFFF_FFFF)
    for text in ["", "00:1D:A5:68:98", "00:1D:A5:68:98:8A:", "00-1D-A5-68-98-8A", "001DA568988A", "é0:1D:A5:68:98:8A"] {
      #expect(BluetoothAddress(text) == nil, "\(text)")
    }
  }
}
