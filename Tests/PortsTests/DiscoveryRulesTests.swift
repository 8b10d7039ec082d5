import Ports
import Testing

/// A table: the device, the permitted actions, and the decision.
@Suite struct DiscoveryRulesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    var usb: DeviceIdentity.USB?
    var tag = ""
    var rules = DiscoveryRules()
    var heard: Listener.Result?
    let verdict: DeviceVerdict
    var testDescription: String { what }
  }

  private typealias USB = DeviceIdentity.USB
  private static let ftdi = USB(vendor: 0x0403, product: 0x6001, vendorName: "FTDI", productName: "FT232R USB UART")
  private static let ch340 = USB(vendor: 0x1A86, product: 0x7523, productName: "USB2.0-Serial")
  private static let cp2102 = USB(
    vendor: 0x10C4, product: 0xEA60, vendorName: "Silicon Labs", productName: "CP2102 USB to UART Bridge Controller")
  private static let pl2303 = USB(vendor: 0x067B, product: 0x2303, vendorName: "Prolific Technology Inc.")
  private static let obdlink = USB(
    vendor: 0x0403, product: 0x6015, serial: "113010782033", vendorName: "ScanTool.net LLC", productName: "OBDLink SX")
  private static let ublox = USB(vendor: 0x1546, product: 0x01A7, vendorName: "u-blox AG - www.u-blox.com")
  private static let node = "/dev/ttyUSB0"
  private static let link = "/dev/serial/by-id/usb-x-if00-port0"

  static let rows: [Row] = [
    Row(what: "FTDI bridge, not heard yet", usb: ftdi, verdict: .listen),
    Row(what: "CH340 bridge, not heard yet", usb: ch340, verdict: .listen),
    Row(what: "CP2102 bridge, not heard yet", usb: cp2102, verdict: .listen),
    Row(what: "PL2303 bridge, not heard yet", usb: pl2303, verdict: .listen),
    Row(what: "bridge, silent", usb: ch340, heard: .nothing, verdict: .leave(.notProbed)),
    Row(what: "bridge, other bytes", usb: ftdi, heard: .otherBytes, verdict: .leave(.notProbed)),
    Row(what: "bridge, NMEA", usb: pl2303, heard: .sentences(baud: 4_800), verdict: .receiver(.heard)),
    Row(what: "bridge, probing allowed, not heard yet", usb: ch340, rules: .init(probe: true), verdict: .listen),
    Row(
      what: "bridge, probing allowed, silent", usb: ch340, rules: .init(probe: true), heard: .nothing,
      verdict: .adapter(.probe)),
    Row(
      what: "bridge, probing allowed, NMEA", usb: ch340, rules: .init(probe: true), heard: .sentences(baud: 9_600),
      verdict: .receiver(.heard)),
    Row(what: "OBDLink by its name", usb: obdlink, verdict: .adapter(.knownProduct)),
    Row(
      what: "vLinker by its name",
      usb: USB(vendor: 0x0403, product: 0x6015, productName: "vLinker FS USB"), verdict: .adapter(.knownProduct)),
    Row(
      what: "udev's spelling of a name",
      usb: USB(vendor: 0x0403, product: 0x6015, vendorName: "ScanTool.net_LLC", productName: "OBDLink_EX"),
      verdict: .adapter(.knownProduct)),
    Row(what: "u-blox receiver", usb: ublox, verdict: .receiver(.knownProduct)),
    Row(
      what: "receiver by its name", usb: USB(vendor: 0x1234, product: 1, productName: "USB GPS Mouse"),
      verdict: .receiver(.knownProduct)),
    Row(
      what: "a name that only begins so", usb: USB(vendor: 0x1234, product: 1, productName: "GPSDO generator"),
      verdict: .leave(.unrelated)),
    Row(
      what: "modem", usb: USB(vendor: 0x12D1, product: 0x1001, vendorName: "HUAWEI", productName: "E220"),
      verdict: .leave(.unrelated)),
    Row(
      what: "modem, probing allowed", usb: USB(vendor: 0x12D1, product: 0x1001), rules: .init(probe: true),
      heard: .nothing, verdict: .leave(.unrelated)),
    Row(what: "the machine's own serial port", verdict: .leave(.unrelated)),
    Row(what: "own port, probing allowed", rules: .init(probe: true), verdict: .leave(.unrelated)),
    Row(what: "own port, configured", rules: .init(adapters: [node]), verdict: .adapter(.configured)),
    Row(what: "own port, tagged", tag: "adapter", verdict: .adapter(.tagged)),
    Row(what: "bridge, tagged", usb: ftdi, tag: "adapter", verdict: .adapter(.tagged)),
    Row(what: "bridge, configured by node", usb: ftdi, rules: .init(adapters: [node]), verdict: .adapter(.configured)),
    Row(what: "bridge, configured by link", usb: ftdi, rules: .init(adapters: [link]), verdict: .adapter(.configured)),
    Row(what: "bridge, another configured", usb: ftdi, rules: .init(adapters: ["/dev/ttyUSB1"]), verdict: .listen),
    Row(
      what: "bridge, configured as receiver", usb: ftdi, rules: .init(receivers: [link]),
      verdict: .receiver(.configured)),
    Row(
      what: "OBDLink, configured as receiver", usb: obdlink, rules: .init(receivers: [node]),
      verdict: .receiver(.configured)),
    Row(what: "OBDLink, to be ignored", usb: obdlink, tag: "ignore", verdict: .leave(.ignored)),
    Row(
      what: "configured and to be ignored", usb: ftdi, tag: "ignore", rules: .init(adapters: [node], probe: true),
      verdict: .leave(.ignored)),
    Row(what: "a tag that means nothing", usb: ftdi, tag: "yes", verdict: .listen),
  ]

  @Test(arguments: rows) func the_rules_classify_serial_devices_as_the_table_says(_ row: Row) {
    let device = DeviceIdentity(
      node: Self.node, systemPath: "/sys/devices/x/ttyUSB0", links: [Self.link], usb: row.usb, tag: row.tag)
    #expect(row.rules.verdict(for: device, heard: row.heard) == row.verdict)
  }

  /// Only a configuration, a tag, a name or the permission to probe allows that anything is written.
  @Test func listening_to_a_device_never_permits_writing_to_it() {
    for row in Self.rows where row.tag != "adapter" && row.rules == DiscoveryRules() {
      for heard in [nil, .nothing, .otherBytes, .sentences(baud: 9_600)] as [Listener.Result?] {
        let device = DeviceIdentity(node: Self.node, systemPath: "/sys/x", usb: row.usb, tag: row.tag)
        guard case .adapter(let ground) = row.rules.verdict(for: device, heard: heard) else { continue }
        #expect(ground == .knownProduct)
      }
    }
  }

  @Test func the_rules_classify_bluetooth_devices_by_name_and_pairing() throws {
    let address = try #require(BluetoothAddress("00:1D:A5:68:98:8A"))
    func device(_ name: String, paired: Bool = true, serial: Bool = true, alias: String = "") -> BluetoothDevice {
      BluetoothDevice(address: address, name: name, alias: alias, isPaired: paired, hasSerialPort: serial)
    }
    let none = DiscoveryRules()
    #expect(none.verdict(for: device("OBDII")) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("OBDLink MX+ 12345")) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("V-LINK")) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("", alias: "My ELM 327")) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("OBDII", paired: false, serial: false)) == .leave(.notPaired))
    #expect(none.verdict(for: device("OBDBLE", serial: false)) == .leave(.noSerialPort))
    #expect(none.verdict(for: device("IOS-Vlink", serial: false)) == .leave(.noSerialPort))
    #expect(none.verdict(for: device("Pixel 8")) == .leave(.notProbed))
    #expect(none.verdict(for: device("Pixel 8", paired: false)) == .leave(.notPaired))
    #expect(none.verdict(for: device("Headphones", serial: false)) == .leave(.unrelated))
    #expect(DiscoveryRules(probe: true).verdict(for: device("Pixel 8")) == .adapter(.probe))
    #expect(device("OBDII").port == .rfcomm(address, channel: nil))
    let configured = DiscoveryRules(bluetoothAdapters: [address])
    #expect(configured.verdict(for: device("", paired: false, serial: false)) == .adapter(.configured))
  }

  /// A device that is not configured may be in another car, and is not paired.
  @Test func the_rules_classify_bluetooth_le_devices_by_name_and_trust() throws {
    let address = try #require(BluetoothAddress("AA:BB:CC:00:00:01"))
    func device(_ name: String, paired: Bool = false, trusted: Bool = false, serial: Bool = false) -> BluetoothDevice {
      BluetoothDevice(
        address: address, name: name, isPaired: paired, isTrusted: trusted, hasSerialPort: serial,
        hasAdapterService: true)
    }
    let none = DiscoveryRules()
    #expect(none.verdict(for: device("OBDBLE", trusted: true)) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("IOS-Vlink", paired: true)) == .adapter(.knownProduct))
    #expect(none.verdict(for: device("OBDBLE")) == .leave(.notTrusted))
    #expect(none.verdict(for: device("Scale")) == .leave(.unrelated))
    #expect(none.verdict(for: device("Scale", trusted: true)) == .leave(.notProbed))
    #expect(DiscoveryRules(probe: true).verdict(for: device("Scale", trusted: true)) == .adapter(.probe))
    #expect(DiscoveryRules(probe: true).verdict(for: device("Scale")) == .leave(.unrelated))
    #expect(device("OBDBLE").port == .ble(address))
    // Many devices report their services only after they are connected. Only Bluetooth LE has random addresses.
    let silent = BluetoothDevice(address: address, name: "OBDBLE", isTrusted: true, hasRandomAddress: true)
    #expect(none.verdict(for: silent) == .adapter(.knownProduct))
    #expect(silent.port == .ble(address))
    let mouse = BluetoothDevice(address: address, name: "Mouse", isPaired: true, hasRandomAddress: true)
    #expect(DiscoveryRules(probe: true).verdict(for: mouse) == .leave(.unrelated))
    // If a device can be used in both ways, the faster one is used, under its own rules.
    #expect(device("OBDII", serial: true).port == .rfcomm(address, channel: nil))
    #expect(none.verdict(for: device("OBDII", trusted: true, serial: true)) == .leave(.notPaired))
  }
}
