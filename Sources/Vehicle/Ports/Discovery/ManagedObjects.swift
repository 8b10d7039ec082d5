/// The objects of BlueZ, as it answers GetManagedObjects (`a{oa{sa{sv}}}`). Each object has interfaces, and each
/// interface has properties:
///
///     /org/bluez/hci0                                 org.bluez.Adapter1             Address, Powered, …
///     /org/bluez/hci0/dev_00_1D_A5_68_98_8A           org.bluez.Device1              Address, Name, Paired, UUIDs, …
///     …/dev_00_1D_A5_68_98_8A/service0010             org.bluez.GattService1         UUID, …
///     …/dev_00_1D_A5_68_98_8A/service0010/char0011    org.bluez.GattCharacteristic1  UUID, Service, Flags, MTU, …
struct ManagedObjects {
  struct Controller: Equatable {
    let path: String
    var isPowered = false
  }
  /// A device as one controller knows it. If several controllers know the device, each has its own entry.
  struct KnownDevice: Equatable {
    let path: String
    var device: BluetoothDevice
    /// Whether the device is connected and BlueZ knows its services.
    var hasServices = false
  }

  private(set) var controllers: [Controller] = []
  private(set) var known: [KnownDevice] = []
  private(set) var services: [GATTService] = []
  private(set) var characteristics: [GATTCharacteristic] = []

  /// All devices, sorted by address. A device that several controllers know is listed once; it counts as paired if it
  /// is paired with one of them.
  var devices: [BluetoothDevice] {
    var devices: [BluetoothDevice] = []
    for entry in known {
      if let index = devices.firstIndex(where: { $0.address == entry.device.address }) {
        if entry.device.isPaired && !devices[index].isPaired { devices[index] = entry.device }
      } else {
        devices.append(entry.device)
      }
    }
    return devices.sorted { $0.address.bits < $1.address.bits }
  }

  /// Returns the entry of a device by its address; `nil` if the device is unknown. If several controllers know the
  /// device, the first kind of entry in this list that exists is returned:
  ///
  /// 1. connected
  /// 2. paired, on a controller that is on
  /// 3. on a controller that is on
  /// 4. paired
  /// 5. any other entry
  func device(_ address: BluetoothAddress) -> KnownDevice? {
    let all = known.filter { $0.device.address == address }
    let reachable = all.filter { isBelowPowered($0.path) }
    return all.first { $0.device.isConnected } ?? reachable.first { $0.device.isPaired } ?? reachable.first
      ?? all.first { $0.device.isPaired } ?? all.first
  }

  private func isBelowPowered(_ path: String) -> Bool {
    controllers.contains { $0.isPowered && path.hasPrefix($0.path + "/") }
  }

  /// Parses the answer to GetManagedObjects; `nil` if it has another format.
  init?(reading message: BusMessage) {
    let read = message.each("{oa{sa{sv}}}") {
      guard let path = message.text("o") else { return false }
      return message.each("{sa{sv}}") {
        guard let interface = message.text() else { return false }
        switch interface {
        case "org.bluez.Adapter1": return readController(path, message)
        case "org.bluez.Device1": return readDevice(path, message)
        case "org.bluez.GattService1": return readService(path, message)
        case "org.bluez.GattCharacteristic1": return readCharacteristic(path, message)
        default: return message.skip("a{sv}")
        }
      }
    }
    guard read else { return nil }
  }

  private mutating func readController(_ path: String, _ message: BusMessage) -> Bool {
    var controller = Controller(path: path)
    let read = message.each("{sv}") {
      guard let key = message.text() else { return false }
      guard key == "Powered" else { return message.skip("v") }
      controller.isPowered = message.variant("b") { message.bool() } ?? false
      return true
    }
    controllers.append(controller)
    return read
  }

  private mutating func readDevice(_ path: String, _ message: BusMessage) -> Bool {
    var address: BluetoothAddress?
    var texts: [String: String] = [:]
    var flags: [String: Bool] = [:]
    var uuids: [BluetoothUUID] = []
    var signal: Int?
    let read = message.each("{sv}") {
      guard let key = message.text() else { return false }
      switch key {
      case "Address": address = message.variant("s") { message.text() }.flatMap { BluetoothAddress($0) }
      case "Name", "Alias", "AddressType": texts[key] = message.variant("s") { message.text() }
      case "Paired", "Connected", "Trusted", "ServicesResolved": flags[key] = message.variant("b") { message.bool() }
      case "RSSI": signal = message.variant("n") { message.int16() }.map { Int($0) }
      case "UUIDs": uuids = message.variant("as") { message.texts() }?.compactMap { BluetoothUUID($0) } ?? []
      default: return message.skip("v")
      }
      return true
    }
    guard read else { return false }
    // A device without an address cannot be used, so ignore it. BlueZ never reports one.
    guard let address else { return true }
    let device = BluetoothDevice(
      address: address, name: texts["Name"] ?? "", alias: texts["Alias"] ?? "", isPaired: flags["Paired"] ?? false,
      isTrusted: flags["Trusted"] ?? false, isConnected: flags["Connected"] ?? false,
      hasSerialPort: uuids.contains(.serialPort), hasAdapterService: uuids.contains { SerialOverGATT.isKnown($0) },
      hasRandomAddress: texts["AddressType"] == "random", signal: signal)
    known.append(KnownDevice(path: path, device: device, hasServices: flags["ServicesResolved"] ?? false))
    return true
  }

  private mutating func readService(_ path: String, _ message: BusMessage) -> Bool {
    var uuid: BluetoothUUID?
    let read = message.each("{sv}") {
      guard let key = message.text() else { return false }
      guard key == "UUID" else { return message.skip("v") }
      uuid = message.variant("s") { message.text() }.flatMap { BluetoothUUID($0) }
      return true
    }
    if let uuid { services.append(GATTService(path: path, uuid: uuid)) }
    return read
  }

  private mutating func readCharacteristic(_ path: String, _ message: BusMessage) -> Bool {
    var uuid: BluetoothUUID?
    var service = ""
    var flags: [String] = []
    var mtu: Int?
    let read = message.each("{sv}") {
      guard let key = message.text() else { return false }
      switch key {
      case "UUID": uuid = message.variant("s") { message.text() }.flatMap { BluetoothUUID($0) }
      case "Service": service = message.variant("o") { message.text("o") } ?? ""
      case "Flags": flags = message.variant("as") { message.texts() } ?? []
      case "MTU": mtu = message.variant("q") { message.uint16() }.map { Int($0) }
      default: return message.skip("v")
      }
      return true
    }
    if let uuid {
      characteristics.append(GATTCharacteristic(path: path, service: service, uuid: uuid, flags: flags, mtu: mtu))
    }
    return read
  }
}

extension BusMessage {
  /// Reads the texts of an array of strings (`as`); `nil` if the next value has another type.
  func texts() -> [String]? {
    var texts: [String] = []
    let read = each("s") {
      guard let text = text() else { return false }
      texts.append(text)
      return true
    }
    return read ? texts : nil
  }
}
