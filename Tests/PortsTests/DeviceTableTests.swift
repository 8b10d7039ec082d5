import Ports
import Testing

@Suite struct DeviceTableTests {
  private static func device(_ number: Int, serial: String, socket: String = "1-1") -> DeviceIdentity {
    DeviceIdentity(
      node: "/dev/ttyUSB\(number)", systemPath: "/sys/devices/usb1/\(socket)/ttyUSB\(number)",
      place: "pci-0-usb-0:\(socket)", usb: .init(vendor: 0x0403, product: 0x6015, serial: serial))
  }

  @Test func a_repeatedly_reported_device_appears_once() {
    var table = DeviceTable()
    let device = Self.device(0, serial: "113011")
    #expect(table.apply(.present(device)) == [.appeared(device)])
    #expect(table.apply(.present(device)) == [])
    #expect(table.replace(with: [device]) == [])
    #expect(table.devices == [device])
  }

  @Test func a_removal_is_known_by_node_or_by_path() {
    let device = Self.device(0, serial: "113011")
    for (node, path) in [(device.node, ""), ("", device.systemPath), (device.node, "/sys/other")] {
      var table = DeviceTable()
      _ = table.apply(.present(device))
      #expect(table.apply(.absent(node: node, systemPath: path)) == [.disappeared(device)])
      #expect(table.apply(.absent(node: node, systemPath: path)) == [])
      #expect(table.devices.isEmpty)
    }
  }

  @Test func a_device_that_comes_back_under_another_number_is_the_same() {
    var table = DeviceTable()
    let before = Self.device(0, serial: "113011")
    let after = Self.device(1, serial: "113011", socket: "1-2")
    _ = table.apply(.present(before))
    _ = table.apply(.absent(node: before.node, systemPath: before.systemPath))
    #expect(table.apply(.present(after)) == [.appeared(after)])
    #expect(before.key == after.key)
    #expect(table.device(withKey: before.key) == after)
  }

  @Test func two_devices_that_swap_their_numbers_are_told_apart() {
    var table = DeviceTable()
    _ = table.apply(.present(Self.device(0, serial: "113011", socket: "1-1")))
    _ = table.apply(.present(Self.device(1, serial: "113012", socket: "1-2")))
    _ = table.apply(.absent(node: "/dev/ttyUSB0", systemPath: ""))
    _ = table.apply(.absent(node: "/dev/ttyUSB1", systemPath: ""))
    _ = table.apply(.present(Self.device(0, serial: "113012", socket: "1-2")))
    _ = table.apply(.present(Self.device(1, serial: "113011", socket: "1-1")))
    #expect(table.device(withKey: "usb:0403:6015:113011")?.node == "/dev/ttyUSB1")
    #expect(table.device(withKey: "usb:0403:6015:113012")?.node == "/dev/ttyUSB0")
  }

  @Test func another_device_under_a_known_name_means_that_the_first_went() {
    var table = DeviceTable()
    let first = Self.device(0, serial: "113011")
    let second = Self.device(0, serial: "113012")
    _ = table.apply(.present(first))
    #expect(table.apply(.present(second)) == [.disappeared(first), .appeared(second)])
  }

  @Test func a_link_that_comes_later_is_a_change() {
    var table = DeviceTable()
    var device = Self.device(0, serial: "113011")
    _ = table.apply(.present(device))
    device.links = ["/dev/obd"]
    #expect(table.apply(.present(device)) == [.changed(device)])
    #expect(table.devices.first?.isNamed("/dev/obd") == true)
  }

  @Test func a_list_after_missed_events_contains_the_missed_changes() {
    var table = DeviceTable()
    let (old, stays, new) = (
      Self.device(0, serial: "113011"), Self.device(1, serial: "113012", socket: "1-2"),
      Self.device(2, serial: "113013", socket: "1-3")
    )
    _ = table.replace(with: [old, stays])
    #expect(table.replace(with: [stays, new]) == [.disappeared(old), .appeared(new)])
    #expect(table.devices == [stays, new])
  }

  @Test func a_key_of_two_devices_identifies_neither() {
    var table = DeviceTable()
    _ = table.replace(with: [Self.device(0, serial: "113011"), Self.device(1, serial: "113011", socket: "1-2")])
    #expect(table.device(withKey: "usb:0403:6015:113011") == nil)
  }
}

@Suite struct DeviceIdentityTests {
  private static func key(serial: String = "", place: String = "", interface: Int = -1, isUSB: Bool = true) -> String {
    DeviceIdentity(
      node: "/dev/ttyUSB3", systemPath: "/sys/x", place: place,
      usb: isUSB ? .init(vendor: 0x1A86, product: 0x7523, serial: serial, interface: interface) : nil
    ).key
  }

  @Test func device_keys_prefer_the_serial_number_then_the_location() {
    #expect(Self.key(serial: "113011099400", place: "pci-1") == "usb:1a86:7523:113011099400")
    #expect(Self.key(place: "pci-1") == "usb:1a86:7523@pci-1")
    #expect(Self.key() == "usb:1a86:7523:/dev/ttyUSB3")
    #expect(Self.key(place: "platform-uart", isUSB: false) == "path:platform-uart")
    #expect(Self.key(isUSB: false) == "/dev/ttyUSB3")
  }

  @Test func interfaces_of_one_device_have_keys_of_their_own() {
    #expect(Self.key(serial: "A1", interface: 0) != Self.key(serial: "A1", interface: 1))
    #expect(Self.key(serial: "A1", interface: 0) == Self.key(serial: "A1"))
  }

  /// Serial numbers that whole series of clones share.
  @Test(arguments: ["A50285BI", "0001", "00000000", "0123456789", "0"])
  func a_serial_number_shared_by_many_devices_is_ignored(_ serial: String) {
    #expect(Self.key(serial: serial, place: "pci-1") == "usb:1a86:7523@pci-1")
  }
}
