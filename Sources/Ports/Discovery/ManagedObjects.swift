import CSystemd

/// What BlueZ answers to GetManagedObjects: `a{oa{sa{sv}}}`, objects with interfaces with properties.
///
///     /org/bluez/hci0                          org.bluez.Adapter1   Address, Powered, …
///     /org/bluez/hci0/dev_00_1D_A5_68_98_8A    org.bluez.Device1    Address, Name, Paired, UUIDs, …
struct ManagedObjects {
  /// Paths of the controllers.
  private(set) var controllers: [String] = []
  /// Sorted by address; one that two controllers know stands once, paired where one of them is.
  private(set) var devices: [BluetoothDevice] = []

  private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

  /// nil where the answer is not of that form.
  init?(reading message: OpaquePointer) {
    let read = unsafe Self.each(message, "{oa{sa{sv}}}") {
      guard let path = unsafe Self.text(message, "o") else { return false }
      return unsafe Self.each(message, "{sa{sv}}") {
        guard let interface = unsafe Self.text(message, "s") else { return false }
        if interface == "org.bluez.Adapter1" { controllers.append(path) }
        guard interface == "org.bluez.Device1" else { return unsafe csystemd_skip(message, "a{sv}") >= 0 }
        return unsafe readDevice(message)
      }
    }
    guard read else { return nil }
    devices.sort { $0.address.bits < $1.address.bits }
  }

  private mutating func readDevice(_ message: OpaquePointer) -> Bool {
    var address: BluetoothAddress?
    var name = ""
    var alias = ""
    var flags: [String: Bool] = [:]
    var hasSerialPort = false
    var signal: Int?
    let read = unsafe Self.each(message, "{sv}") {
      guard let key = unsafe Self.text(message, "s") else { return false }
      switch key {
      case "Address":
        address = unsafe Self.variant(message, "s") { unsafe Self.text(message, "s") }.flatMap { .init($0) }
      case "Name": name = unsafe Self.variant(message, "s") { unsafe Self.text(message, "s") } ?? ""
      case "Alias": alias = unsafe Self.variant(message, "s") { unsafe Self.text(message, "s") } ?? ""
      case "Paired", "Connected":
        flags[key] = unsafe Self.variant(message, "b") {
          var value: Int32 = 0
          return unsafe csystemd_read_bool(message, &value) > 0 ? value != 0 : nil
        }
      case "RSSI":
        signal = unsafe Self.variant(message, "n") {
          var value: Int16 = 0
          return unsafe csystemd_read_int16(message, &value) > 0 ? Int(value) : nil
        }
      case "UUIDs":
        _ = unsafe Self.variant(message, "as") {
          unsafe Self.each(message, "s") {
            guard let uuid = unsafe Self.text(message, "s") else { return false }
            hasSerialPort = hasSerialPort || uuid.lowercased() == Self.serialPort
            return true
          }
        }
      default: return unsafe csystemd_skip(message, "v") >= 0
      }
      return true
    }
    guard read else { return false }
    // A device without an address cannot be connected to: BlueZ never shows one, and if it did, nothing is lost.
    guard let address else { return true }
    add(
      BluetoothDevice(
        address: address, name: name, alias: alias, isPaired: flags["Paired"] ?? false,
        isConnected: flags["Connected"] ?? false, hasSerialPort: hasSerialPort, signal: signal))
    return true
  }

  private mutating func add(_ device: BluetoothDevice) {
    guard let index = devices.firstIndex(where: { $0.address == device.address }) else { return devices.append(device) }
    if device.isPaired && !devices[index].isPaired { devices[index] = device }
  }

  /// Goes through an array; false where it is none or `body` fails.
  ///
  /// - Parameter element: its elements' signature; a `{…}` one is entered and left around `body`.
  private static func each(_ message: OpaquePointer, _ element: String, _ body: () -> Bool) -> Bool {
    guard unsafe csystemd_enter(message, CChar(UInt8(ascii: "a")), element) > 0 else { return false }
    let isEntry = element.hasPrefix("{")
    let contents = String(element.dropFirst().dropLast())
    while unsafe csystemd_at_end(message) == 0 {
      if isEntry && (unsafe csystemd_enter(message, CChar(UInt8(ascii: "e")), contents)) <= 0 { return false }
      guard body() else { return false }
      if isEntry && (unsafe csystemd_exit(message)) < 0 { return false }
    }
    return unsafe csystemd_exit(message) >= 0
  }

  /// Reads a variant of that signature; another one is passed over, and is nil.
  private static func variant<Value>(_ message: OpaquePointer, _ contents: String, _ body: () -> Value?) -> Value? {
    guard unsafe csystemd_enter(message, CChar(UInt8(ascii: "v")), contents) > 0 else {
      _ = unsafe csystemd_skip(message, "v")
      return nil
    }
    let value = body()
    return unsafe csystemd_exit(message) >= 0 ? value : nil
  }

  private static func text(_ message: OpaquePointer, _ type: Unicode.Scalar) -> String? {
    var pointer: UnsafePointer<CChar>?
    guard unsafe csystemd_read_text(message, CChar(UInt8(ascii: type)), &pointer) > 0 else { return nil }
    return unsafe Ports.text(pointer)
  }
}
